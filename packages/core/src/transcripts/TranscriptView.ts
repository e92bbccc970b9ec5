/** The transcript fields of a Call record. Source: interface, Call record. */
import { type RedactedTranscript, roleNames, type Turn } from "./Transcript.js"
import type { TurnTiming } from "./TurnTiming.js"

/** Shown for an unknown start. */
export const UNKNOWN_CLOCK = "--:--"

/** Seconds as `MM:SS`, rounded down. Minutes can exceed 59 (`75:03`); negative and non-finite numbers print `00:00`. */
export const printClock = (seconds: number): string => {
  const whole = Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0
  return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`
}

// All Unicode line breaks. A turn must stay on one line, otherwise a speaker could forge the line of another.
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g

/**
 * `transcript`: a line `[MM:SS] <role>: <text>` for each turn, joined by newlines, with the role `Testing Agent` or `Main
 * Agent`, `[--:--]` for an unknown start, and line breaks in texts replaced by spaces. Empty without turns.
 */
export const transcriptText = (transcript: RedactedTranscript): string =>
  transcript.turns.map(transcriptLine).join("\n")

/** The start of a turn in its line. */
export const clockOf = (startTime: number | undefined): string =>
  startTime === undefined ? UNKNOWN_CLOCK : printClock(startTime)

/** The line of a turn in `transcriptText`. */
export const transcriptLine = ({ content, speaker, startTime }: Turn): string =>
  `[${clockOf(startTime)}] ${roleNames[speaker]}: ${content.replace(LINE_BREAKS, " ")}`

/** An item of `transcript_object`: times in seconds from the start of the call, null if unknown. */
export interface TranscriptItem {
  readonly role: (typeof roleNames)[keyof typeof roleNames]
  readonly content: string
  readonly start_time: number | null
  readonly end_time: number | null
}

/** `transcript_object`: the turns, with their line breaks. */
export const transcriptObject = (transcript: RedactedTranscript): ReadonlyArray<TranscriptItem> =>
  transcript.turns.map(({ content, endTime, speaker, startTime }) => ({
    role: roleNames[speaker],
    content,
    start_time: startTime ?? null,
    end_time: endTime ?? null
  }))

/**
 * The last known end of a turn or word, in seconds from the start of the call; undefined if no end is known. Starts do not
 * count, because the duration of the last turn is unknown; tool calls do not count, because they may outlast the call.
 */
export const endOf = (transcript: { readonly turns: ReadonlyArray<Turn> }): number | undefined => {
  let end: number | undefined
  const consider = (time: number | undefined): void => {
    if (time !== undefined) end = Math.max(end ?? time, time)
  }
  for (const turn of transcript.turns) {
    consider(turn.endTime)
    for (const word of turn.words) consider(word.endTime)
  }
  return end
}

/** An item of `tool_calls`: arguments and result as the agent sent and got them, times in seconds, null if unknown. */
export interface ToolCallItem {
  readonly id: string | null
  readonly name: string
  readonly arguments: string
  readonly result: string | null
  readonly succeeded: boolean | null
  readonly start_time: number | null
  readonly end_time: number | null
}

export const toolCallItems = ({ toolCalls }: RedactedTranscript): ReadonlyArray<ToolCallItem> =>
  toolCalls.map((call) => ({
    id: call.id ?? null,
    name: call.name,
    arguments: call.arguments,
    result: call.result ?? null,
    succeeded: call.succeeded ?? null,
    start_time: call.startTime ?? null,
    end_time: call.endTime ?? null
  }))

/** An item of `timings`: the measured stages of a turn, by its position in the transcript from 1. */
export interface TimingItem {
  readonly turn: number
  readonly stages: TurnTiming
}

/** The turns that were measured. */
export const timingItems = ({ turns }: RedactedTranscript): ReadonlyArray<TimingItem> =>
  turns.flatMap(({ timing }, position) => (timing === undefined ? [] : [{ turn: position + 1, stages: timing }]))
