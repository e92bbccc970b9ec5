/** A transcript as the Call record shows it. Source: interface, Call record. */
import { type RedactedTranscript, roleNames, type Turn } from "./Transcript.js"

/** Stands for a start that is not known; a made-up 00:00 would claim that everything was said at once. */
export const UNKNOWN_CLOCK = "--:--"

/**
 * Seconds as `MM:SS`, the fraction cut off as a clock does. Minutes run past the hour (75 minutes and 3 seconds are
 * `75:03`), and a negative or not finite number prints `00:00`.
 */
export const printClock = (seconds: number): string => {
  const whole = Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0
  return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`
}

// Every line break that any reader of the text might honour. A turn is one line: otherwise somebody could say a line.
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g

/**
 * `transcript`: a line `[MM:SS] <role>: <text>` for each turn, joined by newlines, with the role `Testing Agent` or `Main
 * Agent`, `[--:--]` where the start is not known, and line breaks within a text made spaces. Empty without turns.
 */
export const transcriptText = (transcript: RedactedTranscript): string =>
  transcript.turns
    .map(({ content, speaker, startTime }) => {
      const clock = startTime === undefined ? UNKNOWN_CLOCK : printClock(startTime)
      return `[${clock}] ${roleNames[speaker]}: ${content.replace(LINE_BREAKS, " ")}`
    })
    .join("\n")

/** An item of `transcript_object`: times in seconds from the start of the call, null where not known. */
export interface TranscriptItem {
  readonly role: (typeof roleNames)[keyof typeof roleNames]
  readonly content: string
  readonly start_time: number | null
  readonly end_time: number | null
}

/** `transcript_object`: the turns as they are, line breaks and all. */
export const transcriptObject = (transcript: RedactedTranscript): ReadonlyArray<TranscriptItem> =>
  transcript.turns.map(({ content, endTime, speaker, startTime }) => ({
    role: roleNames[speaker],
    content,
    start_time: startTime ?? null,
    end_time: endTime ?? null
  }))

/**
 * The last known end of a turn or word, in seconds from the start of the call; undefined where no end is known. Starts
 * do not count: how long the last turn took would be a guess. Nor do tool calls, which may outlast the call.
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
