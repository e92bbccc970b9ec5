import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { endpoints } from "../../src/routes/index.js"
import { at, textAt } from "../support/Contract.js"
import { type RequestOptions, serverForBlock } from "../support/TestServer.js"

import { API_KEYS, LINKS, OBSERVE } from "../support/paths.js"

describe.each(TestEngine.databases)("tenants on %s", async (database) => {
  const server = await serverForBlock({ database })

  it("cannot read or change each other's resources", async () => {
    const mine = await server.tenant()
    const { key } = await server.tenant()
    const made = async (path: string, json: object): Promise<string> =>
      `${path}${textAt((await server.send("POST", path, { key: mine.key, json })).json, "id")}/`
    const dashboard = await made("/dashboards/dashboards/", { name: "D", project: mine.project })
    const dashboardId = Number(dashboard.split("/")[3])
    const link = await made(LINKS, { bounds: [{ type: "dashboard", id: dashboardId }] })
    const call = textAt(
      (await server.send("POST", OBSERVE, { key: mine.key, json: { call_id: "1", agent: mine.agent } })).json,
      "id"
    )
    const widget = await made("/dashboards/widgets/", { dashboard: dashboardId, chart_type: "stat" })
    const things = [
      dashboard,
      widget,
      link,
      await made(API_KEYS, { name: "K" }),
      `/observability/v1/call-logs/${call}/`,
      `/user/v1/projects/${mine.project}/`,
      `/test_framework/v1/agents/${mine.agent}/`
    ]
    let asked = 0
    for (const thing of things) {
      const routes = endpoints.filter(({ path }) => thing.replace(/\d+\/$/, ":id/") === path)
      expect(routes.length).toBeGreaterThan(0)
      for (const { method } of routes) {
        const { json, status } = await server.send(method, thing, {
          key,
          ...(method === "PATCH" ? { json: { name: "Mine now" } } : {})
        })
        expect([method, thing, status], JSON.stringify(json)).toEqual([method, thing, 404])
        asked++
      }
    }
    expect(asked).toBeGreaterThanOrEqual(16)
    expect((await server.send("GET", `${widget}data/`, { key })).status).toBe(404)

    const foreign: ReadonlyArray<readonly [path: string, json: object, field: string]> = [
      [OBSERVE, { call_id: "2", agent: mine.agent }, "agent"],
      ["/dashboards/dashboards/", { name: "D", project: mine.project }, "project"],
      ["/dashboards/widgets/", { dashboard: dashboardId, chart_type: "stat" }, "dashboard"],
      ["/dashboards/widgets/preview_data/", { dashboard: dashboardId, chart_type: "stat" }, "dashboard"],
      ["/test_framework/v1/agents/", { name: "A", project: mine.project }, "project"]
    ]
    for (const [path, json, field] of foreign) {
      const { json: errors, status } = await server.send("POST", path, { key, json })
      expect([path, status, Object.keys(Object(errors))]).toEqual([path, 400, [field]])
    }
    const lists = endpoints.filter(({ id }) => id.endsWith(".list") || /\.list[A-Z]/.test(id))
    expect(lists.length).toBeGreaterThan(6)
    for (const { path } of lists) {
      const own = await server.send("GET", path, { key })
      const ids = (page: unknown) => JSON.stringify(at(page, "results"))
      for (const thing of things) {
        if (thing.startsWith(path)) expect(ids(own.json)).not.toContain(`"id":${thing.slice(path.length, -1)},`)
      }
    }
    // All of it is still there for whoever has it.
    for (const thing of things.slice(0, 2))
      expect((await server.send("GET", thing, { key: mine.key })).status).toBe(200)
  })

  it("share resources by a link until it is revoked", async () => {
    const { key, project } = await server.tenant()
    const make = async (path: string, json: object) => (await server.send("POST", path, { key, json })).json
    const shown = textAt(await make("/dashboards/dashboards/", { name: "Shown", project }), "id")
    const hidden = textAt(await make("/dashboards/dashboards/", { name: "Hidden", project }), "id")
    const widget = textAt(await make("/dashboards/widgets/", { dashboard: Number(shown), chart_type: "stat" }), "id")
    const link = await make(LINKS, { name: "Board", bounds: [{ type: "dashboard", id: Number(shown) }] })
    const headers = { "x-shareable-link": textAt(link, "token") }
    const status = async (method: string, path: string, asked: RequestOptions = {}) =>
      (await server.send(method, path, { headers, ...asked })).status
    expect(await status("GET", `/dashboards/dashboards/${shown}/`)).toBe(200)
    expect(await status("GET", `/dashboards/widgets/${widget}/data/`)).toBe(200)
    expect(await status("GET", `/dashboards/dashboards/${hidden}/`)).toBe(404)
    expect(await status("PATCH", `/dashboards/dashboards/${shown}/`, { json: { name: "x" } })).toBe(403)
    expect(await status("DELETE", `/dashboards/dashboards/${shown}/`)).toBe(403)
    expect(await status("GET", "/observability/v1/call-logs/")).toBe(401)
    const listed = await server.send("GET", "/dashboards/dashboards/", { headers })
    expect(listed.text).toContain("Shown")
    expect(listed.text).not.toContain("Hidden")
    expect((await server.send("DELETE", `${LINKS}${textAt(link, "id")}/`, { key })).status).toBe(204)
    expect(await status("GET", `/dashboards/dashboards/${shown}/`)).toBe(401)
  })
})
