import type { RedactedTranscript, Speaker, Turn } from "./Transcript.js"
import type { MuteRange } from "./audio/MuteRanges.js"
import { placeIn, plainCharacters } from "./PlainText.js"
import { placeholdersIn } from "./SensitiveField.js"

/** A range of the recording to mute, in seconds from the start of the call; only the speaker's channel where known. */
export interface SpeakerRange {
  readonly speaker: Speaker
  readonly start: number
  /** `Infinity` where the turn's end is not known and nothing follows it: to the end of the recording. */
  readonly end: number
}

/** What to mute. `Unknown`: something was redacted whose time is unknown, so the audio cannot be stored. */
export type SpeakerRanges =
  { readonly _tag: "Known"; readonly ranges: ReadonlyArray<SpeakerRange> } | { readonly _tag: "Unknown" }

/** Seconds muted before and after a value's words or turn: recognizers' times are about that exact. */
export const RANGE_PADDING = 0.25

/** Where a word lies in its turn's content. */
export interface PlacedWord {
  readonly start: number
  readonly end: number
}

/** Where a turn's words lie in its content, in order and without overlaps. */
export interface PlacedWords {
  /** Undefined for a word that is not there. */
  readonly words: ReadonlyArray<PlacedWord | undefined>
  /** The numbers of the words that are. */
  readonly found: ReadonlyArray<number>
}

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** How far ahead of the last found word the next one may be, in characters, besides its own length. */
const LOOK_AHEAD = 60

/** Finds each word of a turn in its content, in order, whatever the case, the form of its characters and the marks around it. */
export const placeWords = (turn: Turn): PlacedWords => {
  const { content, words } = turn
  const plain = plainCharacters(content)
  const lower = plain.text.toLowerCase()
  // Lower case may be longer than the original ("İ"): then nothing can be placed by offset.
  const sameLength = lower.length === plain.text.length
  let cursor = 0
  const placed = words.map(({ text }) => {
    const exact = plainCharacters(text).text.trim()
    if (exact === "" || !sameLength) return undefined
    for (const needle of [exact.toLowerCase(), bare(exact)]) {
      if (needle === "" || needle.length !== needle.normalize().length) continue
      const at = lower.slice(cursor, cursor + needle.length + LOOK_AHEAD).indexOf(needle)
      if (at >= 0) {
        const start = cursor + at
        cursor = start + needle.length
        return placeIn(plain, { start, end: cursor })
      }
    }
    return undefined
  })
  return { words: placed, found: placed.flatMap((word, at) => (word === undefined ? [] : [at])) }
}

/** The first of the found words that a condition holds for, which then holds for all behind it; their number without one. */
const firstFound = ({ found, words }: PlacedWords, holds: (word: PlacedWord) => boolean): number => {
  let low = 0
  let high = found.length
  while (low < high) {
    const middle = (low + high) >> 1
    const word = words[found[middle] ?? 0]
    if (word !== undefined && holds(word)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Words `from` to `to` that a part of the content covers, counting those between its neighbors that were not placed.
 * Logarithmic: a turn may have a hundred thousand words and as many values.
 */
export const wordsWithin = (placed: PlacedWords, start: number, end: number): readonly [number, number] => {
  const before = placed.found[firstFound(placed, (word) => word.end > start) - 1]
  const from = before === undefined ? 0 : before + 1
  const to = placed.found[firstFound(placed, (word) => word.start >= end)] ?? placed.words.length
  return [from, Math.max(from, to)]
}

const isTime = (time: number | undefined): time is number => time !== undefined && Number.isFinite(time) && time >= 0

const VISIBLE = /[\p{L}\p{N}]/u

/** Where a turn ends for certain: at its own end, else where the next one begins, else with the recording. */
const turnEnd = ({ endTime }: Turn, next: number | undefined, least: number): number => {
  if (isTime(endTime) && endTime >= least) return endTime
  return next !== undefined && next >= least ? next : Infinity
}

/**
 * The range of audio of a part of a turn: from word times with padding, else the whole turn, else
 * undefined. `next` is the start of the following turn, used where a turn's own end is not known.
 */
export const rangeOf = (
  turn: Turn,
  placed: PlacedWords,
  start: number,
  end: number,
  next: number | undefined
): SpeakerRange | undefined => {
  const [from, to] = wordsWithin(placed, start, end)
  const covered = turn.words.slice(from, to)
  const inside = placed.words.slice(from, to).filter((word) => word !== undefined)
  const first = inside[0]
  const last = inside[inside.length - 1]
  if (
    first !== undefined &&
    last !== undefined &&
    covered.every((word) => isTime(word.startTime) && isTime(word.endTime) && word.endTime >= word.startTime)
  ) {
    // Not `Math.min(...times)`: a value may have more words than a function may have arguments.
    const earliest = covered.reduce((least, { startTime = Infinity }) => Math.min(least, startTime), Infinity)
    const latest = covered.reduce((most, { endTime = 0 }) => Math.max(most, endTime), 0)
    // A list of words that stops early, or begins late, leaves part of the value without times.
    const isCut = VISIBLE.test(turn.content.slice(last.end, end))
    const isLate = VISIBLE.test(turn.content.slice(start, first.start))
    const before = turn.words[from - 1]?.endTime
    return {
      speaker: turn.speaker,
      start: Math.max(
        0,
        (isLate ? Math.min(covered[0]?.startTime ?? 0, before ?? turn.startTime ?? 0) : earliest) - RANGE_PADDING
      ),
      end: (isCut ? turnEnd(turn, next, latest) : latest) + RANGE_PADDING
    }
  }
  if (!isTime(turn.startTime)) return undefined
  const ends =
    isTime(turn.endTime) && turn.endTime >= turn.startTime
      ? turn.endTime
      : next !== undefined && next >= turn.startTime
        ? next
        : Infinity
  return { speaker: turn.speaker, start: Math.max(0, turn.startTime - RANGE_PADDING), end: ends + RANGE_PADDING }
}

/** Ranges in order of time, a speaker's overlapping or touching ones joined. */
export const joinRanges = (ranges: ReadonlyArray<SpeakerRange>): ReadonlyArray<SpeakerRange> => {
  const joined: Array<SpeakerRange> = []
  const last = new Map<Speaker, number>()
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const at = last.get(range.speaker)
    const before = at === undefined ? undefined : joined[at]
    if (at !== undefined && before !== undefined && range.start <= before.end) {
      joined[at] = { ...before, end: Math.max(before.end, range.end) }
    } else {
      last.set(range.speaker, joined.length)
      joined.push(range)
    }
  }
  return joined
}

/**
 * The ranges of placeholders, so that a recording which arrives after its transcript was redacted can
 * be muted all the same.
 */
export const placeholderRanges = ({ turns }: RedactedTranscript): SpeakerRanges => {
  const ranges: Array<SpeakerRange> = []
  for (const [index, turn] of turns.entries()) {
    const places = placeholdersIn(turn.content)
    if (places.length === 0) continue
    const placed = placeWords(turn)
    for (const { end, start } of places) {
      const range = rangeOf(turn, placed, start, end, turns[index + 1]?.startTime)
      if (range === undefined) return { _tag: "Unknown" }
      ranges.push(range)
    }
  }
  return { _tag: "Known", ranges: joinRanges(ranges) }
}

/** The union of both; unknown where either is. */
export const bothRanges = (one: SpeakerRanges, other: SpeakerRanges): SpeakerRanges =>
  one._tag === "Unknown" || other._tag === "Unknown"
    ? { _tag: "Unknown" }
    : { _tag: "Known", ranges: joinRanges([...one.ranges, ...other.ranges]) }

/**
 * Ranges as muting takes them. `mainAgentChannel` is the main agent's channel of a stereo recording, the other one being
 * the other side's; where it is not known, both go.
 */
export const muteRanges = (
  ranges: ReadonlyArray<SpeakerRange>,
  mainAgentChannel: 0 | 1 | undefined
): ReadonlyArray<MuteRange> =>
  ranges.map(({ end, speaker, start }) => ({
    start,
    end,
    channel:
      mainAgentChannel === undefined
        ? undefined
        : speaker === "main_agent"
          ? mainAgentChannel
          : mainAgentChannel === 0
            ? 1
            : 0
  }))
