import { Database, Engine } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it, vi } from "vitest"
import { layer, ListenFailed } from "../../src/index.js"
import { at } from "../support/Contract.js"
import { gatedRecordings } from "../support/gatedRecordings.js"
import { startServer } from "../support/TestServer.js"
import { withServer } from "../support/Operation.js"
import { CALLS, OBSERVE } from "../support/paths.js"

const callWithRecording = (agent: number) => ({
  call_id: "slow",
  agent,
  voice_recording_url: "https://example.com/a.wav"
})

describe("shutdown", () => {
  it("rejects new connections, finishes requests in flight, and closes idle connections", async () => {
    const { isReached, open, source } = gatedRecordings()
    const server = await startServer({ ports: { recordings: source } })
    const { agent, key } = await server.tenant()
    const idle = connect(server.port, "127.0.0.1")
    idle.on("error", () => undefined)
    await once(idle, "connect")
    const inFlight = server.send("POST", OBSERVE, { key, json: callWithRecording(agent) })
    await isReached
    let closed = false
    const closing = server.close().then(() => (closed = true))
    const isRejected = () =>
      fetch(`${server.url}/health`).then(
        (answer) => answer.text().then(() => false),
        () => true
      )
    await vi.waitUntil(isRejected, { timeout: 30_000, interval: 10 })
    expect(closed).toBe(false)
    open()
    const answer = await inFlight
    expect([answer.status, at(answer.json, "duration")]).toEqual([201, "00:01"])
    expect(answer.headers.get("connection")).toBe("close")
    await closing
    expect(server.logs()).not.toContain('"level":"warn"')
    idle.destroy()
  })

  it("interrupts requests that are still running after the grace period", async () => {
    const { isReached, source } = gatedRecordings()
    const server = await startServer({ ports: { recordings: source }, limits: { graceMillis: 100 } })
    const { agent, key } = await server.tenant()
    const inFlight = fetch(`${server.url}${OBSERVE}`, {
      method: "POST",
      headers: { "x-service-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(callWithRecording(agent))
    }).then(
      ({ status }) => status,
      () => "cut off"
    )
    await isReached
    await server.close()
    expect([503, "cut off"]).toContain(await inFlight)
    expect(server.logs()).toContain("interrupting requests in flight")
  })

  it("fails with ListenFailed if the port is in use", async () => {
    await withServer({}, async (server) => {
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

describe("a client that disconnects", () => {
  it("has its writes completed and its reads interrupted", async () => {
    const { isReached, open, source } = gatedRecordings()
    await withServer({ ports: { recordings: source } }, async (server) => {
      const { agent, key } = await server.tenant()
      const leaving = new AbortController()
      const gone = fetch(`${server.url}${OBSERVE}`, {
        method: "POST",
        headers: { "x-service-api-key": key, "content-type": "application/json" },
        body: JSON.stringify(callWithRecording(agent)),
        signal: leaving.signal
      }).then(
        () => "answered",
        () => "gone"
      )
      await isReached
      leaving.abort()
      expect(await gone).toBe("gone")
      open()
      const kept = async () => at((await server.send("GET", CALLS, { key })).json, "results", "0", "call_id")
      await vi.waitUntil(async () => (await kept()) !== undefined, { timeout: 30_000, interval: 20 })
      expect(await kept()).toBe("slow")

      // An export whose client reads the beginning alone leaves nothing in flight.
      const reading = new AbortController()
      const answer = await fetch(`${server.url}${CALLS}export/`, {
        headers: { "x-service-api-key": key },
        signal: reading.signal
      })
      expect(answer.status).toBe(200)
      reading.abort()
      const idle = async () =>
        (await server.send("GET", "/metrics")).text.includes("earshot_http_requests_in_flight 0\n")
      await vi.waitUntil(idle, { timeout: 30_000, interval: 20 })
      expect((await server.send("GET", CALLS, { key })).status).toBe(200)
      expect(server.logs()).not.toContain('"level":"error"')
    })
  })
})
