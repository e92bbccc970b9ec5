/**
 * A reference model of capacity, and command sequences over it: after starts, claims, reports, cancellations, deletions,
 * expired leases and sweeps, the engine holds exactly what the model's queued and running runs need.
 */
import * as fc from "fast-check"
import { expectEqual as asExpected } from "../Property.js"
import { asyncCommand, checkCommandSequences, elementAt, type ModelOptions } from "../models/CommandSequences.js"
import type { Coverage, CoverageCounter } from "../models/Coverage.js"

/** Whether a request was done or rejected. */
export type CapacityAnswer = "done" | "refused"

/** A driver of the engine, in process or over HTTP. */
export interface CapacityDriver {
  /** Creates a result with this many runs; returns their ids in the order of claims. */
  readonly start: (asked: {
    readonly runs: number
    readonly number: number | null
    readonly concurrencyLimit: number | null
  }) => Promise<{ readonly result: number; readonly runs: ReadonlyArray<number> }>
  readonly claim: (limit: number) => Promise<ReadonlyArray<{ readonly run: number; readonly lease: string }>>
  readonly heartbeat: (run: number, lease: string) => Promise<CapacityAnswer>
  readonly complete: (run: number, lease: string) => Promise<CapacityAnswer>
  readonly fail: (run: number, lease: string) => Promise<CapacityAnswer>
  readonly cancelRun: (run: number) => Promise<CapacityAnswer>
  readonly cancelResult: (result: number) => Promise<CapacityAnswer>
  readonly deleteResults: (ids: ReadonlyArray<number>) => Promise<CapacityAnswer>
  readonly deleteRuns: (result: number, runs: ReadonlyArray<number>) => Promise<CapacityAnswer>
  /** Expires every lease; null where that is not possible, and sequences have no crashes then. */
  readonly endLeases: (() => Promise<void>) | null
  /** Sweeps expired leases, as job runners do; null where that is not possible. */
  readonly sweep: (() => Promise<void>) | null
  readonly capacity: () => Promise<CapacityView>
  /** Every result with its runs by status, in any order. */
  readonly results: () => Promise<
    ReadonlyArray<{ readonly id: number; readonly runs: Readonly<Record<string, number>> }>
  >
}

export interface CapacityView {
  readonly activeSessions: number
  readonly pendingDemand: number
  readonly slotsInUse: number
  readonly phoneNumbersHeld: ReadonlyArray<number>
}

/** A driver of an organization without results. */
export interface CapacityFixture {
  readonly driver: CapacityDriver
  /** Two of its phone numbers. */
  readonly numbers: readonly [number, number]
  /** A result of another organization, with a run. */
  readonly foreign: { readonly result: number; readonly run: number }
}

type Status = "queued" | "running" | "reported" | "failed" | "timeout" | "cancelled" | "deleted"

interface ModelRun {
  readonly id: number
  readonly result: number
  readonly number: number | null
  status: Status
  attempts: number
  lease: string
  /** Whether the lease has expired and was not swept. */
  isLost: boolean
}

const MAX_ATTEMPTS = 3
const UNKNOWN = 999_999_999

/** Events that the command sequences have to cover. */
const kinds = [
  "runs started",
  "runs claimed",
  "nothing to claim",
  "runs not claimed above a concurrency limit",
  "lease extended",
  "run completed",
  "run failed",
  "report under an expired lease rejected",
  "queued run canceled",
  "running run canceled",
  "cancellation of an ended run rejected",
  "result canceled",
  "results deleted with queued runs",
  "results deleted with running runs",
  "result deleted again",
  "results deleted with unknown ones",
  "queued runs deleted",
  "running runs deleted",
  "deletion of other results' runs rejected",
  "leases expired",
  "run requeued",
  "run timed out after its last attempt",
  "number released"
] as const
type Kind = (typeof kinds)[number]

class Model {
  constructor(public coverage: CoverageCounter<Kind>) {}
  readonly runs: Array<ModelRun> = []
  readonly limits = new Map<number, number | null>()
  readonly deleted = new Set<number>()

  /** The run or the result at a position modulo their number. */
  run(position: number): ModelRun | undefined {
    return elementAt(this.runs, position)
  }
  result(position: number): number | undefined {
    return elementAt(this.limits.keys(), position)
  }
  of(result: number, ...statuses: ReadonlyArray<Status>): ReadonlyArray<ModelRun> {
    return this.runs.filter((run) => run.result === result && statuses.includes(run.status))
  }
  /** Runs with expired leases are requeued, or time out after their last attempt. */
  takeBack(): void {
    for (const run of this.runs) {
      if (run.status !== "running" || !run.isLost) continue
      run.status = run.attempts < MAX_ATTEMPTS ? "queued" : "timeout"
      this.coverage.count(run.status === "queued" ? "run requeued" : "run timed out after its last attempt")
    }
  }
  /** The runs that a claim gets: the oldest, within their results' concurrency limits. */
  startable(limit: number): ReadonlyArray<number> {
    const room = new Map(
      [...this.limits].map(([result, most]) => [result, (most ?? UNKNOWN) - this.of(result, "running").length])
    )
    const taken: Array<number> = []
    for (const run of this.runs) {
      const left = room.get(run.result) ?? 0
      if (run.status !== "queued" || left <= 0 || taken.length === limit) continue
      room.set(run.result, left - 1)
      taken.push(run.id)
    }
    return taken
  }
  /** Whether a lease on a run is valid. */
  holds(run: ModelRun, lease: string): boolean {
    return run.status === "running" && run.lease === lease && !run.isLost
  }
  view(): CapacityView {
    const count = (status: Status) => this.runs.filter((run) => run.status === status).length
    const needing = this.runs.filter(({ status }) => status === "queued" || status === "running")
    return {
      activeSessions: count("running"),
      pendingDemand: count("queued"),
      slotsInUse: count("running"),
      phoneNumbersHeld: [...new Set(needing.flatMap(({ number }) => number ?? []))].sort((a, b) => a - b)
    }
  }
}

const same = (found: unknown, expected: unknown, what: string): void => asExpected(what, found, expected)

type Command = fc.AsyncCommand<Model, CapacityFixture>

/** After each command, the capacity and the runs that are listed are the model's. */
const command = (name: string, run: Command["run"]): Command =>
  asyncCommand(name, async (model, fixture) => {
    const before = model.view().phoneNumbersHeld.length
    await run(model, fixture)
    const expectedView = model.view()
    if (expectedView.phoneNumbersHeld.length < before) model.coverage.count("number released")
    same(await fixture.driver.capacity(), expectedView, `after ${name} is held`)
    const shown = [...(await fixture.driver.results())]
      .sort((a, b) => a.id - b.id)
      .map(({ id, runs: by }) => [
        id,
        by.queued,
        by.running,
        // Evaluating and completed runs hold the same capacity.
        (by.evaluating ?? 0) + (by.completed ?? 0),
        by.failed,
        by.timeout,

        by.cancelled
      ])
    const expected = [...model.limits.keys()]
      .filter((id) => !model.deleted.has(id))
      .sort((a, b) => a - b)
      .map((id) => [
        id,
        ...(["queued", "running", "reported", "failed", "timeout", "cancelled"] as const).map(
          (status) => model.of(id, status).length
        )
      ])
    same(shown, expected, `after ${name} the results are`)
  })

const pick = fc.nat({ max: 1000 })
const picks = fc.array(pick, { minLength: 1, maxLength: 3 })

const start = (runs: number, which: 0 | 1 | null, concurrencyLimit: number | null): Command =>
  command(`start ${runs} on ${which} within ${concurrencyLimit}`, async (model, { driver, numbers }) => {
    const number = which === null ? null : numbers[which]
    const made = await driver.start({ runs, number, concurrencyLimit })
    model.coverage.count("runs started")
    model.limits.set(made.result, concurrencyLimit)
    for (const id of made.runs) {
      model.runs.push({ id, result: made.result, number, status: "queued", attempts: 0, lease: "", isLost: false })
    }
  })

const starting = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom<0 | 1 | null>(0, 1, null), fc.constantFrom(null, null, 1, 2))
  .map((asked) => start(...asked))

const claim = (limit: number): Command =>
  command(`claim ${limit}`, async (model, { driver }) => {
    model.takeBack()
    const expected = model.startable(limit)
    const claimed = await driver.claim(limit)
    same(
      claimed.map(({ run }) => run),
      expected,
      "there were claimed"
    )
    const left = model.runs.filter(({ status }) => status === "queued").length - claimed.length
    model.coverage.count(claimed.length === 0 ? "nothing to claim" : "runs claimed")
    if (left > 0 && claimed.length < limit) model.coverage.count("runs not claimed above a concurrency limit")
    for (const { lease, run: id } of claimed) {
      const run = model.runs.find((one) => one.id === id)
      if (run !== undefined) Object.assign(run, { status: "running", attempts: run.attempts + 1, lease, isLost: false })
    }
  })

const claiming = fc.integer({ min: 1, max: 5 }).map(claim)

/** Reports on runs that are, were or never were claimed. */
const reporting = fc
  .tuple(fc.constantFrom("heartbeat" as const, "complete" as const, "complete" as const, "fail" as const), pick)
  .map(([what, position]) =>
    command(`${what} ${position}`, async (model, { driver }) => {
      // More often a running one.
      const running = model.runs.filter(({ status }) => status === "running")
      const run = position % 4 === 0 ? model.run(position) : running[position % Math.max(1, running.length)]
      if (run === undefined) return
      const lease = run.lease === "" ? "none" : run.lease
      const holds = model.holds(run, lease)
      same(await driver[what](run.id, lease), holds ? "done" : "refused", `${what} of run ${run.id} was`)
      model.coverage.count(
        !holds
          ? "report under an expired lease rejected"
          : ({ heartbeat: "lease extended", complete: "run completed", fail: "run failed" } as const)[what]
      )
      if (holds && what !== "heartbeat") run.status = what === "complete" ? "reported" : "failed"
    })
  )

const open: ReadonlyArray<Status> = ["queued", "running"]

const cancellingRun = pick.map((position) =>
  command(`cancel run ${position}`, async (model, { driver }) => {
    const run = model.run(position)
    // A reported run may be evaluating, and can be canceled then.
    if (run === undefined || run.status === "reported") return
    const can = open.includes(run.status) || run.status === "cancelled"
    same(await driver.cancelRun(run.id), can ? "done" : "refused", `canceling run ${run.id} was`)
    if (run.status === "queued") model.coverage.count("queued run canceled")
    if (run.status === "running") model.coverage.count("running run canceled")
    if (!can) model.coverage.count("cancellation of an ended run rejected")
    if (can) run.status = "cancelled"
  })
)

const cancellingResult = pick.map((position) =>
  command(`cancel result ${position}`, async (model, { driver }) => {
    const result = model.result(position)
    if (result === undefined || model.of(result, "reported").length > 0) return
    const isThere = !model.deleted.has(result)
    same(await driver.cancelResult(result), isThere ? "done" : "refused", `canceling result ${result} was`)
    if (isThere && model.of(result, ...open).length > 0) model.coverage.count("result canceled")
    if (isThere) for (const run of model.of(result, ...open)) run.status = "cancelled"
  })
)

/** With deleted, unknown and foreign ids, and repeated ones. */
const deletingResults = fc.tuple(picks, fc.boolean()).map(([positions, strange]) =>
  command(
    `delete results ${positions.join()}${strange ? " and unknown ones" : ""}`,
    async (model, { driver, foreign }) => {
      const ids = positions.flatMap((position) => model.result(position) ?? [])
      const asked = strange || ids.length === 0 ? [...ids, foreign.result, UNKNOWN] : ids
      same(await driver.deleteResults(asked), "done", `deleting results ${asked.join()} was`)
      if (asked.length > ids.length) model.coverage.count("results deleted with unknown ones")
      for (const id of ids) {
        if (model.deleted.has(id)) model.coverage.count("result deleted again")
        if (model.of(id, "queued").length > 0) model.coverage.count("results deleted with queued runs")
        if (model.of(id, "running").length > 0) model.coverage.count("results deleted with running runs")
        model.deleted.add(id)
        for (const run of model.runs) if (run.result === id) run.status = "deleted"
      }
    }
  )
)

const deletingRuns = fc
  .tuple(pick, picks, fc.constantFrom("own", "own", "foreign", "another's"))
  .map(([position, positions, whose]) =>
    command(`delete runs ${positions.join()} of result ${position}, ${whose}`, async (model, { driver, foreign }) => {
      const result = model.result(position)
      if (result === undefined) return
      const own = model.runs.filter((run) => run.result === result)
      const chosen = positions.flatMap((at) => own[at % Math.max(1, own.length)] ?? [])
      const another = model.runs.find((run) => run.result !== result)
      const strange = whose === "foreign" ? [foreign.run] : whose === "another's" && another ? [another.id] : []
      const can = !model.deleted.has(result) && strange.length === 0
      const ids = [...chosen.map(({ id }) => id), ...strange]
      same(await driver.deleteRuns(result, ids), can ? "done" : "refused", `deleting runs ${ids.join()} was`)
      if (strange.length > 0) model.coverage.count("deletion of other results' runs rejected")
      if (can && chosen.some(({ status }) => status === "queued")) model.coverage.count("queued runs deleted")
      if (can && chosen.some(({ status }) => status === "running")) model.coverage.count("running runs deleted")
      if (can) for (const run of chosen) run.status = "deleted"
    })
  )

/** Every worker crashes, and the leases expire. */
const crash: Command = command("crash", async (model, { driver }) => {
  if (driver.endLeases === null) return
  await driver.endLeases()
  if (model.runs.some(({ status }) => status === "running")) model.coverage.count("leases expired")
  for (const run of model.runs) if (run.status === "running") run.isLost = true
})

const sweeping = fc.constant(
  command("sweep", async (model, { driver }) => {
    if (driver.sweep === null) return
    await driver.sweep()
    model.takeBack()
  })
)

/** Run before every sequence: runs of two results, one of them with a concurrency limit, some claimed. */
const setUpCommands: ReadonlyArray<Command> = [start(3, 0, null), start(3, 1, 1), claim(5)]

const commands: ReadonlyArray<fc.Arbitrary<Command>> = [
  ...[starting, starting, starting, claiming, claiming, claiming, reporting, reporting, reporting],
  ...[cancellingRun, cancellingResult, deletingResults, deletingRuns, deletingRuns, fc.constant(crash), sweeping],
  fc.constant(crash)
]

/**
 * Fails when a driver differs from the model after some sequence of commands, each on a fixture of its own. Returns the
 * coverage of all sequences.
 */
export const checkCapacityModel = (fixture: () => Promise<CapacityFixture>, options: ModelOptions): Promise<Coverage> =>
  checkCommandSequences({
    name: "the capacity held is what the model's queued and running runs need",
    kinds,
    model: (coverage) => new Model(coverage),
    fixture,
    setUpCommands,
    commands,
    options
  })
