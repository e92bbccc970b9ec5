/** Concurrent deletions, cancellations and reports are linearizable (interface, E8, E9). */
import * as fc from "fast-check"
import { assertHolds, yieldingProperty, parameters } from "../Property.js"
import { linearization } from "../models/Linearizable.js"
import { type Coverage, CoverageCounter } from "../models/Coverage.js"
import type { CapacityAnswer, CapacityView, CapacityFixture } from "./CapacityModel.js"

type Status = "queued" | "running" | "completed" | "cancelled" | "deleted"

/** Results are 0 and 1; runs are positions in their result. */
type Step =
  | { readonly does: "delete results"; readonly results: ReadonlyArray<number> }
  | { readonly does: "delete runs"; readonly result: number; readonly runs: ReadonlyArray<number> }
  | { readonly does: "cancel result"; readonly result: number }
  | { readonly does: "cancel run" | "complete"; readonly result: number; readonly run: number }

interface State {
  /** By result. */
  readonly runs: ReadonlyArray<ReadonlyArray<Status>>
  readonly deleted: ReadonlyArray<boolean>
}

const RESULTS = 2
const RUNS = 3
/** The number of runs of each result that are claimed before. */
const CLAIMED = 2

const withRuns = (state: State, result: number, change: (status: Status, at: number) => Status): State => ({
  ...state,
  runs: state.runs.map((runs, at) => (at === result ? runs.map(change) : runs))
})

const canceled = (status: Status): Status => (status === "queued" || status === "running" ? "cancelled" : status)

const apply = (state: State, step: Step): { readonly state: State; readonly answer: CapacityAnswer } => {
  const rejected = { state, answer: "refused" as const }
  const done = (next: State) => ({ state: next, answer: "done" as const })
  if (step.does === "delete results") {
    return done({
      runs: state.runs.map((runs, at) => (step.results.includes(at) ? runs.map(() => "deleted" as const) : runs)),
      deleted: state.deleted.map((isDeleted, at) => isDeleted || step.results.includes(at))
    })
  }
  if (state.deleted[step.result] === true) return rejected
  switch (step.does) {
    case "delete runs":
      return done(withRuns(state, step.result, (one, at) => (step.runs.includes(at) ? "deleted" : one)))
    case "cancel result":
      return done(withRuns(state, step.result, canceled))
    case "cancel run": {
      const status = state.runs[step.result]?.[step.run]
      if (status === "deleted" || status === "completed") return rejected
      return done(withRuns(state, step.result, (one, at) => (at === step.run ? canceled(one) : one)))
    }
    case "complete":
      return state.runs[step.result]?.[step.run] === "running"
        ? done(withRuns(state, step.result, (one, at) => (at === step.run ? "completed" : one)))
        : rejected
  }
}

const result = fc.nat({ max: RESULTS - 1 })
const run = fc.nat({ max: RUNS - 1 })

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant("delete results" as const),
    results: fc.array(result, { minLength: 1, maxLength: 3 })
  }),
  fc.record({
    does: fc.constant("delete runs" as const),
    result,
    runs: fc.array(run, { minLength: 1, maxLength: 3 })
  }),
  fc.record({ does: fc.constant("cancel result" as const), result }),
  fc.record({ does: fc.constant("cancel run" as const), result, run }),
  fc.record({ does: fc.constant("complete" as const), result, run: fc.constantFrom(0, 0, 1, 1, 2) })
)

const steps = fc.array(step, { minLength: 2, maxLength: 5 })

const count = (all: ReadonlyArray<Status>, status: Status): number => all.filter((one) => one === status).length

/** The observable part of a state: the capacity, and the runs of results that are not deleted. */
const seen = ({ deleted, runs }: State, numbers: ReadonlyArray<number>) => {
  const all = runs.flat()
  const capacity: CapacityView = {
    activeSessions: count(all, "running"),
    pendingDemand: count(all, "queued"),
    slotsInUse: count(all, "running"),
    phoneNumbersHeld: numbers.filter((_, at) => runs[at]?.some((one) => one === "queued" || one === "running") === true)
  }
  return {
    capacity,
    results: runs.map((of, at) =>
      deleted[at] === true
        ? null
        : (["queued", "running", "completed", "cancelled"] as const).map((status) => count(of, status))
    )
  }
}

const kindsOf = ({ answer, step: { does } }: { readonly step: Step; readonly answer: CapacityAnswer }) =>
  answer === "refused"
    ? (["refused"] as const)
    : ([
        (
          {
            "delete results": "results deleted",
            "delete runs": "runs deleted",
            "cancel result": "result canceled",
            "cancel run": "run canceled",
            complete: "run completed"
          } as const
        )[does]
      ] as const)

/** Events that the concurrent requests have to cover. */
const kinds = [
  "results deleted",
  "runs deleted",
  "result canceled",
  "run canceled",
  "run completed",
  "refused",
  "one result deleted twice",
  "a result and its runs deleted",
  "runs of one result deleted and reported or canceled"
] as const

/** Fails when concurrent requests are not linearizable; returns the coverage. */
export const checkConcurrentDeletions = async (
  fixture: () => Promise<CapacityFixture>,
  options: { readonly runs: number }
): Promise<Coverage> => {
  const coverage = new CoverageCounter(kinds)
  const details = await fc.check(
    yieldingProperty([steps], async (asked) => {
      const { driver, numbers } = await fixture()
      const made: Array<{ readonly result: number; readonly runs: ReadonlyArray<number> }> = []
      const leases = new Map<number, string>()
      for (const number of numbers) {
        const one = await driver.start({ runs: RUNS, number, concurrencyLimit: CLAIMED })
        made.push(one)
        for (const { lease, run: id } of await driver.claim(CLAIMED)) leases.set(id, lease)
      }
      const resultAt = (at: number) => made[at]?.result ?? 0
      const runAt = (at: number, position: number) => made[at]?.runs[position] ?? 0
      const ask = (one: Step): Promise<CapacityAnswer> => {
        switch (one.does) {
          case "delete results":
            return driver.deleteResults(one.results.map(resultAt))
          case "delete runs":
            return driver.deleteRuns(
              resultAt(one.result),
              one.runs.map((position) => runAt(one.result, position))
            )
          case "cancel result":
            return driver.cancelResult(resultAt(one.result))
          case "cancel run":
            return driver.cancelRun(runAt(one.result, one.run))
          case "complete":
            return driver.complete(runAt(one.result, one.run), leases.get(runAt(one.result, one.run)) ?? "none")
        }
      }
      const operations = await Promise.all(asked.map(async (one) => ({ step: one, answer: await ask(one) })))
      for (const one of operations) coverage.count(...kindsOf(one))
      const isOf = (one: Step, of: number) =>
        one.does === "delete results" ? one.results.includes(of) : one.result === of
      for (const of of [0, 1]) {
        const does = asked.filter((one) => isOf(one, of)).map((one) => one.does)
        const isDeleted = does.includes("delete results")
        if (does.indexOf("delete results") !== does.lastIndexOf("delete results"))
          coverage.count("one result deleted twice")
        if (isDeleted && does.includes("delete runs")) coverage.count("a result and its runs deleted")
        if (does.includes("delete runs") && (does.includes("complete") || does.includes("cancel run"))) {
          coverage.count("runs of one result deleted and reported or canceled")
        }
      }
      const all = await driver.results()
      const found = {
        capacity: await driver.capacity(),
        results: made.map((one) => {
          const shown = all.find(({ id }) => id === one.result)
          return shown === undefined
            ? null
            : ["queued", "running", "completed", "cancelled"].map((status) => shown.runs[status] ?? 0)
        })
      }
      const initial: State = {
        runs: made.map(({ runs }) => runs.map((id) => (leases.has(id) ? "running" : "queued"))),
        deleted: made.map(() => false)
      }
      const order = linearization<State, Step, CapacityAnswer>({
        initial,
        operations,
        apply,
        isSame: (one, other) => one === other,
        isFinal: (state) => JSON.stringify(seen(state, numbers)) === JSON.stringify(found)
      })
      if (order === undefined)
        throw new Error(`These steps are not linearizable: ${JSON.stringify({ initial, operations, found }, null, 2)}`)
    }),
    parameters(options.runs)
  )
  assertHolds("concurrent deletions and reports are linearizable", details)
  return coverage.result
}
