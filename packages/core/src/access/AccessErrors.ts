import * as Schema from "effect/Schema"
import { JsonObject } from "../kernel/Json.js"
import { Permission } from "./Permission.js"

/** No credential, an unknown, expired or revoked one, or one of a kind that the operation does not accept. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>("@earshot/core/Unauthenticated")(
  "Unauthenticated",
  { reason: Schema.String }
) {
  override get message(): string {
    return this.reason
  }
}

/** The caller is authenticated but lacks a permission. */
export class Forbidden extends Schema.TaggedError<Forbidden>("@earshot/core/Forbidden")("Forbidden", {
  permission: Permission
}) {
  override get message(): string {
    return `You do not have permission to perform this action (needs ${this.permission}).`
  }
}

/**
 * The operation has succeeded, but the caller may not read its result, only the receipt. Not an error of an operation:
 * callers get it only if they ask for it, by `withReceipts`.
 */
export class ResultWithheld extends Schema.TaggedError<ResultWithheld>("@earshot/core/ResultWithheld")(
  "ResultWithheld",
  {
    permission: Permission,
    /** The ids of what was created or changed: an object, or a list of them. */
    receipt: Schema.Union(JsonObject, Schema.Array(JsonObject)),
    /** False for a delivery that updated an existing call. */
    created: Schema.Boolean
  }
) {
  override get message(): string {
    return `The operation has succeeded. Its result is not shown (needs ${this.permission}).`
  }
}
export type Receipt = ResultWithheld["receipt"]

/** The credential made more requests than it may; it may retry after `retryAfterSeconds`. */
export class RateLimited extends Schema.TaggedError<RateLimited>("@earshot/core/RateLimited")("RateLimited", {
  retryAfterSeconds: Schema.Number
}) {
  override get message(): string {
    return `Request was throttled. Expected available in ${this.retryAfterSeconds} seconds.`
  }
}

/** The resource does not exist for this caller: it was deleted, never existed, is another organization's, or out of scope. */
export class NotFound extends Schema.TaggedError<NotFound>("@earshot/core/NotFound")("NotFound", {
  resource: Schema.String
}) {
  override get message(): string {
    return `No ${this.resource} matches the given query.`
  }
}

/** The organization has a user with this email address already. */
export class EmailTaken extends Schema.TaggedError<EmailTaken>("@earshot/core/access/EmailTaken")("EmailTaken", {
  email: Schema.String
}) {}
