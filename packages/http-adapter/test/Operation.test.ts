import { BlobStore, BlobStoreFailed, Database, Engine, RecordingSource, UnitOfWork } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import { createEngine } from "@earshot/core/promise"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { CallKit } from "@earshot/test-kit"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import { createServer } from "node:http"
import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import { earshotListener, layer, ListenFailed } from "../src/index.js"
import { at, makeContract } from "./support/Contract.js"
import { sendRaw, serverForBlock, startServer, type TestServer, type TestServerOptions } from "./support/TestServer.js"

const OBSERVE = "/observability/v1/observe/"
const LOGS = "/observability/v1/call-logs/"

const using = async (options: TestServerOptions, use: (server: TestServer) => Promise<void>): Promise<void> => {
  const server = await startServer(options)
  try {
    await use(server)
  } finally {
    await server.close()
  }
}

/** Recordings that arrive when the test says so: a call that brings one is in flight until then. */
const gate = () => {
  let open = (): void => undefined
  let reached = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const isReached = new Promise<void>((resolve) => (reached = resolve))
  const source = Layer.succeed(
    RecordingSource,
    RecordingSource.of({
      fetch: () =>
        Stream.unwrap(
          Effect.promise(() => {
            reached()
            return opened
          }).pipe(Effect.as(Stream.make(CallKit.wav(1))))
        )
    })
  )
  return {
    open: () => {
      open()
    },
    isReached,
    source
  }
}

const recorded = (agent: number) => ({ call_id: "slow", agent, voice_recording_url: "https://example.com/a.wav" })

describe("closing", () => {
  it("refuses what is new, finishes what is in flight, and cuts off connections that ask for nothing", async () => {
    const { isReached, open, source } = gate()
    const server = await startServer({ ports: { recordings: source } })
    const { agent, key } = await server.tenant()
    const idle = connect(server.port, "127.0.0.1")
    idle.on("error", () => undefined)
    await once(idle, "connect")
    const inFlight = server.send("POST", OBSERVE, { key, json: recorded(agent) })
    await isReached
    let closed = false
    const closing = server.close().then(() => (closed = true))
    for (let refused = false; !refused;) {
      refused = await fetch(`${server.url}/health`).then(
        (answer) => answer.text().then(() => false),
        () => true
      )
    }
    expect(closed).toBe(false)
    open()
    const answer = await inFlight
    expect([answer.status, at(answer.json, "duration")]).toEqual([201, "00:01"])
    expect(answer.headers.get("connection")).toBe("close")
    await closing
    expect(server.logs()).not.toContain('"level":"warn"')
    idle.destroy()
  })

  it("does not wait for ever for a request that does not end", async () => {
    const { isReached, source } = gate()
    const server = await startServer({ ports: { recordings: source }, limits: { graceMillis: 100 } })
    const { agent, key } = await server.tenant()
    const inFlight = fetch(`${server.url}${OBSERVE}`, {
      method: "POST",
      headers: { "x-service-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(recorded(agent))
    }).then(
      ({ status }) => status,
      () => "cut off"
    )
    await isReached
    await server.close()
    expect([503, "cut off"]).toContain(await inFlight)
    expect(server.logs()).toContain("interrupting requests in flight")
  })

  it("says why it cannot listen, and leaves nothing behind", async () => {
    await using({}, async (server) => {
      const second = layer({ port: server.port, logLevel: "silent" }).pipe(
        Layer.provide(Engine.layer),
        Layer.provide(Database.layer("sqlite::memory:"))
      )
      const scope = Effect.runSync(Scope.make())
      const failed = await Effect.runPromise(Effect.flip(Layer.buildWithScope(second, scope)))
      expect(failed).toBeInstanceOf(ListenFailed)
      expect(failed.message).toBe(`Cannot listen on 127.0.0.1:${server.port} (EADDRINUSE)`)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })
  })
})

describe("messages", async () => {
  const server = await serverForBlock({
    limits: { headersMillis: 250, requestMillis: 500, lingerMillis: 200, keepAliveMillis: 300 }
  })
  const { agent, key } = await server.tenant()
  const head = `POST ${OBSERVE} HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${key}\r\ncontent-type: application/json\r\n`
  const whole = (text: string): string => text.split("\r\n\r\n")[1] ?? ""

  it("that come too slowly are cut off, headers and bodies alike, and nothing is kept of them", async () => {
    const slow = [
      await sendRaw(server.port, "POST / HTTP/1.1\r\nhost: x\r\nx-a"),
      await sendRaw(server.port, `${head}content-length: 100\r\n\r\n{"call_id": "x", "agent": ${agent}, `),
      await sendRaw(server.port, `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"cal\r\n`)
    ]
    for (const answer of slow) {
      expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/)
      expect(JSON.parse(whole(answer))).toEqual({ detail: "The request timed out before it was received completely." })
    }
    expect(at((await server.send("GET", LOGS, { key })).json, "results")).toEqual([])
    const metrics = await server.send("GET", "/metrics")
    expect(metrics.text).toContain("earshot_http_requests_in_flight 0\n")
    expect(metrics.text).toContain("earshot_http_body_bytes_in_flight 0\n")
  })

  it("that are no HTTP are answered in the form of all errors", async () => {
    for (const message of [
      "nonsense\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      `${head}content-length: x\r\n\r\n`,
      `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`
    ]) {
      const answer = await sendRaw(server.port, message)
      expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
      expect(JSON.parse(whole(answer))).toEqual({ detail: "The request is malformed." })
    }
    const long = "a".repeat(66_000)
    for (const message of [
      `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${long}\r\n\r\n`,
      `GET /?${long} HTTP/1.1\r\nhost: x\r\n\r\n`
    ]) {
      const large = await sendRaw(server.port, message)
      expect(large).toMatch(/^HTTP\/1.1 431 /)
      expect(JSON.parse(whole(large))).toEqual({ detail: "The URL or the headers are too large." })
    }
  })

  it("may ask by an address as long as the filter of a busy dashboard", async () => {
    const conditions = Array.from({ length: 300 }, (_, n) => ({
      field: `metadata.key_${n}`,
      op: "neq",
      value: `v${n}`
    }))
    const query = new URLSearchParams({ filters_v2: JSON.stringify({ operator: "and", conditions }) }).toString()
    expect(query.length).toBeGreaterThan(20_000)
    expect((await server.send("GET", `${LOGS}?${query}`, { key })).status).toBe(200)
  })

  it("to a path that is not there, or in a method that it does not have, are told so", async () => {
    for (const path of ["/nowhere/", "/openapi-json"]) {
      const { json, status } = await server.send("GET", path)
      expect([status, json]).toEqual([404, { detail: "Not found." }])
    }
    expect((await server.send("GET", "/%zz")).json).toEqual({ detail: "The URL is malformed." })
    for (const [method, path, allow] of [
      ["GET", OBSERVE, "POST, OPTIONS"],
      ["PUT", "/dashboards/widgets/1/", "GET, HEAD, PATCH, DELETE, OPTIONS"],
      ["PROPFIND", "/dashboards/dashboards", "POST, GET, HEAD, OPTIONS"],
      ["PUT", "/test_framework/v1/metrics/simplify_prompt/", "POST, OPTIONS"],
      ["DELETE", "/health", "GET, HEAD, OPTIONS"]
    ] as const) {
      const { headers, json, status } = await server.send(method, path, { key })
      expect([status, json]).toEqual([405, { detail: `Method "${method}" not allowed.` }])
      expect(headers.get("allow")?.split(", ").sort()).toEqual(allow.split(", ").sort())
      const options = await server.send("OPTIONS", path)
      expect([options.status, options.headers.get("allow")]).toEqual([204, headers.get("allow")])
    }
  })

  it("carry a name by which they are found in the log", async () => {
    const { headers } = await server.send("GET", "/health")
    const id = headers.get("x-request-id") ?? ""
    expect(id).not.toBe("")
    expect(server.logs()).toContain(`"request_id":"${id}"`)
  })

  it("beyond the number of connections are not taken", async () => {
    await using({ limits: { connections: 3 } }, async ({ port }) => {
      const open = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const socket = connect(port, "127.0.0.1")
          socket.on("error", () => undefined)
          await once(socket, "connect")
          return socket
        })
      )
      // Taken by the system, and dropped by the server as soon as it sees them.
      while (open.filter((socket) => !socket.destroyed).length > 3) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      for (const socket of open) socket.destroy()
    })
  })
})

describe("a client that goes away", () => {
  it("has what it wrote finished, and what it read stopped", async () => {
    const { isReached, open, source } = gate()
    await using({ ports: { recordings: source } }, async (server) => {
      const { agent, key } = await server.tenant()
      const leaving = new AbortController()
      const gone = fetch(`${server.url}${OBSERVE}`, {
        method: "POST",
        headers: { "x-service-api-key": key, "content-type": "application/json" },
        body: JSON.stringify(recorded(agent)),
        signal: leaving.signal
      }).then(
        () => "answered",
        () => "gone"
      )
      await isReached
      leaving.abort()
      expect(await gone).toBe("gone")
      open()
      const kept = async () => at((await server.send("GET", LOGS, { key })).json, "results", "0", "call_id")
      while ((await kept()) === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
      expect(await kept()).toBe("slow")

      // An export whose client reads the beginning alone leaves nothing in flight.
      const reading = new AbortController()
      const answer = await fetch(`${server.url}${LOGS}export/`, {
        headers: { "x-service-api-key": key },
        signal: reading.signal
      })
      expect(answer.status).toBe(200)
      reading.abort()
      const idle = async () =>
        (await server.send("GET", "/metrics")).text.includes("earshot_http_requests_in_flight 0\n")
      while (!(await idle())) await new Promise((resolve) => setTimeout(resolve, 20))
      expect((await server.send("GET", LOGS, { key })).status).toBe(200)
      expect(server.logs()).not.toContain('"level":"error"')
    })
  })
})

describe("a database", () => {
  it("whose connections are all in use is waited for, but not for ever", async () => {
    const url = await postgresUrl()
    const database = await createDatabase(url)
    const storage = PostgresStorage.layer({ url: Redacted.make(database.url), maxConnections: 1 })
    const engine = Engine.layerWith({ blobs: MemoryBlobStore.layer, cacheTtl: 0 }).pipe(Layer.provideMerge(storage))
    try {
      await using({ engine }, async (server) => {
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
          server.send("GET", LOGS, { key }),
          server.send("GET", "/ready"),
          server.send("GET", "/health")
        ])
        release()
        await holding
        expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 200])
        for (const { headers, json } of answers.slice(0, 3)) {
          expect(headers.get("retry-after")).toBe("1")
          expect(at(json, "detail")).toBeTypeOf("string")
        }
        expect((await server.send("GET", "/ready")).json).toEqual({ status: "ready" })
        expect((await server.send("POST", OBSERVE, { key, json: { call_id: "1", agent } })).status).toBe(201)
      })
    } finally {
      await database.drop()
    }
  })

  it("that is gone makes the server say that it is not ready, while it is alive", async () => {
    const database = await createDatabase(await postgresUrl())
    const storage = PostgresStorage.layer({ url: Redacted.make(database.url) })
    const engine = Engine.layerWith({ blobs: MemoryBlobStore.layer }).pipe(Layer.provideMerge(storage))
    await using({ engine }, async (server) => {
      const { key } = await server.tenant()
      expect((await server.send("GET", "/ready")).status).toBe(200)
      await database.drop()
      const ready = await server.send("GET", "/ready")
      expect([ready.status, ready.json]).toEqual([503, { detail: "The database is unavailable." }])
      expect((await server.send("GET", "/health")).status).toBe(200)
      const failed = await server.send("GET", LOGS, { key })
      expect([500, 503]).toContain(failed.status)
    })
  })
})

describe("what is said of requests", () => {
  it("is counted by endpoint, never by what was asked for", async () => {
    await using({}, async (server) => {
      const { agent, key } = await server.tenant()
      for (let n = 0; n < 30; n++) {
        await server.send("GET", `/dashboards/dashboards/${n + 1000}/`, { key })
        await server.send("GET", `/nowhere/canary-${n}?q=${n}`)
        await server.send("POST", OBSERVE, { key, json: { call_id: `canary-${n}`, agent } })
      }
      for (const method of ["PROPFIND", "SUBSCRIBE", "PUT"]) await server.send(method, "/health")
      const { headers, text } = await server.send("GET", "/metrics")
      expect(headers.get("content-type")).toContain("text/plain")
      expect(text).not.toMatch(/canary|1010/)
      expect(text).toContain(
        'earshot_http_requests_total{method="POST",route="/observability/v1/observe/",status="201"} 30\n'
      )
      expect(text).toContain(
        'earshot_http_requests_total{method="GET",route="/dashboards/dashboards/:id/",status="404"} 30\n'
      )
      expect(text).toContain('earshot_http_requests_total{method="GET",route="none",status="404"} 30\n')
      expect(text).toContain(
        'earshot_http_request_duration_seconds_count{method="POST",route="/observability/v1/observe/"} 30\n'
      )
      const names = [...text.matchAll(/^# TYPE (earshot_\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type])
      expect(names).toEqual([
        ["earshot_http_requests_total", "counter"],
        ["earshot_http_request_duration_seconds", "histogram"],
        ["earshot_http_requests_in_flight", "gauge"],
        ["earshot_http_body_bytes_in_flight", "gauge"]
      ])
      const labels = new Set([...text.matchAll(/([a-z_]+)="/g)].map(([, label]) => label))
      for (const label of ["method", "route", "status", "le"]) labels.delete(label)
      // Those of the process: versions, spaces of the heap, kinds of handles.
      for (const label of labels)
        expect(["version", "major", "minor", "patch", "space", "kind", "type", "quantile"]).toContain(label)
      expect(text).toContain("process_resident_memory_bytes")
    })
  })

  it("has no secret and nothing that anybody said in it, at any level, whatever went wrong", async () => {
    const said = "canary-transcript"
    const number = "+49555canary"
    const blobs = Layer.map(MemoryBlobStore.layer, (context) => context).pipe(
      Layer.flatMap(() =>
        Layer.succeed(
          BlobStore,
          BlobStore.of({
            put: () =>
              new BlobStoreFailed({
                operation: "put",
                cause: new Error(`${said}\n    at ${said} (file.js:1:1)`, { cause: new Error(number) })
              }),
            get: () => Stream.die(new Error(said)),
            remove: () => Effect.void
          })
        )
      )
    )
    await using({ logLevel: "debug", ports: { blobs } }, async (server) => {
      const { agent, key, project } = await server.tenant()
      const dashboard = at(
        (await server.send("POST", "/dashboards/dashboards/", { key, json: { name: said, project } })).json,
        "id"
      )
      const link = await server.send("POST", "/user/v1/shareable_links/", {
        key,
        json: { bounds: [{ type: "dashboard", id: dashboard }] }
      })
      const token = await server.send("POST", "/user/v1/tokens/", { key, json: { kind: "oauth2" } })
      const transcript = [{ role: "Main Agent", content: said, start_time: 0, end_time: 1 }]
      const call = {
        call_id: "canary-call",
        agent,
        customer_number: number,
        transcript_json: transcript,
        metadata: { secret: said }
      }
      expect((await server.send("POST", OBSERVE, { key, json: call })).status).toBe(201)
      expect(
        (await server.send("POST", OBSERVE, { key, json: { ...call, customer_number: number.repeat(20) } })).status
      ).toBe(400)
      expect(
        (
          await server.send("POST", OBSERVE, {
            key,
            headers: { "content-type": "application/json" },
            body: `{"${said}`
          })
        ).status
      ).toBe(400)
      const form = new FormData()
      form.append("call_id", "canary-file")
      form.append("agent", String(agent))
      form.append("transcript_json", JSON.stringify(transcript))
      form.append("voice_recording", new Blob([CallKit.wav(1)]), `${number}.wav`)
      const broken = await server.send("POST", OBSERVE, { key, body: form })
      expect([broken.status, at(broken.json, "detail")]).toEqual([500, "A server error occurred."])
      expect(broken.text).not.toContain("canary")
      const filter = encodeURIComponent(JSON.stringify({ field: "customer_number", op: "eq", value: number }))
      await server.send("GET", `${LOGS}?filters_v2=${filter}`, { key })
      await server.send("GET", `/${said}?key=${key}`, { key })
      await server.send("GET", "/dashboards/dashboards/", {
        headers: { "x-shareable-link": String(at(link.json, "token")) }
      })
      await server.send("GET", "/dashboards/dashboards/", {
        headers: { authorization: `Bearer ${String(at(token.json, "token"))}` }
      })
      await server.send("GET", "/dashboards/dashboards/", { key: `${key}x` })

      const logs = server.logs()
      const lines = logs
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line))
      expect(lines.length).toBeGreaterThan(10)
      for (const line of lines)
        expect([at(line, "level"), at(line, "time"), at(line, "msg")].every((one) => typeof one === "string")).toBe(
          true
        )
      for (const secret of ["canary", key, String(at(link.json, "token")), String(at(token.json, "token"))]) {
        expect(logs.includes(secret), secret).toBe(false)
      }
      // What is there is enough to find the reason.
      const failure = lines.find((line) => at(line, "msg") === "request failed")
      expect(at(failure, "request_id")).toBe(at(broken.json, "request_id"))
      expect(at(failure, "errors", "0", "operation")).toBe("BlobStore.put")
    })
  })
})

describe("mounted in a server of the host's own", () => {
  it("answers under its path and leaves the rest to the host, until it is closed", async () => {
    const engine = await createEngine({ database: "sqlite::memory:", blobs: MemoryBlobStore.layer })
    const { agent, apiKey } = await engine.organizations.create({ name: "Host" })
    const earshot = await earshotListener(await engine.runtime(), { basePath: "/ear", logLevel: "silent" })
    const host = createServer((request, response) => {
      if (request.url?.startsWith("/ear/") === true) earshot.listener(request, response)
      else response.end("host")
    })
    host.listen(0, "127.0.0.1")
    await once(host, "listening")
    const address = host.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    try {
      const contract = makeContract(await (await fetch(`${url}/ear/openapi.json`)).json(), "/ear")
      const send = async (body: string) => {
        const answer = await fetch(`${url}/ear${OBSERVE}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-service-api-key": Redacted.value(apiKey.secret) },
          body
        })
        const text = await answer.text()
        const type = answer.headers.get("content-type") ?? ""
        expect(
          contract.violation({ method: "POST", path: `/ear${OBSERVE}`, status: answer.status, type, text })
        ).toBeUndefined()
        return answer.status
      }
      expect(await send(JSON.stringify({ call_id: "1", agent: agent.id }))).toBe(201)
      expect(await send("{")).toBe(400)
      expect(await (await fetch(url)).text()).toBe("host")
      expect((await fetch(`${url}/ear/nowhere`)).status).toBe(404)
    } finally {
      host.close()
      host.closeAllConnections()
      await earshot.close()
      await engine.close()
    }
    await expect(earshotListener(await createdRuntime(), { basePath: "ear/" })).rejects.toThrow("Invalid base path")
  })
})

/** Any runtime of an engine; it is not reached. */
const createdRuntime = async () => {
  const engine = await createEngine({ database: "sqlite::memory:" })
  const runtime = await engine.runtime()
  await engine.close()
  return runtime
}
