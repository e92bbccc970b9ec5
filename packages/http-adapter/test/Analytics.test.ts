import { Projections } from "@earshot/core"
import { AnalyticsKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { OBSERVE } from "./support/paths.js"

const SOURCE = "x-analytics-source"

describe("charts over HTTP", async () => {
  const store = AnalyticsKit.memoryColumnStore()
  const server = await serverForBlock({ ports: { analytics: store.layer } })
  const without = await serverForBlock()

  it("say in a header which store answered, with the same data, and in metrics why", async () => {
    const { agent, key, project } = await server.tenant()
    const made = await server.send("POST", "/dashboards/dashboards/", { key, json: { name: "Calls", project } })
    const widget = { dashboard: at(made.json, "id"), chart_type: "stat" }
    const stored = await server.send("POST", "/dashboards/widgets/", { key, json: widget })
    expect(stored.status).toBe(201)
    expect((await server.send("POST", OBSERVE, { key, json: { call_id: "a", agent } })).status).toBe(201)
    const answers = () =>
      Promise.all([
        server.send("GET", `/dashboards/widgets/${String(at(stored.json, "id"))}/data/`, { key }),
        server.send("POST", "/dashboards/widgets/preview_data/", { key, json: widget }),
        server.send("GET", `/dashboards/dashboards/${String(at(made.json, "id"))}/data/`, { key })
      ])
    const byRows = await answers()
    expect(byRows.map(({ headers }) => headers.get(SOURCE))).toEqual(["row-store", "row-store", "row-store"])
    await server.run(Effect.flatMap(Projections, ({ project: run }) => run))
    const byColumns = await answers()
    expect(byColumns.map(({ headers }) => headers.get(SOURCE))).toEqual(Array.from(byRows, () => "column-store"))
    expect(byColumns.map(({ text }) => text)).toEqual(byRows.map(({ text }) => text))
    const { text } = await server.send("GET", "/metrics")
    expect(text).toMatch(/^earshot_analytics_answers_total\{source="column-store",reason=""\} [1-9]/m)
    expect(text).toMatch(/^earshot_analytics_answers_total\{source="row-store",reason="rebuilding"\} [1-9]/m)
    expect(text).toMatch(/^earshot_projection_calls_total [1-9]/m)
    expect(text).toMatch(/^earshot_projection_pending 0/m)
  })

  it("have no such header without a column store", async () => {
    const { key, project } = await without.tenant()
    const made = await without.send("POST", "/dashboards/dashboards/", { key, json: { name: "Calls", project } })
    const path = `/dashboards/dashboards/${String(at(made.json, "id"))}/data/`
    const answer = await without.send("GET", path, { key })
    expect([answer.status, answer.headers.get(SOURCE)]).toEqual([200, null])
  })
})
