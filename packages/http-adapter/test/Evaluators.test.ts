import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { EVALUATORS } from "./support/paths.js"

const BULK = `${EVALUATORS}adv_update/`

describe.each(TestEngine.databases)("evaluators over HTTP on %s", async (database) => {
  const server = await serverForBlock({ database })

  const fixture = async () => {
    const tenant = await server.tenant()
    const { agent, key, project } = tenant
    const made = async (subject: string, json: object) =>
      at((await server.send("POST", `/test_framework/v1/${subject}/`, { key, json })).json, "id")
    const evaluator = (json: object = {}) =>
      made("scenarios", { agent, name: "E", scenario_type: "instruction", instructions: "Hi", ...json })
    return { ...tenant, made, evaluator, scenarios: [await evaluator(), await evaluator()], project }
  }

  it("are updated in bulk and returned as one or as many", async () => {
    const { key, made, project, scenarios } = await fixture()
    await made("folders", { project, path: "smoke" })
    const tool = await made("tools", { project, name: "keypad" })
    const change = { scenarios, project, tool_ids_to_add: [tool], folder_path: "smoke", append_instruction: "!" }
    const one = await server.send("POST", BULK, { key, json: change })
    expect([one.status, at(one.json, "id"), at(one.json, "instructions")]).toEqual([200, scenarios[0], "Hi!"])
    for (const path of [`${BULK}?many=true`, `${BULK.slice(0, -1)}?many=True`]) {
      const many = await server.send("POST", path, { key, json: { ...change, scenarios: scenarios.toReversed() } })
      expect([at(many.json, "0", "id"), at(many.json, "1", "id")]).toEqual(scenarios.toReversed())
      expect(at(many.json, "1", "tool_ids")).toEqual([tool])
    }
    const read = await server.send("GET", `${EVALUATORS}${String(scenarios[1])}/`, { key })
    expect([at(read.json, "folder_path"), at(read.json, "instructions")]).toEqual(["smoke", "Hi!!!"])
    const listed = await server.send("GET", `${EVALUATORS}?folder_path=smoke&project=${project}&search=hi!&limit=1`, {
      key
    })
    expect([at(listed.json, "results", "0", "id"), at(listed.json, "next")]).toEqual([scenarios[1], expect.any(String)])
  })

  it("are rejected with 400 and each error under its field", async () => {
    const { key, project, scenarios } = await fixture()
    const rejected = await server.send("POST", BULK, {
      key,
      json: {
        scenarios: [scenarios[0], scenarios[0]],
        project: 999_999,
        personality: 999_999,
        max_duration: -1,
        dynamic_variable_values: null
      }
    })
    expect([rejected.status, Object.keys(Object(rejected.json)).sort()]).toEqual([
      400,
      ["dynamic_variable_values", "max_duration", "personality", "project", "scenarios"]
    ])
    const form = await server.send("POST", BULK, { key, body: new URLSearchParams({ project: String(project) }) })
    expect(form.status).toBe(415)
    const removed = await server.send("PATCH", `${EVALUATORS}${String(scenarios[0])}/`, {
      key,
      body: new URLSearchParams({ dynamic_variable_values: "" })
    })
    expect([removed.status, Object.keys(Object(removed.json))]).toEqual([400, ["dynamic_variable_values"]])
  })

  it("are created and updated by forms with conditional actions as JSON text", async () => {
    const { agent, key, made, project } = await fixture()
    const number = await made("phone_numbers", { project, number: "15550100" })
    const actions = {
      role: "Caller",
      conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: "Hi", type: "standard", fixed_message: false }]
    }
    const form = new FormData()
    form.append("agent", String(agent))
    form.append("name", "From a form")
    form.append("scenario_type", "conditional_actions")
    form.append("conditional_actions", JSON.stringify(actions))
    form.append("tags", "a")
    form.append("tags", "b")
    form.append("phone_number", String(number))
    const answer = await server.send("POST", EVALUATORS, { key, body: form })
    expect([
      answer.status,
      at(answer.json, "instructions"),
      at(answer.json, "tags"),
      at(answer.json, "phone_number")
    ]).toEqual([201, JSON.stringify(actions), ["a", "b"], "15550100"])
    const patched = await server.send("PATCH", `${EVALUATORS}${String(at(answer.json, "id"))}/`, {
      key,
      body: new URLSearchParams([
        ["phone_number", "15550100"],
        ["personality", ""],
        ["tags", "c"]
      ])
    })
    expect([patched.status, at(patched.json, "tags"), at(patched.json, "inbound_phone_number")]).toEqual([
      200,
      ["c"],
      number
    ])
  })

  it("accept personalities in every notation of E7", async () => {
    const { key, made, project } = await fixture()
    const ids = [
      await made("personalities", { project, name: "A", language: "en" }),
      await made("personalities", { project, name: "B", language: "de" })
    ]
    const path = `/user/v1/projects/${project}/enable_personalities/`
    const enabled = async (asked: object) => {
      const { json, status } = await server.send("POST", path, { key, ...asked })
      return [status, Array.isArray(json) ? json.map((one: unknown) => at(one, "id")) : json]
    }
    expect(await enabled({ json: { personalities: ids, language: "de" } })).toEqual([200, [ids[1]]])
    const repeated = ids.map((id): [string, string] => ["personalities", String(id)])
    for (const body of [
      new URLSearchParams({ personalities: ids.join(",") }),
      new URLSearchParams({ personalities: JSON.stringify(ids) }),
      new URLSearchParams({ personalities: "all" }),
      new URLSearchParams(repeated),
      new URLSearchParams({ personalities: String(ids[0]) })
    ]) {
      expect(await enabled({ body }), String(body)).toEqual([200, ids])
    }
    expect(await enabled({ json: { language: "xx" } })).toEqual([
      400,
      {
        personalities: ["This field is required."],
        language: [expect.stringContaining('"xx" is not a valid choice. Choose from ')]
      }
    ])
    const other = await server.tenant()
    const foreign = await server.send("POST", path, { key: other.key, json: { personalities: "all" } })
    expect(foreign.status).toBe(404)
  })

  it("are updated completely even if the client disconnects", async () => {
    const { key, project, scenarios } = await fixture()
    const controller = new AbortController()
    const gone = fetch(`${server.url}${BULK}`, {
      method: "POST",
      signal: controller.signal,
      headers: { "x-service-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ scenarios, project, append_instruction: "!", max_duration: 9 })
    }).catch(() => "gone")
    setTimeout(() => {
      controller.abort()
    }, 3)
    await gone
    // Whether it was in time to be taken up is the network's affair; half of it never happens.
    const states = await Promise.all(
      scenarios.map(async (id) => {
        const { json } = await server.send("GET", `${EVALUATORS}${String(id)}/`, { key })
        return `${String(at(json, "instructions"))} ${String(at(json, "max_duration"))}`
      })
    )
    expect(["Hi null", "Hi! 9"]).toContain(states[0])
    if (states[0] !== states[1]) expect(states).toEqual(["Hi null", "Hi! 9"])
  })
})
