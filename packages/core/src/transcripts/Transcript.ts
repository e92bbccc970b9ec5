import * as Schema from "effect/Schema"
import type { TurnTiming } from "./TurnTiming.js"

/** The agent under test or observation, or the person or testing agent that it talks to. */
export const Speaker = Schema.Literal("main_agent", "testing_agent")
export type Speaker = typeof Speaker.Type

/** The interface's names of the speakers, in requests and responses. */
export const roleNames = { main_agent: "Main Agent", testing_agent: "Testing Agent" } as const satisfies Record<
  Speaker,
  string
>

/** A word with its times in seconds from the start of the call; unknown times are undefined. */
export interface Word {
  readonly text: string
  readonly startTime: number | undefined
  readonly endTime: number | undefined
}

/**
 * One speaker's turn, in seconds from the start of the call. An unknown time is undefined, never 0, which would falsify
 * latencies.
 */
export interface Turn {
  readonly speaker: Speaker
  readonly content: string
  readonly startTime: number | undefined
  readonly endTime: number | undefined
  /** Empty if the format has no word times. */
  readonly words: ReadonlyArray<Word>
  /** What the platform measured of this turn; absent if nothing. */
  readonly timing?: TurnTiming
}

/** A tool call of the main agent, with its result if the format has it. */
export interface ToolCall {
  readonly id: string | undefined
  /** Empty if the payload has only the result of a call, without a name. */
  readonly name: string
  /** The arguments as text, as the agent sent them; JSON in most formats. */
  readonly arguments: string
  readonly result: string | undefined
  /** False if the format marks the call as failed; undefined if unknown. */
  readonly succeeded: boolean | undefined
  /** Seconds from the start of the call. */
  readonly startTime: number | undefined
  readonly endTime: number | undefined
}

/**
 * What a decoder makes of a webhook's transcript. It may hold anything a caller said, so no store, log, job or error
 * takes it: it has to become a `RedactedTranscript` first (see `redaction/`).
 */
export interface RawTranscript {
  readonly _tag: "RawTranscript"
  readonly turns: ReadonlyArray<Turn>
  readonly toolCalls: ReadonlyArray<ToolCall>
  /** The kinds of rows that the decoder does not know and skipped, each once; absent if there were none. */
  readonly skipped?: ReadonlyArray<string>
}

/** A transcript from which the sensitive fields that were asked for are gone (possibly none were); fit to be stored. */
export interface RedactedTranscript {
  readonly _tag: "RedactedTranscript"
  readonly turns: ReadonlyArray<Turn>
  readonly toolCalls: ReadonlyArray<ToolCall>
  readonly skipped?: ReadonlyArray<string>
}

/** The kinds of rows that a decoder skipped, as the transcript that is made from its own has them. */
export const skippedOf = ({
  skipped
}: {
  readonly skipped?: ReadonlyArray<string>
}): { readonly skipped?: ReadonlyArray<string> } => (skipped === undefined || skipped.length === 0 ? {} : { skipped })
