import { Recordings } from "@earshot/core"
import * as Effect from "effect/Effect"
import type { CommandEffect } from "../CommandEffect.js"
import { ReportedFailure } from "../Errors.js"
import { Screen } from "../Screen.js"
import { withEngine } from "../Session.js"
import { plainEngine } from "../EngineSettings.js"
import type { StorageOptions } from "../Settings.js"
import { jsonLine, sanitize } from "../Text.js"

export interface CheckOptions extends StorageOptions {
  readonly json: boolean
  readonly recordings: string
  readonly remove: boolean
  readonly collectAfter: number | undefined
}

const MEGABYTE = 1_000_000

const size = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`

export const check = (options: CheckOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { remove } = options
    const found = yield* (yield* Recordings).check({ remove })
    const { missing, orphanBytes, orphans, stored, storedBytes } = found
    if (options.json) {
      yield* screen.print(
        jsonLine({
          stored,
          stored_bytes: storedBytes,
          orphans,
          orphan_bytes: orphanBytes,
          removed: remove ? orphans : 0,
          missing: missing.map(({ id, key, of }) => ({ [of]: id, key }))
        })
      )
    } else {
      yield* screen.print(
        [
          `Stored           ${stored} (${size(storedBytes)})`,
          `Not referred to  ${orphans} (${size(orphanBytes)})${remove && orphans > 0 ? ", removed" : ""}`,
          `Missing          ${missing.length}${missing.length === 100 ? " or more" : ""}`,
          ...missing.map(({ id, key, of }) => `  ${of} ${id}: ${sanitize(key)}`)
        ].join("\n")
      )
    }
    if (missing.length > 0) return yield* new ReportedFailure()
  }).pipe(
    withEngine(
      { ...plainEngine(options), recordings: options.recordings, collectAfterHours: options.collectAfter },
      { existing: true }
    )
  )
