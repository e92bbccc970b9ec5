import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { CAPACITY, RESULTS, RUNS, RUN_SUITE } from "./support/paths.js"

describe.each(TestEngine.databases)("results over HTTP on %s", async (database) => {
  const server = await serverForBlock({ database })

  const fixture = async () => {
    const tenant = await server.tenant()
    const { agent, key } = tenant
    const start = async (frequency: number) => {
      const spec = {
        version: "1",
        suite: { name: "S" },
        scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency }]
      }
      const made = await server.send("POST", RUN_SUITE, { key, json: { spec, agent_id: agent } })
      expect([made.status, at(made.json, "status"), at(made.json, "total_runs")]).toEqual([201, "queued", frequency])
      return Number(at(made.json, "id"))
    }
    const capacity = async () => (await server.send("GET", CAPACITY, { key })).json
    const send = (path: string, json: object) => server.send("POST", path, { key, json })
    return { ...tenant, start, capacity, send }
  }

  it("are created from a suite, executed by a worker, and returned", async () => {
    const { capacity, key, send, start } = await fixture()
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
    const shown = await server.send("GET", `${RUNS}${one?.id}/`, { key })
    expect(shown.json).toMatchObject({
      status: "completed",
      success: true,
      transcript: "[00:00] Main Agent: Hi",
      transcript_object: [{ role: "Main Agent", content: "Hi", start_time: 0, end_time: 1 }],
      metrics: [],
      moments: [],
      criteria: [{ criterion: "reported", passed: true }],
      ended_reason: null
    })
    const recording = new FormData()
    recording.append("lease", String(two?.lease))
    recording.append("transcript_type", "none-mono")
    recording.append("voice_recording", new Blob(["RIFF"]), "a.wav")
    const rejected = await server.send("POST", `${RUNS}${two?.id}/complete/`, { key, body: recording })
    expect([rejected.status, Object.keys(Object(rejected.json))]).toEqual([400, ["transcript_type"]])
    const failed = await send(`${RUNS}${two?.id}/fail/`, { lease: two?.lease, error: "No answer" })
    expect([failed.status, at(failed.json, "status")]).toEqual([200, "failed"])
    expect((await send(`${RUNS}${two?.id}/fail/`, { lease: two?.lease, error: "again" })).json).toEqual({
      lease: ["This lease has expired or was superseded."]
    })
    const read = await server.send("GET", `${RESULTS}${id}/`, { key })
    expect(read.json).toMatchObject({ status: "completed", success_rate: 0.5, total_runs: 2 })
    const runs = await server.send("GET", `${RUNS}?result=${id}&status=failed`, { key })
    expect(at(runs.json, "results", "0", "error")).toBe("No answer")
  })

  it("are deleted with 204 and no body in every encoding, also if they do not exist", async () => {
    const { capacity, key, start } = await fixture()
    const other = await fixture()
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

  it("answer 204 to the deletion of runs, 404 without the result and 400 for runs of other results", async () => {
    const { capacity, key, send, start } = await fixture()
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

  it("are canceled, compared and exported", async () => {
    const { key, send, start } = await fixture()
    const [base, now] = [await start(2), await start(2)]
    const claimed = await send(`${RUNS}claim/`, { channel: "voice", limit: 4 })
    const finish = async (position: number, success: boolean) => {
      const lease = at(claimed.json, "results", String(position), "lease")
      const id = String(at(claimed.json, "results", String(position), "run", "id"))
      const transcript_json = [{ role: "Main Agent", content: "<Hi>", start_time: 0, end_time: 1 }]
      expect((await send(`${RUNS}${id}/complete/`, { lease, success, transcript_json })).status).toBe(200)
      return id
    }
    await finish(0, true)
    const missed = await finish(2, false)
    const canceled = await server.send("POST", `${RESULTS}${base}/cancel/`, { key })
    expect([canceled.status, at(canceled.json, "runs_by_status", "cancelled")]).toEqual([200, 1])
    const over = await server.send("POST", `${RUNS}${missed}/cancel/`, { key })
    expect([over.status, over.json]).toEqual([
      409,
      { detail: "Only an open run can be canceled; this run is completed." }
    ])
    const last = String(at(claimed.json, "results", "3", "run", "id"))
    expect((await server.send("POST", `${RUNS}${last}/cancel/`, { key })).json).toMatchObject({ status: "cancelled" })
    const compared = await server.send("GET", `${RESULTS}${now}/compare/?base=${base}&tolerance=0.1`, { key })
    expect([compared.status, compared.json]).toEqual([
      200,
      expect.objectContaining({
        base: expect.objectContaining({ id: base, total_runs: 2 }),
        change: "worse",
        success_rate: { base: 1, result: 0, difference: -1, change: "worse" },
        scenario_counts: expect.objectContaining({ worse: 1, better: 0 })
      })
    ])
    const exported = await server.send("GET", `${RESULTS}${now}/export/`, { key })
    expect(exported.headers.get("content-type")).toBe("application/x-ndjson")
    const lines = exported.text.trimEnd().split("\n")
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      expect.objectContaining({ id: Number(missed), success: false, transcript: "[00:00] Main Agent: <Hi>" }),
      expect.objectContaining({ id: Number(last), status: "cancelled", transcript_object: null })
    ])
    const page = await server.send("GET", `${RESULTS}${now}/report/?format=html`, { key })
    expect([page.status, page.text.startsWith("<!doctype html>")]).toEqual([200, true])
    const markdown = await server.send("GET", `${RESULTS}${now}/report/`, { key })
    expect([markdown.status, markdown.text.startsWith("# ")]).toEqual([200, true])
    expect((await server.send("GET", `${RESULTS}${now}/report/?format=pdf`, { key })).status).toBe(400)
    const report = await server.send("GET", `${RESULTS}${now}/junit/`, { key })
    expect([report.status, report.headers.get("content-type")]).toEqual([200, "application/xml; charset=utf-8"])
    expect(report.text).toContain('tests="2" failures="1" errors="0" skipped="1"')
  })
})
