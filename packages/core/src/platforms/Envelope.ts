/** What a platform's webhook says about a call besides its transcript, and helpers that read untrusted envelopes. */
import { isPlainObject, type Json, jsonError, type JsonObject } from "../kernel/Json.js"
import { textError } from "../kernel/Text.js"
import { LATEST_EPOCH_MILLISECONDS, MAX_CALL_SECONDS } from "../transcripts/Limits.js"
import { epochStartOf } from "../transcripts/TranscriptBuilder.js"

/** An object of an envelope with unvalidated values. */
export type Row = Readonly<Record<string, unknown>>

/** What an envelope states; undefined where it states nothing, or nothing that can be stored. */
export interface CallFacts {
  readonly callId: string | undefined
  /** The platform's id of the agent. */
  readonly assistantId: string | undefined
  /** When the call began, in milliseconds since 1970. */
  readonly startedAt: number | undefined
  readonly durationSeconds: number | undefined
  readonly endedReason: string | undefined
  /** The number of the person, whichever side called. */
  readonly customerNumber: string | undefined
  /** The recording with the speakers in separate channels if there is one. */
  readonly recordingUrl: string | undefined
  /** The recording itself, in base64. */
  readonly recordingBase64?: string | undefined
  readonly dynamicVariables: JsonObject | undefined
  /** What the caller of the platform attached to the call. */
  readonly metadata: JsonObject | undefined
  /** The platform's own results, for `metadata.platform`. */
  readonly results: PlatformResults
}

/** What a platform computed about a call, in its own units and words. */
export interface PlatformResults {
  readonly status?: unknown
  /** `inbound`, `outbound` or `web`. */
  readonly direction?: unknown
  /** Whether the platform judged the call successful. */
  readonly success?: unknown
  readonly summary?: unknown
  /** The platform's whole analysis. */
  readonly analysis?: unknown
  readonly cost?: unknown
  readonly cost_details?: unknown
  readonly latency?: unknown
}

/** An event of a platform. */
export interface PlatformEvent {
  /** The platform's name of the kind of event, or of the object that was read. */
  readonly event: string
  /** Whether it is about a call that has ended, or that failed to begin. */
  readonly isFinished: boolean
  readonly facts: CallFacts
}

/** Reads an envelope of one platform; undefined for what is none. Pure and total. */
export type ReadEnvelope = (input: unknown) => PlatformEvent | undefined

const noRow: Row = {}

/** The object under a key; empty if there is none. */
export const rowIn = (row: Row, key: string): Row => {
  const value = row[key]
  return isPlainObject(value) ? value : noRow
}

/** The first of some values that is a text with characters. */
export const firstText = (...values: ReadonlyArray<unknown>): string | undefined => {
  for (const value of values) {
    if (typeof value === "string" && value.trim() !== "" && textError(value) === undefined) return value
  }
  return undefined
}

/** The first of some values that is an object; an empty one counts as none. */
export const firstObject = (...values: ReadonlyArray<unknown>): JsonObject | undefined => {
  for (const value of values) {
    const found = storable(value)
    if (isJsonObject(found) && Object.keys(found).length > 0) return found
  }
  return undefined
}

const isJsonObject = (value: Json | undefined): value is JsonObject => isPlainObject(value)

/** A value that both databases store unchanged; otherwise undefined, so that a detail does not cost the call. */
export const storable = (value: unknown): Json | undefined => (isStorable(value) ? value : undefined)

const isStorable = (value: unknown): value is Json =>
  value !== undefined && value !== null && jsonError(value) === undefined

/** The first of some values that is an instant, in milliseconds since 1970: a number of seconds or milliseconds, or ISO 8601. */
export const firstInstant = (...values: ReadonlyArray<unknown>): number | undefined => {
  for (const value of values) {
    const seconds = epochStartOf(value)
    const milliseconds = seconds === undefined ? undefined : Math.round(seconds * 1000)
    if (milliseconds !== undefined && milliseconds <= LATEST_EPOCH_MILLISECONDS) return milliseconds
  }
  return undefined
}

/** The first of some values that is a length of a call in seconds. */
export const firstSeconds = (...values: ReadonlyArray<unknown>): number | undefined => {
  for (const value of values) {
    if (typeof value === "number" && value >= 0 && value <= MAX_CALL_SECONDS) return Math.round(value * 1000) / 1000 + 0
  }
  return undefined
}

/** The seconds between two instants; undefined if one is unknown. */
export const secondsBetween = (start: number | undefined, end: number | undefined): number | undefined =>
  start === undefined || end === undefined ? undefined : (end - start) / 1000

/** A number divided, such as milliseconds into seconds; undefined for what is no number. */
export const divided = (value: unknown, by: number): number | undefined =>
  typeof value === "number" ? value / by : undefined

/** The rows of a list that are objects; empty for what is no list. */
export const rowsIn = (value: unknown): ReadonlyArray<Row> =>
  Array.isArray(value) ? value.filter((row: unknown): row is Row => isPlainObject(row)) : []

/** A kind of event as it is reported back; what a platform would not name an event is `unknown`. */
export const eventName = (value: unknown): string =>
  typeof value === "string" && /^[\w.:\-[\]="]{1,64}$/.test(value) ? value : "unknown"
