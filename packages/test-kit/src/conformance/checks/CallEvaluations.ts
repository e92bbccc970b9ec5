/** Evaluations of calls. */
import { checksOf } from "../Check.js"
import { bodyOf, expectDetail, expectFieldErrorWithin, expectEqual, expectTrue } from "../Expect.js"
import { PATHS } from "../Fixture.js"
import { at, listAt } from "../../Documents.js"
import {
  expectCall,
  messages,
  talk,
  chargesFromNow,
  codeMetrics,
  evaluationOf,
  evaluated,
  summarized
} from "./CallSupport.js"

export const callEvaluations = checksOf("evaluations", {
  record: [
    "shows evaluations in the call's record, with id, name, type, score, enum and value",
    async (fixture) => {
      const { agent, id } = await codeMetrics(fixture, {
        count: ["numeric", "return { value: call.transcript_object.length }"],
        mood: ["enum", "return { value: 'calm' }", { enum_values: ["calm", "cross"] }],
        polite: ["binary", "return { value: true }"]
      })
      const names = ["count", "mood", "polite"] as const
      const made = await fixture.ingest({
        call_id: fixture.callId(),
        agent,
        transcript_json: talk,
        metric_ids: names.map(id).join(",")
      })
      for (const name of names) await evaluated(fixture, made.id, id(name), () => true)
      const call = await summarized(fixture, made.id)
      expectCall(call)
      const one = (name: (typeof names)[number]) =>
        listAt(call, "metrics").find((metric) => at(metric, "id") === id(name)) ?? null
      const type = "custom_code"
      const count = { id: id("count"), name: "count", type, score: talk.length, enum: null, value: talk.length }
      expectEqual("a numeric metric", one("count"), count)
      expectEqual("an enum metric", [at(one("mood"), "enum"), at(one("mood"), "value")], ["calm", "calm"])
      expectEqual("a binary metric", at(one("polite"), "value"), true)
      expectEqual("the metrics of the call", listAt(call, "metrics").length, names.length)
      expectTrue("evaluation is empty once the call is evaluated", call.evaluation !== "")
    }
  ],
  redelivered: [
    "evaluates a redelivered call again only where transcript or metric_ids changed, and charges a metric once",
    async (fixture) => {
      const code = "return { value: call.metadata.delivery }"
      const { agent, id } = await codeMetrics(fixture, { first: ["numeric", code], second: ["numeric", code] })
      const charged = await chargesFromNow(fixture)
      const call_id = fixture.callId()
      const metric_ids = String(id("first"))
      /** Says which delivery it was: what evaluates the call says which one it has seen. */
      const deliver = async (delivery: number, fields: object) =>
        bodyOf(await fixture.post(PATHS.observe, { call_id, agent, metadata: { delivery }, ...fields }), 200, 201)
      const { id: call } = await fixture.ingest({
        call_id,
        agent,
        metadata: { delivery: 1 },
        transcript_json: talk,
        metric_ids
      })
      const seen = (name: "first" | "second", delivery: number) =>
        evaluated(fixture, call, id(name), (value) => value === delivery)
      await seen("first", 1)
      expectEqual("the charge", await charged(call, "metric_evaluation"), ["0.005000"])
      await deliver(2, { transcript_json: talk, metric_ids, call_ended_reason: "hangup" })
      await deliver(3, {})
      // What is asked for later is done later: with this call evaluated the other one would have been.
      const another = { call_id: fixture.callId(), agent, metadata: { delivery: 9 }, transcript_json: talk, metric_ids }
      await evaluated(fixture, (await fixture.ingest(another)).id, id("first"), (value) => value === 9)
      const untouched = at(await evaluationOf(fixture, call, id("first")), "value")
      expectEqual("the delivery that the metric saw, after two that changed nothing it is asked about", untouched, 1)
      await deliver(4, { transcript_json: [...talk, messages("Testing Agent", "Thank you.", 65, 66)] })
      await seen("first", 4)
      await deliver(5, { metric_ids: `${metric_ids},${id("second")}` })
      await seen("second", 5)
      await seen("first", 5)
      expectEqual("the charges", await charged(call, "metric_evaluation"), ["0.005000", "0.005000"])
    }
  ],
  "on-request": [
    "evaluate_metrics evaluates a call again, charges no metric twice, and accepts the agent's metrics only",
    async (fixture) => {
      const { agent, id } = await codeMetrics(fixture, {
        first: ["numeric", "return { value: call.metadata.delivery }"]
      })
      const charged = await chargesFromNow(fixture)
      const body = { call_id: fixture.callId(), agent, transcript_json: talk, metric_ids: String(id("first")) }
      const { id: call } = await fixture.ingest({ ...body, metadata: { delivery: 1 } })
      const path = `${PATHS.calls}${String(call)}/evaluate_metrics/`
      await evaluated(fixture, call, id("first"), (value) => value === 1)
      bodyOf(await fixture.post(PATHS.observe, { ...body, metadata: { delivery: 2 } }), 200)
      for (const metric_ids of [String(id("first")), [id("first")]]) {
        const asked = bodyOf(await fixture.post(path, { metric_ids }), 200)
        expectEqual("what is asked", [asked.call, asked.metric_ids], [call, [id("first")]])
      }
      await evaluated(fixture, call, id("first"), (value) => value === 2)
      expectEqual("the charges", await charged(call, "metric_evaluation"), ["0.005000"])
      for (const metric_ids of [String(fixture.unknownId), "one", [fixture.unknownId], [], 5]) {
        expectFieldErrorWithin(await fixture.post(path, { metric_ids }), "metric_ids")
      }
      expectDetail(await fixture.post(`${PATHS.calls}${fixture.unknownId}/evaluate_metrics/`, {}), 404)
    }
  ]
})
