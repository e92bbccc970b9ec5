/** Seals stored secrets with the current key, after a key was replaced. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StorageError } from "../kernel/Storage.js"
import type { Sealing } from "./SecretBox.js"

/** One stored row with its sealed secrets. */
export interface SealedRow {
  /** Names the row in reports. */
  readonly id: number | string
  readonly secrets: ReadonlyArray<{ readonly purpose: string; readonly sealed: string }>
  /** Stores the secrets sealed anew, in the same order, unless the row has changed meanwhile. */
  readonly replace: (sealed: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
}

/** One kind of stored secret. */
export interface SealedSource {
  readonly kind: string
  /** The rows after one, or the first ones; an empty list at the end. */
  readonly list: (after: SealedRow | undefined) => Effect.Effect<ReadonlyArray<SealedRow>, StorageError>
}

/**
 * Sources of subjects in higher layers than the one that goes through all secrets. A reference, whose default is none.
 */
export class MoreSealedSources extends Context.Reference<MoreSealedSources>()(
  "@earshot/core/access/MoreSealedSources",
  {
    defaultValue: (): ReadonlyArray<SealedSource> => []
  }
) {}

/** What was found, in secrets. */
export interface SecretsReport {
  /** Sealed with the current key already. */
  readonly current: number
  /** Sealed with an older key; `reseal` has sealed them with the current one. */
  readonly older: number
  /** The rows that no configured key opens, at most 100 of them. */
  readonly lost: ReadonlyArray<{ readonly kind: string; readonly id: number | string }>
}

/** Rows read at a time. */
export const RESEALED_AT_A_TIME = 100
const MAX_REPORTED = 100

interface Found {
  readonly secrets: ReadonlyArray<string> | undefined
  readonly older: number
}

const openRow = (sealing: Sealing, row: SealedRow): Found => {
  const older = row.secrets.filter(({ sealed }) => !sealing.isCurrent(sealed)).length
  const opened = Option.all(row.secrets.map(({ purpose, sealed }) => sealing.open(purpose, sealed)))
  return {
    older,
    secrets: Option.getOrUndefined(
      Option.map(opened, (secrets) =>
        secrets.map((secret, position) => sealing.seal(row.secrets[position]?.purpose ?? "", secret))
      )
    )
  }
}

/**
 * Goes through every row, and with `write` replaces what was sealed with an older key. Each row is replaced by itself: it
 * may be interrupted at any point and run again, and rows that change meanwhile are left as their writer stored them.
 */
export const reseal = (
  sealing: Sealing,
  sources: ReadonlyArray<SealedSource>,
  write: boolean
): Effect.Effect<SecretsReport, StorageError> =>
  Effect.gen(function* () {
    let current = 0
    let older = 0
    const lost: Array<{ kind: string; id: number | string }> = []
    for (const { kind, list } of sources) {
      let rows = yield* list(undefined)
      while (rows.length > 0) {
        for (const row of rows) {
          const found = openRow(sealing, row)
          if (found.secrets === undefined) {
            if (lost.length < MAX_REPORTED) lost.push({ kind, id: row.id })
            continue
          }
          current += row.secrets.length - found.older
          older += found.older
          if (write && found.older > 0) yield* row.replace(found.secrets)
        }
        rows = yield* list(rows[rows.length - 1])
      }
    }
    return { current, older, lost }
  })
