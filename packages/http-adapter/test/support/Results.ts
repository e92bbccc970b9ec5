/** Paths and suites for tests of results. */
import { expect } from "vitest"
import { at } from "./Contract.js"
import { type Tenant, type TestServer } from "./TestServer.js"
import { RUNS, RUN_SUITE } from "./paths.js"

export const scenario = { key: "a", name: "A", type: "instruction", instructions: "Ask." }

export const spec = { version: "1", suite: { name: "S" }, scenarios: [scenario] }

export const start = async (server: TestServer, { agent, key }: Tenant, frequency = 2) => {
  const body = { spec: { ...spec, scenarios: [{ ...scenario, frequency }] }, agent_id: agent }
  const made = await server.send("POST", RUN_SUITE, { key, json: body })
  expect(made.status).toBe(201)
  const id = Number(at(made.json, "id"))
  const listed = at((await server.send("GET", `${RUNS}?result=${id}`, { key })).json, "results")
  return { id, runs: (Array.isArray(listed) ? listed : []).map((run) => Number(at(run, "id"))) }
}
