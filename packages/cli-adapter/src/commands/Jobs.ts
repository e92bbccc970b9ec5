import { encodeJob, JobId, JobRunner, Jobs } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, idOf, withEngine } from "../Session.js"
import { type AgentHostOptions, type CallerOptions, plainEngine, workingEngine } from "../Settings.js"
import { printJson } from "../Text.js"

interface Common extends CallerOptions {
  readonly database: string
  readonly json: boolean
}

export const list = (
  options: Common & PageOptions & { readonly state: Option.Option<string>; readonly kind: Option.Option<string> }
): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const page = yield* calling(
      caller,
      (yield* Jobs).list
    )({
      ...pageQuery(options),
      ...Option.match(options.state, { onNone: () => ({}), onSome: (state) => ({ state }) }),
      ...Option.match(options.kind, { onNone: () => ({}), onSome: (kind) => ({ kind }) })
    })
    yield* printPage(page, {
      json: options.json,
      encode: encodeJob,
      none: "There are no such jobs.",
      columns: [
        { name: "ID", of: (job) => String(job.id), right: true },
        { name: "KIND", of: (job) => job.kind, least: 12 },
        { name: "STATE", of: (job) => job.state },
        { name: "TRIES", of: (job) => `${job.attempts}/${job.maxAttempts}`, right: true },
        { name: "CHANGED", of: (job) => DateTime.formatIso(job.updatedAt).slice(0, 19).replace("T", " ") },
        { name: "FAULT", of: (job) => job.lastError ?? "", least: 16 }
      ]
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const retry = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(JobId, "Job", options.id)
    const job = yield* calling(caller, (yield* Jobs).retry)(id)
    yield* options.json ? screen.print(printJson(encodeJob(job))) : screen.note(`Job ${id} is queued again.`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** Does what is due, of every organisation, and ends. The operator's own: it asks for no credential but the database. */
export const run = (options: { readonly database: string; readonly json: boolean } & AgentHostOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const attempts = yield* (yield* JobRunner).drain
    yield* options.json
      ? screen.print(printJson({ attempts }))
      : screen.note(attempts === 0 ? "Nothing is due." : `${attempts} ${attempts === 1 ? "job was" : "jobs were"} run.`)
  }).pipe((steps) =>
    Effect.flatMap(workingEngine(plainEngine(options.database), options), (settings) =>
      withEngine(settings, { existing: true })(steps)
    )
  )
