import { suiteJsonSchema } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { SUITE_SCHEMA, VALIDATE_SUITE } from "./support/paths.js"

const spec = {
  version: "1",
  suite: { name: "Smoke" },
  scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", metrics: ["latency_ms"], frequency: 2 }]
}

describe.each(TestEngine.databases)("suites over HTTP on %s", async (database) => {
  const server = await serverForBlock({ database })

  it("are validated in every encoding, with and without a trailing slash", async () => {
    const { agent, key } = await server.tenant()
    const fields = { agent_id: agent, channel: "text", name: "Tonight" }
    const multipart = (spec_: string, file?: Blob) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
      if (file === undefined) form.append("spec", spec_)
      else form.append("file", file, "suite.json")
      return form
    }
    const text = JSON.stringify(spec)
    const asJson = await server.send("POST", VALIDATE_SUITE, { key, json: { spec, ...fields } })
    expect(asJson.status).toBe(200)
    expect(asJson.json).toMatchObject({
      dry_run: true,
      valid: true,
      plan: {
        agent_id: agent,
        channel: "text",
        suite_name: "Tonight",
        scenario_count: 1,
        total_runs: 2,
        estimated_cost: "20.000000"
      }
    })
    for (const body of [
      new URLSearchParams({ spec: text, agent_id: String(agent), channel: "text", name: "Tonight" }),
      multipart(text),
      multipart("", new Blob([text], { type: "application/json" }))
    ]) {
      const same = await server.send("POST", VALIDATE_SUITE.slice(0, -1), { key, body })
      expect([same.status, same.json]).toEqual([200, asJson.json])
    }
    const inJson = await server.send("POST", VALIDATE_SUITE, { key, json: { file: text, ...fields } })
    expect(inJson.json).toEqual(asJson.json)
  })

  it("are rejected with every error under its path", async () => {
    const { agent, key } = await server.tenant()
    const rejected = await server.send("POST", VALIDATE_SUITE, {
      key,
      json: {
        spec: { ...spec, scenarios: [{ ...spec.scenarios[0], metrics: ["latencyms"], name: "" }] },
        agent_id: agent,
        channel: "fax"
      }
    })
    expect([rejected.status, rejected.json]).toEqual([
      400,
      {
        channel: [expect.stringContaining('"fax" is not a valid choice. Choose from ')],
        "scenarios[0].name": ["This field may not be blank."],
        "scenarios[0].metrics[0]": ['No metric with slug "latencyms"; did you mean "latency_ms"?']
      }
    ])
    const yaml = new FormData()
    yaml.append("agent_id", String(agent))
    yaml.append("file", new Blob(["suite:\n  name: x\n"]), "suite.json")
    expect((await server.send("POST", VALIDATE_SUITE, { key, body: yaml })).json).toEqual({
      file: ["This is not valid JSON (line 1, column 1)."]
    })
    expect((await server.send("POST", VALIDATE_SUITE, { json: { spec } })).status).toBe(401)
  })

  it("have a JSON Schema that is served without a credential", async () => {
    const served = await server.send("GET", SUITE_SCHEMA, {})
    expect([served.status, served.json]).toEqual([200, suiteJsonSchema])
    expect(at(served.json, "$schema")).toBe("https://json-schema.org/draft/2020-12/schema")
  })
})
