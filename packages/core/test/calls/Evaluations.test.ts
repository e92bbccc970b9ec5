import { Calls, Jobs, untrusted } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { errorsOf } from "../dashboards/fixtures.js"
import { fixture, quiet, turns } from "./evaluations.js"

for (const database of TestEngine.databases) {
  layer(Layer.merge(TestEngine.layer(database), quiet))(`evaluations without a language model on ${database}`, (it) => {
    it.effect("score formulas, skip metrics that need a model, and charge nothing", () =>
      Effect.gen(function* () {
        const { as, calls, charged, ingest, runner, evaluationsOf } = yield* fixture
        const call = yield* ingest()
        expect((yield* evaluationsOf(call)).size).toBe(0)
        expect(yield* runner.drain).toBe(1)
        const all = yield* evaluationsOf(call)
        expect(all.get("latency_ms")).toMatchObject({
          status: "scored",
          value: 750,
          detail: {
            moments: [
              { at_second: 5, duration_ms: 500 },
              { at_second: 9, duration_ms: 1000 }
            ],
            statistics: { p50: 750 }
          }
        })
        expect(all.get("latency_p95_ms")).toMatchObject({ value: 975 })
        expect(all.get("silence_detection")).toMatchObject({ status: "scored", value: true })
        expect(all.get("stop_time_ms")).toMatchObject({
          status: "not_applicable",
          value: null,
          detail: { reason: "The user never interrupts the agent." }
        })
        expect(all.get("csat")).toMatchObject({
          status: "skipped",
          value: null,
          detail: { reason: "No language model is configured." }
        })
        const record = yield* as(calls.read(call.id))
        expect(record.metrics.find(({ name }) => name === "Latency")).toMatchObject({
          type: "custom_code",
          score: 750,
          enum: null,
          value: 750
        })
        expect(record).toMatchObject({ success: null, topic: null })
        expect(record.evaluation).toMatch(/scored, \d+ not applicable, 10 skipped\.$/)
        expect(yield* charged).toBe("0.000000")
      })
    )

    it.effect("run again only when the transcript changes", () =>
      Effect.gen(function* () {
        const { calls, as, agent, ingest, runner, evaluationsOf } = yield* fixture
        const call = yield* ingest({ call_id: "again" })
        yield* runner.drain
        yield* ingest({ call_id: "again", metadata: { stated: "later" } })
        expect(yield* runner.drain).toBe(0)
        const late = turns.map((turn) => ({ ...turn, start_time: turn.start_time * 2, end_time: turn.end_time * 2 }))
        yield* as(calls.ingest({ call_id: "again", agent: agent.id, transcript_json: late }))
        expect(yield* runner.drain).toBe(1)
        expect((yield* evaluationsOf(call)).get("latency_ms")?.value).toBe(1500)
      })
    )

    it.effect("replace every score of an earlier transcript", () =>
      Effect.gen(function* () {
        const { as, evaluations, ingest, metrics, runner, evaluationsOf, slug } = yield* fixture
        const [latency, talk, own] = [
          yield* slug("latency_ms"),
          yield* slug("talk_ratio"),
          yield* slug("call_duration_s")
        ]
        yield* as(metrics.update(own.id, { observability_enabled: false }))
        const call = yield* ingest({ call_id: "changing", metric_ids: `${latency.id},${talk.id}` })
        yield* as(evaluations.evaluate(call.id, { metric_ids: [own.id] }))
        yield* runner.drain
        const values = Effect.map(evaluationsOf(call), (all) =>
          ["latency_ms", "talk_ratio", "call_duration_s"].map((name) => all.get(name)?.value)
        )
        expect(yield* values).toEqual([750, 0.666667, 12])
        const late = turns.map((turn) => ({ ...turn, start_time: turn.start_time * 2, end_time: turn.end_time * 2 }))
        yield* ingest({ call_id: "changing", metric_ids: `${latency.id}`, transcript_json: late })
        expect(yield* runner.drain).toBe(1)
        expect(yield* values).toEqual([1500, 0.666667, 24])
        // Asking for others is no reason to ask the rest again.
        const before = yield* evaluationsOf(call)
        yield* ingest({ call_id: "changing", metric_ids: `${talk.id}`, transcript_json: late })
        expect(yield* runner.drain).toBe(1)
        expect((yield* evaluationsOf(call)).get("latency_ms")?.detail.job).toBe(before.get("latency_ms")?.detail.job)
      })
    )

    it.effect("use the metrics that the delivery requests, of its own agent only", () =>
      Effect.gen(function* () {
        const { as, agent, calls, ingest, metrics, runner, evaluationsOf, slug } = yield* fixture
        const theirs = yield* fixture
        const [one, two] = [yield* slug("talk_ratio"), yield* slug("latency_ms")]
        const call = yield* ingest({ metric_ids: ` ${one.id},${two.id}, ${one.id}` })
        yield* runner.drain
        expect([...(yield* evaluationsOf(call)).keys()].toSorted()).toEqual(["latency_ms", "talk_ratio"])
        const foreign = yield* theirs.slug("csat")
        const rejected = (metric_ids: string, more: object = {}) =>
          errorsOf(as(calls.ingest({ call_id: "x", agent: agent.id, metric_ids, ...more })))
        expect(yield* rejected(`${one.id},${foreign.id}`)).toEqual({
          metric_ids: [`Invalid pk "${foreign.id}" - object does not exist.`]
        })
        expect(yield* rejected("1;2")).toHaveProperty("metric_ids")
        expect(yield* rejected("9".repeat(17))).toHaveProperty("metric_ids")
        expect(Object.keys((yield* rejected(`${foreign.id}`, { transcript_json: 5 })) as object).toSorted()).toEqual([
          "metric_ids",
          "transcript_json"
        ])
        // A repeat that names others is a repeat that asks for others.
        yield* ingest({ call_id: call.callId, metric_ids: `${two.id},${one.id}` })
        expect(yield* runner.drain).toBe(0)
        const csat = yield* slug("csat")
        yield* ingest({ call_id: call.callId, metric_ids: `${csat.id}` })
        expect(yield* runner.drain).toBe(1)
        expect((yield* evaluationsOf(call)).get("csat")?.status).toBe("skipped")
        yield* as(metrics.delete(csat.id))
        expect((yield* evaluationsOf(call)).has("csat")).toBe(false)
      })
    )

    it.effect("skip metrics that are disabled for production calls", () =>
      Effect.gen(function* () {
        const { as, ingest, metrics, runner, evaluationsOf, slug } = yield* fixture
        const off = yield* slug("dead_air_ratio")
        yield* as(metrics.update(off.id, { observability_enabled: false }))
        const call = yield* ingest()
        yield* runner.drain
        expect((yield* evaluationsOf(call)).has("dead_air_ratio")).toBe(false)
      })
    )

    it.effect("suspend custom code that exceeds its time limit again and again, and say so", () =>
      Effect.gen(function* () {
        const { agent, as, ingest, metrics, runner, evaluationsOf } = yield* fixture
        const metric = yield* as(
          metrics.create({
            agent: agent.id,
            name: "endless",
            type: "custom_code",
            eval_type: "numeric",
            custom_code: "while (true) {}"
          })
        )
        const reasonOf = (call_id: string) =>
          Effect.gen(function* () {
            const call = yield* ingest({ call_id, metric_ids: String(metric.id) })
            yield* runner.drain
            return (yield* evaluationsOf(call)).get("endless")?.detail.reason
          })
        for (const call of ["1", "2", "3"]) expect(yield* reasonOf(call)).toMatch(/\(timeout\)/)
        expect(yield* reasonOf("4")).toMatch(/^The code is suspended until \S+Z: 3 runs in a row took too long\.$/)
        yield* as(metrics.update(metric.id, { custom_code: "return 5" }))
        expect(yield* reasonOf("5")).toBeNull()
      })
    )

    it.effect("run custom code with earlier results of the call", () =>
      Effect.gen(function* () {
        const { agent, as, charged, ingest, metrics, runner, evaluationsOf } = yield* fixture
        const code = (name: string, eval_type: string, custom_code: string, more: object = {}) =>
          as(metrics.create(untrusted({ agent: agent.id, name, type: "custom_code", eval_type, custom_code, ...more })))
        yield* code("after", "numeric", "return call.results.before.value + 1", {
          display_order: 0,
          configuration: { depends_on: ["before"] }
        })
        yield* code(
          "before",
          "numeric",
          "return { value: call.transcript_object.length + call.results.latency_ms.value, explanation: call.metadata.region }",
          { display_order: 9 }
        )
        yield* code("books", "binary", "return /booked/i.test(call.transcript)", {
          configuration: { decides_success: true }
        })
        yield* code("wrong kind", "binary", "return 5")
        yield* code("throws", "binary", "return call.no.such")
        yield* code("nothing", "binary", "return { value: null, explanation: 'No menu was asked for.' }")
        yield* code("round one", "numeric", "return 1", { configuration: { depends_on: ["round_two"] } })
        yield* code("round two", "numeric", "return 1", { configuration: { depends_on: ["round_one"] } })
        yield* code("occasional", "numeric", "return 1", {
          evaluation_trigger: "custom",
          evaluation_trigger_prompt: "Was there a menu?"
        })
        const call = yield* ingest({ metadata: { region: "eu" } })
        yield* runner.drain
        const all = yield* evaluationsOf(call)
        expect(all.get("before")).toMatchObject({ status: "scored", value: 755, detail: { explanation: "eu" } })
        expect(all.get("after")).toMatchObject({ status: "scored", value: 756 })
        expect(all.get("books")).toMatchObject({ status: "scored", value: true })
        expect(all.get("wrong_kind")).toMatchObject({
          status: "failed",
          detail: { reason: "The code returned an invalid value. The value must be true or false." }
        })
        expect(all.get("throws")).toMatchObject({ status: "failed" })
        expect(all.get("throws")?.detail.reason).toMatch(/^The code failed \(threw\)\. TypeError/)
        expect(all.get("nothing")).toMatchObject({
          status: "not_applicable",
          value: null,
          detail: { reason: "No menu was asked for." }
        })
        for (const slug of ["round_one", "round_two"]) expect(all.get(slug)).toMatchObject({ status: "failed" })
        expect(all.get("occasional")).toMatchObject({ status: "skipped" })
        expect(yield* charged).toBe("0.015000")
        const record = yield* Effect.flatMap(Calls, (calls) => as(calls.read(call.id)))
        expect(record.success).toBe(true)
      })
    )

    it.effect("run on request with given or all metrics, charged once", () =>
      Effect.gen(function* () {
        const { agent, as, charged, evaluations, ingest, metrics, runner, evaluationsOf } = yield* fixture
        const theirs = yield* fixture
        const call = yield* ingest()
        yield* runner.drain
        const metric = yield* as(
          metrics.create({
            agent: agent.id,
            name: "late",
            type: "custom_code",
            eval_type: "numeric",
            custom_code: "return 1"
          })
        )
        for (const metric_ids of [String(metric.id), [metric.id], [String(metric.id), metric.id]]) {
          expect(yield* as(evaluations.evaluate(call.id, { metric_ids }))).toMatchObject({ metricIds: [metric.id] })
        }
        yield* as(evaluations.evaluate(call.id, {}))
        // One after the other, since they share an ordering key; a job counts once, for its formulas and for its code.
        expect(yield* runner.drain).toBe(4)
        expect((yield* evaluationsOf(call)).get("late")?.value).toBe(1)
        expect(yield* charged).toBe("0.005000")
        expect(yield* errorsOf(as(evaluations.evaluate(call.id, { metric_ids: "999999999" })))).toHaveProperty(
          "metric_ids"
        )
        expect(yield* errorsOf(as(evaluations.evaluate(call.id, untrusted({ metric_ids: 5 }))))).toHaveProperty(
          "metric_ids"
        )
        expect(yield* errorsOf(as(evaluations.evaluate(call.id, { metric_ids: [] })))).toEqual({
          metric_ids: ["This list may not be empty."]
        })
        expect(yield* errorsOf(as(evaluations.evaluate(call.id, { metric_ids: ["a"] })))).toEqual({
          metric_ids: ["A valid integer is required."]
        })
        const missing = { _tag: "NotFound" }
        expect(yield* Effect.flip(theirs.as(evaluations.evaluate(call.id, {})))).toMatchObject(missing)
        expect(yield* Effect.flip(theirs.as(evaluations.evaluations(call.id)))).toMatchObject(missing)
      })
    )

    it.effect("stop when the call is deleted", () =>
      Effect.gen(function* () {
        const { as, calls, ingest, runner } = yield* fixture
        const call = yield* ingest()
        yield* as(calls.delete(call.id))
        expect(yield* runner.drain).toBe(1)
        const jobs = yield* Effect.flatMap(Jobs, (all) => as(all.list({})))
        expect(jobs.results).toMatchObject([{ kind: "evaluate_call", state: "succeeded" }])
      })
    )

    it.effect("store and charge nothing for a metric that is deleted while it waits", () =>
      Effect.gen(function* () {
        const { agent, as, charged, ingest, metrics, runner, evaluationsOf } = yield* fixture
        const late = yield* as(
          metrics.create({
            agent: agent.id,
            name: "late",
            type: "custom_code",
            eval_type: "numeric",
            custom_code: "return 1"
          })
        )
        const call = yield* ingest({ metric_ids: String(late.id) })
        yield* as(metrics.delete(late.id))
        expect(yield* runner.drain).toBe(1)
        expect((yield* evaluationsOf(call)).size).toBe(0)
        expect(yield* charged).toBe("0.000000")
      })
    )
  })
}
