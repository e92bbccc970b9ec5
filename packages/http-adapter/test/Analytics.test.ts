/** Which store answers a chart, as clients and operators see it. */
import { ColumnStoreUnavailable, Projections } from "@earshot/core"
import { AnalyticsKit } from "@earshot/test-kit"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import { at } from "./support/Contract.js"
import { withServer } from "./support/Operation.js"
import { DASHBOARDS, OBSERVE, WIDGETS } from "./support/paths.js"
import type { TestResponse, TestServer, TestServerOptions } from "./support/TestServer.js"

const HEADER = "x-analytics-source"

const project = (server: TestServer) => server.run(Effect.flatMap(Projections, (projections) => projections.project))

/** An organization with a dashboard of one widget that counts calls, and the three ways to ask for it. */
const asking = async (server: TestServer) => {
  const { agent, key, project: owner } = await server.tenant()
  const made = async (path: string, json: object) =>
    Number(at((await server.send("POST", path, { key, json })).json, "id"))
  const dashboard = await made(DASHBOARDS, { name: "Calls", project: owner })
  const widget = await made(WIDGETS, { dashboard, chart_type: "stat" })
  return {
    ingest: async (call: string) => {
      expect((await server.send("POST", OBSERVE, { key, json: { call_id: call, agent } })).status).toBe(201)
    },
    chart: () => server.send("GET", `${WIDGETS}${widget}/data/`, { key }),
    preview: () => server.send("POST", `${WIDGETS}preview_data/`, { key, json: { dashboard, chart_type: "stat" } }),
    dashboard: () => server.send("GET", `${DASHBOARDS}${dashboard}/data/`, { key })
  }
}

const shown = ({ headers, json, status }: TestResponse) => [status, at(json, "total_calls"), headers.get(HEADER)]

/** The samples of `/metrics` that are about the column store, with their labels. The process counts for all its servers. */
const samples = async (server: TestServer): Promise<ReadonlyMap<string, number>> => {
  const { text } = await server.send("GET", "/metrics")
  const lines = text.split("\n").filter((line) => /^earshot_(?:analytics|column_store|projection)_/.test(line))
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ")
      return [line.slice(0, end), Number(line.slice(end + 1))]
    })
  )
}

/** How much samples grew while something was done, without those that did not. */
const grown = async (server: TestServer, use: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> => {
  const before = await samples(server)
  await use()
  const after = await samples(server)
  const differences = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const)
  return Object.fromEntries(differences.filter(([name, by]) => by !== 0 && !/seconds|pending/.test(name)))
}

const answered = (source: "column-store" | "row-store", reason = "") =>
  `earshot_analytics_answers_total{source="${source}",reason="${reason}"}`
const failed = (reason: string) => `earshot_column_store_failures_total{reason="${reason}"}`

const withColumns = (
  database: "sqlite" | "postgres",
  projection: NonNullable<TestServerOptions["ports"]>["projection"],
  use: (server: TestServer, store: AnalyticsKit.MemoryColumnStore) => Promise<void>
) => {
  const store = AnalyticsKit.memoryColumnStore()
  return withServer(
    { database, ports: { analytics: store.layer, ...(projection === undefined ? {} : { projection }) } },
    (server) => use(server, store)
  )
}

describe.each(["sqlite", "postgres"] as const)("charts of a server on %s", (database) => {
  it("say nothing about their source without a column store", async () => {
    await withServer({ database }, async (server) => {
      const { chart, ingest } = await asking(server)
      await ingest("a")
      expect(await grown(server, async () => expect(shown(await chart())).toEqual([200, 1, null]))).toEqual({})
    })
  })

  it("are answered by a column store that has all calls, and say so", async () => {
    await withColumns(database, {}, async (server) => {
      const { chart, dashboard, ingest, preview } = await asking(server)
      await ingest("a")
      await ingest("b")
      expect(await grown(server, () => project(server))).toMatchObject({ earshot_projection_calls_total: 2 })
      const by = await grown(server, async () => {
        expect(shown(await chart())).toEqual([200, 2, "column-store"])
        expect(shown(await preview())).toEqual([200, 2, "column-store"])
        const all = await dashboard()
        expect([all.status, all.headers.get(HEADER)]).toEqual([200, "column-store"])
        expect(at(all.json, "widgets", "0", "data", "total_calls")).toBe(2)
      })
      expect(by).toEqual({ [answered("column-store")]: 3 })
    })
  })

  it("wait for what was committed before they were asked for", async () => {
    await withColumns(database, { wait: "1 minute" }, async (server, store) => {
      const { chart, ingest } = await asking(server)
      await project(server)
      await ingest("a")
      const goes = await Effect.runPromise(Deferred.make<undefined>())
      store.beforeApply = Deferred.await(goes)
      const projecting = project(server)
      let isAnswered = false
      const by = await grown(server, async () => {
        const waiting = chart().finally(() => (isAnswered = true))
        await new Promise((resolve) => setTimeout(resolve, 300))
        expect(isAnswered).toBe(false)
        await Effect.runPromise(Deferred.succeed(goes, undefined))
        expect(shown(await waiting)).toEqual([200, 1, "column-store"])
        await projecting
      })
      expect(by).toMatchObject({ [answered("column-store")]: 1, earshot_projection_batches_total: 1 })
    })
  })

  it("are answered by the database where they would wait too long or the column store has not all calls", async () => {
    await withColumns(database, { wait: "50 millis" }, async (server) => {
      const { chart, ingest } = await asking(server)
      const before = await grown(server, async () => expect(shown(await chart())).toEqual([200, 0, "row-store"]))
      expect(before).toEqual({ [answered("row-store", "rebuilding")]: 1 })
      await project(server)
      await ingest("a")
      const behind = await grown(server, async () => expect(shown(await chart())).toEqual([200, 1, "row-store"]))
      expect(behind).toEqual({ [answered("row-store", "waited")]: 1 })
      expect((await samples(server)).get("earshot_projection_pending")).toBe(0)
    })
  })

  it("are answered by the database while the column store fails, with one warning, until it works again", async () => {
    await withColumns(database, {}, async (server, store) => {
      const { chart, dashboard, ingest } = await asking(server)
      await ingest("a")
      await project(server)
      const logged = (text: string) => server.logs().split(text).length - 1
      for (const [times, reason] of (["unreachable", "full", "slow", "version", "owner"] as const).entries()) {
        store.failure = reason
        const down = await grown(server, async () => {
          expect(shown(await chart())).toEqual([200, 1, "row-store"])
          expect((await dashboard()).headers.get(HEADER)).toBe("row-store")
          expect(shown(await chart())).toEqual([200, 1, "row-store"])
        })
        expect(down[answered("row-store", "unavailable")]).toBe(3)
        expect(down[failed(reason)]).toBeGreaterThan(0)
        expect(down[answered("column-store")]).toBeUndefined()
        expect((await server.send("GET", "/ready")).status).toBe(200)
        expect(logged("The column store cannot be used")).toBe(times + 1)
        store.failure = undefined
        await vi.waitUntil(async () => (await chart()).headers.get(HEADER) === "column-store", {
          timeout: 30_000,
          interval: 100
        })
        expect(logged("The column store can be used again")).toBe(times + 1)
      }
    })
  })

  it("have one source, also where the column store fails after some of them", async () => {
    await withColumns(database, {}, async (server, store) => {
      const { dashboard, ingest } = await asking(server)
      await ingest("a")
      await project(server)
      store.beforeAnswer = Effect.sync(() => {
        store.failure = "unreachable"
      })
      const all = await dashboard()
      expect([all.status, all.headers.get(HEADER)]).toEqual([200, "row-store"])
      expect(at(all.json, "widgets", "0", "data", "total_calls")).toBe(1)
    })
  })

  it("do not fail with the projection, whose failures are counted", async () => {
    await withColumns(database, { wait: "50 millis" }, async (server, store) => {
      const { chart, ingest } = await asking(server)
      await project(server)
      store.beforeApply = Effect.fail(
        new ColumnStoreUnavailable({ reason: "full", operation: "apply", cause: new Error("No space left on device") })
      )
      await ingest("a")
      const by = await grown(server, async () => {
        await project(server)
        expect(shown(await chart())).toEqual([200, 1, "row-store"])
      })
      expect(by).toEqual({ [failed("full")]: 1, [answered("row-store", "unavailable")]: 1 })
    })
  })
})
