import { Engine, UnitOfWork } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { describe, expect, it, vi } from "vitest"
import { at } from "../support/Contract.js"
import { withServer } from "../support/Operation.js"
import { CALLS, OBSERVE } from "../support/paths.js"

describe("the database", () => {
  it("is waited for while its connections are in use, until a request is answered with 503", async () => {
    const url = await postgresUrl()
    const database = await createDatabase(url)
    const storage = PostgresStorage.layer({ url: Redacted.make(database.url), maxConnections: 1 })
    const engine = Engine.layerWith({ blobs: MemoryBlobStore.layer, cacheTtl: 0 }).pipe(Layer.provideMerge(storage))
    try {
      await withServer({ engine }, async (server) => {
        const { agent, key } = await server.tenant()
        let release = (): void => undefined
        const held = new Promise<void>((resolve) => (release = resolve))
        let taken = (): void => undefined
        const isTaken = new Promise<void>((resolve) => (taken = resolve))
        const holding = server.run(
          Effect.flatMap(UnitOfWork, (work) =>
            work.atomically(
              Effect.promise(() => {
                taken()
                return held
              })
            )
          )
        )
        await isTaken
        const answers = await Promise.all([
          server.send("POST", OBSERVE, { key, json: { call_id: "1", agent } }),
          server.send("GET", CALLS, { key }),
          server.send("GET", "/ready"),
          server.send("GET", "/health")
        ])
        release()
        await holding
        expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 200])
        for (const { headers, json } of answers.slice(0, 3)) {
          expect(headers.get("retry-after")).toBe("1")
          expect(at(json, "detail") ?? at(json, "status")).toBeTypeOf("string")
        }
        await vi.waitUntil(async () => (await server.send("GET", "/ready")).status === 200, { timeout: 30_000 })
        expect((await server.send("POST", OBSERVE, { key, json: { call_id: "1", agent } })).status).toBe(201)
      })
    } finally {
      await database.drop()
    }
  })

  it("makes the server alive but not ready when it is unavailable", async () => {
    const database = await createDatabase(await postgresUrl())
    const storage = PostgresStorage.layer({ url: Redacted.make(database.url) })
    const engine = Engine.layerWith({ blobs: MemoryBlobStore.layer }).pipe(Layer.provideMerge(storage))
    await withServer({ engine }, async (server) => {
      const { key } = await server.tenant()
      expect((await server.send("GET", "/ready")).status).toBe(200)
      await database.drop()
      await vi.waitUntil(async () => (await server.send("GET", "/ready")).status === 503, { timeout: 30_000 })
      const ready = await server.send("GET", "/ready")
      expect([ready.status, at(ready.json, "status")]).toEqual([503, "not_ready"])
      expect(at(ready.json, "checks", "database")).toEqual({
        status: "failed",
        detail: "The database cannot be reached or written."
      })
      expect(at(ready.json, "checks", "recordings", "status")).toBe("ok")
      expect((await server.send("GET", "/health")).status).toBe(200)
      const failed = await server.send("GET", CALLS, { key })
      expect([500, 503]).toContain(failed.status)
    })
  })
})
