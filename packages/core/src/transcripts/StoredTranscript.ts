/**
 * The stored form of a redacted transcript: one JSON text. It uses positions instead of names to save space:
 *
 *     {"v":1,
 *      "turns":[[speaker, content, start, end, words?, timing?], ...],
 *      "tools":[[id, name, arguments, result, succeeded, start, end], ...],
 *      "skipped":[kind, ...],
 *      "sources":[source, ...]}
 *
 * with `skipped` only if rows were skipped, a timing as `[stage, seconds, source, ...]` of positions in `timingStages` and
 * `sources`, which is there only if a turn has one, speakers `m` (main agent) and `t` (testing agent), words as `[text, start, end]`, and null for unknown values.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { isPlainObject } from "../kernel/Json.js"
import { noWords } from "./TranscriptBuilder.js"
import { type RedactedTranscript, skippedOf, type ToolCall, type Turn, type Word } from "./Transcript.js"
import { timedBy, timingOf, timingStages, type TimingStage, type TurnTiming } from "./TurnTiming.js"

const VERSION = 1

const orNull = <A>(value: A | undefined): A | null => value ?? null

/** The stored text of a transcript; the inverse of `parse`. */
export const print = (transcript: RedactedTranscript): string => {
  const sources = new Map<string, number>()
  const turns = transcript.turns.map(({ content, endTime, speaker, startTime, timing, words }) => {
    const turn = [speaker === "main_agent" ? "m" : "t", content, orNull(startTime), orNull(endTime)]
    return words.length === 0 && timing === undefined
      ? turn
      : [
          ...turn,
          words.map((word) => [word.text, orNull(word.startTime), orNull(word.endTime)]),
          ...(timing === undefined ? [] : [printTiming(timing, sources)])
        ]
  })
  return JSON.stringify({
    v: VERSION,
    turns,
    ...printTools(transcript),
    ...(sources.size === 0 ? {} : { sources: [...sources.keys()] })
  })
}

/** The same of turns without words and timings, whose texts are there, with commas between them. */
export const printAround = (transcript: RedactedTranscript, turns: string): string =>
  `{"v":${VERSION},"turns":[${turns}],${JSON.stringify(printTools(transcript)).slice(1)}`

const printTools = (transcript: RedactedTranscript) => ({
  tools: transcript.toolCalls.map((call) => [
    orNull(call.id),
    call.name,
    call.arguments,
    orNull(call.result),
    orNull(call.succeeded),
    orNull(call.startTime),
    orNull(call.endTime)
  ]),
  ...skippedOf(transcript)
})

/** A timing, its sources by their positions, which are added as they come. */
const printTiming = (timing: TurnTiming, sources: Map<string, number>): ReadonlyArray<number> =>
  timingStages.flatMap((stage, position) => {
    const measured = timing[stage]
    if (measured === undefined) return []
    const known = sources.get(measured.source) ?? sources.size
    sources.set(measured.source, known)
    return [position, measured.seconds, known]
  })

const isText = (value: unknown): value is string => typeof value === "string"
const isTextList = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === "string"
const isTimeOrNull = (value: unknown): value is number | null => value === null || typeof value === "number"
const isFlagOrNull = (value: unknown): value is boolean | null => value === null || typeof value === "boolean"
const orUndefined = <A>(value: A | null): A | undefined => value ?? undefined

/** All items, or undefined if one is invalid. */
const readAll = <A>(value: unknown, read: (item: ReadonlyArray<unknown>) => A | undefined): Array<A> | undefined => {
  if (!Array.isArray(value)) return undefined
  const items: ReadonlyArray<unknown> = value
  const all: Array<A> = []
  for (const item of items) {
    const one = Array.isArray(item) ? read(item) : undefined
    if (one === undefined) return undefined
    all.push(one)
  }
  return all
}

const readWord = ([text, start, end]: ReadonlyArray<unknown>): Word | undefined =>
  isText(text) && isTimeOrNull(start) && isTimeOrNull(end)
    ? { text, startTime: orUndefined(start), endTime: orUndefined(end) }
    : undefined

/** A timing; undefined if it is not one. */
const readTiming = (value: unknown, sources: ReadonlyArray<string>): TurnTiming | undefined => {
  if (!Array.isArray(value) || value.length % 3 !== 0) return undefined
  const items: ReadonlyArray<unknown> = value
  const measured: Array<readonly [TimingStage, unknown, string]> = []
  for (let at = 0; at < items.length; at += 3) {
    const stage = timingStages[Number(items[at])]
    const source = sources[Number(items[at + 2])]
    if (stage === undefined || source === undefined) return undefined
    measured.push([stage, items[at + 1], source])
  }
  return timingOf(measured)
}

const turnReader =
  (sources: ReadonlyArray<string>) =>
  (turn: ReadonlyArray<unknown>): Turn | undefined => {
    const [speaker, content, start, end, timed, measured] = turn
    const words = timed === undefined ? noWords : readAll(timed, readWord)
    const timing = measured === undefined ? undefined : readTiming(measured, sources)
    if (measured !== undefined && timing === undefined) return undefined
    return (speaker === "m" || speaker === "t") &&
      isText(content) &&
      isTimeOrNull(start) &&
      isTimeOrNull(end) &&
      words !== undefined
      ? {
          speaker: speaker === "m" ? "main_agent" : "testing_agent",
          content,
          startTime: orUndefined(start),
          endTime: orUndefined(end),
          words: words.length === 0 ? noWords : words,
          ...timedBy(timing)
        }
      : undefined
  }

const readToolCall = ([id, name, args, result, succeeded, start, end]: ReadonlyArray<unknown>): ToolCall | undefined =>
  isTextOrNull(id) &&
  isText(name) &&
  isText(args) &&
  isTextOrNull(result) &&
  isFlagOrNull(succeeded) &&
  isTimeOrNull(start) &&
  isTimeOrNull(end)
    ? {
        id: orUndefined(id),
        name,
        arguments: args,
        result: orUndefined(result),
        succeeded: orUndefined(succeeded),
        startTime: orUndefined(start),
        endTime: orUndefined(end)
      }
    : undefined

/** Parses a stored text. Left if it is not one: the column was written by something else. */
export const parse = (text: string): Either.Either<RedactedTranscript, string> =>
  Either.try({ try: (): unknown => JSON.parse(text), catch: () => NOT_STORED }).pipe(
    Either.flatMap((stored) => {
      if (!isPlainObject(stored) || stored.v !== VERSION) return Either.left(NOT_STORED)
      const sources = stored.sources === undefined ? [] : stored.sources
      if (!isTextList(sources)) return Either.left(NOT_STORED)
      const turns = readAll(stored.turns, turnReader(sources))
      const toolCalls = readAll(stored.tools, readToolCall)
      const skipped = stored.skipped === undefined ? [] : stored.skipped
      return turns === undefined || toolCalls === undefined || !isTextList(skipped)
        ? Either.left(NOT_STORED)
        : Either.right({ _tag: "RedactedTranscript" as const, turns, toolCalls, ...skippedOf({ skipped }) })
    })
  )

const NOT_STORED = "Expected a stored transcript."

/** The schema of a transcript that can be stored. */
const Redacted: Schema.Schema<RedactedTranscript> = Schema.declare(
  (value): value is RedactedTranscript =>
    isPlainObject(value) &&
    value._tag === "RedactedTranscript" &&
    Array.isArray(value.turns) &&
    Array.isArray(value.toolCalls),
  { identifier: "RedactedTranscript" }
)

/** The codec of the column: text in the database, a transcript here. */
export const StoredTranscript: Schema.Schema<RedactedTranscript, string> = Schema.transformOrFail(
  Schema.String,
  Redacted,
  {
    strict: true,
    decode: (text, _, ast) => Either.mapLeft(parse(text), (message) => new ParseResult.Type(ast, text, message)),
    encode: (transcript) => ParseResult.succeed(print(transcript))
  }
).annotations({ identifier: "StoredTranscript" })
