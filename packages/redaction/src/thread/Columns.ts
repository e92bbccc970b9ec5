/**
 * Transcripts and spans as a few long texts and typed arrays: sending these to a thread costs about as much as copying
 * their bytes, where a hundred thousand words as objects would block both threads for a tenth of a second.
 */
import * as Schema from "effect/Schema"
import type { Redaction } from "../RedactTranscript.js"
import { type RedactionCount, RedactionCount as RedactionCountSchema } from "../RedactionCounts.js"
import { SensitiveField } from "../SensitiveField.js"
import type { SpeakerRange, SpeakerRanges } from "../SpeakerRanges.js"
import type { TurnSpan } from "../SpansToRedact.js"
import type { Speaker, ToolCall, Transcript, Turn, Word } from "../Transcript.js"

const Numbers = Schema.instanceOf(Float64Array)

/** Texts one after the other; the length of one that is undefined is -1. */
const Texts = Schema.Struct({ joined: Schema.String, lengths: Schema.instanceOf(Int32Array) })
type Texts = typeof Texts.Type

/** Times are NaN where they are unknown. */
export const TranscriptColumns = Schema.Struct({
  contents: Texts,
  /** 0 is the main agent. */
  speakers: Schema.instanceOf(Uint8Array),
  /** Start and end of every turn. */
  times: Numbers,
  /** Words of every turn. */
  wordCounts: Schema.instanceOf(Int32Array),
  words: Texts,
  wordTimes: Numbers,
  arguments: Texts,
  results: Texts
})
export type TranscriptColumns = typeof TranscriptColumns.Type

/** What spans have in common: there are few kinds, however many spans. */
const SpanKind = Schema.Struct({
  field: SensitiveField,
  evidence: Schema.Array(Schema.String),
  recognizer: Schema.UndefinedOr(Schema.String)
})
type SpanKind = typeof SpanKind.Type

export const SpanColumns = Schema.Struct({
  kinds: Schema.Array(SpanKind),
  /** Of every span: turn, start, end, score, number of its kind. */
  spans: Numbers
})
export type SpanColumns = typeof SpanColumns.Type

export const RedactionColumns = Schema.Struct({
  transcript: TranscriptColumns,
  spans: SpanColumns,
  /** Of every range: 0 for the main agent, start, end. Undefined where the times are unknown. */
  ranges: Schema.UndefinedOr(Numbers),
  toolCallSpans: Schema.Number,
  redactions: Schema.Array(RedactionCountSchema)
})
export type RedactionColumns = typeof RedactionColumns.Type

const textsOf = (texts: ReadonlyArray<string | undefined>): Texts => {
  const lengths = new Int32Array(texts.length)
  for (let at = 0; at < texts.length; at++) lengths[at] = texts[at]?.length ?? -1
  return { joined: texts.join(""), lengths }
}

/** Reads texts one by one. */
const textReader = ({ joined, lengths }: Texts): (() => string | undefined) => {
  let next = 0
  let at = 0
  return () => {
    const length = lengths[next++] ?? -1
    if (length < 0) return undefined
    at += length
    return joined.slice(at - length, at)
  }
}

const known = (time: number | undefined): number => time ?? Number.NaN
const timeOf = (time: number | undefined): number | undefined => (Number.isNaN(time) ? undefined : time)

const numberOf = (speaker: Speaker): number => (speaker === "main_agent" ? 0 : 1)
const speakerOf = (number: number | undefined): Speaker => (number === 0 ? "main_agent" : "testing_agent")

/** Start and end of turns or words. */
const timesOf = (timed: ReadonlyArray<Pick<Word, "startTime" | "endTime">>): Float64Array<ArrayBuffer> => {
  const times = new Float64Array(2 * timed.length)
  let at = 0
  for (const { endTime, startTime } of timed) {
    times[at++] = known(startTime)
    times[at++] = known(endTime)
  }
  return times
}

// Loops into typed arrays: this is done by the thread that answers requests, for up to a hundred thousand words.
export const transcriptColumns = ({ toolCalls, turns }: Transcript): TranscriptColumns => {
  const speakers = new Uint8Array(turns.length)
  const wordCounts = new Int32Array(turns.length)
  const words: Array<Word> = []
  turns.forEach((turn, at) => {
    speakers[at] = numberOf(turn.speaker)
    wordCounts[at] = turn.words.length
    for (const word of turn.words) words.push(word)
  })
  return {
    contents: textsOf(turns.map(({ content }) => content)),
    speakers,
    times: timesOf(turns),
    wordCounts,
    words: textsOf(words.map(({ text }) => text)),
    wordTimes: timesOf(words),
    arguments: textsOf(toolCalls.map((tool) => tool.arguments)),
    results: textsOf(toolCalls.map(({ result }) => result))
  }
}

export const transcriptOf = (columns: TranscriptColumns): Transcript => {
  const nextContent = textReader(columns.contents)
  const nextWord = textReader(columns.words)
  const nextArguments = textReader(columns.arguments)
  const nextResult = textReader(columns.results)
  let word = 0
  const wordsOf = (count: number): ReadonlyArray<Word> => {
    const words: Array<Word> = []
    for (const end = word + count; word < end; word++) {
      words.push({
        text: nextWord() ?? "",
        startTime: timeOf(columns.wordTimes[2 * word]),
        endTime: timeOf(columns.wordTimes[2 * word + 1])
      })
    }
    return words
  }
  const turns: Array<Turn> = []
  for (let at = 0; at < columns.speakers.length; at++) {
    turns.push({
      speaker: speakerOf(columns.speakers[at]),
      content: nextContent() ?? "",
      startTime: timeOf(columns.times[2 * at]),
      endTime: timeOf(columns.times[2 * at + 1]),
      words: wordsOf(columns.wordCounts[at] ?? 0)
    })
  }
  const toolCalls = Array.from(columns.arguments.lengths, (): ToolCall => ({
    arguments: nextArguments() ?? "",
    result: nextResult()
  }))
  return { turns, toolCalls }
}

/** Numbers of a span. */
const SPAN = 5

export const spanColumns = (spans: ReadonlyArray<TurnSpan>): SpanColumns => {
  const kinds: Array<SpanKind> = []
  const numbers = new Map<string, number>()
  const numberOfKind = ({ evidence, field, recognizer }: TurnSpan): number => {
    const key = JSON.stringify([field, recognizer, evidence])
    const before = numbers.get(key)
    if (before !== undefined) return before
    numbers.set(key, kinds.length)
    return kinds.push({ field, evidence, recognizer }) - 1
  }
  const columns = new Float64Array(SPAN * spans.length)
  spans.forEach((span, index) => {
    columns.set([span.turn, span.start, span.end, span.score, numberOfKind(span)], SPAN * index)
  })
  return { spans: columns, kinds }
}

export const spansOf = ({ kinds, spans }: SpanColumns): ReadonlyArray<TurnSpan> => {
  const read: Array<TurnSpan> = []
  for (let at = 0; at < spans.length; at += SPAN) {
    const kind = kinds[spans[at + 4] ?? -1]
    if (kind === undefined) continue
    read.push({
      turn: spans[at] ?? 0,
      start: spans[at + 1] ?? 0,
      end: spans[at + 2] ?? 0,
      score: spans[at + 3] ?? 0,
      field: kind.field,
      evidence: kind.evidence,
      recognizer: kind.recognizer
    })
  }
  return read
}

/** Numbers of a range. */
const RANGE = 3

const rangeColumns = (ranges: SpeakerRanges): RedactionColumns["ranges"] =>
  ranges._tag === "Unknown"
    ? undefined
    : Float64Array.from(ranges.ranges.flatMap(({ end, speaker, start }) => [numberOf(speaker), start, end]))

const rangesOf = (columns: RedactionColumns["ranges"]): SpeakerRanges =>
  columns === undefined
    ? { _tag: "Unknown" }
    : {
        _tag: "Known",
        ranges: Array.from({ length: columns.length / RANGE }, (_, at): SpeakerRange => {
          const from = RANGE * at
          return { speaker: speakerOf(columns[from]), start: columns[from + 1] ?? 0, end: columns[from + 2] ?? 0 }
        })
      }

export const redactionColumns = (redaction: Redaction): RedactionColumns => ({
  transcript: transcriptColumns(redaction.transcript),
  spans: spanColumns(redaction.spans),
  ranges: rangeColumns(redaction.ranges),
  toolCallSpans: redaction.toolCallSpans,
  redactions: redaction.redactions
})

/** The redaction of `raw`, whose turns and tool calls may carry more than was sent. */
export const redactionOf = <T extends Turn, C extends ToolCall>(
  raw: Transcript<T, C>,
  columns: RedactionColumns
): Redaction<T, C> => {
  const { toolCalls, turns } = transcriptOf(columns.transcript)
  const redactions: ReadonlyArray<RedactionCount> = columns.redactions
  return {
    transcript: {
      _tag: "RedactedTranscript",
      // What is missing in an answer is not taken from what was to be redacted.
      turns: raw.turns.map((turn, at): T => ({
        ...turn,
        content: turns[at]?.content ?? "",
        words: turns[at]?.words ?? []
      })),
      toolCalls: raw.toolCalls.map((tool, at): C => ({
        ...tool,
        arguments: toolCalls[at]?.arguments ?? "",
        result: toolCalls[at]?.result
      }))
    },
    spans: spansOf(columns.spans),
    ranges: rangesOf(columns.ranges),
    toolCallSpans: columns.toolCallSpans,
    redactions
  }
}
