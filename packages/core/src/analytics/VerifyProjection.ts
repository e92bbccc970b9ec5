/** Compares a column store's projection with the primary database. */
import * as Effect from "effect/Effect"
import type { CallId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import { ColumnStore, type ColumnStoreUnavailable, digestOf } from "./Projection.js"
import { ProjectionFeed } from "./ProjectionFeed.js"

export interface ProjectionReport {
  /** Calls compared, those of either side. */
  readonly compared: number
  /** Calls that the column store lacks, has although they are deleted, or has with other values. */
  readonly missing: number
  readonly extra: number
  readonly different: number
  /** The first differences, at most 100. */
  readonly examples: ReadonlyArray<{ readonly call: number; readonly is: Difference }>
}

type Difference = "missing" | "extra" | "different"

const PAGE = 1000
const MAX_EXAMPLES = 100
/** A difference counts if it is still there when the changes of the call are applied. It is looked at so many times. */
const LOOKS = 5
/** How long it waits for changes to be applied before each further look, in steps. */
const WAITS = 40
const WAIT = "250 millis"

/**
 * Compares all calls. What changes meanwhile is compared once the change is applied; what is still not applied after ten
 * seconds counts as different.
 *
 * @param progress is told how many calls were compared
 */
export const verifyProjection = (
  progress: (compared: number) => Effect.Effect<void>
): Effect.Effect<ProjectionReport, StorageError | ColumnStoreUnavailable, ColumnStore | ProjectionFeed> =>
  Effect.gen(function* () {
    const feed = yield* ProjectionFeed
    const store = yield* ColumnStore
    const counts: Record<Difference, number> = { missing: 0, extra: 0, different: 0 }
    const examples: Array<{ readonly call: number; readonly is: Difference }> = []

    /** The next calls of both sides, up to the id that both pages reach. */
    const pageAfter = (after: number) =>
      Effect.gen(function* () {
        const ids = yield* feed.idsAfter(after, PAGE)
        const stored = yield* store.scan(after, PAGE)
        const reached = (last: number | undefined, length: number) => (length < PAGE ? Infinity : (last ?? Infinity))
        const upTo = Math.min(reached(ids.at(-1), ids.length), reached(stored.at(-1)?.id, stored.length))
        const within = ids.filter((id) => id <= upTo)
        const digests = new Map<CallId, string>()
        for (const part of yield* feed.parts(within)) {
          for (const call of yield* feed.load(part, 0)) digests.set(call.id, digestOf(call))
        }
        const found = new Map<CallId, string>(
          stored.filter(({ id }) => id <= upTo).map(({ digest, id }) => [id, digest])
        )
        const differences = new Map<CallId, Difference>()
        for (const [id, digest] of digests) {
          const other = found.get(id)
          if (other === undefined) differences.set(id, "missing")
          else if (other !== digest) differences.set(id, "different")
        }
        for (const id of found.keys()) if (!digests.has(id)) differences.set(id, "extra")
        return { upTo, differences, compared: new Set([...digests.keys(), ...found.keys()]).size }
      })

    const applied = (calls: ReadonlyArray<CallId>) =>
      Effect.gen(function* () {
        for (let waits = 0; waits < WAITS; waits++) {
          if ((yield* feed.pendingOf(calls)).size === 0) return
          yield* Effect.sleep(WAIT)
        }
      })

    let compared = 0
    let after = 0
    for (;;) {
      let page = yield* pageAfter(after)
      for (let looks = 1; looks < LOOKS && page.differences.size > 0; looks++) {
        yield* applied([...page.differences.keys()])
        const again = yield* pageAfter(after)
        // What differs now and did not before has just changed.
        const before = page.differences
        const lasting = [...again.differences].filter(([id, is]) => before.get(id) === is)
        page = { ...again, differences: new Map(looks === LOOKS - 1 ? lasting : again.differences) }
        if (lasting.length === again.differences.size && (yield* feed.pendingOf(lasting.map(([id]) => id))).size === 0)
          break
      }
      for (const [call, is] of page.differences) {
        counts[is] += 1
        if (examples.length < MAX_EXAMPLES) examples.push({ call, is })
      }
      compared += page.compared
      yield* progress(compared)
      if (page.upTo === Infinity) return { compared, ...counts, examples }
      after = page.upTo
    }
  })
