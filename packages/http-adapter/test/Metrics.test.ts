import { predefinedEntries, JobRunner } from "@earshot/core"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { CALLS, METRICS, OBSERVE, PREDEFINED_METRICS } from "./support/paths.js"

const transcript = [
  { role: "Main Agent", content: "Hello, how can I help you?", start_time: 0, end_time: 2 },
  { role: "Testing Agent", content: "A table for two.", start_time: 3, end_time: 5 },
  { role: "Main Agent", content: "Booked for Friday.", start_time: 5.5, end_time: 7 }
]

const list = (json: unknown): ReadonlyArray<unknown> => (Array.isArray(json) ? json : [])

describe.each(["sqlite", "postgres"] as const)("metrics over HTTP on %s", async (database) => {
  const server = await serverForBlock({ database })
  const drain = () => server.run(Effect.flatMap(JobRunner, (runner) => runner.drain))

  it("of jobs are at /metrics by kind", async () => {
    const { agent, key } = await server.tenant()
    const json = { call_id: "counted", agent, transcript_json: transcript }
    expect((await server.send("POST", OBSERVE, { key, json })).status).toBe(201)
    const shown = async () => (await server.send("GET", "/metrics")).text
    expect(await shown()).toMatch(/^earshot_jobs\{kind="evaluate_call",state="waiting"\} [1-9]/m)
    await drain()
    const after = await shown()
    expect(after).not.toMatch(/^earshot_jobs\{kind="evaluate_call",state="waiting"\} [1-9]/m)
    expect(after).toMatch(/^earshot_jobs_ended_total\{kind="evaluate_call"\} [1-9]/m)
    expect(after).toMatch(/^earshot_jobs_duration_seconds_total\{kind="evaluate_call"\} \d/m)
  })

  it("are listed as E11 specifies, with and without a trailing slash", async () => {
    const { key, organization } = await server.tenant()
    for (const path of [PREDEFINED_METRICS, PREDEFINED_METRICS.slice(0, -1)]) {
      const { json, status } = await server.send("GET", path, { key })
      expect(status).toBe(200)
      expect(list(json).map((one) => at(one, "slug"))).toEqual(predefinedEntries.map(({ slug }) => slug))
      for (const one of list(json)) {
        expect(at(one, "organization")).toBe(organization)
        expect(String(at(one, "cost"))).toMatch(/^-?\d{0,4}(?:\.\d{0,6})?$/)
        expect(Object.keys(Object(one))).toHaveLength(21)
      }
    }
    expect(await server.send("GET", PREDEFINED_METRICS)).toMatchObject({ status: 401 })
    expect(await server.send("POST", PREDEFINED_METRICS, { key, json: {} })).toMatchObject({ status: 405 })
  })

  it("are updated as E12 specifies, with all errors at once, within the organization only", async () => {
    const { agent, key } = await server.tenant()
    const theirs = await server.tenant()
    const given = { agent, name: "Calls back", type: "llm_judge", eval_type: "binary", prompt: "Does it?" }
    const made = await server.send("POST", METRICS, { key, json: given })
    expect(made.status).toBe(201)
    const path = `${METRICS}${String(at(made.json, "id"))}/`
    const patch = async (json: unknown, as = key) => {
      const answer = await server.send("PATCH", path, { key: as, json })
      return [answer.status, answer.json]
    }
    const [status, changed] = await patch({
      name: "Offers a call-back",
      description: "d",
      audio_enabled: true,
      prompt: "p",
      agent,
      type: "llm_judge",
      eval_type: "enum",
      enum_values: { yes: "It does.", no: "It does not." },
      display_order: 3,
      id: 1,
      overall_score: 9,
      nobody: "knows"
    })
    expect(status).toBe(200)
    expect(changed).toMatchObject({
      id: at(made.json, "id"),
      agent,
      name: "Offers a call-back",
      enum_values: { yes: "It does.", no: "It does not." },
      overall_score: null
    })
    expect(Object.keys(Object(changed))).toHaveLength(24)
    expect(await patch({ name: 5, eval_type: "x", display_order: -1, audio_enabled: "maybe" })).toEqual([
      400,
      {
        name: ["Not a valid string."],
        eval_type: [expect.stringContaining('"x" is not a valid choice. Choose from ')],
        display_order: ["Ensure this value is greater than or equal to 0."],
        audio_enabled: ["Must be a valid boolean."]
      }
    ])
    expect(await patch({ type: "custom_prompt", enum_values: null, agent: theirs.agent })).toEqual([
      400,
      {
        type: ['"custom_prompt" is deprecated: use llm_judge.'],
        enum_values: ["This field is required if eval_type is enum."],
        agent: [`Invalid pk "${theirs.agent}" - object does not exist.`]
      }
    ])
    expect(await patch({}, theirs.key)).toMatchObject([404, {}])
    expect((await server.send("DELETE", path, { key: theirs.key })).status).toBe(404)
    expect((await server.send("DELETE", path, { key })).status).toBe(204)
    expect((await server.send("GET", path, { key })).status).toBe(404)
  })

  it("evaluate ingested calls with explanations, and again on request", async () => {
    const { agent, key } = await server.tenant()
    const theirs = await server.tenant()
    const mine = list(at((await server.send("GET", `${METRICS}?agent_id=${agent}`, { key })).json, "results"))
    expect(mine).toHaveLength(predefinedEntries.length)
    const idOf = (slug: string): number =>
      Number(
        at(
          mine.find((one) => at(one, "service_defined_metric_code") === slug),
          "id"
        )
      )
    const call = await server.send("POST", OBSERVE, {
      key,
      json: { call_id: "a", agent, transcript_json: transcript, metric_ids: `${idOf("latency_ms")},${idOf("csat")}` }
    })
    expect(call.status).toBe(201)
    await drain()
    const path = `${CALLS}${String(at(call.json, "id"))}/`
    const evaluations = await server.send("GET", `${path}evaluations/`, { key })
    expect(evaluations.json).toMatchObject([
      { slug: "latency_ms", status: "scored", value: 500, moments: [{ at_second: 5, duration_ms: 500 }] },
      { slug: "csat", status: "skipped", value: null, reason: "No language model is configured." }
    ])
    expect((await server.send("GET", path, { key })).json).toMatchObject({
      metrics: [
        { id: idOf("latency_ms"), name: "Latency", type: "custom_code", score: 500, enum: null, value: 500 },
        { id: idOf("csat"), value: null }
      ]
    })
    const evaluate = (json: unknown, as = key) => server.send("POST", `${path}evaluate_metrics/`, { key: as, json })
    expect(await evaluate({ metric_ids: `${idOf("talk_ratio")}` })).toMatchObject({
      status: 200,
      json: { call: at(call.json, "id"), metric_ids: [idOf("talk_ratio")] }
    })
    const foreign = list(
      at((await server.send("GET", `${METRICS}?agent_id=${theirs.agent}`, { key: theirs.key })).json, "results")
    )[0]
    expect(await evaluate({ metric_ids: [at(foreign, "id")] })).toMatchObject({
      status: 400,
      json: { metric_ids: [`Invalid pk "${String(at(foreign, "id"))}" - object does not exist.`] }
    })
    expect((await evaluate({}, theirs.key)).status).toBe(404)
    await drain()
    const after = await server.send("GET", `${path}evaluations/`, { key })
    expect(list(after.json).map((one) => at(one, "slug"))).toEqual(["latency_ms", "talk_ratio", "csat"])
    const jobs = await server.send("GET", "/jobs/?kind=evaluate_call&state=succeeded", { key })
    expect(at(jobs.json, "results")).toMatchObject([{ attempts: 1 }, { attempts: 1 }])
    const job = at(list(at(jobs.json, "results"))[0], "id")
    expect(await server.send("POST", `/jobs/${String(job)}/retry/`, { key })).toMatchObject({ status: 409 })
    expect(await server.send("POST", `/jobs/${String(job)}/retry/`, { key: theirs.key })).toMatchObject({ status: 404 })
    expect(list(at((await server.send("GET", "/jobs/", { key: theirs.key })).json, "results"))).toEqual([])
  })
})
