/**
 * What redaction needs to know of a transcript. A host's own types fit as they are: whatever else their turns and tool
 * calls carry is copied unchanged.
 */

/** A word with its times in seconds from the start of the call; undefined where unknown. */
export interface Word {
  readonly text: string
  readonly startTime: number | undefined
  readonly endTime: number | undefined
}

/** Who speaks: the agent that is tested or observed, or its counterpart. */
export type Speaker = "main_agent" | "testing_agent"

/** One utterance; times in seconds from the start of the call. */
export interface Turn {
  readonly speaker: Speaker
  readonly content: string
  readonly startTime: number | undefined
  readonly endTime: number | undefined
  /** Empty where word times are unknown. */
  readonly words: ReadonlyArray<Word>
}

/** A tool that was called during the call. */
export interface ToolCall {
  /** Its name and id are redacted where they are no codes. */
  readonly name?: string | undefined
  readonly id?: string | undefined
  /** JSON text or plain text. */
  readonly arguments: string
  readonly result: string | undefined
}

export interface Transcript<T extends Turn = Turn, C extends ToolCall = ToolCall> {
  readonly turns: ReadonlyArray<T>
  readonly toolCalls: ReadonlyArray<C>
}

/** A transcript without the sensitive fields that were to be redacted. */
export interface RedactedTranscript<T extends Turn = Turn, C extends ToolCall = ToolCall> extends Transcript<T, C> {
  readonly _tag: "RedactedTranscript"
}

/** The redacted transcript of a call without fields to redact: nothing is changed. */
export const withoutRedaction = <T extends Turn, C extends ToolCall>({
  toolCalls,
  turns
}: Transcript<T, C>): RedactedTranscript<T, C> => ({ _tag: "RedactedTranscript", turns, toolCalls })
