import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SensitiveField } from "@earshot/redaction"
import type { Permit } from "../access/Permit.js"
import type { AgentId, IntegrationId, MetricId, ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Integration } from "./Integration.js"
import type { Platform } from "./Platform.js"

type Manage = Permit<"integrations:manage">

export interface NewIntegration {
  readonly platform: Platform
  readonly name: string
  readonly publicId: string
  readonly projectId: ProjectId
  readonly agentId: AgentId | null
  readonly sealedSecret: string
  readonly redactFields: ReadonlyArray<SensitiveField>
  readonly metricIds: ReadonlyArray<MetricId>
}

/** An integration with its sealed secrets. */
export interface StoredIntegration {
  readonly integration: Integration
  readonly sealedSecret: string
  readonly sealedPrevious: string | null
}

/** What storage promises about integrations. */
export class IntegrationStore extends Context.Tag("@earshot/core/platforms/IntegrationStore")<
  IntegrationStore,
  {
    readonly insert: (
      permit: Manage,
      integration: NewIntegration,
      now: DateTime.Utc
    ) => Effect.Effect<Integration, StorageError>
    readonly find: (permit: Manage, id: IntegrationId) => Effect.Effect<Option.Option<StoredIntegration>, StorageError>
    /** As `find`, with the row locked until the transaction ends. */
    readonly findForUpdate: (
      permit: Manage,
      id: IntegrationId
    ) => Effect.Effect<Option.Option<StoredIntegration>, StorageError>
    /** Newest first. */
    readonly list: (permit: Manage, page: PageRequest) => Effect.Effect<Found<Integration>, StorageError>
    /** The integrations of a platform that have fields to redact, of the whole organization. */
    readonly redacting: (
      permit: Permit<"calls:write">,
      platform: Platform
    ) => Effect.Effect<ReadonlyArray<Integration>, StorageError>
    readonly save: (permit: Manage, stored: StoredIntegration) => Effect.Effect<void, StorageError>
    /** Deletes it for good. */
    readonly remove: (permit: Manage, id: IntegrationId) => Effect.Effect<void, StorageError>
    /** The integrations of addresses, of whatever organization: their secrets are checked next. */
    readonly findByPublicIds: (
      publicIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredIntegration>, StorageError>
    /** Whether a signature was accepted before. */
    readonly wasReceived: (id: IntegrationId, key: string) => Effect.Effect<boolean, StorageError>
    /** Remembers an accepted signature until it expires; again is no error. */
    readonly recordReceived: (
      id: IntegrationId,
      key: string,
      expiresMillis: number
    ) => Effect.Effect<void, StorageError>
    /** Forgets signatures that have expired. */
    readonly purgeReceived: (now: DateTime.Utc) => Effect.Effect<void, StorageError>
    /** Every integration of the database, in the order of their ids, after an id; for the operator. */
    readonly sealed: (after: number, limit: number) => Effect.Effect<ReadonlyArray<StoredIntegration>, StorageError>
    /** Replaces the secrets by themselves sealed with another key, unless they have changed since. */
    readonly reseal: (
      stored: StoredIntegration,
      sealedSecret: string,
      sealedPrevious: string | null
    ) => Effect.Effect<void, StorageError>
  }
>() {}
