import {
  encodeCapacity,
  NotFound,
  PhoneNumbers,
  Results,
  RunIsOver,
  Suites,
  ValidationFailed,
  untrusted
} from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { ResultId, RunId } from "../../src/kernel/Ids.js"

const scenario = { key: "a", name: "A", type: "instruction", instructions: "Ask." }

const tested = Effect.gen(function* () {
  const owner = yield* TestEngine.fixture
  const as = TestEngine.as(owner.actor)
  const results = yield* Results
  const suites = yield* Suites
  const numbers = yield* PhoneNumbers
  const one = yield* as(numbers.create({ project: owner.project.id, number: "+15550100" }))
  const two = yield* as(numbers.create({ project: owner.project.id, number: "+15550101" }))
  const start = (runs: number, number: number | null = null, defaults: object = {}) =>
    as(
      suites.run(
        untrusted({
          spec: { version: "1", suite: { name: "S" }, defaults, scenarios: [{ ...scenario, frequency: runs }] },
          agent_id: owner.agent.id,
          ...(number === null ? {} : { phone_number: number })
        })
      )
    )
  const runsOf = (result: number) =>
    Effect.map(as(results.listRuns({ result, limit: 200 })), (page) => page.results.toReversed())
  const claim = (limit: number) => as(results.claim({ channel: "voice", limit }))
  const capacity = Effect.map(as(results.capacity()), encodeCapacity)
  const errorsOf = <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
    Effect.map(Effect.flip(useCase), (error) => (error instanceof ValidationFailed ? error.errors : error))
  return { ...owner, as, results, suites, numbers: [one, two] as const, start, runsOf, claim, capacity, errorsOf }
})

const runId = Schema.decodeSync(RunId)
const resultId = Schema.decodeSync(ResultId)

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database), { timeout: "3 minutes" })(`results on ${database}`, (it) => {
    it.effect("start with all runs queued and hold the capacity that these need", () =>
      Effect.gen(function* () {
        const { agent, capacity, numbers, project, runsOf, start } = yield* tested
        const made = yield* start(3, numbers[0].id)
        expect(made).toMatchObject({
          name: "S",
          projectId: project.id,
          agentId: agent.id,
          agentName: agent.name,
          channel: "voice",
          status: "queued",
          totalRuns: 3,
          successRate: null
        })
        const runs = yield* runsOf(made.id)
        expect(runs.map(({ phoneNumber, scenarioKey, status }) => [scenarioKey, status, phoneNumber])).toEqual([
          ["a", "queued", "+15550100"],
          ["a", "queued", "+15550100"],
          ["a", "queued", "+15550100"]
        ])
        expect(yield* capacity).toEqual({
          active_sessions: 0,
          pending_demand: 3,
          slots_in_use: 0,
          phone_numbers_held: [numbers[0].id]
        })
      })
    )

    it.effect("are not created from an invalid suite", () =>
      Effect.gen(function* () {
        const { agent, as, capacity, errorsOf, results, suites } = yield* tested
        const elsewhere = yield* tested
        const spec = { version: "1", suite: { name: "S" }, scenarios: [{ ...scenario, metrics: ["nope"] }] }
        expect(
          yield* errorsOf(as(suites.run({ spec, agent_id: agent.id, phone_number: elsewhere.numbers[0].id })))
        ).toEqual({
          "scenarios[0].metrics[0]": ['No metric with slug "nope".'],
          phone_number: [`Invalid pk "${elsewhere.numbers[0].id}" - object does not exist.`]
        })
        expect((yield* as(results.list({}))).results).toEqual([])
        expect((yield* capacity).pending_demand).toBe(0)
      })
    )

    it.effect("are executed by workers under leases and within the concurrency limit", () =>
      Effect.gen(function* () {
        const { as, capacity, claim, errorsOf, results, start } = yield* tested
        const made = yield* start(3, null, { concurrency_limit: 2 })
        const claimed = yield* claim(10)
        expect(claimed.map(({ run }) => run.status)).toEqual(["running", "running"])
        expect(claimed[0]?.script).toMatchObject({ type: "instruction", instructions: "Ask.", max_duration: 300 })
        expect(yield* claim(10)).toEqual([])
        expect(yield* capacity).toMatchObject({ active_sessions: 2, pending_demand: 1, slots_in_use: 2 })
        const [first, second] = claimed
        if (first === undefined || second === undefined) return yield* Effect.dieMessage("Nothing was claimed")
        const until = yield* as(results.heartbeat(first.run.id, { lease: first.lease, lease_seconds: 100 }))
        expect(until.epochMillis).toBe(100_000)
        expect(yield* errorsOf(as(results.heartbeat(first.run.id, { lease: "x" })))).toEqual({
          lease: ["This lease has expired or was superseded."]
        })
        expect(
          yield* errorsOf(as(results.complete(first.run.id, { lease: first.lease, transcript_json: [{ role: "x" }] })))
        ).toHaveProperty("transcript_json[0].role")
        const done = yield* as(
          results.complete(first.run.id, {
            lease: first.lease,
            transcript_json: [{ role: "Main Agent", content: "Hi", start_time: 0, end_time: 1 }],
            duration: 12.5,
            success: true
          })
        )
        expect(done).toMatchObject({ status: "completed", success: true, duration: 12.5 })
        const failed = yield* as(results.fail(second.run.id, { lease: second.lease, error: "No answer" }))
        expect(failed).toMatchObject({ status: "failed", error: "No answer" })
        expect(yield* as(results.read(made.id))).toMatchObject({ status: "running", successRate: 0.5 })
        expect(yield* claim(10)).toHaveLength(1)
      })
    )

    it.effect("are deleted with their runs and release their capacity once", () =>
      Effect.gen(function* () {
        const { as, capacity, claim, errorsOf, numbers, results, runsOf, start } = yield* tested
        const [one, two] = numbers
        const toDelete = yield* start(3, one.id)
        const also = yield* start(1, two.id)
        const stays = yield* start(1, two.id)
        const [claimed] = yield* claim(1)
        const elsewhere = yield* tested
        const foreign = yield* elsewhere.start(2, elsewhere.numbers[0].id)
        const gone = () =>
          as(results.bulkDelete({ result_ids: [toDelete.id, also.id, foreign.id, 999_999, toDelete.id] }))
        yield* gone()
        const left = { active_sessions: 0, pending_demand: 1, slots_in_use: 0, phone_numbers_held: [two.id] }
        expect(yield* capacity).toEqual(left)
        yield* gone()
        expect(yield* capacity).toEqual(left)
        expect((yield* elsewhere.capacity).pending_demand).toBe(2)
        expect(yield* errorsOf(as(results.read(toDelete.id)))).toBeInstanceOf(NotFound)
        expect(yield* runsOf(toDelete.id)).toEqual([])
        expect((yield* as(results.list({}))).results.map(({ id }) => id)).toEqual([stays.id])
        if (claimed === undefined) return yield* Effect.dieMessage("Nothing was claimed")
        const lease = { lease: claimed.lease }
        expect(yield* errorsOf(as(results.heartbeat(claimed.run.id, lease)))).toBeInstanceOf(NotFound)
        expect(yield* errorsOf(as(results.complete(claimed.run.id, lease)))).toBeInstanceOf(NotFound)
      })
    )

    it.effect("are re-evaluated when single runs are deleted", () =>
      Effect.gen(function* () {
        const { as, capacity, claim, errorsOf, results, runsOf, start } = yield* tested
        const made = yield* start(3)
        const other = yield* start(1)
        const strange = (yield* runsOf(other.id)).map(({ id }) => id)
        const [a, b, c] = (yield* runsOf(made.id)).map(({ id }) => id)
        const [claimed] = yield* claim(1)
        yield* as(results.fail(claimed?.run.id ?? runId(1), untrusted({ lease: claimed?.lease, error: "x" })))
        expect((yield* as(results.read(made.id))).successRate).toBe(0)
        expect(
          yield* errorsOf(as(results.deleteRuns(made.id, untrusted({ run_ids: [a, strange[0], 999_999] }))))
        ).toEqual({
          run_ids: [
            `Invalid pk "${strange[0]}" - object does not exist.`,
            'Invalid pk "999999" - object does not exist.'
          ]
        })
        expect((yield* as(results.read(made.id))).totalRuns).toBe(3)
        yield* as(results.deleteRuns(made.id, untrusted({ run_ids: [a, b] })))
        expect(yield* as(results.read(made.id))).toMatchObject({ totalRuns: 1, successRate: null, status: "queued" })
        expect((yield* capacity).pending_demand).toBe(2)
        yield* as(results.deleteRuns(made.id, untrusted({ run_ids: [a, b, c] })))
        expect(yield* as(results.read(made.id))).toMatchObject({ totalRuns: 0, status: "empty" })
        expect((yield* capacity).pending_demand).toBe(1)
        expect(yield* errorsOf(as(results.deleteRuns(resultId(999_999), { run_ids: [1] })))).toBeInstanceOf(NotFound)
      })
    )

    it.effect("are deleted only by lists of 1 to 100 ids", () =>
      Effect.gen(function* () {
        const { as, errorsOf, results, start } = yield* tested
        const made = yield* start(1)
        const many = Array.from({ length: 101 }, (_, n) => n + 1)
        for (const [given, messages] of [
          [[], { "": "Ensure this field has at least 1 elements." }],
          [many, { "": "Ensure this field has no more than 100 elements." }],
          [
            ["x", -1, null, 1.5],
            {
              "[0]": "A valid integer is required.",
              "[1]": "A positive whole number is required.",
              "[3]": "A valid integer is required."
            }
          ],
          ["x", { "": "Expected a list of items." }],
          [undefined, { "": "This field is required." }]
        ] as const) {
          for (const [path, message] of Object.entries(messages)) {
            const all = yield* errorsOf(
              as(results.bulkDelete(untrusted(given === undefined ? {} : { result_ids: given })))
            )
            expect(all).toHaveProperty([`result_ids${path}`], [message])
            const runs = yield* errorsOf(
              as(results.deleteRuns(made.id, untrusted(given === undefined ? {} : { run_ids: given })))
            )
            expect(runs).toHaveProperty([`run_ids${path}`], [message])
          }
        }
      })
    )

    it.effect("have runs with expired leases reclaimed by any caller, up to three times", () =>
      Effect.gen(function* () {
        const { as, capacity, claim, errorsOf, numbers, results, start } = yield* tested
        const made = yield* start(1, numbers[0].id)
        const elsewhere = yield* tested
        yield* elsewhere.start(1)
        yield* elsewhere.claim(1)
        const attempt = Effect.flatMap(claim(1), ([run]) =>
          run === undefined ? Effect.dieMessage("Nothing was claimed") : Effect.succeed(run)
        )
        for (const [left, status] of [
          [1, "queued"],
          [1, "queued"],
          [0, "timeout"]
        ] as const) {
          const { lease, run } = yield* attempt
          yield* TestClock.adjust("59 seconds")
          yield* as(results.heartbeat(run.id, { lease, lease_seconds: 60 }))
          yield* TestClock.adjust("60 seconds")
          const ended = new Date(yield* Clock.currentTimeMillis).toISOString()
          const messages = { lease: [`This lease expired at ${ended}; stop executing the run.`] }
          // Before anybody took notice, too.
          expect(yield* errorsOf(as(results.heartbeat(run.id, { lease })))).toEqual(messages)
          expect(yield* errorsOf(as(results.complete(run.id, { lease })))).toEqual(messages)
          expect(yield* errorsOf(as(results.fail(run.id, { lease, error: "x" })))).toEqual(messages)
          yield* results.sweep
          expect((yield* as(results.readRun(run.id))).status).toBe(status)
          expect(yield* capacity).toMatchObject({ active_sessions: 0, slots_in_use: 0, pending_demand: left })
          expect(yield* errorsOf(as(results.heartbeat(run.id, { lease })))).toEqual({
            lease: ["This lease has expired or was superseded."]
          })
        }
        expect((yield* capacity).phone_numbers_held).toEqual([])
        expect(yield* as(results.read(made.id))).toMatchObject({ status: "completed", successRate: 0 })
        // The other organization's was taken back as well.
        expect(yield* elsewhere.capacity).toMatchObject({ active_sessions: 0, pending_demand: 1 })
        expect(yield* results.sweep).toBe(0)
      })
    )

    it.effect("are canceled as far as they are open, as a whole or run by run", () =>
      Effect.gen(function* () {
        const { as, capacity, claim, errorsOf, numbers, results, runsOf, start } = yield* tested
        const made = yield* start(4, numbers[0].id)
        const [first, second] = yield* claim(2)
        if (first === undefined || second === undefined) return yield* Effect.dieMessage("Nothing was claimed")
        yield* as(results.fail(first.run.id, { lease: first.lease, error: "No answer" }))
        expect(yield* as(results.cancelRun(second.run.id))).toMatchObject({ status: "cancelled", success: null })
        expect(yield* as(results.cancelRun(second.run.id))).toMatchObject({ status: "cancelled" })
        expect(yield* errorsOf(as(results.cancelRun(first.run.id)))).toEqual(new RunIsOver({ status: "failed" }))
        expect(yield* errorsOf(as(results.complete(second.run.id, { lease: second.lease })))).toEqual({
          lease: ["This lease has expired or was superseded."]
        })
        expect(yield* capacity).toMatchObject({ active_sessions: 0, pending_demand: 2 })
        for (let time = 0; time < 2; time++) {
          const canceled = yield* as(results.cancel(made.id))
          expect(canceled).toMatchObject({ status: "completed", successRate: 0 })

          expect(canceled.runsByStatus).toMatchObject({ failed: 1, cancelled: 3, queued: 0 })
        }
        expect(yield* capacity).toEqual({
          active_sessions: 0,
          pending_demand: 0,
          slots_in_use: 0,
          phone_numbers_held: []
        })
        const stranger = yield* tested
        const [run] = yield* runsOf(made.id)
        expect(yield* errorsOf(stranger.as(results.cancel(made.id)))).toBeInstanceOf(NotFound)
        expect(yield* errorsOf(stranger.as(results.cancelRun(run?.id ?? runId(1))))).toBeInstanceOf(NotFound)
      })
    )

    it.effect("are compared, and exported with the details of their runs", () =>
      Effect.gen(function* () {
        const { agent, as, claim, errorsOf, project, results, start } = yield* tested
        const sql = yield* SqlClient
        const play = (success: ReadonlyArray<boolean>) =>
          Effect.gen(function* () {
            const made = yield* start(success.length)
            const claimed = yield* claim(success.length)
            for (const [position, { lease, run }] of claimed.entries()) {
              yield* as(
                results.complete(run.id, {
                  lease,
                  success: success[position],
                  transcript_json: [{ role: "Main Agent", content: "Hi <there>", start_time: 0, end_time: 2.5 }]
                })
              )
            }
            return { id: made.id, runs: claimed.map(({ run }) => run.id) }
          })
        const base = yield* play([true, false])
        const now = yield* play([true, true, false])
        const [metric] = yield* sql<{ readonly id: number }>`INSERT INTO metrics ${sql
          .insert({
            organization_id: project.organizationId,
            project_id: project.id,
            agent_id: agent.id,
            name: "Wait",
            slug: "wait",
            type: "custom_code",
            eval_type: "numeric",
            function_name: "latency_ms",
            created_ms: 0,
            updated_ms: 0
          })
          .returning("id")}`
        for (const [run, value] of [
          [base.runs[0], 100],
          [base.runs[1], 200],
          [now.runs[0], 90]
        ]) {
          yield* sql`INSERT INTO run_evaluations ${sql.insert({
            run_id: run ?? 0,
            metric_id: metric?.id ?? 0,
            status: "scored",
            value_kind: "number",
            value_number: value ?? 0,
            value_text: null,
            detail: '{"reason":null,"explanation":null,"moments":[]}',
            created_ms: 0
          })}`
        }
        const compared = yield* as(results.compare(now.id, { base: base.id }))
        expect(compared).toMatchObject({
          base: { id: base.id, totalRuns: 2 },
          result: { id: now.id, totalRuns: 3 },
          change: "better",
          successRate: { base: 0.5, result: 2 / 3, change: "better" },
          metrics: [{ name: "Wait", base: 150, result: 90, difference: -60, change: "better" }],
          scenarios: [{ key: "a", change: "better", runs: { base: 2, result: 3 } }]
        })
        expect(yield* as(results.compare(base.id, { base: base.id }))).toMatchObject({ change: "same" })
        const stranger = yield* tested
        const foreign = yield* stranger.start(1)
        expect(yield* errorsOf(as(results.compare(now.id, { base: foreign.id })))).toEqual({
          base: [`Invalid pk "${foreign.id}" - object does not exist.`]
        })
        expect(yield* errorsOf(as(results.compare(now.id, untrusted({ tolerance: "x" }))))).toEqual({
          base: ["This field is required."],
          tolerance: ["A valid number is required."]
        })
        expect(yield* errorsOf(as(results.compare(now.id, { base: base.id, tolerance: 2 })))).toEqual({
          tolerance: ["Ensure this value is less than or equal to 1."]
        })
        expect(yield* errorsOf(as(results.compare(foreign.id, { base: base.id })))).toBeInstanceOf(NotFound)

        const lines = Chunk.toReadonlyArray(yield* as(Stream.runCollect(results.export(now.id))))
        expect(lines.map(({ id }) => id)).toEqual(now.runs)
        expect(lines[0]).toEqual(yield* as(results.readRun(now.runs[0] ?? runId(1))))
        expect(lines[0]).toMatchObject({ success: true, duration: 2.5, metrics: [{ metric_name: "Wait", value: 90 }] })
        expect(yield* errorsOf(stranger.as(Stream.runDrain(results.export(now.id))))).toBeInstanceOf(NotFound)
        const report = yield* as(results.junit(now.id))
        expect(report).toContain('<testsuites name="S" tests="3" failures="1" errors="0" skipped="0" time="7.500">')
        expect(report).toContain(`<testcase name="A (run ${now.runs[0]})" classname="a" time="2.500"/>`)
        const markdown = yield* as(results.report(now.id))
        expect(markdown.format).toBe("markdown")
        expect(markdown.text).toContain("- Success rate: 66.7 %")
        expect(markdown.text).toContain(`| A | ${now.runs[0]} | passed | 2.5 s |`)
        expect(markdown.text).toContain("- Wait: 90")
        const page = yield* as(results.report(now.id, { format: "html" }))
        expect(page.text).toContain("<li>Wait: 90, lower is better</li>")
        expect((yield* as(results.report(now.id, { format: "junit" }))).text).toBe(report)
        expect(yield* errorsOf(as(results.report(now.id, untrusted({ format: "pdf" }))))).toHaveProperty("format")
        expect(yield* errorsOf(stranger.as(results.report(now.id)))).toBeInstanceOf(NotFound)
      })
    )

    it.effect("are deleted once by two concurrent requests", () =>
      Effect.gen(function* () {
        const { as, capacity, claim, numbers, results, start } = yield* tested
        for (let round = 0; round < 5; round++) {
          const made = yield* Effect.forEach([2, 3, 4, 1], (runs) => start(runs, numbers[0].id))
          yield* claim(4)
          const ids = made.map(({ id }) => id)
          yield* Effect.all(
            [
              as(results.bulkDelete({ result_ids: ids.slice(0, 3) })),
              as(results.bulkDelete({ result_ids: ids.slice(1).toReversed() })),
              as(results.deleteRuns(ids[1] ?? resultId(1), { run_ids: [1] })).pipe(Effect.ignore),
              claim(2),
              as(results.bulkDelete({ result_ids: ids }))
            ],
            { concurrency: "unbounded" }
          )
          expect(yield* capacity).toEqual({
            active_sessions: 0,
            pending_demand: 0,
            slots_in_use: 0,
            phone_numbers_held: []
          })
        }
      })
    )
  })
}
