import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Redacted from "effect/Redacted"
import type { FieldErrors } from "../kernel/FieldErrors.js"
import type { OrganizationId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import type { Checkout } from "./Checkout.js"
import type { CodeHostFailed, RepositoryUnavailable } from "./CheckoutErrors.js"
import type { RepositoryName } from "./RepositoryName.js"

/** What a connection holds of its host's kind, as it was given or as `read` left it. */
export interface HostAccess {
  readonly settings: JsonObject
  readonly secret: Redacted.Redacted | null
}

/** A connection of an organisation, opened. */
export interface OpenConnection extends HostAccess {
  readonly organizationId: OrganizationId
}

/** A checkout as its host granted it, and how it is taken back. */
export interface HostCheckout extends Checkout {
  /** What `release` needs to end the token before its time; null where nothing is to be done at the host. */
  readonly handle: Redacted.Redacted | null
  /** When the host itself refuses the token, where `expiresAt` is earlier: until then `release` has to end it. */
  readonly lapsesAt: DateTime.Utc
}

/** One kind of code host. It keeps nothing between two calls: whatever it answers, it asked the host for it. */
export interface CodeHost {
  /** What connections name it by. */
  readonly kind: string
  /**
   * What is given of a new connection as it is to be kept, or every fault of it under `settings.X` and `secret`. It asks
   * nobody: whether the host agrees is what `test` finds out.
   */
  readonly read: (given: HostAccess) => Either.Either<HostAccess, FieldErrors>
  /** Succeeds if checkouts can be had through this connection. */
  readonly test: (connection: OpenConnection) => Effect.Effect<void, CodeHostFailed>
  /**
   * A new token that reads this repository and nothing else, for at most `CHECKOUT_SECONDS`. A token that a host makes
   * wider than it was asked for is taken back, and not answered.
   */
  readonly issue: (
    connection: OpenConnection,
    repository: RepositoryName
  ) => Effect.Effect<HostCheckout, RepositoryUnavailable | CodeHostFailed>
  /** Ends a token; one that has ended is no fault. */
  readonly release: (connection: OpenConnection, handle: Redacted.Redacted) => Effect.Effect<void, CodeHostFailed>
}

/** The kinds of code hosts that this engine knows. */
export class CodeHosts extends Context.Tag("@earshot/core/checkouts/CodeHosts")<CodeHosts, ReadonlyArray<CodeHost>>() {}
