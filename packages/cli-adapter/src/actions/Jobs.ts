import * as Effect from "effect/Effect"
import { send } from "../Api.js"
import type { CommandEffect } from "../CommandEffect.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, defined } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"

export const list = (
  options: CommonOptions & PageOptions & { readonly state: string | undefined; readonly kind: string | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/jobs/", {
      query: { ...pageQuery(options), ...defined({ state: options.state, kind: options.kind }) }
    })
    yield* printPage(page, {
      json: options.json,
      none: "No jobs found.",
      columns: [
        { name: "ID", of: (job) => String(job.id), right: true },
        { name: "KIND", of: (job) => job.kind, least: 12 },
        { name: "STATE", of: (job) => job.state },
        { name: "ATTEMPTS", of: (job) => `${job.attempts}/${job.max_attempts}`, right: true },
        { name: "CHANGED", of: (job) => job.updated_at.slice(0, 19).replace("T", " ") },
        { name: "ERROR", of: (job) => job.last_error ?? "", least: 16 }
      ]
    })
  }).pipe(onTarget(options))

export const retry = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const job = yield* send("post", "/jobs/{id}/retry/", { id: options.id })
    yield* options.json ? screen.print(jsonLine(job)) : screen.note(`Job ${job.id} is queued again.`)
  }).pipe(onTarget(options))
