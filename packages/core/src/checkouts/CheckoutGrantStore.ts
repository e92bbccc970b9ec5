import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, CheckoutGrantId, CodeConnectionId, OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredConnection } from "./CodeConnectionStore.js"
import type { RepositoryName } from "./RepositoryName.js"

/** What is kept of a checkout: everything but its token. */
export interface NewCheckoutGrant {
  readonly connectionId: CodeConnectionId
  readonly repository: RepositoryName
  /** The agent whose session asked, and what names the session; null for the host process. */
  readonly agentId: AgentId | null
  readonly sessionJti: string | null
  readonly tokenHash: string
  /** What ends the token at its host, sealed; null where nothing is to be done there. */
  readonly sealedHandle: string | null
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  readonly lapsesAt: DateTime.Utc
}

/** What a token in force opens. */
export interface GrantedRepository {
  readonly organizationId: OrganizationId
  readonly host: string
  readonly repository: RepositoryName
}

/** A token that should have ended and has to be taken back at its host. */
export interface DueGrant {
  readonly id: CheckoutGrantId
  readonly organizationId: OrganizationId
  readonly sealedHandle: string
  readonly attempts: number
  readonly stored: StoredConnection
}

/**
 * What storage promises about checkouts. A token is in force from its insertion to `expiresAt`, while its connection is
 * the active one, its session is not revoked and its agent is there; all of that is asked of the database every time.
 */
export class CheckoutGrantStore extends Context.Tag("@earshot/core/checkouts/CheckoutGrantStore")<
  CheckoutGrantStore,
  {
    /** Keeps a checkout if it would be in force; whether it was kept. */
    readonly insert: (
      permit: Permit<"checkouts:create">,
      grant: NewCheckoutGrant
    ) => Effect.Effect<boolean, StorageError>
    /** What a token in force opens, by its hash. It asks for no permit, since the token is the proof. */
    readonly findInForce: (
      tokenHash: string,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<GrantedRepository>, StorageError>
    /** Tokens that are no longer in force, that their hosts still take, and whose next try has come; the oldest first. */
    readonly due: (
      now: DateTime.Utc,
      limit: number,
      of?: OrganizationId
    ) => Effect.Effect<ReadonlyArray<DueGrant>, StorageError>
    /** Notes that a token was taken back; what ended it is erased. */
    readonly released: (id: CheckoutGrantId) => Effect.Effect<void, StorageError>
    /** Notes a try that failed, and when the next one is. */
    readonly failed: (id: CheckoutGrantId, next: DateTime.Utc) => Effect.Effect<void, StorageError>
    /**
     * Erases what is of no more use at `now`: handles of tokens that lapsed by themselves, secrets of revoked connections
     * that no token needs any more, and checkouts that lapsed before `forgottenBefore`.
     */
    readonly tidy: (now: DateTime.Utc, forgottenBefore: DateTime.Utc) => Effect.Effect<void, StorageError>
  }
>() {}
