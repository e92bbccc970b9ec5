import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, CheckoutGrantId, CodeConnectionId, OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredConnection } from "./CodeConnectionStore.js"
import type { RepositoryName } from "./RepositoryName.js"

/** A checkout as it is stored: everything but its token. */
export interface NewCheckoutGrant {
  readonly connectionId: CodeConnectionId
  readonly repository: RepositoryName
  /** The agent and the `jti` of the session that requested it; null for the host process. */
  readonly agentId: AgentId | null
  readonly sessionJti: string | null
  readonly tokenHash: string
  /** The sealed handle that releases the token at its host; null if there is nothing to release. */
  readonly sealedHandle: string | null
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  readonly lapsesAt: DateTime.Utc
}

/** The repository that a valid token grants access to. */
export interface GrantedRepository {
  readonly organizationId: OrganizationId
  readonly host: string
  readonly repository: RepositoryName
}

/** An expired or revoked token that is to be released at its host. */
export interface DueGrant {
  readonly id: CheckoutGrantId
  readonly organizationId: OrganizationId
  readonly sealedHandle: string
  readonly attempts: number
  readonly stored: StoredConnection
}

/**
 * What storage promises about checkouts. A token is in force from its insertion to `expiresAt`, while its connection is
 * the active one, its session is not revoked and its agent exists; the database is queried for all of that every time.
 */
export class CheckoutGrantStore extends Context.Tag("@earshot/core/checkouts/CheckoutGrantStore")<
  CheckoutGrantStore,
  {
    /** Stores a checkout if it would be in force; returns whether it was stored. */
    readonly insert: (
      permit: Permit<"checkouts:create">,
      grant: NewCheckoutGrant
    ) => Effect.Effect<boolean, StorageError>
    /** The repository of a valid token, by the token's hash. Needs no permit, since the token is the credential. */
    readonly findInForce: (
      tokenHash: string,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<GrantedRepository>, StorageError>
    /** Tokens that are no longer in force, that their hosts still accept, and whose next attempt is due; oldest first. */
    readonly due: (
      now: DateTime.Utc,
      limit: number,
      of?: OrganizationId
    ) => Effect.Effect<ReadonlyArray<DueGrant>, StorageError>
    /** Records that a token was released and erases its handle. */
    readonly released: (id: CheckoutGrantId) => Effect.Effect<void, StorageError>
    /** Records a failed attempt and the time of the next one. */
    readonly failed: (id: CheckoutGrantId, next: DateTime.Utc) => Effect.Effect<void, StorageError>
    /**
     * Erases what is no longer needed at `now`: handles of tokens that expired at their hosts, secrets of revoked connections
     * without unreleased tokens, and checkouts that expired before `forgottenBefore`.
     */
    readonly tidy: (now: DateTime.Utc, forgottenBefore: DateTime.Utc) => Effect.Effect<void, StorageError>
  }
>() {}
