import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { SecretBox } from "../access/SecretBox.js"
import type { OrganizationId } from "../kernel/Ids.js"
import { StorageFailed } from "../kernel/Storage.js"
import { CodeHostFailed } from "./CheckoutErrors.js"
import type { StoredConnection } from "./CodeConnectionStore.js"
import type { OpenConnection } from "./CodeHost.js"

/** The purposes that connections' secrets and checkouts' handles are sealed for, per organization. */
export const secretPurpose = (organizationId: OrganizationId): string => `code-connection/${organizationId}`
export const handlePurpose = (organizationId: OrganizationId): string => `checkout-grant/${organizationId}`

/** Opens and seals stored secrets. It fails with a storage error if a key is missing. */
export class Vault extends Context.Tag("@earshot/core/checkouts/Vault")<
  Vault,
  {
    readonly open: (stored: StoredConnection) => Effect.Effect<OpenConnection, StorageFailed>
    readonly openHandle: (
      organizationId: OrganizationId,
      sealed: string
    ) => Effect.Effect<Redacted.Redacted, StorageFailed>
    readonly sealHandle: (
      organizationId: OrganizationId,
      handle: Redacted.Redacted
    ) => Effect.Effect<string, StorageFailed>
  }
>() {}

export const layer = Layer.effect(
  Vault,
  Effect.map(SecretBox, (box) => {
    const open = (purpose: string, sealed: string): Effect.Effect<Redacted.Redacted, StorageFailed> =>
      Option.match(
        Option.flatMap(box, (sealing) => sealing.open(purpose, sealed)),
        {
          onNone: () => new StorageFailed({ operation: "SecretBox.open", cause: "no key opens it" }),
          onSome: (secret) => Effect.succeed(secret)
        }
      )
    return Vault.of({
      open: ({ connection, sealed }) =>
        Effect.map(
          sealed === null ? Effect.succeed(null) : open(secretPurpose(connection.organizationId), sealed),
          (secret) => ({ organizationId: connection.organizationId, settings: connection.settings, secret })
        ),
      openHandle: (organizationId, sealed) => open(handlePurpose(organizationId), sealed),
      sealHandle: (organizationId, handle) =>
        Option.match(box, {
          onNone: () => new StorageFailed({ operation: "SecretBox.seal", cause: "there is no key" }),
          onSome: (sealing) => Effect.succeed(sealing.seal(handlePurpose(organizationId), handle))
        })
    })
  })
)

/** A connection to a kind of host that this engine does not support. */
export const unknownHost = (kind: string): CodeHostFailed =>
  new CodeHostFailed({
    reason: `This engine does not support code hosts of the kind "${kind}".`,
    retryAfterSeconds: null
  })
