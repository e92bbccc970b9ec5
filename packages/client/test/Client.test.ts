import { readFileSync } from "node:fs"
import { createContext, runInContext } from "node:vm"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import { generateSchema, SCHEMA_FILE } from "../generate/generate.js"
import {
  type components,
  createClient,
  dataOf,
  EarshotError,
  events,
  type ItemOf,
  items,
  lines,
  pages
} from "../src/index.js"
import { json, startEarshot, startScripted } from "./Server.js"

describe("server-sent events", () => {
  it("are read one at a time, however they are divided, without comments", async () => {
    const text = ': \n\ndata: {"type":"turn","content":"ü"}\n\n: \n\nevent: x\ndata: {"type":"end"}\n\n'
    const bytes = new TextEncoder().encode(text)
    for (const size of [1, 3, 7, bytes.length]) {
      const found: Array<unknown> = []
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
          controller.close()
        }
      })
      for await (const event of events(stream)) found.push(event)
      expect(found).toEqual([{ type: "turn", content: "ü" }, { type: "end" }])
    }
  })
})

describe("the client of a running server", () => {
  let server: Awaited<ReturnType<typeof startEarshot>>
  beforeAll(async () => {
    server = await startEarshot()
  })
  afterAll(() => server.close())

  const client = () => createClient({ baseUrl: server.baseUrl, apiKey: server.apiKey })

  it("returns the typed data of a response", async () => {
    const call = await dataOf(
      client().POST("/observability/v1/observe/", { body: { call_id: "typed", agent: server.agent } })
    )
    expectTypeOf(call).toEqualTypeOf<components["schemas"]["CallRecord"]>()
    expect(call).toMatchObject({ call_id: "typed", success: null })
    const { data, error } = await client().GET("/observability/v1/call-logs/{id}/", {
      params: { path: { id: call.id } }
    })
    expect(error).toBeUndefined()
    expect(data?.call_id).toBe("typed")
  })

  it("throws an EarshotError with every field error of a 400", async () => {
    const request = dataOf(
      client().POST("/observability/v1/observe/", {
        body: { call_id: "", agent: server.agent, trace_id: "x".repeat(33) }
      })
    )
    const error = await request.then(
      () => undefined,
      (thrown: unknown) => thrown
    )
    expect(error).toBeInstanceOf(EarshotError)
    expect(error).toMatchObject({ status: 400, detail: undefined })
    expect(Object.keys((error as EarshotError).errors).sort()).toEqual(["call_id", "trace_id"])
    expect((error as EarshotError).message).toContain("trace_id: Ensure this field has no more than 32 characters.")
    expect((error as EarshotError).requestId).toMatch(/./)
  })

  it("throws an EarshotError with the server's message where the credential is invalid", async () => {
    const wrong = createClient({ baseUrl: server.baseUrl, apiKey: "ear_wrong" })
    await expect(dataOf(wrong.GET("/test_framework/v1/agents/"))).rejects.toMatchObject({
      status: 401,
      detail: "Invalid credentials.",
      errors: {}
    })
  })

  it("iterates over the items of every page in the order of the list, with its filters", async () => {
    const names = Array.from({ length: 7 }, (_, index) => `Folder ${index}`)
    for (const path of names) {
      await dataOf(client().POST("/test_framework/v1/folders/", { body: { project: server.project, path } }))
    }
    const found: Array<string> = []
    const query = { project: server.project, limit: 3 }
    for await (const folder of items(client(), "/test_framework/v1/folders/", { query })) {
      expectTypeOf(folder).toEqualTypeOf<ItemOf<"/test_framework/v1/folders/">>()
      found.push(folder.path)
    }
    expect(found.toSorted()).toEqual(names)
    const sizes: Array<number> = []
    for await (const { results } of pages(client(), "/test_framework/v1/folders/", { query }))
      sizes.push(results.length)
    expect(sizes).toEqual([3, 3, 1])
  })

  it("reads an export document by document", async () => {
    for (const index of [1, 2, 3]) {
      const body = { call_id: `exported-${index}`, agent: server.agent, metadata: { text: "line\nbreak é 日本" } }
      await dataOf(client().POST("/observability/v1/observe/", { body }))
    }
    const { data } = await client().GET("/observability/v1/call-logs/export/", { parseAs: "stream" })
    const found: Array<unknown> = []
    for await (const call of lines(data)) found.push((call as { call_id: string }).call_id)
    expect(found).toEqual(expect.arrayContaining(["exported-1", "exported-2", "exported-3"]))
  })

  it("runs in a browser: its bundle uses web standards only", async () => {
    const bundle = await build({
      entryPoints: [new URL("../src/index.ts", import.meta.url).pathname],
      bundle: true,
      platform: "browser",
      format: "iife",
      globalName: "earshot",
      write: false
    })
    const web = { AbortController, clearTimeout, fetch, Headers, Request, Response, setTimeout, TextDecoder, URL }
    const context = createContext({ ...web, baseUrl: server.baseUrl, apiKey: server.apiKey })
    runInContext(bundle.outputFiles[0]?.text ?? "", context)
    const agents: unknown = await runInContext(
      `(async () => {
        const client = earshot.createClient({ baseUrl, apiKey })
        const ids = []
        for await (const agent of earshot.items(client, "/test_framework/v1/agents/")) ids.push(agent.id)
        return JSON.stringify(ids)
      })()`,
      context
    )
    expect(agents).toBe(JSON.stringify([server.agent]))
  })
})

describe("requests that the server could not serve at the moment", () => {
  const busy = json(503, { detail: "The service is busy." }, { "retry-after": "0" })
  const throttled = json(429, { detail: "Request was throttled." }, { "retry-after": "0" })
  const page = json(200, { next: null, previous: null, results: [] })

  it("are repeated with the same body and credentials until they succeed", async () => {
    const server = await startScripted(throttled, busy, json(201, { id: 1 }))
    const client = createClient({ baseUrl: server.baseUrl, apiKey: "ear_key", token: "session" })
    const body = { call_id: "call-1", agent: 1, feedback: "é".repeat(1_000) }
    await dataOf(client.POST("/observability/v1/observe/", { body }))
    expect(server.received).toHaveLength(3)
    for (const { body: sent, headers } of server.received) {
      expect(JSON.parse(sent)).toEqual(body)
      expect(headers).toMatchObject({ "x-service-api-key": "ear_key", authorization: "Bearer session" })
    }
    await server.close()
  })

  it("are repeated after a 429 even if repeating them has an effect, since they were not executed", async () => {
    const server = await startScripted(throttled, json(201, { id: 1 }))
    const client = createClient({ baseUrl: server.baseUrl })
    await dataOf(client.POST("/test_framework/v1/tools/", { body: { project: 1, name: "search" } }))
    expect(server.received).toHaveLength(2)
    await server.close()
  })

  it("are not repeated after a 503 if repeating them could have an effect twice", async () => {
    const server = await startScripted(busy, json(201, { id: 1 }))
    const client = createClient({ baseUrl: server.baseUrl })
    const request = dataOf(client.POST("/test_framework/v1/tools/", { body: { project: 1, name: "search" } }))
    await expect(request).rejects.toMatchObject({ status: 503, retryAfterSeconds: 0, detail: "The service is busy." })
    expect(server.received).toHaveLength(1)
    await server.close()
  })

  it("are repeated at most as often as configured", async () => {
    const server = await startScripted(busy)
    const client = createClient({ baseUrl: server.baseUrl, retry: { attempts: 3 } })
    await expect(dataOf(client.GET("/test_framework/v1/agents/"))).rejects.toMatchObject({ status: 503 })
    expect(server.received).toHaveLength(3)
    await server.close()
  })

  it("are not repeated if the server asks for a longer wait than configured", async () => {
    const server = await startScripted(json(429, { detail: "Request was throttled." }, { "retry-after": "60" }), page)
    const client = createClient({ baseUrl: server.baseUrl })
    await expect(dataOf(client.GET("/test_framework/v1/agents/"))).rejects.toMatchObject({ retryAfterSeconds: 60 })
    expect(server.received).toHaveLength(1)
    await server.close()
  })

  it("are repeated if the connection is lost before the response", async () => {
    const server = await startScripted((response) => response.destroy(), page)
    const client = createClient({ baseUrl: server.baseUrl })
    await dataOf(client.GET("/test_framework/v1/agents/"))
    expect(server.received).toHaveLength(2)
    await server.close()
  })

  it("end when the caller aborts during the wait", async () => {
    const abort = new AbortController()
    const server = await startScripted((response) => {
      json(503, {}, { "retry-after": "20" })(response)
      response.on("close", () => abort.abort())
    })
    const client = createClient({ baseUrl: server.baseUrl })
    const request = client.GET("/test_framework/v1/agents/", { signal: abort.signal })
    await expect(request).rejects.toMatchObject({ name: "AbortError" })
    expect(server.received).toHaveLength(1)
    await server.close()
  })
})

it("the generated types are those of the server's OpenAPI document", async () => {
  const text = readFileSync(SCHEMA_FILE, "utf8")
  expect(await generateSchema(), "run `pnpm --filter @earshot/client generate`").toBe(text)
})
