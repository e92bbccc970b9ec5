import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { CodeConnectionId, OrganizationId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { CodeConnection } from "./CodeConnection.js"

/** What is kept of a new connection. */
export interface NewCodeConnection {
  readonly host: string
  readonly name: string
  readonly settings: JsonObject
  /** The secret, sealed; null where the host asks for none. */
  readonly sealed: string | null
  readonly createdAt: DateTime.Utc
}

/** A connection with its secret as it is stored; the secret of a revoked one goes once nothing is left to take back. */
export interface StoredConnection {
  readonly connection: CodeConnection
  readonly sealed: string | null
}

/** A sealed secret and where it lies. */
export interface SealedSecret {
  readonly of: "connection" | "grant"
  readonly id: number
  readonly organizationId: OrganizationId
  readonly sealed: string
}

/** What storage promises about connections to code hosts. A permit's organisation bounds every answer. */
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
    /** The same, with all connections of the organisation locked until the transaction ends. */
    readonly hold: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId
    ) => Effect.Effect<Option.Option<StoredConnection>, StorageError>
    /** Newest first; up to one more than the page holds. Revoked ones are listed too. */
    readonly list: (
      permit: Permit<"connections:manage">,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<CodeConnection>, StorageError>
    /** The one active connection of the organisation. */
    readonly findActive: (
      permit: Permit<"checkouts:create">
    ) => Effect.Effect<Option.Option<StoredConnection>, StorageError>
    /** Keeps what a test found: null for nothing wrong. */
    readonly recordTest: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId,
      error: string | null,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Makes it the active one, and whichever was active before it inactive. */
    readonly activate: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Revokes it for good; its secret is erased once no token is left to be taken back with it. */
    readonly revoke: (
      permit: Permit<"connections:manage">,
      id: CodeConnectionId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Every sealed secret of the database, in the order of their ids from `after` on; for the operator alone. */
    readonly sealed: (
      of: SealedSecret["of"],
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SealedSecret>, StorageError>
    /** Puts the same secret, sealed anew, in its place, unless it has changed since. */
    readonly reseal: (secret: SealedSecret, sealed: string) => Effect.Effect<void, StorageError>
  }
>() {}
