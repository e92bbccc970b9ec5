import type * as Either from "effect/Either"
import type { FieldErrors } from "../kernel/FieldErrors.js"
import type { RawTranscript } from "./Transcript.js"

/** Information about a call besides its transcript. */
export interface DecodeContext {
  /** The stereo channel of the main agent (E10 `main_agent_channel_index`), if given. */
  readonly mainAgentChannelIndex?: 0 | 1 | undefined
}

/**
 * Decodes one format of `transcript_json` into turns and tool calls, or all field errors keyed by path within the payload
 * (`[3].role`, `data.transcript[0].message`). Pure, synchronous and total: it never throws.
 *
 * Invariants of all built-in decoders:
 * - An unknown time (omitted or null) is undefined, never 0.
 * - Times are seconds from the start of the call, 0 to `MAX_CALL_SECONDS`. A time that is not a finite number in that range
 *   is an error, as is an end before its start in one row or word. If a range combined from several rows or words is
 *   reversed, its end is unknown.
 * - Absolute times are converted relative to the stated start of the call. Without one, or if it is later than the earliest
 *   time of turns and tool calls, they are relative to that earliest time.
 * - Every row is checked completely, including unknown keys: NUL, lone surrogates, a `__proto__` key and integers beyond
 *   2^53 - 1 are errors.
 * - An unknown role is an error. Rows that are not speech, as each decoder lists them, are ignored. In the providers'
 *   formats a row of speech with a blank text is ignored.
 */
export type Decoder = (input: unknown, context?: DecodeContext) => Either.Either<RawTranscript, FieldErrors>
