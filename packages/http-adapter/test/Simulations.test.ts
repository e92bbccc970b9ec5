import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { JobRunner } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { AGENTS, CAPACITY, RESULTS, RUNS, RUN_SUITE } from "./support/paths.js"

const scenario = {
  key: "books",
  name: "Books a table",
  type: "conditional_actions",
  conditional_actions: {
    role: "Caller",
    conditions: [
      { id: 0, condition: "FIRST_MESSAGE", action: "Hello, this is {{name}}." },
      { id: 1, condition: "The agent asks for the date", action: '<silence time="2" /> Friday. <endcall />' }
    ]
  },
  metrics: ["talk_ratio"],
  test_profile: { name: "Ann", information: { main_agent_variables: { name: "Ann" } } }
}

describe.each(TestEngine.databases)("text simulations over HTTP on %s", async (database) => {
  const server = await serverForBlock({
    database,
    ports: { allowHosts: ["127.0.0.1"] }
  })
  let agent: Server
  let receivedHeaders: Array<string> = []
  beforeAll(async () => {
    agent = createServer((request, response) => {
      receivedHeaders.push(String(request.headers.authorization))
      request.resume()
      request.on("end", () => response.end(JSON.stringify({ message: "For which date?" })))
    })
    await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve))
  })
  afterAll(() => {
    agent.closeAllConnections()
    agent.close()
  })

  const fixture = async () => {
    receivedHeaders = []
    const tenant = await server.tenant()
    const { agent: id, key } = tenant
    const address: AddressInfo | string | null = agent.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const endpoint = { url: `http://127.0.0.1:${port}/`, kind: "webhook", headers: { authorization: "Bearer hush" } }
    const reachable = await server.send("PATCH", `${AGENTS}${id}/`, { key, json: { chat_endpoint: endpoint } })
    expect([reachable.status, reachable.text.includes("hush")]).toEqual([200, false])
    const start = async (more: object = {}) => {
      const spec = { version: "1", suite: { name: "S" }, scenarios: [{ ...scenario, ...more }] }
      const made = await server.send("POST", RUN_SUITE, { key, json: { spec, agent_id: id, channel: "text" } })
      expect([made.status, at(made.json, "status")]).toEqual([201, "queued"])
      return Number(at(made.json, "id"))
    }
    const work = () => server.run(Effect.flatMap(JobRunner, ({ drain }) => drain))
    const get = async (path: string) => (await server.send("GET", path, { key })).json
    return { ...tenant, start, work, get }
  }

  it("are played against the agent, evaluated and returned", async () => {
    const { get, start, work } = await fixture()
    const id = await start({ frequency: 2 })
    expect(await get(CAPACITY)).toMatchObject({ active_sessions: 0, pending_demand: 2 })
    await work()
    expect(receivedHeaders).toEqual(["Bearer hush", "Bearer hush"])
    expect(await get(`${RESULTS}${id}/`)).toMatchObject({
      status: "completed",
      total_runs: 2,
      runs_by_status: { completed: 2 }
    })
    const listed = await get(`${RUNS}?result=${id}`)
    const run = await get(`${RUNS}${String(at(listed, "results", "0", "id"))}/`)
    expect(run).toMatchObject({
      status: "completed",
      attempts: 1,
      ended_reason: "testing_agent_ended_call",
      transcript_object: [
        { role: "Testing Agent", content: "Hello, this is Ann." },
        { role: "Main Agent", content: "For which date?" },
        { role: "Testing Agent", content: "Friday." }
      ],
      metrics: [{ slug: "talk_ratio" }]
    })
    expect(await get(CAPACITY)).toMatchObject({ active_sessions: 0, pending_demand: 0, slots_in_use: 0 })
  })

  it("cannot be claimed, and stop once they are canceled or deleted", async () => {
    const { get, key, start, work } = await fixture()
    const claimed = await server.send("POST", `${RUNS}claim/`, { key, json: { channel: "text" } })
    expect([claimed.status, Object.keys(Object(claimed.json))]).toEqual([400, ["channel"]])
    const [kept, gone] = [await start(), await start()]
    expect((await server.send("POST", `${RESULTS}${kept}/cancel/`, { key })).status).toBe(200)
    expect((await server.send("POST", `${RESULTS}bulk_delete/`, { key, json: { result_ids: [gone] } })).status).toBe(
      204
    )
    await work()
    expect(receivedHeaders).toEqual([])
    expect(await get(`${RESULTS}${kept}/`)).toMatchObject({
      runs_by_status: Object.fromEntries([
        ["cancelled", 1],
        ["completed", 0]
      ])
    })
    expect((await server.send("GET", `${RESULTS}${gone}/`, { key })).status).toBe(404)
    expect(await get(CAPACITY)).toMatchObject({ active_sessions: 0, pending_demand: 0, slots_in_use: 0 })
  })

  it("fail with a reason if the agent is unreachable or a model is missing, and are not visible to other organizations", async () => {
    const { get, key, start, work } = await fixture()
    const instruction = { type: "instruction", instructions: "Ask.", conditional_actions: undefined }
    const id = await start(instruction)
    await work()
    const listed = await get(`${RUNS}?result=${id}`)
    expect(at(listed, "results", "0", "status")).toBe("failed")
    expect(String(at(listed, "results", "0", "error"))).toMatch(/^No language model is configured/)
    const junit = await server.send("GET", `${RESULTS}${id}/junit/`, { key })
    expect([junit.status, junit.text.includes('errors="1"')]).toEqual([200, true])
    const other = await server.tenant()
    const run = String(at(listed, "results", "0", "id"))
    for (const path of [`${RUNS}${run}/`, `${RESULTS}${id}/`]) {
      expect((await server.send("GET", path, { key: other.key })).status).toBe(404)
    }
    for (const step of ["cancel", "heartbeat", "complete", "fail"]) {
      const json = { lease: "x", error: "x" }
      expect([step, (await server.send("POST", `${RUNS}${run}/${step}/`, { key: other.key, json })).status]).toEqual([
        step,
        404
      ])
    }
  })
})
