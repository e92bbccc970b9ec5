import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { serverForBlock } from "../support/TestServer.js"
import { scenario, spec, start } from "../support/Results.js"
import { CAPACITY, RESULTS, RUNS, RUN_SUITE, VALIDATE_SUITE } from "../support/paths.js"

describe.each(TestEngine.databases)("invalid deletions and suites on %s", async (database) => {
  const server = await serverForBlock({ database })

  it("are rejected with field errors and delete nothing", async () => {
    const tenant = await server.tenant()
    const { key } = tenant
    const [one, two] = [await start(server, tenant), await start(server, tenant)]
    const state = async () => [
      (await server.send("GET", CAPACITY, { key })).text,
      (await server.send("GET", RESULTS, { key })).text,
      (await server.send("GET", RUNS, { key })).text
    ]
    const before = await state()
    const many = Array.from({ length: 101 }, (_, n) => n + 1)
    const whole = ["A valid integer is required."]
    const lists: ReadonlyArray<readonly [given: unknown, errors: Readonly<Record<string, ReadonlyArray<string>>>]> = [
      [undefined, { "": ["This field is required."] }],
      [null, { "": ["This field may not be null."] }],
      [[], { "": ["Ensure this field has at least 1 elements."] }],
      [many, { "": ["Ensure this field has no more than 100 elements."] }],
      [{}, { "": ["Expected a list of items."] }],
      [one.id, { "": ["Expected a list of items."] }],
      [["x", one.id], { "[0]": whole }],
      [[-1, 0, "-1"], Object.fromEntries([0, 1, 2].map((n) => [`[${n}]`, ["A positive whole number is required."]]))],
      [[1.5, 1e300, true, {}], Object.fromEntries([0, 1, 2, 3].map((n) => [`[${n}]`, whole]))],
      [[one.id, null], { "[1]": ["This field may not be null."] }]
    ]
    for (const [path, field] of [
      [`${RESULTS}bulk_delete/`, "result_ids"],
      [`${RESULTS}${one.id}/delete_runs/`, "run_ids"]
    ] as const) {
      for (const [given, errors] of lists) {
        const rejected = await server.send("POST", path, { key, json: { [field]: given } })
        const expected = Object.fromEntries(
          Object.entries(errors).map(([at_, messages]) => [`${field}${at_}`, messages])
        )
        expect([rejected.status, rejected.json], `${field}: ${JSON.stringify(given)}`).toEqual([400, expected])
      }
      for (const body of [new URLSearchParams({ [field]: "x" }), new URLSearchParams({ [field]: "[1" })]) {
        expect((await server.send("POST", path, { key, body })).status).toBe(400)
      }
      const notAnObject = await server.send("POST", path, { key, json: [one.id] })
      expect(notAnObject.status).toBe(400)
    }
    // Of another result, of nothing, of somebody else: none of the others goes either.
    const foreign = await start(server, await server.tenant())
    for (const strange of [two.runs[0], 999_999_999, foreign.runs[0], Number.MAX_SAFE_INTEGER]) {
      const rejected = await server.send("POST", `${RESULTS}${one.id}/delete_runs/`, {
        key,
        json: { run_ids: [one.runs[0], strange] }
      })
      expect([rejected.status, rejected.json]).toEqual([
        400,
        { run_ids: [`Invalid pk "${strange}" - object does not exist.`] }
      ])
    }
    for (const id of [foreign.id, 999_999_999, 0, -1, "x", "1e3", "99999999999999999999"]) {
      const missing = await server.send("POST", `${RESULTS}${id}/delete_runs/`, { key, json: { run_ids: one.runs } })
      expect([missing.status, missing.json], String(id)).toEqual([
        404,
        { detail: "No Result matches the given query." }
      ])
    }
    expect(await state()).toEqual(before)
  })

  it("ignore unknown, deleted and inaccessible ids in bulk deletion", async () => {
    const tenant = await server.tenant()
    const { key } = tenant
    const stranger = await server.tenant()
    const [gone, stays, foreign] = [
      await start(server, tenant),
      await start(server, tenant),
      await start(server, stranger)
    ]
    const hundred = Array.from({ length: 97 }, (_, n) => 900_000_000 + n)
    for (const result_ids of [[gone.id], [gone.id, foreign.id], [gone.id, gone.id, foreign.id, ...hundred], hundred]) {
      const done = await server.send("POST", `${RESULTS}bulk_delete/`, { key, json: { result_ids } })
      expect([done.status, done.text, done.headers.get("content-type")]).toEqual([204, "", null])
      expect((await server.send("GET", CAPACITY, { key })).json).toMatchObject({ pending_demand: 2 })
    }
    expect((await server.send("GET", CAPACITY, { key: stranger.key })).json).toMatchObject({ pending_demand: 2 })
    expect((await server.send("GET", `${RESULTS}${stays.id}/`, { key })).status).toBe(200)
    // What is deleted is not found, by whichever way.
    for (const [method, path] of [
      ["GET", `${RESULTS}${gone.id}/`],
      ["GET", `${RESULTS}${gone.id}/export/`],
      ["GET", `${RESULTS}${gone.id}/junit/`],
      ["GET", `${RESULTS}${gone.id}/compare/?base=${stays.id}`],
      ["POST", `${RESULTS}${gone.id}/cancel/`],
      ["GET", `${RUNS}${gone.runs[0]}/`],
      ["POST", `${RUNS}${gone.runs[0]}/cancel/`]
    ] as const) {
      expect((await server.send(method, path, { key })).status, path).toBe(404)
    }
    const compared = await server.send("GET", `${RESULTS}${stays.id}/compare/?base=${gone.id}`, { key })
    expect([compared.status, compared.json]).toEqual([
      400,
      { base: [`Invalid pk "${gone.id}" - object does not exist.`] }
    ])
    const json = { name: "L", bounds: [{ type: "result", id: gone.id }] }
    const bound = await server.send("POST", "/user/v1/shareable_links/", { key, json })
    expect([bound.status, bound.json]).toEqual([
      400,
      { "bounds[0].id": [`Invalid pk "${gone.id}" - object does not exist.`] }
    ])
  })

  it("are rejected for sessions and links that are restricted to other resources or lack the permission", async () => {
    const tenant = await server.tenant()
    const { key, project } = tenant
    const [mine, other] = [await start(server, tenant), await start(server, tenant)]
    const bounds = [{ type: "result", id: mine.id }]
    const token = async (permissions: ReadonlyArray<string> | undefined) => {
      const json = { kind: "embedded_session", bounds, ...(permissions === undefined ? {} : { permissions }) }
      const made = await server.send("POST", "/user/v1/tokens/", { key, json })
      expect(made.status).toBe(201)
      return { authorization: `Bearer ${String(at(made.json, "token"))}` }
    }
    const link = async (within: ReadonlyArray<object>, permissions: ReadonlyArray<string> | undefined) => {
      const json = { name: "L", bounds: within, ...(permissions === undefined ? {} : { permissions }) }
      const made = await server.send("POST", "/user/v1/shareable_links/", { key, json })
      expect(made.status).toBe(201)
      return { "x-shareable-link": String(at(made.json, "token")) }
    }
    for (const headers of [await token(undefined), await link(bounds, undefined)]) {
      for (const [path, json] of [
        [`${RESULTS}bulk_delete/`, { result_ids: [mine.id] }],
        [`${RESULTS}${mine.id}/delete_runs/`, { run_ids: mine.runs }]
      ] as const) {
        const rejected = await server.send("POST", path, { headers, json })
        expect([rejected.status, rejected.json]).toEqual([
          403,
          { detail: "You do not have permission to perform this action (needs results:delete)." }
        ])
      }
      expect((await server.send("GET", `${RESULTS}${mine.id}/`, { headers })).status).toBe(200)
      expect((await server.send("GET", `${RESULTS}${other.id}/`, { headers })).status).toBe(404)
    }
    const granted = await token(["results:read", "results:delete"])
    const elsewhere = await server.send("POST", `${RESULTS}${other.id}/delete_runs/`, {
      headers: granted,
      json: { run_ids: other.runs }
    })
    expect(elsewhere.status).toBe(404)
    const one = await server.send("POST", `${RESULTS}${mine.id}/delete_runs/`, {
      headers: granted,
      json: { run_ids: mine.runs.slice(0, 1) }
    })
    expect([one.status, one.text]).toEqual([204, ""])
    const both = { result_ids: [mine.id, other.id] }
    expect((await server.send("POST", `${RESULTS}bulk_delete/`, { headers: granted, json: both })).status).toBe(204)
    expect((await server.send("GET", `${RESULTS}${mine.id}/`, { key })).status).toBe(404)
    expect((await server.send("GET", `${RESULTS}${other.id}/`, { key })).json).toMatchObject({ total_runs: 2 })
    expect((await server.send("GET", CAPACITY, { key })).json).toMatchObject({ pending_demand: 2 })
    const wide = await link([{ type: "project", id: project }], ["results:delete"])
    expect((await server.send("POST", `${RESULTS}bulk_delete/`, { headers: wide, json: both })).status).toBe(204)
    expect((await server.send("GET", CAPACITY, { key })).json).toMatchObject({ pending_demand: 0 })
  })

  it("report the errors of a spec by path and create nothing", async () => {
    const { agent, key } = await server.tenant()
    const conditional = (conditions: ReadonlyArray<object>) => ({
      ...scenario,
      type: "conditional_actions",
      instructions: undefined,
      conditional_actions: { role: "Somebody", conditions }
    })
    const actionsOf = (action: string) => [{ id: 0, condition: "FIRST_MESSAGE", action }]
    const large = { ...spec, suite: { name: "S", description: "x".repeat(1_100_000) } }
    const file = (text: string, name = "suite.json") => {
      const form = new FormData()
      form.append("agent_id", String(agent))
      form.append("file", new Blob([text]), name)
      return { body: form }
    }
    const json = (given: unknown) => ({ json: { spec: given, agent_id: agent } })
    const cases: ReadonlyArray<readonly [what: string, asked: object, errors: object]> = [
      ["an array", json([spec]), { spec: ["A spec is a JSON object, not a list."] }],
      ["an array in a file", file(JSON.stringify([spec])), { file: ["A spec is a JSON object, not a list."] }],
      ["a number", json(5), { spec: ["A spec is a JSON object."] }],
      ["1.1 MB", json(large), { spec: ["Ensure this document has no more than 1048576 bytes."] }],
      ["1.1 MB in a file", file(JSON.stringify(large)), { file: ["Ensure this file has no more than 1048576 bytes."] }],
      [
        "YAML in a .json file",
        file("version: '1'\nsuite:\n  name: S\n"),
        { file: ["This is not valid JSON (line 1, column 1)."] }
      ],
      [
        "a .yaml file without scenarios",
        file("version: '1'\n", "suite.yaml"),
        { suite: ["This field is required."], scenarios: ["This field is required."] }
      ],
      ["an empty file", file(""), { file: ["The file is empty."] }],
      [
        "201 scenarios",
        json({ ...spec, scenarios: Array.from({ length: 201 }, (_, n) => ({ ...scenario, key: `k${n}` })) }),
        { scenarios: ["Ensure this field has no more than 200 elements."] }
      ],
      ["no scenarios", json({ ...spec, scenarios: [] }), { scenarios: ["Ensure this field has at least 1 elements."] }],
      [
        "duplicate keys of scenarios",
        json({ ...spec, scenarios: [scenario, { ...scenario, name: "B" }] }),
        { "scenarios[1].key": ["scenarios[0] has this key already; keys are unique."] }
      ],
      [
        "duplicate keys of an object",
        file('{"version": "1", "suite": {"name": "S", "name": "T"}, "scenarios": []}'),
        {
          "suite.name": [expect.stringContaining("more than once (again at line 1, column 41)")],
          scenarios: ["Ensure this field has at least 1 elements."]
        }
      ],
      [
        "conditions in a cycle",
        json({
          ...spec,
          scenarios: [
            conditional([
              ...actionsOf("Hi"),
              { id: 1, condition: 2, action: "a" },
              { id: 2, condition: 1, action: "b" }
            ])
          ]
        }),
        {
          "scenarios[0].conditional_actions.conditions[1].condition": [expect.stringMatching(/cycle/)],
          "scenarios[0].conditional_actions.conditions[2].condition": [expect.stringMatching(/cycle/)]
        }
      ],
      [
        "an unknown tag",
        json({ ...spec, scenarios: [conditional(actionsOf('Hi <pause time="2" />'))] }),
        { "scenarios[0].conditional_actions.conditions[0].action": [expect.stringContaining("pause")] }
      ],
      [
        "a spec and a file",
        { json: { spec, file: JSON.stringify(spec), agent_id: agent } },
        { file: ["Give spec or file, not both."] }
      ],
      [
        "neither",
        { json: { agent_id: agent } },
        {
          spec: ["This field is required if file is not provided."],
          file: ["This field is required if spec is not provided."]
        }
      ],
      [
        "everything else at once",
        { json: { spec, agent_id: 999_999_999, name: "n".repeat(256), channel: "fax", provider_e_data: [] } },
        {
          agent_id: ['Invalid pk "999999999" - object does not exist.'],
          name: ["Ensure this field has no more than 255 characters."],
          channel: [expect.stringContaining('"fax" is not a valid choice. Choose from ')],
          provider_e_data: [expect.any(String)]
        }
      ],
      [
        "provider data of another channel",
        { json: { spec, agent_id: agent, provider_e_data: {}, provider_d_data: {} } },
        {
          provider_e_data: ["Only with the channel provider_e_v2."],
          provider_d_data: ["Only with the channel provider_d_v2."]
        }
      ]
    ]
    for (const [what, asked, errors] of cases) {
      for (const path of [VALIDATE_SUITE, RUN_SUITE]) {
        const rejected = await server.send("POST", path, { key, ...asked })
        expect([rejected.status, rejected.json], what).toEqual([400, errors])
      }
    }
    expect((await server.send("GET", RESULTS, { key })).json).toMatchObject({ results: [] })
    expect((await server.send("GET", CAPACITY, { key })).json).toMatchObject({ pending_demand: 0 })
  })
})
