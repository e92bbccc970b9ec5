import * as Schema from "effect/Schema"

/** Who speaks: the agent under test or observation, or the person (or testing agent) it talks to. */
export const Speaker = Schema.Literal("main_agent", "testing_agent")
export type Speaker = typeof Speaker.Type

/** How the interface names the two speakers, in transcripts that come in and in those it shows. */
export const roleNames = { main_agent: "Main Agent", testing_agent: "Testing Agent" } as const satisfies Record<
  Speaker,
  string
>

/** A word with its times in seconds from the start of the call; a time that is not known is absent. */
export interface Word {
  readonly text: string
  readonly startTime: number | undefined
  readonly endTime: number | undefined
}

/**
 * One speaker's stretch of talk, in seconds from the start of the call. A time that is not known is undefined, never 0:
 * a made-up time would become a made-up latency.
 */
export interface Turn {
  readonly speaker: Speaker
  readonly content: string
  readonly startTime: number | undefined
  readonly endTime: number | undefined
  /** Empty where the format has no word times. */
  readonly words: ReadonlyArray<Word>
}

/** A tool the main agent called during the call, with what came back where the format tells. */
export interface ToolCall {
  readonly id: string | undefined
  /** Empty where the payload has only the result of a call, and the result names no tool. */
  readonly name: string
  /** The arguments as text, as the agent sent them (most formats carry JSON text). */
  readonly arguments: string
  readonly result: string | undefined
  /** False when the format marks the call as failed; undefined where it does not tell. */
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
}

/** A transcript from which the sensitive fields that were asked for are gone (possibly none were); fit to be stored. */
export interface RedactedTranscript {
  readonly _tag: "RedactedTranscript"
  readonly turns: ReadonlyArray<Turn>
  readonly toolCalls: ReadonlyArray<ToolCall>
}
