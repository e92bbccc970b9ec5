import { createReadStream, statSync } from "node:fs"
import { isAbsolute } from "node:path"
import { Calls, isPlainObject } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { glob, isDynamicPattern } from "tinyglobby"
import { documents, type Found } from "../Documents.js"
import { faultLines, Misused, PartlyRefused } from "../Faults.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, withEngine } from "../Session.js"
import { type CallerOptions, fieldsOf, ingestingEngine, type IngestingOptions } from "../Settings.js"
import { neutralised, printJson } from "../Text.js"

export interface IngestOptions extends CallerOptions, IngestingOptions {
  readonly database: string
  readonly json: boolean
  readonly files: ReadonlyArray<string>
  readonly agent: Option.Option<number>
  readonly concurrency: number
  readonly redact: ReadonlyArray<string>
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

interface Source {
  readonly name: string
  readonly bytes: number | undefined
  readonly open: () => AsyncIterable<Uint8Array>
}

const stdin: Source = { name: "stdin", bytes: undefined, open: () => process.stdin }

const file = (path: string): Source => ({
  name: path,
  bytes: statSync(path, { throwIfNoEntry: false })?.size,
  open: () => createReadStream(path)
})

/** What the arguments name, in their order. A name that is a file is that file, whatever characters it has. */
const sourcesOf = (names: ReadonlyArray<string>, interactive: boolean): Effect.Effect<ReadonlyArray<Source>, Misused> =>
  Effect.gen(function* () {
    if (names.length === 0) {
      return interactive
        ? yield* new Misused({
            reason: "Name the files to take in, or pipe calls in: earshot calls ingest calls.ndjson"
          })
        : [stdin]
    }
    const found = yield* Effect.forEach(names, (name) => {
      if (name === "-") return Effect.succeed([stdin])
      if (!exists(name) && name.startsWith("-")) return new Misused({ reason: `Received unknown argument: '${name}'` })
      if (exists(name) || !isDynamicPattern(name)) return Effect.succeed([file(name)])
      return Effect.promise(() =>
        glob(name, { onlyFiles: true, expandDirectories: false, absolute: isAbsolute(name) })
      ).pipe(Effect.map((paths) => (paths.length === 0 ? [file(name)] : paths.toSorted().map(file))))
    })
    return found.flat()
  })

/** The agent of the calls that name none. */
const withAgent = (agent: Option.Option<number>, call: unknown): unknown =>
  Option.isSome(agent) && isPlainObject(call) && !present(call.agent) && !present(call.assistant_id)
    ? { ...call, agent: agent.value }
    : call

/** The fields of the command line beside those that a call names itself; what it names may be nonsense, and is judged. */
const withFields = (fields: ReadonlyArray<string>, call: unknown): unknown => {
  if (fields.length === 0 || !isPlainObject(call)) return call
  const own = call.redact_fields
  return own === undefined || own === null || Array.isArray(own)
    ? { ...call, redact_fields: [...new Set<unknown>([own ?? [], fields].flat())] }
    : call
}

const present = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

const BAR = 24
const REDRAW_MILLIS = 100

/** Takes calls in, many at a time. What is refused is reported with its place and its faults, and the rest goes on. */
export const ingest = (options: IngestOptions): Running =>
  Effect.gen(function* () {
    const { interactive } = yield* Screen
    // Before a database is opened: a mistake in the arguments should change nothing.
    const sources = yield* sourcesOf(options.files, interactive || process.stdin.isTTY)
    const fields = yield* fieldsOf(options.redact, "--redact")
    const settings = yield* ingestingEngine(options.database, options)
    yield* withEngine(settings, { existing: true })(takeIn(sources, options, fields))
  })

const takeIn = (sources: ReadonlyArray<Source>, options: IngestOptions, fields: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const ingestOne = calling(caller, (yield* Calls).ingest)
    const watched = screen.progress && !options.json
    const count = { created: 0, updated: 0, rejected: 0 }
    const total = sources.every(({ bytes }) => bytes !== undefined)
      ? sources.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
      : undefined
    let readBytes = 0
    let drawnAt = 0

    const progress = (): string => {
      const done = `${count.created + count.updated} taken in, ${count.rejected} rejected`
      if (total === undefined || total === 0) return done
      const part = Math.min(1, readBytes / total)
      const full = Math.round(part * BAR)
      return `${"█".repeat(full)}${"░".repeat(BAR - full)} ${String(Math.floor(part * 100)).padStart(3)} %  ${done}`
    }
    const draw = Effect.suspend(() => {
      const now = performance.now()
      if (!watched || now - drawnAt < REDRAW_MILLIS) return Effect.void
      drawnAt = now
      return screen.redraw(progress())
    })
    const reject = (place: string, faults: Readonly<Record<string, ReadonlyArray<string>>>) =>
      Effect.gen(function* () {
        count.rejected += 1
        if (watched) yield* screen.redraw("")
        yield* screen.note(
          options.json
            ? printJson({ place, faults })
            : faultLines(faults)
                .map((line) => neutralised(`${place}: ${line}`))
                .join("\n")
        )
      })
    const counted = (source: Source): AsyncIterable<Uint8Array> =>
      (async function* () {
        for await (const chunk of source.open()) {
          readBytes += chunk.length
          yield chunk
        }
      })()

    const takeOne = ({ call, place }: Found) =>
      Either.match(call, {
        onLeft: (reason) => reject(place, { non_field_errors: [reason] }),
        onRight: (body) =>
          ingestOne(withFields(fields, withAgent(options.agent, body))).pipe(
            Effect.retry({
              while: (error) => error._tag === "StorageBusy",
              schedule: Schedule.jittered(Schedule.exponential("100 millis")),
              times: 5
            }),
            Effect.map(({ created }) => {
              if (created) count.created += 1
              else count.updated += 1
            }),
            Effect.catchTag("ValidationFailed", ({ faults }) => reject(place, faults))
          )
      }).pipe(Effect.zipRight(draw))

    const summary = Effect.suspend(() =>
      watched ? Effect.zipRight(screen.redraw(""), screen.print(said(count))) : screen.print(said(count))
    )
    const said = (counts: typeof count): string =>
      options.json
        ? printJson(counts)
        : `${counts.created} new, ${counts.updated} delivered again, ${counts.rejected} rejected.`

    yield* Stream.fromIterable(sources).pipe(
      Stream.flatMap((source) => documents(source.name, counted(source))),
      Stream.mapEffect(takeOne, { concurrency: options.concurrency, unordered: true }),
      Stream.runDrain,
      // Whatever stops it, what was taken in by then is kept, and is told.
      Effect.onError(() => Effect.ignore(summary))
    )
    yield* summary
    if (count.rejected > 0) return yield* new PartlyRefused()
  })
