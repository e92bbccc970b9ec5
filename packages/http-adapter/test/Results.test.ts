import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serving } from "./support/TestServer.js"

const RUN = "/test_framework/v2/scenarios/run_scenarios_json/"
const RESULTS = "/test_framework/v1/results/"
const RUNS = "/test_framework/v1/runs/"
const CAPACITY = "/test_framework/v1/capacity/"

describe.each(TestEngine.databases)("results over HTTP on %s", async (database) => {
  const server = await serving({ database })

  const world = async () => {
    const tenant = await server.tenant()
    const { agent, key } = tenant
    const start = async (frequency: number) => {
      const spec = {
        version: "1",
        suite: { name: "S" },
        scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency }]
      }
      const made = await server.send("POST", RUN, { key, json: { spec, agent_id: agent } })
      expect([made.status, at(made.json, "status"), at(made.json, "total_runs")]).toEqual([201, "queued", frequency])
      return Number(at(made.json, "id"))
    }
    const capacity = async () => (await server.send("GET", CAPACITY, { key })).json
    const send = (path: string, json: object) => server.send("POST", path, { key, json })
    return { ...tenant, start, capacity, send }
  }

  it("are run, worked off and shown", async () => {
    const { capacity, key, send, start } = await world()
    const id = await start(2)
    const claimed = await send(`${RUNS}claim/`, { channel: "voice", limit: 5 })
    expect(claimed.status).toBe(200)
    expect(await capacity()).toEqual({ active_sessions: 2, pending_demand: 0, slots_in_use: 2, phone_numbers_held: [] })
    const [one, two] = ["0", "1"].map((n) => ({
      id: String(at(claimed.json, "results", n, "run", "id")),
      lease: at(claimed.json, "results", n, "lease")
    }))
    expect(at(claimed.json, "results", "0", "scenario", "instructions")).toBe("Ask.")
    const kept = await send(`${RUNS}${one?.id}/heartbeat/`, { lease: one?.lease })
    expect([kept.status, at(kept.json, "lease_expires_at")]).toEqual([200, expect.stringMatching(/Z$/)])
    const done = await send(`${RUNS}${one?.id}/complete/`, {
      lease: one?.lease,
      success: true,
      transcript_json: [{ role: "Main Agent", content: "Hi", start_time: 0, end_time: 1 }]
    })
    expect([done.status, at(done.json, "status")]).toEqual([200, "completed"])
    const failed = await send(`${RUNS}${two?.id}/fail/`, { lease: two?.lease, error: "No answer" })
    expect([failed.status, at(failed.json, "status")]).toEqual([200, "failed"])
    expect((await send(`${RUNS}${two?.id}/fail/`, { lease: two?.lease, error: "again" })).json).toEqual({
      lease: ["This lease does not hold any more."]
    })
    const read = await server.send("GET", `${RESULTS}${id}/`, { key })
    expect(read.json).toMatchObject({ status: "completed", success_rate: 0.5, total_runs: 2 })
    const runs = await server.send("GET", `${RUNS}?result=${id}&status=failed`, { key })
    expect(at(runs.json, "results", "0", "error")).toBe("No answer")
  })

  it("are deleted with 204 and no body, as JSON, form and multipart, whether or not they were there", async () => {
    const { capacity, key, start } = await world()
    const other = await world()
    const [a, b, c] = [await start(1), await start(2), await start(3)]
    const foreign = await other.start(1)
    const form = new FormData()
    form.append("result_ids", JSON.stringify([c, foreign]))
    for (const options of [
      { json: { result_ids: [a] } },
      { json: { result_ids: [a, 999_999, foreign] } },
      {
        body: new URLSearchParams([
          ["result_ids", String(a)],
          ["result_ids", String(b)]
        ])
      },
      { body: new URLSearchParams({ result_ids: String(b) }) },
      { body: form }
    ]) {
      const gone = await server.send("POST", `${RESULTS}bulk_delete/`, { key, ...options })
      expect([gone.status, gone.text]).toEqual([204, ""])
    }
    expect(at(await capacity(), "pending_demand")).toBe(0)
    expect(at(await other.capacity(), "pending_demand")).toBe(1)
    expect((await server.send("GET", `${RESULTS}${a}/`, { key })).status).toBe(404)
  })

  it("lose runs with 204, and answer 404 and 400 where there are none to lose", async () => {
    const { capacity, key, send, start } = await world()
    const id = await start(2)
    const listed = await server.send("GET", `${RUNS}?result=${id}`, { key })
    const [one, two] = [at(listed.json, "results", "0", "id"), at(listed.json, "results", "1", "id")]
    expect((await send(`${RESULTS}${id}/delete_runs/`, { run_ids: [one, 999_999] })).json).toEqual({
      run_ids: ['Invalid pk "999999" - object does not exist.']
    })
    for (const run_ids of [[one], [one, two]]) {
      const gone = await send(`${RESULTS}${id}/delete_runs/`, { run_ids })
      expect([gone.status, gone.text]).toEqual([204, ""])
    }
    expect(at(await capacity(), "pending_demand")).toBe(0)
    const missing = await send(`${RESULTS}999999/delete_runs/`, { run_ids: [one] })
    expect([missing.status, missing.json]).toEqual([404, { detail: "No Result matches the given query." }])
    expect((await send(`${RESULTS}bulk_delete/`, { result_ids: [] })).status).toBe(400)
  })
})
