import type * as Either from "effect/Either"
import type { FieldErrors } from "../kernel/FieldErrors.js"
import type { RawTranscript } from "./Transcript.js"

/** What is known of a call besides its transcript. */
export interface DecodeContext {
  /** The stereo channel of the main agent (E10 `main_agent_channel_index`), where the caller told. */
  readonly mainAgentChannelIndex?: 0 | 1 | undefined
}

/**
 * Reads one format of `transcript_json`: the turns and tool calls, or every fault, keyed by its path within the payload
 * (`[3].role`, `data.transcript[0].message`). Pure, synchronous and total: no JSON makes it throw.
 *
 * All built-in decoders keep these promises:
 * - A time the payload does not know (absent, null) is undefined, never 0.
 * - Times are numbers of seconds from the start of the call, 0 to `MAX_CALL_SECONDS`. A time that is no number, not
 *   finite, negative or beyond that is a fault; so is an end before its start where one row or word states both.
 *   A span put together from several rows or words that comes out reversed keeps its start and has no known end.
 * - Instants on the world's clock are made relative to the call's start where the payload states it, and otherwise (or
 *   where the stated start is later than the first thing that happened) to the earliest instant among turns and tool calls.
 * - Every row is looked at whole, the keys that are not read included: NUL, lone surrogates, a `__proto__` key and
 *   integers beyond 2^53 - 1 are faults wherever they stand in it.
 * - A role that the format does not know is a fault; rows of the kinds each decoder lists as not being speech are passed
 *   over. In the providers' formats a row of speech with a blank text is no turn.
 */
export type Decoder = (input: unknown, context?: DecodeContext) => Either.Either<RawTranscript, FieldErrors>
