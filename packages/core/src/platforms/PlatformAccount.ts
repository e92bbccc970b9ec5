/** Accounts at voice platforms whose calls can be listed by their APIs. */
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import type * as Either from "effect/Either"
import type * as Redacted from "effect/Redacted"
import type { Platform } from "./Platform.js"

/** The platforms that have an API with a list of calls. */
export const listingPlatforms = ["provider_a", "provider_b", "provider_f"] as const satisfies ReadonlyArray<Platform>
export type ListingPlatform = (typeof listingPlatforms)[number]

export interface PlatformAccount {
  readonly platform: ListingPlatform
  readonly apiKey: Redacted.Redacted
  /**
   * Address of the API without the path of an endpoint, such as that of another region. Its host may be private, since it is
   * configured. Default: the platform's own.
   */
  readonly baseUrl?: string | undefined
}

/** The calls that began in a period, both ends included; of Vapi those that were created in it. */
export interface Period {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
}

/** A call of the list. */
export interface ListedPlatformCall {
  /** The platform's id of the call; undefined if the list states none. */
  readonly id: string | undefined
  /** The time by which the list is ordered, in milliseconds since 1970; undefined if it states none. */
  readonly at: number | undefined
  /** The call object, or why it cannot be read. */
  readonly call: Either.Either<unknown, string>
  /** Why the call is listed without the recording that the platform has of it. */
  readonly recordingError?: string
}

/** The list cannot be read any further. The message names neither the key nor content of the response. */
export class PlatformCallsFailed extends Data.TaggedError("PlatformCallsFailed")<{
  /** A predicate to put after the name of the platform: `answered HTTP 500`. */
  readonly reason: string
  /** Of an error response. */
  readonly status?: number
}> {
  override get message(): string {
    return `The platform's API ${this.reason}.`
  }
}
