import { runSync, type Steps } from "./Steps.js"
import {
  type RedactedTranscript,
  type ToolCall,
  type Transcript,
  type Turn,
  withoutRedaction,
  type Word
} from "./Transcript.js"
import {
  joinRanges,
  type PlacedWords,
  placeWords,
  rangeOf,
  type SpeakerRange,
  type SpeakerRanges,
  wordsWithin
} from "./SpeakerRanges.js"
import { callTextOf } from "./CallText.js"
import { apart, knownCandidates, knownLeaves } from "./KnownValues.js"
import type { Leaf } from "./Leaf.js"
import { readJsonText, writeJsonText } from "./RedactJson.js"
import { byLabel, replacer } from "./Replacement.js"
import { type RedactionCount, RedactionCounts } from "./RedactionCounts.js"
import type { Found } from "./Resolve.js"
import type { SensitiveField } from "./SensitiveField.js"
import type { Candidate, TextSpan } from "./TextSpan.js"
import { type RedactOptions, spansToRedact, type TurnSpan } from "./SpansToRedact.js"

export interface Redaction<T extends Turn = Turn, C extends ToolCall = ToolCall> {
  readonly transcript: RedactedTranscript<T, C>
  /** What was redacted, turn by turn, in reading order; offsets are those of the raw content. Never contains a value. */
  readonly spans: ReadonlyArray<TurnSpan>
  /** What to mute in the recording. */
  readonly ranges: SpeakerRanges
  /** How many values were redacted in tool calls. */
  readonly toolCallSpans: number
  /** The same, counted by field, place and recognizer. */
  readonly redactions: ReadonlyArray<RedactionCount>
}

/** Characters that are written in one step, and how many of them a word with times takes the time of. */
const STEP = 65_536
const WORD_WORK = 20

/** Writes placeholders over spans of a text; `offset` is where the text starts in the offsets of the spans. */
const replaceIn = (
  text: string,
  spans: ReadonlyArray<TextSpan>,
  offset: number,
  write: (field: SensitiveField, value: string) => string
): string => {
  let out = ""
  let at = 0
  for (const span of spans) {
    const start = Math.max(at, span.start - offset)
    const end = Math.min(text.length, span.end - offset)
    if (end <= start) continue
    out += text.slice(at, start) + write(span.field, text.slice(start, end))
    at = end
  }
  return out + text.slice(at)
}

/**
 * Redacts a transcript: content and words of every turn, and what tools were called with and answered. Every value of
 * the requested fields is replaced, wherever it occurs in the call. With no fields it only changes the stage's type.
 * Pure and total; linear in the transcript's length.
 */
export const redactTranscript = <T extends Turn, C extends ToolCall>(
  raw: Transcript<T, C>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions = {}
): Redaction<T, C> => runSync(redactingTranscript(raw, fields, options))

/** The same, in steps: the more there is to read, the more of them. */
export function* redactingTranscript<T extends Turn, C extends ToolCall>(
  raw: Transcript<T, C>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions = {}
): Steps<Redaction<T, C>> {
  if (fields.length === 0) {
    return {
      transcript: withoutRedaction(raw),
      spans: [],
      ranges: { _tag: "Known", ranges: [] },
      toolCallSpans: 0,
      redactions: []
    }
  }
  const asked = new Set(fields)
  const { extra = [], known = [], replacement = byLabel, ...find } = options
  const texts = raw.toolCalls.map((tool) => ({
    arguments: readJsonText(tool.arguments),
    result: tool.result === undefined ? undefined : readJsonText(tool.result)
  }))
  // What tools were given and gave back is read with the call, as if it had been said after it.
  const leaves = texts.flatMap(({ arguments: given, result }) => [...given.leaves, ...(result?.leaves ?? [])])
  const facts = knownLeaves(known)
  const call = callTextOf([
    ...raw.turns.map((turn) => ({ speaker: turn.speaker, content: turn.content })),
    ...leaves.map((leaf) => apart("tool", leaf)),
    ...facts.map((leaf) => apart("known", leaf))
  ])
  yield
  const extraCandidates = extra.map((one): Candidate => {
    const start = call.turns[one.turn]?.start ?? 0
    return { ...one, start: start + one.start, end: start + one.end }
  })
  const factCandidates = knownCandidates(call, raw.turns.length + leaves.length, known, facts)
  const found = yield* spansToRedact(call, asked, { ...find, extra: [...extraCandidates, ...factCandidates] })
  yield
  const write = replacer(replacement)
  const spans: Array<TurnSpan> = []
  const ranges: Array<SpeakerRange> = []
  const missing = new Set<number>()
  const counts = new RedactionCounts()
  let at = 0
  const spansOf = (place: { readonly start: number; readonly end: number } | undefined): ReadonlyArray<Found> => {
    if (place === undefined) return []
    while (at < found.length && (found[at]?.end ?? 0) <= place.start) at++
    const here: Array<Found> = []
    for (let next = at; next < found.length; next++) {
      const one = found[next]
      if (one === undefined || one.start >= place.end) break
      here.push({ ...one, start: Math.max(one.start, place.start), end: Math.min(one.end, place.end) })
    }
    return here
  }
  const redactTurn = (turn: T, index: number): T => {
    const place = call.turns[index]
    const offset = place?.start ?? 0
    const here = spansOf(place)
    const placed = placeWords(turn)
    for (const one of here) {
      counts.add("transcript", one.field, one.recognizer)
      spans.push({
        turn: index,
        start: one.start - offset,
        end: one.end - offset,
        field: one.field,
        score: one.score,
        evidence: one.evidence,
        recognizer: one.recognizer
      })
      const range = rangeOf(turn, placed, one.start - offset, one.end - offset, raw.turns[index + 1]?.startTime)
      if (range === undefined) missing.add(index)
      else ranges.push(range)
    }
    const content = replaceIn(turn.content, here, offset, write)
    return {
      ...turn,
      content,
      words: redactWords(
        turn,
        placed,
        here.map((one) => ({ ...one, start: one.start - offset, end: one.end - offset })),
        write
      )
    }
  }
  const turns: Array<T> = []
  let work = 0
  for (const [index, turn] of raw.turns.entries()) {
    work += turn.content.length + turn.words.length * WORD_WORK
    if (work > STEP) {
      yield
      work = 0
    }
    turns.push(redactTurn(turn, index))
  }
  yield
  let leaf = raw.turns.length
  let toolCallSpans = 0
  const leafTexts = (own: ReadonlyArray<Leaf>): ReadonlyArray<string | undefined> =>
    own.map((one) => {
      const place = call.turns[leaf++]
      const here = spansOf(place).filter((span) => span.end - (place?.start ?? 0) > one.from)
      if (here.length === 0) return undefined
      toolCallSpans += here.length
      for (const span of here) counts.add("tool_calls", span.field, span.recognizer)
      const offset = (place?.start ?? 0) + one.from
      return replaceIn(
        one.text.slice(one.from),
        here.map((span) => ({ ...span, start: Math.max(span.start, offset) })),
        offset,
        write
      )
    })
  const toolCalls = raw.toolCalls.map((tool, index): C => {
    const own = texts[index]
    if (own === undefined) return tool
    const given = writeJsonText(tool.arguments, own.arguments, leafTexts(own.arguments.leaves))
    const result =
      tool.result === undefined || own.result === undefined
        ? tool.result
        : writeJsonText(tool.result, own.result, leafTexts(own.result.leaves))
    return { ...tool, arguments: given, result }
  })
  return {
    transcript: { _tag: "RedactedTranscript", turns, toolCalls },
    spans,
    ranges: missing.size > 0 ? { _tag: "Unknown" } : { _tag: "Known", ranges: joinRanges(ranges) },
    toolCallSpans,
    redactions: counts.list()
  }
}

/**
 * The words of a turn with its spans gone: the words of a value become one word, its placeholder, from the first one's
 * start to the last one's end. A word that is not in the content cannot be checked, so its text is dropped and its times are kept.
 */
const redactWords = (
  turn: Turn,
  placed: PlacedWords,
  spans: ReadonlyArray<TextSpan>,
  write: (field: SensitiveField, value: string) => string
): ReadonlyArray<Word> => {
  if (turn.words.length === 0) return turn.words
  const words: Array<Word> = []
  let at = 0
  const keep = (to: number): void => {
    for (; at < to; at++) {
      const word = turn.words[at]
      if (word !== undefined)
        words.push(placed.words[at] === undefined && /[\p{L}\p{N}]/u.test(word.text) ? { ...word, text: "" } : word)
    }
  }
  for (const span of spans) {
    const [from, to] = wordsWithin(placed, span.start, span.end)
    keep(from)
    const start = Math.max(from, at)
    if (to <= start) continue
    const covered = turn.words.slice(start, to)
    words.push({
      text: write(span.field, turn.content.slice(span.start, span.end)),
      startTime: covered[0]?.startTime,
      endTime: covered[covered.length - 1]?.endTime
    })
    at = to
  }
  keep(turn.words.length)
  return words
}
