import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Integration } from "./Integration.js"
import { IntegrationStore } from "./IntegrationStore.js"
import type { Platform } from "./Platform.js"

/** The integrations whose fields apply to what is received about a call in another way. */
export class RedactingIntegrations extends Context.Tag("@earshot/core/platforms/RedactingIntegrations")<
  RedactingIntegrations,
  {
    /** The integrations of a platform that have fields to redact, of the whole organization. */
    readonly ofPlatform: (
      permit: Permit<"calls:write">,
      platform: Platform
    ) => Effect.Effect<ReadonlyArray<Integration>, StorageError>
  }
>() {}

export const layer = Layer.effect(
  RedactingIntegrations,
  Effect.map(IntegrationStore, (store) => RedactingIntegrations.of({ ofPlatform: store.redacting }))
)
