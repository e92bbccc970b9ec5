import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { JobRunner, Tracing } from "@earshot/core"
import { Properties, TraceKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { at } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"
import { CALLS } from "./support/paths.js"

const PATH = "/otel/v1/traces"
const PROTOBUF = { "content-type": "application/x-protobuf" }

const PROGRAM = fileURLToPath(new URL("support/exportSpans.cjs", import.meta.url))

/** Sends spans as a voice agent does: see the program. */
const exportSpans = (input: object): Promise<string> =>
  new Promise((resolve, reject) => {
    const program = spawn(process.execPath, [PROGRAM], { stdio: ["pipe", "ignore", "pipe"], env: { NODE_OPTIONS: "" } })
    let errors = ""
    program.stderr.on("data", (chunk) => (errors += String(chunk)))
    program.on("error", reject)
    program.on("close", (code) => resolve(code === 0 ? errors : `exited with ${code}: ${errors}`))
    program.stdin.end(JSON.stringify(input))
  })

describe("OpenTelemetry spans", async () => {
  const server = await serverForBlock({ ports: { traces: { settle: 0, quiet: 0 }, ingest: { evaluate: false } } })
  const drain = () => server.run(Effect.flatMap(JobRunner, (runner) => runner.drain))
  const post = (path: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array) =>
    fetch(`${server.url}${path}`, { method: "POST", headers, body })

  const callsOf = async (key: string) => {
    await drain()
    const { json } = await server.send("GET", CALLS, { key })
    const results = at(json, "results")
    const ids = Array.isArray(results) ? results.map((call: unknown) => String(at(call, "id"))) : []
    return Promise.all(ids.map(async (id) => (await server.send("GET", `${CALLS}${id}/`, { key })).json))
  }

  it.each([
    ["protobuf with the key in its header", "protobuf", PATH, (key: string) => ({ "X-SERVICE-API-KEY": key })],
    [
      "protobuf with the key as a bearer token",
      "protobuf",
      PATH,
      (key: string) => ({ Authorization: `Bearer ${key}` })
    ],
    ["JSON on the doubled path", "json", `${PATH}/v1/traces`, (key: string) => ({ Authorization: `Bearer ${key}` })]
  ] as const)("exported as %s become a call", async (_, encoding, path, headersOf) => {
    const { agent, key } = await server.tenant()
    const [call] = fc.sample(TraceKit.tracedCall, { ...Properties.parameters(1) })
    const url = `${server.url}${path}?agent_id=${agent}`
    const spans = TraceKit.spansOf("livekit", call!)
    expect(await exportSpans({ encoding, url, headers: headersOf(key), spans })).toBe("")
    const [stored] = await callsOf(key)
    expect(at(stored, "call_id")).toBe(call!.id)
    expect(at(stored, "customer_number")).toBe(call!.customerNumber)
    const turns = at(stored, "transcript_object")
    expect(Array.isArray(turns) ? turns.map((turn) => at(turn, "content")) : turns).toEqual(
      call!.turns.map(({ content }) => content)
    )
    const listed = await server.send("GET", "/observability/v1/traces/", { key })
    const trace = at(listed.json, "results", "0")
    expect(trace).toMatchObject({
      state: "stored",
      agent,
      unknown_spans: 1,
      unknown_names: { some_new_span: 1 }
    })
    const traceUrl = `/observability/v1/traces/${String(at(trace, "id"))}/`
    expect(await server.send("GET", traceUrl, { key })).toMatchObject({ status: 200, json: trace })
    const { key: other } = await server.tenant()
    expect(await server.send("GET", traceUrl, { key: other })).toMatchObject({
      status: 404,
      json: { detail: "No Trace matches the given query." }
    })
  })

  it("are answered in the encoding of their request, with what was rejected", async () => {
    const { agent, key } = await server.tenant()
    const headers = { "x-service-api-key": key }
    const [call] = fc.sample(TraceKit.tracedCall, { ...Properties.parameters(1) })
    const spans = TraceKit.spansOf("pipecat", call!)
    const json = await server.send("POST", `${PATH}?agent_id=${agent}`, { key, json: TraceKit.otlpJson(spans) })
    expect([json.status, json.json]).toEqual([200, {}])
    const invalid = TraceKit.otlpJson(spans.map((span) => ({ ...span, traceId: "0" })))
    expect((await server.send("POST", PATH, { key, json: invalid })).json).toEqual({
      partialSuccess: {
        rejectedSpans: String(spans.length),
        errorMessage: "They have no valid ids, or the request has too many spans."
      }
    })
    const empty = await post(PATH, { ...headers, ...PROTOBUF }, new Uint8Array())
    expect([empty.status, empty.headers.get("content-type"), await empty.text()]).toEqual([
      200,
      "application/x-protobuf",
      ""
    ])
    const metrics = await server.send("GET", "/metrics", { key })
    expect(metrics.text).toMatch(/earshot_trace_spans_total\{outcome="stored"\} \d+/)
    expect(metrics.text).toMatch(/earshot_trace_spans_total\{outcome="rejected"\} \d+/)
  })

  it("that are malformed, too large or without a key are 4xx, whose body exporters read", async () => {
    const { key } = await server.tenant()
    const headers = { "x-service-api-key": key, ...PROTOBUF }
    const truncated = await post(PATH, headers, new Uint8Array([0x0a, 0x05, 0x0a]))
    expect([truncated.status, truncated.headers.get("content-type")]).toEqual([400, "application/x-protobuf"])
    const expected = JSON.stringify({
      non_field_errors: ["The body is not an OTLP trace request: premature end."]
    })
    expect(Buffer.from(await truncated.arrayBuffer())).toEqual(Buffer.from(Tracing.encodeStatus(expected)))
    const json = { "x-service-api-key": key, "content-type": "application/json" }
    expect((await post(PATH, json, "{")).status).toBe(400)
    expect((await post(PATH, json, "[]")).status).toBe(400)
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    for (const type of [headers, json]) {
      const answer = await post(PATH, { ...type, "content-encoding": "gzip" }, bomb)
      expect(answer.status).toBe(413)
    }
    expect((await post(PATH, { ...headers, "content-encoding": "gzip" }, "no gzip")).status).toBe(400)
    expect((await post(PATH, { ...headers, "content-encoding": "zstd" }, "x")).status).toBe(415)
    expect((await post(PATH, { ...headers, "content-type": "text/plain" }, "x")).status).toBe(415)
    expect((await post(`${PATH}?agent_id=999999`, headers, new Uint8Array())).status).toBe(400)
    expect((await post(PATH, PROTOBUF, new Uint8Array())).status).toBe(401)
    expect((await post(PATH, { ...PROTOBUF, authorization: "Bearer ear_nobody" }, new Uint8Array())).status).toBe(401)
    expect((await server.send("POST", PATH, { json: {} })).status).toBe(401)
    expect((await fetch(`${server.url}${PATH}`)).status).toBe(405)
    expect((await server.send("GET", "/observability/v1/traces/?state=x", { key })).status).toBe(400)
  })

  it("of a request with 100,000 spans are rejected beyond the limit, and the server goes on", async () => {
    const { agent, key } = await server.tenant()
    const [call] = fc.sample(TraceKit.tracedCall, { ...Properties.parameters(1) })
    const [span] = TraceKit.spansOf("livekit", call!)
    const spans = Array.from({ length: 100_000 }, (_, number) => ({
      ...span!,
      spanId: (number + 1).toString(16).padStart(16, "0"),
      attributes: {}
    }))
    // One request of this size is beyond the limit of bodies in JSON.
    const body = JSON.stringify(TraceKit.otlpJson(spans))
    const headers = { "x-service-api-key": key, "content-type": "application/json" }
    expect((await post(PATH, headers, body)).status).toBe(413)
    const some = await server.send("POST", `${PATH}?agent_id=${agent}`, {
      key,
      json: TraceKit.otlpJson(spans.slice(0, 21_000))
    })
    expect([some.status, at(some.json, "partialSuccess", "rejectedSpans")]).toEqual([200, "1000"])
  })
})
