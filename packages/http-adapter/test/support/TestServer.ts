/** A server on a new database. Every response is validated against the OpenAPI document that it publishes. */
import { type Engine, Organizations } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { connect, type Socket } from "node:net"
import { afterAll, expect } from "vitest"
import { HttpServer, type HttpServerOptions, layer } from "../../src/index.js"
import { type Contract, contractOf } from "./Contract.js"

export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown
}

export interface RequestOptions {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent unchanged, with the content type in `headers`. */
  readonly body?: string | Uint8Array | URLSearchParams | FormData
}

/** An organization with a key that has all permissions. */
export interface Tenant {
  readonly organization: number
  readonly project: number
  readonly agent: number
  readonly key: string
}

export interface TestServer {
  readonly url: string
  readonly port: number
  readonly send: (method: string, path: string, asked?: RequestOptions) => Promise<TestResponse>
  readonly tenant: () => Promise<Tenant>
  /** The log so far. */
  readonly logs: () => string
  readonly contract: Contract
  /** Runs an effect on the server's engine. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Engine.Services | Engine.Storage>) => Promise<A>
  /** Closes the server first, then the engine. */
  readonly close: () => Promise<void>
}

export interface TestServerOptions extends HttpServerOptions {
  readonly database?: TestEngine.DatabaseName
  readonly ports?: Engine.Ports
  /** Default: an engine on a new database. */
  readonly engine?: Layer.Layer<Engine.Services | Engine.Storage, unknown>
}

export const startServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const { database = "sqlite", engine, ports, ...server } = options
  const lines: Array<string> = []
  const listening = layer({
    port: 0,
    logLevel: "debug",
    logDestination: { write: (line: string) => void lines.push(line) },
    ...server,
    // On a busy machine connections would be closed between two requests of a test.
    limits: { keepAliveMillis: 60_000, ...server.limits }
  })
  const managed = ManagedRuntime.make(
    listening.pipe(Layer.provideMerge(engine ?? TestEngine.layer(database, ports)), Layer.orDie)
  )
  const context = (await managed.runtime()).context
  const { port, url } = Context.get(context, HttpServer)
  const basePath = options.basePath ?? ""
  const contract = contractOf(await (await fetch(`${url}/openapi.json`)).text(), basePath)

  const send: TestServer["send"] = async (method, path, { body, headers = {}, json, key } = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { "x-service-api-key": key }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(json === undefined ? (body === undefined ? {} : { body }) : { body: JSON.stringify(json) })
    })
    const text = await answer.text()
    const asked = basePath + (path.split("?")[0] ?? "")
    const type = answer.headers.get("content-type") ?? ""
    expect(contract.violation({ method, path: asked, status: answer.status, type, text })).toBeUndefined()
    return { status: answer.status, headers: answer.headers, text, json: parseJson(text) }
  }
  return {
    url,
    port,
    send,
    contract,
    tenant: () =>
      managed.runPromise(
        Effect.gen(function* () {
          const organizations = yield* Organizations
          const { agent, apiKey, organization, project } = yield* organizations.create({ name: "Tenant" })
          return {
            organization: organization.id,
            project: project.id,
            agent: agent.id,
            key: Redacted.value(apiKey.secret)
          }
        })
      ),
    logs: () => lines.join(""),
    run: (effect) => managed.runPromise(effect),
    close: () => managed.dispose()
  }
}

/** A server for all tests of a block, closed after them. */
export const serverForBlock = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const server = await startServer(options)
  afterAll(server.close)
  return server
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends bytes, and returns everything that is received until the connection is closed. */
export const sendRaw = (port: number, ...pieces: ReadonlyArray<string | Uint8Array>): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const socket: Socket = connect(port, "127.0.0.1", () => {
      for (const piece of pieces) socket.write(piece)
    })
    socket.setEncoding("latin1")
    socket.on("data", (more: string) => (text += more))
    socket.on("close", () => {
      resolve(text)
    })
    socket.on("error", (error: Error & { readonly code?: string }) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(text)
      else reject(error)
    })
  })
