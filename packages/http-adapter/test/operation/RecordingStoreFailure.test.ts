import { BlobStore, BlobStoreFailed } from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { CallKit } from "@earshot/test-kit"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { withServer } from "../support/Operation.js"
import { OBSERVE } from "../support/paths.js"

const failingWith = (code: string) =>
  Layer.map(MemoryBlobStore.layer, (context) =>
    Context.make(BlobStore, {
      ...Context.get(context, BlobStore),
      put: () => new BlobStoreFailed({ operation: "put", cause: Object.assign(new Error(code), { code }) })
    })
  )

describe("the store of recordings", () => {
  it.each([
    ["ENOSPC", 507, "The store of recordings has no space left.", null],
    ["EROFS", 503, "The store of recordings is unavailable.", expect.stringMatching(/^\d+$/)]
  ])("answers a recording with %s as %d, and makes the server not ready", async (code, status, detail, retryAfter) => {
    await withServer({ ports: { blobs: failingWith(code) } }, async (server) => {
      const { agent, key } = await server.tenant()
      const form = new FormData()
      form.append("call_id", "1")
      form.append("agent", String(agent))
      form.append("voice_recording", new Blob([CallKit.wav(1)]), "call.wav")
      const answer = await server.send("POST", OBSERVE, { key, body: form })
      expect([answer.status, answer.json]).toEqual([status, { detail }])
      expect(answer.headers.get("retry-after")).toEqual(retryAfter)
      const ready = await server.send("GET", "/ready")
      expect([ready.status, at(ready.json, "checks", "recordings")]).toEqual([
        503,
        { status: "failed", detail: "Recordings cannot be stored." }
      ])
      expect(at(ready.json, "checks", "database", "status")).toBe("ok")
      expect((await server.send("GET", "/health")).status).toBe(200)
      expect((await server.send("POST", OBSERVE, { key, json: { call_id: "2", agent } })).status).toBe(201)
    })
  })
})
