import {
  type Claim,
  Engine,
  hostPermit,
  jobSignal,
  jobQueue,
  Results,
  type RunReport,
  RunWork,
  Suites,
  type LeasedRun
} from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { JobId, RunId } from "../../src/kernel/Ids.js"
import * as RunWorkLayer from "../../src/results/RunWork.js"

const ended: RunReport = {
  outcome: "ended",
  reason: "testing_agent_ended_call",
  transcript: null,
  moments: [],
  voiceBehavior: null,
  durationSeconds: 1,
  success: null,
  recording: null
}

const scenario = { key: "a", name: "A", type: "instruction", instructions: "Ask." }

const tested = Effect.gen(function* () {
  const owner = yield* TestEngine.fixture
  const as = TestEngine.as(owner.actor)
  const work = yield* RunWork
  const results = yield* Results
  const suites = yield* Suites
  const permit = yield* hostPermit(owner.organization.id, "runs.claim")
  const made = yield* as(
    suites.run({
      spec: { version: "1", suite: { name: "S" }, scenarios: [scenario] },
      agent_id: owner.agent.id,
      channel: "text"
    })
  )
  const [queued] = (yield* as(results.listRuns({ result: made.id }))).results
  const id = queued?.id ?? RunId.make(1)
  const claim = (job: number, attempt: number): Claim => ({
    id: JobId.make(job),
    organizationId: owner.organization.id,
    kind: "execute_run",
    key: null,
    payload: { run: id },
    attempt,
    maxAttempts: 20,
    owner: "test"
  })
  return {
    ...owner,
    as,
    work,
    results,
    permit,
    id,
    result: made.id,
    claim,
    take: (job = 1, attempt = 1) => work.claim(permit, id, claim(job, attempt)),
    status: Effect.map(as(results.readRun(id)), ({ attempts, status }) => [status, attempts]),
    capacity: as(results.capacity())
  }
})

const isTaken = (taken: LeasedRun | "elsewhere" | null): taken is LeasedRun => taken !== null && taken !== "elsewhere"

const must = (taken: LeasedRun | "elsewhere" | null): LeasedRun => {
  if (!isTaken(taken)) throw new Error(`Not taken: ${String(taken)}`)
  return taken
}

for (const database of TestEngine.databases) {
  const work = RunWorkLayer.layer.pipe(Layer.provide(jobQueue), Layer.provide(jobSignal), Layer.provide(Engine.stores))

  layer(Layer.provideMerge(work, TestEngine.layer(database)), { timeout: "2 minutes" })(
    `a run that jobs play, on ${database},`,
    (it) => {
      it.effect("is restarted by the next attempt of its job, and ignores reports of the earlier attempt", () =>
        Effect.gen(function* () {
          const { capacity, permit, status, take, work } = yield* tested
          const stale = must(yield* take())
          const fresh = must(yield* take(1, 2))
          expect(yield* status).toEqual(["running", 2])
          expect(yield* work.isLeaseValid(permit, stale)).toBe(false)
          expect(yield* work.heartbeat(permit, stale)).toBe(false)
          expect(yield* work.report(permit, stale, ended)).toBe(false)
          yield* work.release(permit, stale)
          expect(yield* status).toEqual(["running", 2])
          expect(yield* work.heartbeat(permit, fresh)).toBe(true)
          expect(yield* work.report(permit, fresh, ended)).toBe(true)
          expect(yield* work.report(permit, fresh, ended)).toBe(false)
          expect(yield* status).toEqual(["completed", 2])
          expect(yield* take(1, 3)).toBe(null)
          expect(yield* capacity).toMatchObject({ activeSessions: 0, pendingDemand: 0, slotsInUse: 0 })
        })
      )

      it.effect("is left to the worker that has claimed it, and times out after the third attempt", () =>
        Effect.gen(function* () {
          const { as, capacity, id, results, status, take } = yield* tested
          must(yield* take())
          expect(yield* take(2)).toBe("elsewhere")
          must(yield* take(1, 2))
          must(yield* take(1, 3))
          expect(yield* take(1, 4)).toBe(null)
          expect(yield* status).toEqual(["timeout", 3])
          expect((yield* as(results.readRun(id))).error).toBe("The processes that executed it stopped before it ended.")
          expect(yield* capacity).toMatchObject({ activeSessions: 0, pendingDemand: 0, slotsInUse: 0 })
        })
      )

      it.effect("fails when the job that plays or scores it is dead", () =>
        Effect.gen(function* () {
          const { as, capacity, id, organization, results, status, take, permit, work } = yield* tested
          const other = yield* tested
          const dies = (kind: string) =>
            TestEngine.execute(
              `UPDATE jobs SET state = 'dead', due_ms = NULL, last_error = 'Unexpected: RangeError.'
               WHERE kind = '${kind}' AND organization_id = ${organization.id}`
            )
          yield* results.sweep
          expect(yield* status).toEqual(["queued", 0])
          const taken = must(yield* take())
          yield* dies("execute_run")
          yield* results.sweep
          expect(yield* status).toEqual(["running", 1])
          yield* work.release(permit, taken)
          expect(yield* results.sweep).toBe(1)
          expect(yield* as(results.readRun(id))).toMatchObject({
            status: "failed",
            success: false,
            error: "The run could not be executed: Unexpected: RangeError."
          })
          expect(yield* capacity).toMatchObject({ activeSessions: 0, pendingDemand: 0, slotsInUse: 0 })
          expect(yield* results.sweep).toBe(0)
          expect(yield* take(1, 2)).toBe(null)
          expect(yield* other.status).toEqual(["queued", 0])
        })
      )

      it.effect("fails if it cannot be scored, and keeps its transcript", () =>
        Effect.gen(function* () {
          const { as, capacity, id, organization, results, status, take, permit, work } = yield* tested
          yield* TestEngine.execute(
            `UPDATE result_scenarios SET script = replace(script, '"expected_outcome":""', '"expected_outcome":"X"')
             WHERE result_id = (SELECT result_id FROM runs WHERE id = ${id})`
          )
          expect(yield* work.report(permit, must(yield* take()), ended)).toBe(true)
          yield* results.sweep
          expect(yield* status).toEqual(["evaluating", 1])
          yield* TestEngine.execute(
            `UPDATE jobs SET state = 'dead', due_ms = NULL, last_error = NULL
             WHERE kind = 'score_run' AND organization_id = ${organization.id}`
          )
          expect(yield* results.sweep).toBe(1)
          expect(yield* as(results.readRun(id))).toMatchObject({
            status: "failed",
            success: false,
            duration: 1,
            endedReason: "testing_agent_ended_call",
            error: "The run could not be scored: its job is dead."
          })
          expect(yield* capacity).toMatchObject({ activeSessions: 0, pendingDemand: 0, slotsInUse: 0 })
        })
      )

      it.effect("is reported at most once and matches its status, for any sequence of commands", () =>
        Effect.gen(function* () {
          const command = fc.oneof(
            { weight: 4, arbitrary: fc.constant("take" as const) },
            { weight: 2, arbitrary: fc.constant("other job" as const) },
            { weight: 3, arbitrary: fc.tuple(fc.constant("report" as const), fc.nat(5)) },
            { weight: 1, arbitrary: fc.tuple(fc.constant("keep" as const), fc.nat(5)) },
            { weight: 1, arbitrary: fc.tuple(fc.constant("put back" as const), fc.nat(5)) },
            { weight: 1, arbitrary: fc.constantFrom("cancel" as const, "delete" as const, "stand still" as const) }
          )
          const sequences = fc.sample(fc.array(command, { minLength: 3, maxLength: 15 }), {
            numRuns: 20,
            seed: 20_261_121
          })
          for (const commands of sequences) {
            const { as, capacity, id, permit, result, results, take, work } = yield* tested
            const taken: Array<LeasedRun> = []
            let reports = 0
            let attempt = 0
            for (const one of commands) {
              const [name, place] = typeof one === "string" ? [one, 0] : one
              const held = taken.at(-1 - place)
              if (name === "take" || name === "other job") {
                const found = yield* take(name === "take" ? 1 : 2, ++attempt)
                if (isTaken(found)) taken.push(found)
              } else if (name === "cancel") yield* as(results.cancelRun(id)).pipe(Effect.ignore)
              else if (name === "delete") yield* as(results.bulkDelete({ result_ids: [result] }))
              else if (name === "stand still") {
                yield* TestClock.adjust("2 minutes")
                yield* results.sweep
              } else if (held !== undefined) {
                if (name === "report") reports += (yield* work.report(permit, held, ended)) ? 1 : 0
                else if (name === "keep") yield* work.heartbeat(permit, held)
                else yield* work.release(permit, held)
              }
              const status = yield* Effect.option(as(results.readRun(id)))
              const now = status._tag === "Some" ? status.value.status : "deleted"
              const running = now === "running" ? 1 : 0
              expect(yield* capacity).toMatchObject({
                activeSessions: running,
                slotsInUse: running,
                pendingDemand: now === "queued" ? 1 : 0
              })
              expect(reports === 1).toBe(now === "completed" || (now === "deleted" && reports === 1))
            }
            expect(reports).toBeLessThanOrEqual(1)
          }
        })
      )
    }
  )
}
