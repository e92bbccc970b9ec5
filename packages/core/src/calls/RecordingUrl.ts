/** URLs of recordings for players, which cannot send a header: signed, short-lived, of one call each. */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type { TokenForm } from "../access/Jwt.js"
import * as Fields from "../kernel/Fields.js"
import { CallId, OrganizationId } from "../kernel/Ids.js"

/** The lifetime of a URL in seconds, by default and at most. */
const USUAL_LIFETIME = 600
const LONGEST_LIFETIME = 3_600

/** The input that makes a URL: `{ttl?}` in seconds. */
export const RecordingUrlDraft = Fields.object({
  ttl: Fields.optional(Fields.integer({ min: 1, max: LONGEST_LIFETIME }))
})

export const lifetimeOf = ({ ttl }: typeof RecordingUrlDraft.Type): number => ttl ?? USUAL_LIFETIME

const RecordingClaims = Schema.Struct({ org: OrganizationId, call: CallId })
export type RecordingClaims = typeof RecordingClaims.Type

/** The token of a URL. It is no credential: it reads the recording of one call and nothing else. */
export const RECORDING_TOKEN: TokenForm<RecordingClaims> = {
  name: "recording_url",
  decode: Schema.decodeUnknownOption(RecordingClaims),
  requiredClaims: ["org", "call"],
  longestLifetimeSeconds: LONGEST_LIFETIME
}

/** Where the server serves recordings by a token. */
export const SIGNED_RECORDINGS_PATH = "/observability/v1/recordings/"

/** A signed URL. */
export interface SignedRecording {
  /** Path and query, relative to the address of the server. */
  readonly url: string
  /** The first instant at which it is invalid. */
  readonly expiresAt: DateTime.Utc
}

export const SignedRecordingJson = Schema.Struct({
  url: Schema.String.annotations({ description: "Path and query, relative to the address of the server." }),
  expires_at: Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } })
}).annotations({ identifier: "SignedRecording" })

export const encodeSignedRecording = ({ expiresAt, url }: SignedRecording): typeof SignedRecordingJson.Type => ({
  url,
  expires_at: DateTime.formatIso(expiresAt)
})
