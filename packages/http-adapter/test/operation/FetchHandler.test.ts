import { createEngine, type PromiseEngine } from "@earshot/core/promise"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { earshotFetch, earshotListener, type FetchHandler } from "../../src/index.js"
import { OBSERVE } from "../support/paths.js"

const BASE = "http://earshot.test/api/earshot"

describe("a fetch handler", () => {
  let engine: PromiseEngine
  let handler: FetchHandler
  let agent: number
  let key: string
  beforeAll(async () => {
    engine = await createEngine({ database: "sqlite::memory:", blobs: MemoryBlobStore.layer, worker: false })
    const founded = await engine.organizations.create({ name: "Host" })
    agent = founded.agent.id
    key = founded.api_key.api_key
    handler = await earshotFetch(await engine.runtime(), {
      basePath: "/api/earshot",
      logLevel: "silent",
      limits: { bodyBytes: 20_000, headBytes: 8_000 }
    })
  })
  afterAll(async () => {
    await handler.close()
    await engine.close()
  })

  const post = (
    body: string | ReadableStream<Uint8Array>,
    headers: Readonly<Record<string, string>> = {},
    more: RequestInit = {}
  ) =>
    handler.fetch(
      new Request(`${BASE}${OBSERVE}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-service-api-key": key, ...headers },
        body,
        ...more
      })
    )

  /** A body that is sent in parts. */
  const streamed = (text: string, parts = 5) => {
    const size = Math.ceil(text.length / parts)
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= text.length) controller.close()
        else controller.enqueue(Buffer.from(text.slice(at, (at += size))))
      }
    })
    return { body, duplex: "half" as const }
  }

  it("answers like the server: status, headers, body and errors", async () => {
    const created = await post(JSON.stringify({ call_id: "1", agent }))
    expect(created.status).toBe(201)
    expect(created.headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(created.headers.get("x-request-id")).not.toBeNull()
    expect(await created.json()).toMatchObject({ call_id: "1" })
    expect((await post("{")).status).toBe(400)
    expect((await post("{}", { "x-service-api-key": "ear_wrong" })).status).toBe(401)
    expect((await handler.fetch(new Request(`${BASE}/nowhere`))).status).toBe(404)
    expect((await handler.fetch(new Request(`${BASE}${OBSERVE}`))).status).toBe(405)
    const head = await handler.fetch(new Request(`${BASE}/openapi.json`, { method: "HEAD" }))
    expect([head.status, await head.text()]).toEqual([200, ""])
  })

  it("publishes the version of its package", async () => {
    const manifest: unknown = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"))
    const document: unknown = await (await handler.fetch(new Request(`${BASE}/openapi.json`))).json()
    expect(document).toMatchObject({ info: { version: Object(manifest).version } })
  })

  it("streams bodies both ways", async () => {
    const { body, ...half } = streamed(JSON.stringify({ call_id: "streamed", agent }))
    expect((await post(body, {}, half)).status).toBe(201)
    const query = `${BASE}/observability/v1/call-logs/export/`
    const exported = await handler.fetch(new Request(query, { headers: { "x-service-api-key": key } }))
    expect(exported.headers.get("content-type")).toContain("ndjson")
    const parts: Array<string> = []
    for await (const part of exported.body ?? []) parts.push(Buffer.from(part).toString())
    expect(parts.join("").trim().split("\n").length).toBeGreaterThanOrEqual(1)
  })

  it("holds the limits of bodies and headers, declared or not", async () => {
    const large = JSON.stringify({ call_id: "large", agent, feedback: "x".repeat(30_000) })
    expect((await post(large)).status).toBe(413)
    const { body, ...half } = streamed(large)
    expect((await post(body, {}, half)).status).toBe(413)
    expect((await post("{}", { "x-long": "x".repeat(9_000) })).status).toBe(431)
  })

  it("rejects with the reason of an abort and serves on", async () => {
    await expect(post("{}", {}, { signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone")
    const controller = new AbortController()
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) })
    const half = { duplex: "half" as const, signal: controller.signal }
    const waiting = post(never, {}, half)
    setTimeout(() => {
      controller.abort(new Error("left"))
    }, 20)
    await expect(waiting).rejects.toThrow("left")
    const canceled = await handler.fetch(new Request(`${BASE}/openapi.json`))
    await canceled.body?.cancel()
    expect((await post(JSON.stringify({ call_id: "after", agent }))).status).toBe(201)
  })

  it("rejects after it was closed", async () => {
    const other = await earshotFetch(await engine.runtime(), { logLevel: "silent" })
    await other.close()
    await expect(other.fetch(new Request("http://earshot.test/health"))).rejects.toThrow("The handler is closed.")
  })

  describe("and a listener behind a body parser", () => {
    /** What Express's parsers do: read the body, and leave what they made of it in `request.body`. */
    const parserOf = (parse: (bytes: Buffer) => unknown) => async (request: IncomingMessage) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
      const body = parse(Buffer.concat(chunks))
      if (body !== undefined) Object.assign(request, { body })
    }
    const behind = async (parse: (bytes: Buffer) => unknown, use: (url: string) => Promise<void>) => {
      const { close, listener } = await earshotListener(await engine.runtime(), { logLevel: "silent" })
      const parser = parserOf(parse)
      const host = createServer((request: IncomingMessage, response: ServerResponse) => {
        void parser(request).then(() => {
          listener(request, response)
        })
      })
      host.listen(0, "127.0.0.1")
      await once(host, "listening")
      const address = host.address()
      try {
        await use(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`)
      } finally {
        host.close()
        host.closeAllConnections()
        await close()
      }
    }
    const send = (url: string, body: string, type = "application/json") =>
      fetch(`${url}${OBSERVE}`, {
        method: "POST",
        headers: { "content-type": type, "x-service-api-key": key },
        body
      })

    it("uses the parsed JSON or form", async () => {
      await behind(
        (bytes): unknown => JSON.parse(bytes.toString()),
        async (url) => {
          expect((await send(url, JSON.stringify({ call_id: "express", agent }))).status).toBe(201)
          const invalid = await send(url, JSON.stringify({ agent: "x" }))
          expect([invalid.status, await invalid.json()]).toMatchObject([400, { call_id: expect.anything() }])
        }
      )
      const read = { result_ids: ["999999", "999998"] }
      await behind(
        () => read,
        async (url) => {
          const deleted = await fetch(`${url}/test_framework/v1/results/bulk_delete/`, {
            method: "POST",
            headers: { "content-type": "application/x-www-form-urlencoded", "x-service-api-key": key },
            body: "result_ids=999999&result_ids=999998"
          })
          expect(deleted.status).toBe(204)
        }
      )
    })

    it("uses the bytes that a raw parser left", () =>
      behind(
        (bytes) => bytes,
        async (url) => {
          expect((await send(url, JSON.stringify({ call_id: "raw", agent }))).status).toBe(201)
          expect((await send(url, "{")).status).toBe(400)
        }
      ))

    it("says what to do if nothing was left", () =>
      behind(
        () => undefined,
        async (url) => {
          const answer = await send(url, JSON.stringify({ call_id: "lost", agent }))
          expect(answer.status).toBe(500)
          expect(await answer.text()).toContain("Mount the listener before body parsers")
        }
      ))
  })
})
