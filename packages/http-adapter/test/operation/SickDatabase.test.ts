import { Engine, UnitOfWork } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { SqliteStorage } from "@earshot/core/sqlite"
import { StorageKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { describe, expect, it, vi } from "vitest"
import { makeStorageDefects } from "../../src/storageDefects.js"
import { at } from "../support/Contract.js"
import { withServer } from "../support/Operation.js"
import { CALLS, OBSERVE } from "../support/paths.js"
import type { TestServer } from "../support/TestServer.js"

const databases = ["sqlite", "postgres"] as const

interface Config {
  readonly readers?: number
  readonly queryTimeout?: "500 millis" | "60 seconds"
}

/** A server on a database of its own; on SQLite a file, since a database in memory has no readers. */
const onDatabase = (
  database: (typeof databases)[number],
  config: Config,
  use: (server: TestServer, address: string) => Promise<void>
): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(StorageKit.emptyDatabase(database), (address) => {
        const storage =
          database === "sqlite"
            ? SqliteStorage.layer({ filename: address.slice("sqlite:".length), ...config })
            : PostgresStorage.layer({ url: Redacted.make(address), ...config })
        const engine = Engine.layerWith({ blobs: MemoryBlobStore.layer }).pipe(Layer.provideMerge(storage))
        return Effect.promise(() => withServer({ engine }, (server) => use(server, address)))
      })
    )
  )

const execute = (server: TestServer, statement: string) => server.run(StorageKit.statement(statement))

/** What in a condition does not end before any limit of these tests. */
const ENDLESS = {
  sqlite: "WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers) SELECT max(i) FROM numbers",
  postgres: "SELECT count(*) FROM (SELECT pg_sleep(120)) AS slept"
}

/** While `use` runs, no list of calls ends by itself. */
const withEndlessLists = async (
  server: TestServer,
  database: (typeof databases)[number],
  use: () => Promise<void>
): Promise<void> => {
  await execute(server, "ALTER TABLE calls RENAME TO stored_calls")
  await execute(server, `CREATE VIEW calls AS SELECT * FROM stored_calls WHERE 0 < (${ENDLESS[database]})`)
  await use()
  await execute(server, "DROP VIEW calls")
  await execute(server, "ALTER TABLE stored_calls RENAME TO calls")
}

describe.each(databases)("a database on %s", (database) => {
  it("gives a list over its time limit as 422, and goes on with others", async () => {
    await onDatabase(database, { queryTimeout: "500 millis" }, async (server) => {
      const { agent, key } = await server.tenant()
      const ingest = (call: string) => server.send("POST", OBSERVE, { key, json: { call_id: call, agent } })
      expect((await ingest("1")).status).toBe(201)
      await withEndlessLists(server, database, async () => {
        const slow = await server.send("GET", CALLS, { key })
        expect([slow.status, at(slow.json, "detail")]).toEqual([
          422,
          "The query took longer than 0.5 seconds and was ended. Use a shorter period of time or a simpler filter."
        ])
      })
      expect((await ingest("2")).status).toBe(201)
    })
  })

  it("that is full gives 507 and makes the server not ready, although small writes still succeed", async () => {
    await onDatabase(database, { readers: database === "sqlite" ? 0 : 1 }, async (server, address) => {
      const { agent, key } = await server.tenant()
      if (database === "sqlite") {
        const [row] = await execute(server, "PRAGMA page_count")
        await execute(server, `PRAGMA max_page_count = ${Number(row?.page_count) + 2}`)
      } else {
        await Effect.runPromise(
          StorageKit.execute(
            address,
            "CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$",
            "CREATE TRIGGER full_disk BEFORE INSERT ON calls FOR EACH ROW EXECUTE FUNCTION no_space()"
          )
        )
      }
      expect((await server.send("GET", "/ready")).status).toBe(200)
      const transcript_json = [{ role: "Main Agent", content: "x".repeat(100_000) }]
      const full = await server.send("POST", OBSERVE, { key, json: { call_id: "1", agent, transcript_json } })
      const detail = "The database has no space left: its disk is full."
      expect([full.status, full.json]).toEqual([507, { detail }])
      const ready = await server.send("GET", "/ready")
      expect([ready.status, at(ready.json, "checks", "database")]).toEqual([503, { status: "failed", detail }])
      expect((await server.send("GET", "/health")).status).toBe(200)
      expect((await server.send("GET", CALLS, { key })).status).toBe(200)
      await (database === "sqlite"
        ? execute(server, "PRAGMA max_page_count = 100000")
        : Effect.runPromise(StorageKit.execute(address, "DROP TRIGGER full_disk ON calls")))
      const again = await server.send("POST", OBSERVE, { key, json: { call_id: "1", agent, transcript_json } })
      expect(again.status).toBe(201)
    })
  })
})

describe("a client that disconnects", () => {
  it("ends its statement on PostgreSQL", async () => {
    await onDatabase("postgres", { readers: 1, queryTimeout: "60 seconds" }, async (server) => {
      const { key } = await server.tenant()
      // A list waits four seconds for the lock; it is canceled long before.
      const running = async () => {
        const [row] = await execute(
          server,
          "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'earshot reads' AND state = 'active'"
        )
        return Number(row?.n)
      }
      await server.run(
        Effect.flatMap(UnitOfWork, (work) =>
          work.atomically(
            Effect.zipRight(
              StorageKit.statement("LOCK TABLE calls IN ACCESS EXCLUSIVE MODE"),
              Effect.promise(async () => {
                const client = new AbortController()
                const headers = { "x-service-api-key": key }
                const request = fetch(server.url + CALLS, { headers, signal: client.signal })
                const failed = expect(request).rejects.toThrow()
                await vi.waitUntil(async () => (await running()) === 1, { timeout: 10_000, interval: 20 })
                client.abort()
                await failed
                await vi.waitUntil(async () => (await running()) === 0, { timeout: 10_000, interval: 20 })
              })
            )
          )
        )
      )
    })
  })

  it("frees its reader process on SQLite", async () => {
    await onDatabase("sqlite", { readers: 1, queryTimeout: "60 seconds" }, async (server) => {
      const { agent, key } = await server.tenant()
      expect((await server.send("POST", OBSERVE, { key, json: { call_id: "1", agent } })).status).toBe(201)
      await withEndlessLists(server, "sqlite", async () => {
        const client = new AbortController()
        const request = fetch(server.url + CALLS, { headers: { "x-service-api-key": key }, signal: client.signal })
        const failed = expect(request).rejects.toThrow()
        await new Promise((resolve) => setTimeout(resolve, 1000))
        client.abort()
        await failed
      })
      // The only reader is free: a list waits five seconds for one.
      const next = await server.send("GET", `${CALLS}?limit=1`, { key })
      expect(next.status).toBe(200)
    })
  })
})

describe("what requests found wrong with the database", () => {
  it("is remembered for ten seconds", () => {
    let now = 0
    const defects = makeStorageDefects(() => now)
    expect(defects.current()).toBeNull()
    defects.report("full")
    now = 9_999
    expect(defects.current()).toBe("full")
    defects.report("damaged")
    now = 19_998
    expect(defects.current()).toBe("damaged")
    now = 19_999
    expect(defects.current()).toBeNull()
  })
})
