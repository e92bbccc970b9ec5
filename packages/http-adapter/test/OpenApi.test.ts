import { setTimeout as delay } from "node:timers/promises"
import * as spectral from "@stoplight/spectral-core"
import * as rulesets from "@stoplight/spectral-rulesets"
import { CallKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { hooks } from "../src/routes/Hooks.js"
import { endpoints } from "../src/routes/index.js"
import { at, contractOf, isNode, textAt } from "./support/Contract.js"
import { serverForBlock, startServer } from "./support/TestServer.js"

const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(isNode(value) ? value : {})

describe("the OpenAPI document", async () => {
  const server = await serverForBlock()
  const { json: document } = await server.send("GET", "/openapi.json")
  const operations = entries(at(document, "paths")).flatMap(([path, item]) =>
    entries(item).map(([method, operation]) => ({ path, method, operation }))
  )

  it("passes the linter without warnings", async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset(
      new spectral.Ruleset({
        extends: [rulesets.oas],
        rules: {
          // The interface's paths end in one.
          "path-keys-no-trailing-slash": "off",
          // Whom to ask is the operator's to say.
          "info-contact": "off"
        }
      })
    )
    const found = await linter.run(JSON.stringify(document))
    // It blocks the process for longer than idle connections are kept: let both sides see that this one was closed.
    await delay(100)
    expect(found.map(({ code, message, path }) => `${code} ${path.join(".")}: ${message}`)).toEqual([])
  })

  it("lists every endpoint and nothing that is not served", async () => {
    // Signing in takes its credential in the body, and signing out accepts a browser without a session.
    const sessionStatuses: Readonly<Record<string, number>> = { get: 401, post: 400, delete: 204 }
    const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    for (const { method, path } of [...endpoints, ...hooks]) {
      expect(documented).toContain(`${method} ${path.replace(/:([a-z_]+)/, "{$1}")}`)
    }
    for (const { method, operation, path } of operations) {
      const { json, status } = await server.send(method.toUpperCase(), path.replace(/\{[a-z_]+\}/, "1"))
      expect([method, path, json]).not.toEqual([method, path, { detail: "Not found." }])
      // Whoever has no credential learns that one is needed, and how to carry it.
      const security = at(operation, "security")
      // A signed URL is one without a token here.
      const isSignedUrl = path === "/observability/v1/recordings/"
      const open = isSignedUrl ? 403 : path === "/user/v1/session/" ? sessionStatuses[method] : 200
      expect([path, status]).toEqual([path, Array.isArray(security) && security.length > 0 ? 401 : open])
    }
  })

  it("describes every operation, parameter, response and property in words of its own", () => {
    const undescribed: Array<string> = []
    const check = (place: string, node: unknown) => {
      const text = at(node, "description")
      if (at(node, "$ref") === undefined && (typeof text !== "string" || text.length < 4)) undescribed.push(place)
    }
    for (const [path, item] of entries(at(document, "paths"))) {
      for (const [method, operation] of entries(item)) {
        check(`${method} ${path}`, operation)
        expect(at(operation, "summary")).toMatch(/^[A-Z][a-z]+(?: [A-Za-z0-9]|$)/)
        for (const [status, response] of entries(at(operation, "responses")))
          check(`${method} ${path} ${status}`, response)
        const parameters = at(operation, "parameters")
        for (const parameter of Array.isArray(parameters) ? parameters : []) {
          check(`${method} ${path} ${textAt(parameter, "name")}`, parameter)
        }
      }
    }
    for (const [name, schema] of entries(at(document, "components", "schemas"))) {
      for (const [property, one] of entries(at(schema, "properties"))) check(`${name}.${property}`, one)
    }
    expect(undescribed).toEqual([])
  })

  it("lists the encodings of each body", () => {
    const encodings = (method: string, path: string) =>
      entries(at(document, "paths", path, method, "requestBody", "content")).map(([type]) => type)
    const three = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]
    expect(encodings("post", "/dashboards/dashboards/")).toEqual(three)
    expect(encodings("patch", "/dashboards/widgets/{id}/")).toEqual(["application/json"])
    expect(encodings("post", "/observability/v1/observe/")).toEqual(["application/json", "multipart/form-data"])
    const form = at(
      document,
      "paths",
      "/observability/v1/observe/",
      "post",
      "requestBody",
      "content",
      "multipart/form-data"
    )
    expect(
      at(
        document,
        "components",
        "schemas",
        String(at(form, "schema", "$ref"))
          .split("/")
          .at(-1) ?? "",
        "properties",
        "voice_recording"
      )
    ).toMatchObject({ format: "binary" })
  })

  it("has examples of bodies that are accepted", async () => {
    const { agent, key, project } = await server.tenant()
    const dashboard = at(
      (await server.send("POST", "/dashboards/dashboards/", { key, json: { name: "D", project } })).json,
      "id"
    )
    const widget = at(
      (
        await server.send("POST", "/dashboards/widgets/", {
          key,
          json: { dashboard, chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" }
        })
      ).json,
      "id"
    )
    const form = new FormData()
    form.append("call_id", "c")
    form.append("agent", String(agent))
    form.append("voice_recording", new Blob([CallKit.wav(1)]), "call.wav")
    const call = at((await server.send("POST", "/observability/v1/observe/", { key, body: form })).json, "id")
    const made = async (subject: string, json: object) =>
      at((await server.send("POST", `/test_framework/v1/${subject}/`, { key, json })).json, "id")
    const evaluator = await made("scenarios", { agent, name: "E", scenario_type: "instruction", instructions: "Hi" })
    const spec = {
      version: "1",
      suite: { name: "S" },
      scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", frequency: 4 }]
    }
    const run = "/test_framework/v2/scenarios/run_scenarios_json/"
    const result = at((await server.send("POST", run, { key, json: { spec, agent_id: agent } })).json, "id")
    const claimed = await server.send("POST", "/test_framework/v1/runs/claim/", {
      key,
      json: { channel: "voice", limit: 3 }
    })
    const runs = ["0", "1", "2"].map((n) => at(claimed.json, "results", n, "run", "id"))
    const waiting = await server.send("GET", "/test_framework/v1/runs/?status=queued", { key })
    const queued = at(waiting.json, "results", "0", "id")
    const lease = at(claimed.json, "results", "0", "lease")
    const metric = await made("metrics", { agent, name: "M", type: "llm_judge", eval_type: "binary", prompt: "?" })
    const desk = { platform: "vapi", agent }
    const integration = at(
      (await server.send("POST", "/observability/v1/integrations/", { key, json: desk })).json,
      "id"
    )
    const ids: Readonly<Record<string, unknown>> = {
      "/test_framework/v1/results/{id}/delete_runs/": result,
      "/test_framework/v1/runs/{id}/heartbeat/": runs[0],
      "/test_framework/v1/runs/{id}/complete/": runs[1],
      "/test_framework/v1/runs/{id}/fail/": runs[2],
      "/test_framework/v1/scenarios/{id}/": evaluator,
      "/test_framework/v1/personalities/{id}/": await made("personalities", { project, name: "P", language: "en" }),
      "/test_framework/v1/test_profiles/{id}/": await made("test_profiles", { project, name: "T" }),
      "/test_framework/v1/phone_numbers/{id}/": await made("phone_numbers", { project, number: "1" }),
      "/test_framework/v1/tools/{id}/": await made("tools", { project, name: "T" }),
      "/test_framework/v1/folders/{id}/": await made("folders", { project, path: "f" }),
      "/user/v1/projects/{id}/enable_personalities/": project,
      "/dashboards/dashboards/{id}/": dashboard,
      "/dashboards/widgets/{id}/": widget,
      "/observability/v1/call-logs/{id}/": call,
      "/observability/v1/call-logs/{id}/evaluate_metrics/": call,
      "/observability/v1/call-logs/{id}/recording/url/": call,
      "/test_framework/v1/metrics/{id}/": metric,
      "/observability/v1/integrations/{id}/": integration,
      "/observability/v1/integrations/{id}/rotate_secret/": integration,
      "/user/v1/projects/{id}/": project,
      "/test_framework/v1/agents/{id}/": agent
    }
    // Ids of examples are those of nobody; here they are the tenant's.
    const own = {
      ...{ agent_id: agent, lease, run_ids: [queued], result_ids: [999_999] },
      project,
      agent,
      dashboard,
      scenarios: [evaluator],
      metric_ids: String(metric),
      bounds: [{ type: "dashboard", id: dashboard }],
      api_key: key
    }
    let sent = 0
    for (const { method, operation, path } of operations) {
      const example = at(operation, "requestBody", "content", "application/json", "example")
      // They take what no example can show: an agent's session, a private key, and a signature.
      if (!isNode(example) || path.startsWith("/repohost/") || path.includes("/hooks/")) continue
      const known = Object.fromEntries(Object.entries(own).filter(([name]) => name in example))
      const url = path
        .replace("{id}", String(ids[path]))
        .replace("{platform}/observe/", `vapi/observe/?agent_id=${agent}`)
      const answer = await server.send(method.toUpperCase(), url, {
        key,
        json: { ...example, ...known }
      })
      expect([path, answer.status < 300], answer.text).toEqual([path, true])
      sent++
    }
    expect(sent).toBeGreaterThan(10)
  })

  it("documents error bodies as they are returned", async () => {
    const { key } = await server.tenant()
    for (const [name, response] of entries(at(document, "components", "responses"))) {
      expect(at(response, "content", "application/json", "example"), name).toBeDefined()
    }
    const missing = await server.send("POST", "/observability/v1/observe/", { key, json: { agent: 1 } })
    expect(at(missing.json, "call_id")).toEqual(
      at(document, "components", "responses", "Invalid", "content", "application/json", "example", "call_id")
    )
    const nobody = await server.send("GET", "/user/v1/projects/")
    expect(nobody.json).toEqual(
      at(document, "components", "responses", "Unauthenticated", "content", "application/json", "example")
    )
  })

  it("is the contract of the test server, which reports deviating responses", () => {
    const { violation } = contractOf(JSON.stringify(document))
    const answered = (status: number, body: unknown, path = "/user/v1/projects/1/") =>
      violation({ method: "GET", path, status, type: "application/json; charset=utf-8", text: JSON.stringify(body) })
    const project = {
      id: 1,
      name: "P",
      description: "",
      organization: 1,
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-01T00:00:00Z"
    }
    expect(answered(200, { ...project, id: "1" })).toContain("id")
    expect(answered(200, {})).toContain("required")
    expect(answered(400, { detail: 1 })).toBeDefined()
    expect(answered(404, { error: "no" })).toBeDefined()
    expect(answered(418, { detail: "teapot" })).toContain("not documented")
    expect(answered(404, { detail: "Not found." }, "/nowhere")).toBeUndefined()
    expect(answered(500, { detail: "x" }, "/nowhere")).toBeDefined()
  })
})

describe("the documentation page", async () => {
  const server = await serverForBlock()

  it("loads assets from its own origin only", async () => {
    const page = await server.send("GET", "/docs")
    expect(page.headers.get("content-type")).toContain("text/html")
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    const links = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link ?? "")
    expect(links.length).toBeGreaterThanOrEqual(4)
    for (const link of links) {
      if (link === "data:,") continue
      expect(link).toMatch(/^\/(?!\/)/)
      expect((await server.send("GET", link)).status, link).toBe(200)
    }
    expect((await server.send("GET", "/docs/start.js")).text).toContain('url: "/openapi.json"')
  })

  it("is served below the base path", async () => {
    const mounted = await startServer({ basePath: "/earshot" })
    try {
      expect(mounted.url).toMatch(/\/earshot$/)
      const page = await fetch(`${mounted.url}/docs`)
      expect(await page.text()).toContain('src="/earshot/docs/start.js"')
      const { json } = await mounted.send("GET", "/openapi.json")
      expect(at(json, "servers")).toEqual([{ url: "/earshot" }])
      expect((await fetch(mounted.url.replace("/earshot", "/health"))).status).toBe(404)
    } finally {
      await mounted.close()
    }
  })
})
