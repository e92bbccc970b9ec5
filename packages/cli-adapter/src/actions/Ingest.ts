import { createReadStream, statSync } from "node:fs"
import { isAbsolute } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { glob, isDynamicPattern } from "tinyglobby"
import { type Api, type ApiFailure, type ApiRejected, send, sendForStatus } from "../Api.js"
import { documents, type ParsedCall } from "../Documents.js"
import { fieldErrorLines, type FieldErrors, isFieldErrors, UsageError, ReportedFailure } from "../Errors.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, parseFields, type IngestingOptions } from "../Settings.js"
import { onTarget } from "../Target.js"
import { sanitize, jsonLine } from "../Text.js"
import type { Wire } from "../Wire.js"

export interface IngestOptions extends CommonOptions, IngestingOptions {
  readonly files: ReadonlyArray<string>
  readonly agent: number | undefined
  readonly concurrency: number
  readonly format: string | undefined
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

/** The sources that the arguments name, in order. An argument that is the name of a file is that file, not a pattern. */
const sourcesOf = (
  names: ReadonlyArray<string>,
  interactive: boolean
): Effect.Effect<ReadonlyArray<Source>, UsageError> =>
  Effect.gen(function* () {
    if (names.length === 0) {
      return interactive
        ? yield* new UsageError({
            reason: "No input. Name files, or pipe calls to stdin: earshot calls ingest calls.ndjson"
          })
        : [stdin]
    }
    const found = yield* Effect.forEach(names, (name) => {
      if (name === "-") return Effect.succeed([stdin])
      if (exists(name) || !isDynamicPattern(name)) return Effect.succeed([file(name)])
      return Effect.promise(() =>
        glob(name, { onlyFiles: true, expandDirectories: false, absolute: isAbsolute(name) })
      ).pipe(Effect.map((paths) => (paths.length === 0 ? [file(name)] : paths.toSorted().map(file))))
    })
    return found.flat()
  })

/** The call with the default agent, if it names none. */
const withAgent = (agent: number | undefined, call: unknown): unknown =>
  agent !== undefined && isPlainObject(call) && !present(call.agent) && !present(call.assistant_id)
    ? { ...call, agent }
    : call

/** The call with additional fields to redact. Invalid redact_fields are left for the engine to reject. */
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

/** Ingests calls concurrently. Invalid calls are reported with their place and errors; the others are stored. */
export const ingest = (options: IngestOptions): CommandEffect =>
  Effect.gen(function* () {
    const { interactive } = yield* Screen
    // Before the database is opened: invalid arguments must not change it.
    const sources = yield* sourcesOf(options.files, interactive || process.stdin.isTTY)
    const fields = yield* parseFields(options.redact, "--redact")
    yield* ingestAll(sources, options, fields).pipe(
      onTarget(options, async () => (await import("../EngineSettings.js")).ingestingEngine(options))
    )
  })

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Statuses that are about one call: its fields, its size, its media type. */
const ABOUT_ONE_CALL = [400, 413, 422]

/** The errors of one call; undefined if they concern all of them. */
const errorsOfCall = ({ body, message, status }: ApiRejected): FieldErrors | undefined =>
  !ABOUT_ONE_CALL.includes(status) ? undefined : isFieldErrors(body) ? body : { non_field_errors: [message] }

/** What happened to a call, and why it was rejected or what of it was not stored. */
interface Outcome {
  readonly is: "created" | "updated" | "skipped" | "rejected"
  readonly reason: string | null
}

/** The outcome by the status of the observe endpoint. */
const storedAs = (status: number): Outcome => ({ is: status === 201 ? "created" : "updated", reason: null })

const outcomeOf = ({ call, outcome, reason }: Wire<"WebhookReceipt">): Outcome => ({
  is: outcome === "skipped" ? "skipped" : call === null ? "rejected" : call.created ? "created" : "updated",
  reason
})

const ingestAll = (sources: ReadonlyArray<Source>, options: IngestOptions, fields: ReadonlyArray<string>) => {
  const total = sources.every(({ bytes }) => bytes !== undefined)
    ? sources.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
    : 0
  let readBytes = 0
  const counted = (source: Source): AsyncIterable<Uint8Array> =>
    (async function* () {
      for await (const chunk of source.open()) {
        readBytes += chunk.length
        yield chunk
      }
    })()
  return ingestCalls(
    Stream.flatMap(Stream.fromIterable(sources), (source) => documents(source.name, counted(source))),
    options,
    { fields, part: () => (total === 0 ? undefined : Math.min(1, readBytes / total)) }
  )
}

export interface IngestProgress {
  readonly fields: ReadonlyArray<string>
  /** The part of the calls that was read, 0 to 1; undefined if it is unknown. */
  readonly part: () => number | undefined
  /** Runs for each call once it is stored, rejected or skipped. */
  readonly onDone?: (call: ParsedCall) => void
}

/**
 * Ingests calls concurrently, reports those that are rejected, and prints how many there were of each outcome, also if the
 * calls end with an error.
 */
export const ingestCalls = <E, R>(
  calls: Stream.Stream<ParsedCall, E, R>,
  options: Pick<IngestOptions, "agent" | "concurrency" | "format" | "json">,
  { fields, onDone, part }: IngestProgress
) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const query = {
      ...(options.agent === undefined ? {} : { agent_id: options.agent }),
      ...(fields.length === 0 ? {} : { redact_fields: fields.join(",") })
    }
    const ingestOne = (call: unknown): Effect.Effect<Outcome, ApiFailure, Api> =>
      options.format === undefined
        ? Effect.map(
            sendForStatus("post", "/observability/v1/observe/", {
              body: withFields(fields, withAgent(options.agent, call))
            }),
            storedAs
          )
        : Effect.map(
            send("post", "/observability/v1/{platform}/observe/", {
              params: { platform: options.format },
              query,
              body: call
            }),
            outcomeOf
          )
    const watched = screen.progress && !options.json
    const count = { created: 0, updated: 0, rejected: 0, ...(options.format === undefined ? {} : { skipped: 0 }) }
    let drawnAt = 0

    const progress = (): string => {
      const done = `${count.created + count.updated} ingested, ${count.rejected} rejected`
      const ratio = part()
      if (ratio === undefined) return done
      const full = Math.round(ratio * BAR)
      return `${"█".repeat(full)}${"░".repeat(BAR - full)} ${String(Math.floor(ratio * 100)).padStart(3)} %  ${done}`
    }
    const draw = Effect.suspend(() => {
      const now = performance.now()
      if (!watched || now - drawnAt < REDRAW_MILLIS) return Effect.void
      drawnAt = now
      return screen.redraw(progress())
    })
    const reject = (place: string, errors: FieldErrors) =>
      Effect.suspend(() => {
        count.rejected += 1
        return note(place, errors)
      })
    const note = (place: string, errors: FieldErrors) =>
      Effect.gen(function* () {
        if (watched) yield* screen.redraw("")
        yield* screen.note(
          options.json
            ? jsonLine({ place, errors })
            : fieldErrorLines(errors)
                .map((line) => sanitize(`${place}: ${line}`))
                .join("\n")
        )
      })
    const ingestParsed = (parsed: ParsedCall) => {
      const { call, place } = parsed
      return Either.match(call, {
        onLeft: (reason) => reject(place, { non_field_errors: [reason] }),
        onRight: (body) =>
          ingestOne(body).pipe(
            Effect.retry({
              while: (error) => error._tag === "StorageBusy",
              schedule: Schedule.jittered(Schedule.exponential("100 millis")),
              times: 5
            }),
            Effect.catchTag("ReceiptOnly", ({ status }) => Effect.succeed(storedAs(status))),
            Effect.flatMap(({ is, reason }) => {
              if (is === "rejected") return reject(place, { non_field_errors: [reason ?? "It was not stored."] })
              count[is] = (count[is] ?? 0) + 1
              return reason === null ? Effect.void : note(place, { non_field_errors: [reason] })
            }),
            Effect.catchTag("ApiRejected", (rejected) => {
              const errors = errorsOfCall(rejected)
              return errors === undefined ? rejected : reject(place, errors)
            })
          )
      }).pipe(
        Effect.tap(() => {
          onDone?.(parsed)
        }),
        Effect.zipRight(draw)
      )
    }

    const summary = Effect.suspend(() =>
      watched ? Effect.zipRight(screen.redraw(""), screen.print(totals(count))) : screen.print(totals(count))
    )
    const totals = (counts: typeof count): string =>
      options.json
        ? jsonLine(counts)
        : `${counts.created} created, ${counts.updated} updated, ${counts.rejected} rejected${
            counts.skipped === undefined ? "" : `, ${counts.skipped} skipped: not about a finished call`
          }.`

    yield* calls.pipe(
      Stream.mapEffect(ingestParsed, { concurrency: options.concurrency, unordered: true }),
      Stream.runDrain,
      // The calls that were ingested before an error are stored, and are counted.
      Effect.onError(() => Effect.ignore(summary))
    )
    yield* summary
    if (count.rejected > 0) return yield* new ReportedFailure()
  })
