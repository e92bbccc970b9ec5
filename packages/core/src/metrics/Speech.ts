/**
 * Who spoke when. Turns overlap, are out of order, contain silence and are split differently by every provider, so times are
 * measured on speech segments, not on turns: for each speaker the union of the turns' intervals without their pauses, in
 * order.
 */
import { countWords } from "./Words.js"
import { toThousandths } from "./FormulaResult.js"
import type { Speaker, Turn } from "../transcripts/Transcript.js"

/** An interval in seconds from the start of the call; `start <= end`. */
export interface Interval {
  readonly start: number
  readonly end: number
}

/** An interval in which one speaker talks without a pause. The end is undefined if its last turn has none. */
export interface Segment {
  readonly speaker: Speaker
  readonly start: number
  readonly end: number | undefined
  /** How many words are said in it. */
  readonly words: number
}

/** A segment whose end is known. */
export interface TimedSegment extends Segment, Interval {
  readonly end: number
}

/** The speech of a call. All lists are in order of time. */
export interface Speech {
  /** Both speakers' segments by start; of two that start together the main agent's first, whichever ends first. */
  readonly segments: ReadonlyArray<Segment>
  readonly agent: ReadonlyArray<Segment>
  readonly user: ReadonlyArray<Segment>
  /** Turns with text but without a start time. */
  readonly turnsWithoutStart: number
  /** Turns with a start time but no end time. */
  readonly turnsWithoutEnd: number
}

/** Speech whose every start and end is known. */
export interface TimedSpeech {
  readonly segments: ReadonlyArray<TimedSegment>
  readonly agent: ReadonlyArray<TimedSegment>
  readonly user: ReadonlyArray<TimedSegment>
  /** The intervals in which anybody speaks; disjoint, and none touches the next. */
  readonly spoken: ReadonlyArray<Interval>
  /** The intervals in which both speak. */
  readonly overlaps: ReadonlyArray<Interval>
  /** The mutual silences between the first word and the last; silence before and after is not included. */
  readonly gaps: ReadonlyArray<Interval>
}

/** A turn's own times, or those of its words if it has none. */
const timesOf = (turn: Turn): { readonly start: number | undefined; readonly end: number | undefined } => {
  let start = turn.startTime
  let end = turn.endTime
  for (const word of turn.words) {
    if (turn.startTime === undefined && word.startTime !== undefined) {
      start = Math.min(start ?? word.startTime, word.startTime)
    }
    if (turn.endTime === undefined && word.endTime !== undefined) end = Math.max(end ?? word.endTime, word.endTime)
  }
  return { start, end }
}

/** The end for ordering: an unknown one after all others, and finite, so that two of them are equal. */
const endOf = (segment: Segment): number => segment.end ?? Number.MAX_VALUE

/** One speaker's by start, then by end; unknown ends last. */
const byTime = (a: Segment, b: Segment): number => a.start - b.start || endOf(a) - endOf(b)

/** The union of one speaker's intervals; those that touch are merged. A segment without an end absorbs only what starts with it. */
const union = (sorted: ReadonlyArray<Segment>): ReadonlyArray<Segment> => {
  const merged: Array<Segment> = []
  for (const segment of sorted) {
    const last = merged[merged.length - 1]
    if (last !== undefined && segment.start <= (last.end ?? last.start)) {
      // Segments without an end come last among those that start together, so what follows one here has none either.
      const end = segment.end === undefined ? undefined : Math.max(last.end ?? segment.end, segment.end)
      merged[merged.length - 1] = { ...last, end, words: last.words + segment.words }
    } else {
      merged.push(segment)
    }
  }
  return merged
}

/** A silence between words of one turn from which on it is a pause, in seconds. */
export const DEFAULT_PAUSE_SECONDS = 0.5

interface TimedWord extends Interval {
  readonly text: string
}

/** The words of a turn by their start; undefined unless the times of all are known. */
const timedWords = ({ words }: Turn): ReadonlyArray<TimedWord> | undefined => {
  const timed: Array<TimedWord> = []
  for (const { endTime, startTime, text } of words) {
    if (startTime === undefined || endTime === undefined || endTime < startTime) return undefined
    timed.push({ text, start: startTime, end: endTime })
  }
  return timed.length < 2 ? undefined : timed.sort((a, b) => a.start - b.start)
}

/**
 * The segments of a turn from `start` to `end`: the runs of its words that are less than a pause apart. The turn's own start
 * and end bound them. Without the times of all its words, the turn is one segment.
 */
const segmentsOf = (
  turn: Turn,
  start: number,
  end: number | undefined,
  pauseSeconds: number
): ReadonlyArray<Segment> => {
  const { content, speaker } = turn
  const words = end === undefined ? undefined : timedWords(turn)
  const segments: Array<Segment> = []
  let from = start
  let count = 0
  let until = Number.NEGATIVE_INFINITY
  for (const word of words ?? []) {
    const isPause = toThousandths(word.start - until) >= pauseSeconds
    if (isPause && until > from && end !== undefined && word.start < end) {
      segments.push({ speaker, start: from, end: until, words: count })
      from = word.start
      count = 0
    }
    count += countWords(word.text)
    until = Math.max(until, word.end)
  }
  segments.push({ speaker, start: from, end, words: segments.length === 0 ? countWords(content) : count })
  return segments
}

/**
 * The speech of a transcript: one sweep over its turns, whatever their order. Turns without text are ignored.
 *
 * @param pauseSeconds the silence between words of one turn from which on it is a pause
 */
export const speechOf = (turns: ReadonlyArray<Turn>, pauseSeconds = DEFAULT_PAUSE_SECONDS): Speech => {
  const agent: Array<Segment> = []
  const user: Array<Segment> = []
  let unplaced = 0
  let open = 0
  for (const turn of turns) {
    if (turn.content.trim() === "") continue
    const { end, start } = timesOf(turn)
    if (start === undefined) {
      unplaced++
      continue
    }
    // An end before the start is ignored.
    const known = (end ?? start) < start ? undefined : end
    if (known === undefined) open++
    const segments = turn.speaker === "main_agent" ? agent : user
    segments.push(...segmentsOf(turn, start, known, pauseSeconds))
  }
  const merged = { agent: union(agent.sort(byTime)), user: union(user.sort(byTime)) }
  // Sorting keeps the order of equals, so the agent's come first. One speaker's do not start together.
  return {
    ...merged,
    segments: [...merged.agent, ...merged.user].sort((a, b) => a.start - b.start),
    turnsWithoutStart: unplaced,
    turnsWithoutEnd: open
  }
}

const isTimed = (segment: Segment): segment is TimedSegment => segment.end !== undefined

/** The speech with its overlaps and gaps, or undefined if a turn's time is missing. */
export const timedSpeech = ({ segments, turnsWithoutStart: unplaced }: Speech): TimedSpeech | undefined => {
  if (unplaced > 0 || !segments.every(isTimed)) return undefined
  const spoken: Array<{ start: number; end: number }> = []
  const overlaps: Array<Interval> = []
  const gaps: Array<Interval> = []
  for (const { end, start } of segments) {
    const last = spoken[spoken.length - 1]
    if (last === undefined) {
      spoken.push({ start, end })
    } else if (start > last.end) {
      gaps.push({ start: last.end, end: start })
      spoken.push({ start, end })
    } else {
      // Each speaker's segments are disjoint, so what overlaps with earlier speech is the other speaker's.
      const until = Math.min(last.end, end)
      if (until > start) overlaps.push({ start, end: until })
      last.end = Math.max(last.end, end)
    }
  }
  return {
    segments,
    agent: segments.filter(({ speaker }) => speaker === "main_agent"),
    user: segments.filter(({ speaker }) => speaker === "testing_agent"),
    spoken,
    overlaps,
    gaps
  }
}

/** The total length of these intervals in seconds. */
export const totalOf = (intervals: ReadonlyArray<Interval>): number => {
  let total = 0
  for (const { end, start } of intervals) total += end - start
  return total
}
