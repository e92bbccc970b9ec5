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

/** The settings and the secret of a connection, as given or as normalized by `read`. */
export interface HostAccess {
  readonly settings: JsonObject
  readonly secret: Redacted.Redacted | null
}

/** A connection of an organization with its secret opened. */
export interface OpenConnection extends HostAccess {
  readonly organizationId: OrganizationId
}

/** A checkout as its host granted it, and how to release it. */
export interface HostCheckout extends Checkout {
  /** What `release` needs to revoke the token early; null if there is nothing to release. */
  readonly handle: Redacted.Redacted | null
  /** When the token expires at the host itself; `expiresAt` may be earlier, and until then `release` has to revoke it. */
  readonly lapsesAt: DateTime.Utc
}

/** One kind of code host. It keeps no state between two calls. */
export interface CodeHost {
  /** The name in connections. */
  readonly kind: string
  /**
   * Normalizes a new connection, or returns every field error under `settings.X` and `secret`. It does not call the host;
   * `test` does.
   */
  readonly read: (given: HostAccess) => Either.Either<HostAccess, FieldErrors>
  /** Succeeds if this connection can issue checkouts. */
  readonly test: (connection: OpenConnection) => Effect.Effect<void, CodeHostFailed>
  /**
   * Issues a token that reads this repository alone, for at most `CHECKOUT_SECONDS`. A token with more permissions than
   * requested is revoked, and the call fails.
   */
  readonly issue: (
    connection: OpenConnection,
    repository: RepositoryName
  ) => Effect.Effect<HostCheckout, RepositoryUnavailable | CodeHostFailed>
  /** Revokes a token; succeeds if it has expired or is revoked. */
  readonly release: (connection: OpenConnection, handle: Redacted.Redacted) => Effect.Effect<void, CodeHostFailed>
}

/** The kinds of code hosts that this engine supports. */
export class CodeHosts extends Context.Tag("@earshot/core/checkouts/CodeHosts")<CodeHosts, ReadonlyArray<CodeHost>>() {}
