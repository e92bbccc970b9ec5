import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import { TestEngine } from "@earshot/test-kit"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { startServer, type TestServer } from "../support/TestServer.js"
import { scenario, spec, start } from "../support/Results.js"
import { CAPACITY, RESULTS, RUNS, RUN_SUITE } from "../support/paths.js"

describe.each(TestEngine.databases)("concurrent requests to two servers on one %s database", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-overlap-"))
  let servers: ReadonlyArray<TestServer> = []
  let drop: () => Promise<unknown> = () => Promise.resolve()

  beforeAll(async () => {
    const fresh = database === "postgres" ? await createDatabase(await postgresUrl()) : undefined
    if (fresh !== undefined) drop = () => fresh.drop()
    const started: Array<TestServer> = []
    // One after the other: the first one makes the tables.
    for (let n = 0; n < 2; n++) {
      const storage =
        fresh === undefined
          ? SqliteStorage.layer({ filename: join(folder, "results.db") })
          : PostgresStorage.layer({ url: Redacted.make(fresh.url) })
      started.push(await startServer({ engine: TestEngine.engine().pipe(Layer.provideMerge(storage)) }))
    }
    servers = started
  })

  afterAll(async () => {
    for (const server of servers) await server.close()
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("delete overlapping results once each without deadlock and both answer 204", async () => {
    const [one, two] = servers
    if (one === undefined || two === undefined) throw new Error("There are no servers")
    const tenant = await one.tenant()
    const { key, project } = tenant
    const number = await one.send("POST", "/test_framework/v1/phone_numbers/", {
      key,
      json: { project, number: "+15550100" }
    })
    for (let round = 0; round < 4; round++) {
      const stays = await start(one, tenant, 3)
      const made: Array<number> = []
      for (let n = 0; n < 12; n++) {
        const { agent } = tenant
        const body = {
          spec: { ...spec, defaults: { concurrency_limit: 2 }, scenarios: [{ ...scenario, frequency: 5 }] },
          agent_id: agent,
          phone_number: at(number.json, "id")
        }
        made.push(Number(at((await (n % 2 === 0 ? one : two).send("POST", RUN_SUITE, { key, json: body })).json, "id")))
      }
      await two.send("POST", `${RUNS}claim/`, { key, json: { channel: "voice", limit: 20 } })
      const remove = async (server: TestServer, result_ids: ReadonlyArray<number>) =>
        (await server.send("POST", `${RESULTS}bulk_delete/`, { key, json: { result_ids } })).status
      const statuses = await Promise.all([
        remove(one, made.slice(0, 9)),
        remove(two, made.slice(3).reverse()),
        remove(one, made.slice(5)),
        remove(two, made),
        remove(one, [...made].reverse())
      ])
      expect(statuses).toEqual([204, 204, 204, 204, 204])
      const held = (await two.send("GET", CAPACITY, { key })).json
      const left = Number(at(held, "active_sessions")) + Number(at(held, "pending_demand"))
      expect([left, at(held, "slots_in_use"), at(held, "phone_numbers_held")]).toEqual([
        3,
        at(held, "active_sessions"),
        []
      ])
      const same = made[0] ?? 0
      expect(await remove(one, [stays.id, same])).toBe(204)
      expect((await one.send("GET", CAPACITY, { key })).json).toEqual({
        active_sessions: 0,
        pending_demand: 0,
        slots_in_use: 0,
        phone_numbers_held: []
      })
    }
  })

  it("keep capacity consistent while runs are claimed, completed, canceled and deleted", async () => {
    const [one, two] = servers
    if (one === undefined || two === undefined) throw new Error("There are no servers")
    const tenant = await one.tenant()
    const { agent, key, project } = tenant
    const number = await one.send("POST", "/test_framework/v1/phone_numbers/", {
      key,
      json: { project, number: "+15550101" }
    })
    const made: Array<number> = []
    for (let n = 0; n < 6; n++) {
      const json = {
        spec: { ...spec, scenarios: [{ ...scenario, frequency: 4 }] },
        agent_id: agent,
        phone_number: at(number.json, "id")
      }
      made.push(Number(at((await one.send("POST", RUN_SUITE, { key, json })).json, "id")))
    }
    const post = async (server: TestServer, path: string, json?: object) => {
      const answer = await server.send("POST", path, { key, ...(json === undefined ? {} : { json }) })
      expect([200, 204, 400, 404, 409], `${path}: ${answer.text}`).toContain(answer.status)
      return answer
    }
    const working = async (server: TestServer) => {
      for (let n = 0; n < 4; n++) {
        const claimed = at((await post(server, `${RUNS}claim/`, { channel: "voice", limit: 2 })).json, "results")
        const runs: ReadonlyArray<unknown> = Array.isArray(claimed) ? claimed : []
        await Promise.all(
          runs.map((run, position) =>
            post(server, `${RUNS}${String(at(run, "run", "id"))}/${position === 0 ? "heartbeat" : "complete"}/`, {
              lease: at(run, "lease")
            })
          )
        )
      }
    }
    const [a, b, c, d] = made
    await Promise.all([
      working(one),
      working(two),
      post(one, `${RESULTS}${a}/cancel/`),
      post(two, `${RESULTS}${a}/cancel/`),
      post(two, `${RESULTS}bulk_delete/`, { result_ids: [b, c] }),
      post(one, `${RESULTS}bulk_delete/`, { result_ids: [c, a] }),
      post(two, `${RESULTS}${d}/cancel/`)
    ])
    const left = at((await two.send("GET", `${RESULTS}?limit=200`, { key })).json, "results")
    const results: ReadonlyArray<unknown> = Array.isArray(left) ? left : []
    expect(results.map((one_) => at(one_, "id"))).toEqual(made.slice(3).reverse())
    const count = (status: string) =>
      results.reduce<number>((sum, one_) => sum + Number(at(one_, "runs_by_status", status)), 0)
    expect((await one.send("GET", CAPACITY, { key })).json).toEqual({
      active_sessions: count("running"),
      pending_demand: count("queued"),
      slots_in_use: count("running"),
      phone_numbers_held: count("running") + count("queued") > 0 ? [at(number.json, "id")] : []
    })
  })
})
