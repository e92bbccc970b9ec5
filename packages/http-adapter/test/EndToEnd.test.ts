import { CallKit, TestEngine } from "@earshot/test-kit"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { CALLS, OBSERVE } from "./support/paths.js"

const SAMPLES = new URL("../../cli-adapter/samples/", import.meta.url)
const samples = readdirSync(SAMPLES).map((file) => {
  const body: unknown = JSON.parse(readFileSync(new URL(file, SAMPLES), "utf8"))
  return { name: file.replace(".json", ""), body: typeof body === "object" && body !== null ? body : {} }
})

const multipart = (fields: object, files: Readonly<Record<string, Blob>> = {}): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, typeof value === "string" ? value : JSON.stringify(value))
  }
  for (const [name, file] of Object.entries(files)) form.append(name, file, `${name}.bin`)
  return form
}

const query = (filter: object): string => `filters_v2=${encodeURIComponent(JSON.stringify(filter))}`

const idsOf = (page: unknown): ReadonlyArray<unknown> => {
  const results = at(page, "results")
  return Array.isArray(results) ? results.map((one: unknown) => at(one, "id")) : []
}

describe.each(TestEngine.databases)("calls and dashboards over HTTP on %s", async (database) => {
  const server = await serverForBlock({ database })

  it("ingests every transcript format as JSON and as a form, and recognizes redeliveries", async () => {
    const { agent, key } = await server.tenant()
    expect(samples).toHaveLength(8)
    for (const { body, name } of samples) {
      const first = await server.send("POST", OBSERVE, { key, json: { ...body, agent } })
      expect(first.status, name).toBe(201)
      expect(at(first.json, "transcript_object", "1", "content"), name).toBeTypeOf("string")
      expect(at(first.json, "agent")).toBe(agent)
      // Every field a text, as a form has them.
      const again = await server.send("POST", OBSERVE, { key, body: multipart({ ...body, agent }) })
      expect(again.status, `${name} in a form`).toBe(200)
      expect(again.json).toEqual(
        { ...first, json: { ...Object(first.json), updated_at: at(again.json, "updated_at") } }.json
      )
      // The transcript as a file, as `curl -F transcript_json=@call.json` sends it.
      const { transcript_json: transcript, ...rest } = { transcript_json: undefined, ...body }
      const withFile = await server.send("POST", OBSERVE, {
        key,
        body: multipart({ ...rest, agent }, { transcript_json: new Blob([JSON.stringify(transcript)]) })
      })
      expect(withFile.status, `${name} as a file`).toBe(200)
      expect(at(withFile.json, "transcript")).toBe(at(first.json, "transcript"))
      const read = await server.send("GET", `${CALLS}${String(at(first.json, "id"))}/`, { key })
      expect(at(read.json, "call_id")).toBe(at(body, "call_id"))
    }
    const listed = await server.send("GET", `${CALLS}?agent_id=${agent}`, { key })
    expect(idsOf(listed.json)).toHaveLength(samples.length)
  })

  it("stores an uploaded recording and reports its duration", async () => {
    const { agent, key } = await server.tenant()
    const wav = new Blob([CallKit.wav(65)], { type: "audio/wav" })
    const form = (fields: object) => multipart({ call_id: "recorded", agent, ...fields }, { voice_recording: wav })
    const kept = await server.send("POST", OBSERVE, { key, body: form({ main_agent_channel_index: 1 }) })
    expect([kept.status, at(kept.json, "duration")]).toEqual([201, "01:05"])
    const again = await server.send("POST", OBSERVE, { key, body: form({}) })
    expect([again.status, at(again.json, "id")]).toEqual([200, at(kept.json, "id")])
  })

  it("lists and exports the calls of a filter in pages, without deleted calls", async () => {
    const { agent, key, project } = await server.tenant()
    for (let n = 0; n < 7; n++) {
      const region = n % 2 === 0 ? "north" : "south"
      const json = { call_id: `c${n}`, agent, metadata: { region }, call_ended_reason: n === 6 ? "dropped" : "done" }
      expect((await server.send("POST", OBSERVE, { key, json })).status).toBe(201)
    }
    const north = query({ field: "metadata.region", op: "eq", value: "north" })
    const whole = await server.send("GET", `${CALLS}?${north}&project=${project}`, { key })
    expect(idsOf(whole.json)).toHaveLength(4)

    const first = await server.send("GET", `${CALLS}?${north}&limit=3`, { key })
    const second = await server.send("GET", `${CALLS}?${north}&limit=3&cursor=${String(at(first.json, "next"))}`, {
      key
    })
    expect([...idsOf(first.json), ...idsOf(second.json)]).toEqual(idsOf(whole.json))
    expect([at(first.json, "previous"), at(second.json, "next")]).toEqual([null, null])
    const back = await server.send("GET", `${CALLS}?${north}&limit=3&cursor=${String(at(second.json, "previous"))}`, {
      key
    })
    expect(idsOf(back.json)).toEqual(idsOf(first.json))

    const exported = await server.send("GET", `${CALLS}export/?${north}`, { key })
    const lines = exported.text
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line))
    expect(lines.map((line) => at(line, "id"))).toEqual(idsOf(whole.json))
    expect((await server.send("HEAD", `${CALLS}export/?${north}`, { key })).status).toBe(200)
    const none = await server.send("GET", `${CALLS}export/?${query({ field: "call_id", op: "eq", value: "no" })}`, {
      key
    })
    expect([none.status, none.text]).toEqual([200, ""])

    const [id] = idsOf(whole.json)
    const path = `${CALLS}${String(id)}`
    const reviewed = await server.send("PATCH", path, {
      key,
      json: { status: "reviewed_failure", feedback: "Too slow" }
    })
    expect(reviewed.json).toMatchObject({ success: false, is_reviewed: true, status: "reviewed_failure" })
    const found = query({ operator: "and", conditions: [{ field: "is_reviewed", op: "eq", value: true }] })
    expect(idsOf((await server.send("GET", `${CALLS}?${found}`, { key })).json)).toEqual([id])
    expect((await server.send("DELETE", path, { key })).status).toBe(204)
    expect((await server.send("GET", path, { key })).status).toBe(404)
  })

  it("creates dashboards in each encoding and returns the data of their widgets", async () => {
    const { agent, key, project } = await server.tenant()
    for (let n = 0; n < 6; n++) {
      const json = {
        call_id: `w${n}`,
        agent,
        timestamp: `2026-01-0${n < 4 ? 1 : 2}T10:00:00Z`,
        call_ended_reason: n % 3 === 0 ? "transfer" : "hangup",
        metadata: { region: n < 3 ? "north" : "south" },
        transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: 10 + n }]
      }
      expect((await server.send("POST", OBSERVE, { key, json })).status).toBe(201)
    }
    const filters = { field: "metadata.region", op: "eq", value: "south" }
    const path = "/dashboards/dashboards/"
    const fields = { name: "Week", project, filters }
    const made = [
      await server.send("POST", path, { key, json: fields }),
      await server.send("POST", path, { key, body: multipart(fields) }),
      await server.send("POST", path, {
        key,
        body: new URLSearchParams({ name: "Week", project: String(project), filters: JSON.stringify(filters) })
      })
    ]
    for (const { json, status } of made) {
      expect(status).toBe(201)
      expect(json).toMatchObject({ name: "Week", project, filters, widgets: [], widget_count: 0 })
    }
    const dashboard = at(made[0]?.json, "id")

    const widget = async (spec: object) => {
      const created = await server.send("POST", "/dashboards/widgets/", { key, json: { dashboard, ...spec } })
      expect(created.status, created.text).toBe(201)
      const id = String(at(created.json, "id"))
      return {
        id,
        made: created.json,
        data: (await server.send("GET", `/dashboards/widgets/${id}/data/`, { key })).json
      }
    }
    const bar = { chart_type: "bar", field: "duration", aggregation_function: "max", time_period: "day" }
    expect((await widget({ chart_type: "stat" })).data).toMatchObject({ chart_type: "stat", total_calls: 3 })
    expect(at((await widget(bar)).data, "series", "0", "points")).toMatchObject([
      { timestamp: "2026-01-01T00:00:00.000Z", value: 13, count: 1 },
      { timestamp: "2026-01-02T00:00:00.000Z", value: 15, count: 2 }
    ])
    expect((await widget({ chart_type: "line", field: "duration" })).data).toMatchObject({ chart_type: "line" })
    const pie = await widget({
      chart_type: "pie",
      field: "call_ended_reason",
      filters: { field: "call_ended_reason", op: "eq", value: "hangup" }
    })
    expect(pie.data).toMatchObject({ total: 2 })

    const effective = at(pie.made, "effective_filters")
    const calls = await server.send("GET", `${CALLS}?${query(Object(effective))}`, { key })
    expect(idsOf(calls.json)).toHaveLength(2)

    const patched = await server.send("PATCH", `/dashboards/widgets/${pie.id}/`, {
      key,
      json: { name: "Why", filters: null }
    })
    expect(patched.json).toMatchObject({ name: "Why", chart_type: "pie", effective_filters: filters })
    const wrong = await server.send("PATCH", `/dashboards/widgets/${pie.id}/`, { key, json: { chart_type: "stat" } })
    expect([wrong.status, Object.keys(Object(wrong.json))]).toEqual([400, ["field"]])
    const preview = await server.send("POST", "/dashboards/widgets/preview_data/", { key, json: { dashboard, ...bar } })
    expect([preview.status, at(preview.json, "chart_type")]).toEqual([200, "bar"])

    const whole = await server.send("GET", `${path}${String(dashboard)}/`, { key })
    expect(whole.json).toMatchObject({ widget_count: 4 })
    expect((await server.send("DELETE", `${path}${String(dashboard)}`, { key })).status).toBe(204)
    expect((await server.send("GET", `/dashboards/widgets/${pie.id}`, { key })).status).toBe(404)
  })

  it("creates, lists, reads, updates and deletes projects and agents", async () => {
    const { key } = await server.tenant()
    const project = await server.send("POST", "/user/v1/projects", { key, json: { name: "Support" } })
    expect(project.status).toBe(201)
    const id = at(project.json, "id")
    const agent = await server.send("POST", "/test_framework/v1/agents/", {
      key,
      json: { project: id, name: "Nora", assistant_id: "asst-1" }
    })
    expect(agent.status).toBe(201)
    const ingested = await server.send("POST", OBSERVE, { key, json: { call_id: "x", assistant_id: "asst-1" } })
    expect([ingested.status, at(ingested.json, "agent_name")]).toEqual([201, "Nora"])
    const path = `/test_framework/v1/agents/${String(at(agent.json, "id"))}/`
    expect(at((await server.send("PATCH", path, { key, json: { name: "Nora B" } })).json, "name")).toBe("Nora B")
    expect(at((await server.send("GET", path, { key })).json, "name")).toBe("Nora B")
    const listed = await server.send("GET", `/test_framework/v1/agents/?project=${String(id)}`, { key })
    expect(idsOf(listed.json)).toEqual([at(agent.json, "id")])
    expect((await server.send("DELETE", path, { key })).status).toBe(204)
    expect((await server.send("GET", path, { key })).status).toBe(404)
  })

  it("serves every path with and without a trailing slash", async () => {
    const { key } = await server.tenant()
    for (const path of ["/user/v1/projects", "/dashboards/widgets", "/observability/v1/call-logs", "/health"]) {
      expect((await server.send("GET", path, { key })).status).toBe(200)
      expect((await server.send("GET", `${path}/`, { key })).status).toBe(200)
    }
  })
})
