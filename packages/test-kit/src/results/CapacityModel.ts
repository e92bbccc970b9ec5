/** A reference model of capacity: what runs hold, said in the simplest way, and commands to play against a system. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"

export type CapacityCommand =
  /** A result of so many runs, calling from a number or from none. */
  | { readonly do: "start"; readonly runs: number; readonly number: 0 | 1 | null }
  | { readonly do: "claim"; readonly limit: number }
  /** Of the running runs, the one that this points at. */
  | { readonly do: "complete" | "fail"; readonly pick: number }
  | { readonly do: "deleteResults"; readonly picks: ReadonlyArray<number> }
  | { readonly do: "deleteRuns"; readonly pick: number; readonly runs: ReadonlyArray<number> }
  /** Every worker is gone, and the leases run out. */
  | { readonly do: "crash" }

const pick = fc.nat({ max: 1000 })

export const capacityCommand: fc.Arbitrary<CapacityCommand> = fc.oneof(
  fc.record({
    do: fc.constant("start" as const),
    runs: fc.integer({ min: 1, max: 5 }),
    number: fc.constantFrom(0 as const, 1 as const, null)
  }),
  fc.record({ do: fc.constant("claim" as const), limit: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constantFrom("complete" as const, "fail" as const), pick }),
  fc.record({ do: fc.constant("deleteResults" as const), picks: fc.array(pick, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    do: fc.constant("deleteRuns" as const),
    pick,
    runs: fc.array(pick, { minLength: 1, maxLength: 3 })
  }),
  fc.constant({ do: "crash" as const })
)

/** What is asked of a system under test; faults that it should not have are its own. */
export interface CapacitySystem<E, R> {
  readonly numbers: readonly [number, number]
  readonly start: (
    runs: number,
    number: number | null
  ) => Effect.Effect<{ readonly result: number; readonly runs: ReadonlyArray<number> }, E, R>
  readonly claim: (
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly run: number; readonly lease: string }>, E, R>
  readonly complete: (run: number, lease: string) => Effect.Effect<void, E, R>
  readonly fail: (run: number, lease: string) => Effect.Effect<void, E, R>
  /** Whether a report of this run is refused. */
  readonly isRefused: (run: number, lease: string) => Effect.Effect<boolean, E, R>
  readonly deleteResults: (ids: ReadonlyArray<number>) => Effect.Effect<void, E, R>
  readonly deleteRuns: (result: number, ids: ReadonlyArray<number>) => Effect.Effect<void, E, R>
  /** Lets all leases run out. */
  readonly expireLeases: Effect.Effect<void, E, R>
  readonly capacity: Effect.Effect<CapacityView, E, R>
}

export interface CapacityView {
  readonly activeSessions: number
  readonly pendingDemand: number
  readonly slotsInUse: number
  readonly phoneNumbersHeld: ReadonlyArray<number>
}

interface ModelRun {
  readonly id: number
  readonly result: number
  readonly number: number | null
  status: "queued" | "running" | "over" | "deleted"
  attempts: number
  lease: string
  isLost: boolean
}

/** A system that holds something else than its runs need, and after which commands. */
export interface CapacityMismatch {
  readonly after: ReadonlyArray<CapacityCommand>
  readonly expected: CapacityView
  readonly found: CapacityView | string
}

const MAX_ATTEMPTS = 3

const viewOf = (runs: ReadonlyArray<ModelRun>): CapacityView => {
  const count = (status: ModelRun["status"]) => runs.filter((run) => run.status === status).length
  const needed = runs.filter(({ status }) => status === "queued" || status === "running")
  return {
    activeSessions: count("running"),
    pendingDemand: count("queued"),
    slotsInUse: count("running"),
    phoneNumbersHeld: [...new Set(needed.flatMap(({ number }) => number ?? []))].toSorted((a, b) => a - b)
  }
}

const isSame = (a: CapacityView, b: CapacityView): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Plays commands against a system, which has nothing yet, and answers the first mismatch or undefined. */
export const playCapacity = <E, R>(
  system: CapacitySystem<E, R>,
  commands: ReadonlyArray<CapacityCommand>
): Effect.Effect<CapacityMismatch | undefined, E, R> =>
  Effect.gen(function* () {
    const runs: Array<ModelRun> = []
    const at = <A>(all: ReadonlyArray<A>, position: number): A | undefined => all[position % Math.max(1, all.length)]
    for (const [step, command] of commands.entries()) {
      let wrong: string | undefined
      switch (command.do) {
        case "start": {
          const number = command.number === null ? null : system.numbers[command.number]
          const made = yield* system.start(command.runs, number)
          for (const id of made.runs) {
            runs.push({ id, result: made.result, number, status: "queued", attempts: 0, lease: "", isLost: false })
          }
          break
        }
        case "claim": {
          // Lost ones come first: back into the queue, or over after their last try.
          for (const run of runs.filter(({ isLost, status }) => isLost && status === "running")) {
            run.status = run.attempts < MAX_ATTEMPTS ? "queued" : "over"
          }
          const claimed = yield* system.claim(command.limit)
          const queued = runs.filter(({ status }) => status === "queued").slice(0, command.limit)
          if (claimed.map(({ run }) => run).join() !== queued.map(({ id }) => id).join()) {
            wrong = `claimed ${claimed.map(({ run }) => run).join()} instead of ${queued.map(({ id }) => id).join()}`
          }
          for (const { lease, run: id } of claimed) {
            const run = runs.find((one) => one.id === id)
            if (run !== undefined)
              Object.assign(run, { status: "running", attempts: run.attempts + 1, lease, isLost: false })
          }
          break
        }
        case "complete":
        case "fail": {
          const run = at(
            runs.filter(({ status }) => status === "running"),
            command.pick
          )
          if (run === undefined) break
          yield* command.do === "complete" ? system.complete(run.id, run.lease) : system.fail(run.id, run.lease)
          run.status = "over"
          if (!(yield* system.isRefused(run.id, run.lease))) wrong = `run ${run.id} reported twice`
          break
        }
        case "deleteResults": {
          const results = [...new Set(runs.map(({ result }) => result))]
          const ids = [...new Set(command.picks.flatMap((one) => at(results, one) ?? []))]
          if (ids.length === 0) break
          yield* system.deleteResults(ids)
          for (const run of runs.filter(({ result }) => ids.includes(result))) {
            if (run.status === "running" && !(yield* system.isRefused(run.id, run.lease))) {
              wrong = `run ${run.id} reported after it was deleted`
            }
            run.status = "deleted"
          }
          break
        }
        case "deleteRuns": {
          const gone = new Set(runs.filter(({ status }) => status === "deleted").map(({ result }) => result))
          const open = [...new Set(runs.filter(({ status }) => status !== "deleted").map(({ result }) => result))]
          const result = at(open, command.pick)
          if (result === undefined) break
          const of = runs.filter((run) => run.result === result && (gone.has(result) ? run.status !== "deleted" : true))
          const ids = [...new Set(command.runs.flatMap((one) => at(of, one)?.id ?? []))]
          yield* system.deleteRuns(result, ids)
          for (const run of of.filter(({ id }) => ids.includes(id))) {
            if (run.status === "running" && !(yield* system.isRefused(run.id, run.lease))) {
              wrong = `run ${run.id} reported after it was deleted`
            }
            run.status = "deleted"
          }
          break
        }
        case "crash":
          yield* system.expireLeases
          for (const run of runs) if (run.status === "running") run.isLost = true
      }
      const expected = viewOf(runs)
      const found = wrong ?? (yield* system.capacity)
      if (typeof found === "string" || !isSame(found, expected)) {
        return { after: commands.slice(0, step + 1), expected, found }
      }
    }
    return undefined
  })
