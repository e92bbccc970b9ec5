import { isComplete, pendingChanges, Projections } from "@earshot/core"
import * as Effect from "effect/Effect"
import type { CommandEffect } from "../CommandEffect.js"
import { CommandRejected, ReportedFailure } from "../Errors.js"
import { plainEngine } from "../EngineSettings.js"
import { Screen } from "../Screen.js"
import { withEngine } from "../Session.js"
import { nonBlank, type StorageOptions } from "../Settings.js"
import { jsonLine } from "../Text.js"

export interface AnalyticsOptions extends StorageOptions {
  readonly json: boolean
  readonly analytics: string | undefined
}

const engineOf = (options: AnalyticsOptions) => ({ ...plainEngine(options), analytics: nonBlank(options.analytics) })

const needed = new CommandRejected({ reason: "Set --analytics or EARSHOT_ANALYTICS to the column store." })

const unused = new CommandRejected({
  reason:
    "The column store has no calls of this database yet. Run earshot analytics rebuild, or a server with --analytics."
})

const percent = ({ done, of }: { readonly done: number; readonly of: number }): number =>
  of === 0 ? 100 : Math.min(100, Math.floor((done / of) * 100))

export const status = (options: AnalyticsOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const found = yield* (yield* Projections).status
    const pending = pendingChanges(found)
    const state = !found.recording
      ? "off"
      : found.generation === null
        ? "rebuild requested"
        : found.rebuild === null
          ? "complete"
          : `rebuilding, ${percent(found.rebuild)} %`
    if (options.json) {
      yield* screen.print(
        jsonLine({
          column_store: found.columnStore,
          recording: found.recording,
          complete: isComplete(found),
          rebuild: found.rebuild,
          pending,
          last_active: found.activeAt === 0 ? null : new Date(found.activeAt).toISOString(),
          erasure_pending: found.unerased !== null
        })
      )
      return
    }
    const usable = { none: "not configured", usable: "can be used" }
    const shown =
      found.columnStore === "none" || found.columnStore === "usable"
        ? usable[found.columnStore]
        : `cannot be used (${found.columnStore})`
    yield* screen.print(
      [
        `Column store     ${shown}`,
        `Projection       ${state}`,
        `Pending changes  ${pending === 0 ? "none" : `about ${pending}`}`,
        `Last active      ${found.activeAt === 0 ? "never" : new Date(found.activeAt).toISOString()}`,
        `Erasure          ${found.unerased === null ? "nothing to erase" : "pending"}`
      ].join("\n")
    )
  }).pipe(withEngine(engineOf(options), { existing: true }))

export const rebuild = (options: AnalyticsOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const watched = screen.progress && !options.json
    yield* (yield* Projections).rebuild((progress) =>
      watched ? screen.redraw(`Copied ${percent(progress)} % of the calls`) : Effect.void
    )
    if (watched) yield* screen.redraw("")
    yield* screen.print(options.json ? jsonLine({ complete: true }) : "The column store has all calls.")
  }).pipe(
    Effect.catchTag("ColumnStoreMissing", () => needed),
    withEngine(engineOf(options), { existing: true })
  )

export const verify = (options: AnalyticsOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const watched = screen.progress && !options.json
    const projections = yield* Projections
    const { columnStore, installation } = yield* projections.status
    if (columnStore !== "none" && installation === null) return yield* unused
    const found = yield* projections.verify((compared) =>
      watched ? screen.redraw(`Compared ${compared} calls`) : Effect.void
    )
    if (watched) yield* screen.redraw("")
    const { compared, different, examples, extra, missing } = found
    const differences = different + extra + missing
    yield* screen.print(
      options.json
        ? jsonLine({ compared, missing, extra, different, examples })
        : [
            `Compared   ${compared}`,
            `Missing    ${missing}`,
            `Extra      ${extra}`,
            `Different  ${different}`,
            ...examples.map(({ call, is }) => `  call ${call}: ${is}`),
            ...(examples.length < differences ? [`  and ${differences - examples.length} more`] : [])
          ].join("\n")
    )
    if (differences > 0) return yield* new ReportedFailure()
  }).pipe(
    Effect.catchTag("ColumnStoreMissing", () => needed),
    withEngine(engineOf(options), { existing: true })
  )
