import { JobRunner } from "@earshot/core"
import * as Effect from "effect/Effect"
import type { CommandEffect } from "../CommandEffect.js"
import { runningEngine } from "../EngineSettings.js"
import { Screen } from "../Screen.js"
import { withEngine } from "../Session.js"
import type { OutboundOptions, StorageOptions } from "../Settings.js"
import { jsonLine } from "../Text.js"

/** Runs the due jobs of all organizations and exits. For the operator: it takes no credential but the database. */
export const run = (options: StorageOptions & { readonly json: boolean } & OutboundOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const ran = yield* (yield* JobRunner).drain
    yield* options.json
      ? screen.print(jsonLine({ jobs: ran }))
      : screen.note(ran === 0 ? "No jobs are due." : `Ran ${ran} ${ran === 1 ? "job" : "jobs"}.`)
  }).pipe((steps) =>
    Effect.flatMap(runningEngine(options), (settings) => withEngine(settings, { existing: true })(steps))
  )
