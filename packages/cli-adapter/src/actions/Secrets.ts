import { Secrets, type SecretsReport, SigningKeys } from "@earshot/core"
import * as Effect from "effect/Effect"
import type { CommandEffect } from "../CommandEffect.js"
import { ReportedFailure } from "../Errors.js"
import { Screen } from "../Screen.js"
import { withEngine } from "../Session.js"
import { plainEngine } from "../EngineSettings.js"
import type { StorageOptions } from "../Settings.js"
import { jsonLine, sanitize } from "../Text.js"
import { REVOCATION_DELAY } from "./Credentials.js"

export interface SecretsOptions extends StorageOptions {
  readonly json: boolean
}

const plural = (count: number): string => (count === 1 ? "1 secret" : `${count} secrets`)

/** Prints a report; secrets that are lost are an error. */
const print = (report: SecretsReport, json: boolean, note: string) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (json) yield* screen.print(jsonLine({ ...report }))
    else yield* screen.note(note)
    if (report.lost.length === 0) return
    if (!json) {
      yield* screen.note(
        `No configured key opens the secrets of: ${report.lost.map(({ id, kind }) => `${kind} ${sanitize(String(id))}`).join(", ")}. Add the key that sealed them, or set them again.`
      )
    }
    return yield* new ReportedFailure()
  })

export const check = (options: SecretsOptions): CommandEffect =>
  Effect.gen(function* () {
    const report = yield* (yield* Secrets).examine
    yield* print(
      report,
      options.json,
      `${plural(report.current)} sealed with the first key, ${report.older} with older keys.${report.older > 0 ? " Run `earshot secrets rotate` before you remove those." : ""}`
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const rotate = (options: SecretsOptions): CommandEffect =>
  Effect.gen(function* () {
    const report = yield* (yield* Secrets).reseal
    yield* print(
      report,
      options.json,
      `Sealed ${plural(report.older)} with the first key; ${report.current} had been sealed with it before.${report.lost.length === 0 ? " Older keys are no longer needed." : ""}`
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const rotateSigningKey = (options: SecretsOptions & { readonly discardOld: boolean }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    yield* (yield* SigningKeys).rotate({ discardOld: options.discardOld })
    yield* options.json
      ? screen.print(jsonLine({ rotated: true, discarded_old: options.discardOld }))
      : screen.note(
          options.discardOld
            ? `New tokens are signed with a new key; all older tokens are invalid.${REVOCATION_DELAY}`
            : "New tokens are signed with a new key. Tokens issued before stay valid until they expire."
        )
  }).pipe(withEngine(plainEngine(options), { existing: true }))
