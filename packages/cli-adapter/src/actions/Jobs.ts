import { encodeJob, JobId, JobRunner, Jobs } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, decodeId, withEngine } from "../Session.js"
import {
  type OutboundOptions,
  type CommonOptions,
  defined,
  plainEngine,
  type StorageOptions,
  withLanguageModel
} from "../Settings.js"
import { jsonLine } from "../Text.js"

export const list = (
  options: CommonOptions & PageOptions & { readonly state: string | undefined; readonly kind: string | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const page = yield* callAs(
      caller,
      (yield* Jobs).list
    )({
      ...pageQuery(options),
      ...defined({ state: options.state, kind: options.kind })
    })
    yield* printPage(page, {
      json: options.json,
      encode: encodeJob,
      none: "No jobs found.",
      columns: [
        { name: "ID", of: (job) => String(job.id), right: true },
        { name: "KIND", of: (job) => job.kind, least: 12 },
        { name: "STATE", of: (job) => job.state },
        { name: "ATTEMPTS", of: (job) => `${job.attempts}/${job.maxAttempts}`, right: true },
        { name: "CHANGED", of: (job) => DateTime.formatIso(job.updatedAt).slice(0, 19).replace("T", " ") },
        { name: "ERROR", of: (job) => job.lastError ?? "", least: 16 }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const retry = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(JobId, "Job", options.id)
    const job = yield* callAs(caller, (yield* Jobs).retry)(id)
    yield* options.json ? screen.print(jsonLine(encodeJob(job))) : screen.note(`Job ${id} is queued again.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** Runs the due jobs of all organizations and exits. For the operator: it takes no credential but the database. */
export const run = (options: StorageOptions & { readonly json: boolean } & OutboundOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const ran = yield* (yield* JobRunner).drain
    yield* options.json
      ? screen.print(jsonLine({ jobs: ran }))
      : screen.note(ran === 0 ? "No jobs are due." : `Ran ${ran} ${ran === 1 ? "job" : "jobs"}.`)
  }).pipe((steps) =>
    Effect.flatMap(withLanguageModel(plainEngine(options)), (settings) =>
      withEngine(settings, { existing: true })(steps)
    )
  )
