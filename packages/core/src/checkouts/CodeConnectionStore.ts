import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { CodeConnectionId, OrganizationId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { CodeConnection } from "./CodeConnection.js"

/** A new connection as it is stored. */
export interface NewCodeConnection {
  readonly host: string
  readonly name: string
  readonly settings: JsonObject
  /** The secret, sealed; null where the host needs none. */
  readonly sealed: string | null
  readonly createdAt: DateTime.Utc
}

/** A connection with its secret as it is stored; the secret of a revoked one is erased once its tokens are released. */
export interface StoredConnection {
  readonly connection: CodeConnection
  readonly sealed: string | null
}

/** A sealed secret and the table that holds it. */
export interface SealedSecret {
  readonly of: "connection" | "grant"
  readonly id: number
  readonly organizationId: OrganizationId
  readonly sealed: string
}

/** What storage promises about connections to code hosts. Every result is limited to the permit's organization. */
export class CodeConnectionStore extends Context.Tag("@earshot/core/checkouts/CodeConnectionStore")<
  CodeConnectionStore,
  {
    readonly insert: (
      permit: Permit<"connections:manage">,
      connection: NewCodeConnection
    ) => Effect.Effect<CodeConnection, StorageError>
    readonly find: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId
    ) => Effect.Effect<Option.Option<StoredConnection>, StorageError>
    /** As `find`, with all connections of the organization locked until the transaction ends. */
    readonly findForUpdate: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId
    ) => Effect.Effect<Option.Option<StoredConnection>, StorageError>
    /** Newest first; a page ends early at `PageBytes`. Revoked ones are listed too. */
    readonly list: (
      permit: Permit<"connections:manage">,
      page: PageRequest
    ) => Effect.Effect<Found<CodeConnection>, StorageError>
    /** The one active connection of the organization. */
    readonly findActive: (
      permit: Permit<"checkouts:create">
    ) => Effect.Effect<Option.Option<StoredConnection>, StorageError>
    /** Stores the result of a test: the error, or null. */
    readonly recordTest: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId,
      error: string | null,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Makes it the active connection, and the one that was active inactive. */
    readonly activate: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Revokes it permanently; its secret is erased once its tokens are released. */
    readonly revoke: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Every sealed secret of the database, in the order of their ids, after an id; for the operator. */
    readonly sealed: (
      of: SealedSecret["of"],
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SealedSecret>, StorageError>
    /** Replaces the secret by itself sealed with another key, unless it has changed since. */
    readonly reseal: (secret: SealedSecret, sealed: string) => Effect.Effect<void, StorageError>
  }
>() {}
