/** Reads calls out of files and streams: NDJSON, one JSON document, or a list of them. */
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { readErrorText } from "./ReadText.js"

/** A call as it was found, or why there is none at this place. */
export interface ParsedCall {
  /** `calls.ndjson:12`, `calls.json[3]`, `stdin:1` */
  readonly place: string
  readonly call: Either.Either<unknown, string>
}

/** The longest line, and the largest document that does not come a line a call. */
const MAX_LINE_BYTES = 64 * 1024 * 1024
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024

const NEWLINE = 10

/** Lines without their ends; a line that is too long is undefined, and what follows it is read on. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | undefined> {
  let parts: Array<Uint8Array> = []
  let length = 0
  let tooLong = false
  const take = (): Buffer | undefined => {
    const line = tooLong ? undefined : Buffer.concat(parts)
    parts = []
    length = 0
    tooLong = false
    return line
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at))
      yield take()
      from = at + 1
    }
    const rest = chunk.subarray(from)
    length += rest.length
    if (length > MAX_LINE_BYTES) {
      tooLong = true
      parts = []
    } else if (rest.length > 0) parts.push(rest)
  }
  if (parts.length > 0 || tooLong) yield take()
}

const parse = (bytes: Uint8Array): Either.Either<unknown, string> =>
  Either.flatMap(
    Either.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () => "This is not valid UTF-8."
    }),
    (text) =>
      Either.try({
        try: (): unknown => JSON.parse(text),
        catch: () => "This is not valid JSON."
      })
  )

const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte === 32 || byte === 13 || byte === 9)

/** What a parsed document holds: each item of a list, or itself. */
const items = (place: string, parsed: Either.Either<unknown, string>): ReadonlyArray<ParsedCall> =>
  Either.isRight(parsed) && Array.isArray(parsed.right)
    ? parsed.right.map((item: unknown, at) => ({ place: `${place}[${at}]`, call: Either.right(item) }))
    : [{ place, call: parsed }]

const fromLine = (name: string, number: number, line: Buffer | undefined): ReadonlyArray<ParsedCall> =>
  line === undefined
    ? [{ place: `${name}:${number}`, call: Either.left(`A line may have ${MAX_LINE_BYTES} bytes.`) }]
    : isBlank(line)
      ? []
      : items(`${name}:${number}`, parse(line))

/**
 * The calls in a stream of bytes. If its first line is a JSON document, every line is one. Otherwise it is one document
 * over many lines; and if it is none, every line is judged by itself after all, so that one bad line at the top does not
 * hide the good ones below it.
 */
async function* read(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ParsedCall> {
  let number = 0
  let lineByLine = false
  let held: Array<Buffer> = []
  let heldBytes = 0
  const release = function* (): Generator<ParsedCall> {
    for (const [at, line] of held.entries()) yield* fromLine(name, at + 1, line)
    held = []
    lineByLine = true
  }
  for await (const line of linesOf(chunks)) {
    number += 1
    if (!lineByLine && line !== undefined) {
      const first = held.every(isBlank) && !isBlank(line)
      if (!first || Either.isLeft(parse(line))) {
        held.push(line)
        heldBytes += line.length + 1
        if (heldBytes > MAX_DOCUMENT_BYTES) yield* release()
        continue
      }
    }
    if (held.length > 0) yield* release()
    lineByLine = true
    yield* fromLine(name, number, line)
  }
  if (held.every(isBlank)) return
  const whole = parse(Buffer.concat(held.flatMap((line) => [line, Buffer.from("\n")])))
  if (Either.isRight(whole)) yield* items(name, whole)
  else yield* release()
}

/** The calls in a stream of bytes, as a stream; a fault of reading ends it, as the last thing that was found. */
export const documents = (name: string, chunks: AsyncIterable<Uint8Array>): Stream.Stream<ParsedCall> =>
  Stream.fromAsyncIterable(read(name, chunks), (cause) => cause).pipe(
    Stream.catchAll((cause) =>
      Stream.make<[ParsedCall]>({
        place: name,
        call: Either.left(readErrorText(cause))
      })
    )
  )
