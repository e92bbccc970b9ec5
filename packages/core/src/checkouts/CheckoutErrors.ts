import * as Schema from "effect/Schema"

/** The organization has no active connection to a code host. */
export class NoActiveConnection extends Schema.TaggedError<NoActiveConnection>(
  "@earshot/core/checkouts/NoActiveConnection"
)("NoActiveConnection", {}) {
  override get message(): string {
    return "There is no active connection to a code host."
  }
}

/** The connection was revoked, which is for good: its secret is gone. */
export class ConnectionRevoked extends Schema.TaggedError<ConnectionRevoked>(
  "@earshot/core/checkouts/ConnectionRevoked"
)("ConnectionRevoked", {}) {
  override get message(): string {
    return "This connection was revoked. Create another one."
  }
}

/** The active connection does not offer this repository; whether it exists elsewhere is not said. */
export class RepositoryUnavailable extends Schema.TaggedError<RepositoryUnavailable>(
  "@earshot/core/checkouts/RepositoryUnavailable"
)("RepositoryUnavailable", {}) {}

/** The code host failed, cannot be reached, or refuses the connection as a whole. */
export class CodeHostFailed extends Schema.TaggedError<CodeHostFailed>("@earshot/core/checkouts/CodeHostFailed")(
  "CodeHostFailed",
  {
    /** A sentence of ours for a person: it holds nothing that the host said, and no secret. */
    reason: Schema.String,
    /** Seconds until the next request, as stated by the host. */
    retryAfterSeconds: Schema.NullOr(Schema.Number)
  }
) {
  override get message(): string {
    return this.reason
  }
}

/** As many clones are being served from this machine as it may serve at a time. */
export class RepositoryBusy extends Schema.TaggedError<RepositoryBusy>("@earshot/core/checkouts/RepositoryBusy")(
  "RepositoryBusy",
  {}
) {
  override get message(): string {
    return "Too many repositories are being read. Try again later."
  }
}
