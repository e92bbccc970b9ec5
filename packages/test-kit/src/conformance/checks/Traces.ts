/** Spans of OpenTelemetry. */
import { randomBytes } from "node:crypto"
import { type Fixture, PATHS } from "../Fixture.js"
import { bodyOf, expectDetail, expectEqual, expectFieldErrors, expectStatus, Skipped } from "../Expect.js"
import { checksOf } from "../Check.js"
import { at, listAt } from "../../Documents.js"

/** A span of LiveKit Agents that belongs to a job, begun a minute ago. Its root is not sent, so that no call is made of it. */
const spansOf = (job: string, traceId: string) => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          scope: { name: "livekit-agents" },
          spans: [
            {
              traceId,
              spanId: randomBytes(8).toString("hex"),
              name: "user_turn",
              startTimeUnixNano: `${Date.now() - 60_000}000000`,
              endTimeUnixNano: `${Date.now() - 59_000}000000`,
              attributes: [
                { key: "lk.job_id", value: { stringValue: job } },
                { key: "lk.user_transcript", value: { stringValue: "A table for two." } }
              ]
            }
          ]
        }
      ]
    }
  ]
})

const newest = async (fixture: Fixture) =>
  listAt(bodyOf(await fixture.get(`${PATHS.traces}?limit=1`), 200), "results")[0]

export const traces = checksOf("traces", {
  received: [
    "spans are accepted as JSON with a key in its header or as a bearer token, gathered by job, and listed",
    async (fixture) => {
      const [agent, key] = [await fixture.agent(), (await fixture.credential("api_key"))["x-service-api-key"] ?? ""]
      const traceId = randomBytes(16).toString("hex")
      const job = `conformance-${fixture.callId()}`
      const path = `${PATHS.spans}?agent_id=${agent}`
      const first = await fixture.post(path, spansOf(job, traceId))
      if (first.status === 404 || first.status === 405) throw new Skipped(`the server has no ${PATHS.spans}`)
      bodyOf(first, 200)
      const trace = await newest(fixture)
      expectEqual("the trace", [at(trace, "agent"), at(trace, "spans"), at(trace, "state")], [agent, 1, "collecting"])
      bodyOf(
        await fixture.post(path, spansOf(job, traceId), { key: null, headers: { authorization: `Bearer ${key}` } }),
        200
      )
      const same = await newest(fixture)
      expectEqual("the trace of both spans", [at(same, "id"), at(same, "spans")], [at(trace, "id"), 2])
      expectEqual("the trace", bodyOf(await fixture.get(`${PATHS.traces}${String(at(same, "id"))}/`), 200), same)
    }
  ],
  rejected: [
    "requests that are no spans, unknown agents and credentials of other kinds are rejected, and store nothing",
    async (fixture) => {
      const before = await fixture.get(`${PATHS.traces}?limit=1`)
      if (before.status === 404 || before.status === 405) throw new Skipped(`the server has no ${PATHS.traces}`)
      const spans = spansOf("rejected", randomBytes(16).toString("hex"))
      for (const body of [[], { resourceSpans: "x" }]) expectStatus(await fixture.post(PATHS.spans, body), 400)
      expectFieldErrors(await fixture.post(`${PATHS.spans}?agent_id=${fixture.unknownId}`, spans), "agent_id")
      const session = await fixture.credential("oauth2")
      expectStatus(await fixture.post(PATHS.spans, spans, { key: null, headers: session }), 401)
      expectEqual("the newest trace", (await fixture.get(`${PATHS.traces}?limit=1`)).json, before.json)
      expectDetail(await fixture.get(`${PATHS.traces}${fixture.unknownId}/`), 404)
    }
  ]
})
