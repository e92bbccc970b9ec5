import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ColumnStore, ResourceNames } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import { it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import * as EmbeddedEngine from "../../../src/storage/clickhouse/EmbeddedEngine.js"
import {
  type ClickHouseAddress,
  ClickHouseColumnStore,
  parseClickHouseUrl
} from "../../../src/storage/clickhouse/index.js"
import { plain } from "../../../src/storage/clickhouse/Statement.js"
import { permit, projectedCall, temporaryFolder } from "./projecting.js"

/** ClickHouse's engine behind its HTTP interface, as a server. */
const server = Effect.gen(function* () {
  const directory = yield* temporaryFolder
  const engine = yield* EmbeddedEngine.make({ directory, queryTimeout: Duration.minutes(1) })
  yield* engine.run("test", plain("CREATE DATABASE charts ENGINE = Atomic"))
  const { password, port } = yield* Effect.promise(
    async (): Promise<{ readonly password: string; readonly port: number }> =>
      JSON.parse(await readFile(join(directory, "endpoint.json"), "utf8"))
  )
  return `clickhouse://earshot:${password}@127.0.0.1:${port}/charts`
})

const addressOf = (url: string) => Either.getOrThrow(parseClickHouseUrl(url))

const noNames = Layer.succeed(
  ResourceNames,
  ResourceNames.of({ agents: () => Effect.succeed(new Map()), metrics: () => Effect.succeed(new Map()) })
)

const onServer = Layer.unwrapScoped(
  Effect.map(server, (url) => ClickHouseColumnStore.layerServer({ server: addressOf(url), queryTimeout: "1 minute" }))
).pipe(Layer.provide(noNames))

// The chart contract runs on the embedded engine, which is asked by the same client.
describe("a ClickHouse server", () => {
  it.scopedLive(
    "has the calls that were applied, in its database",
    () =>
      Effect.gen(function* () {
        const store = yield* ColumnStore
        yield* store.prepare("mine")
        yield* store.apply({ upserts: [1, 2, 3].map((id) => projectedCall(id)), deletes: [] })
        yield* store.apply({ upserts: [], deletes: [projectedCall(2).id] })
        yield* store.eraseFiles
        const totals = yield* store.analytics.totals(permit, {
          projectId: projectedCall(1).projectId,
          filter: { field: "metadata.n", op: "gt", value: 1 },
          now: FilterKit.NOW,
          latencyMetrics: []
        })
        expect(totals).toMatchObject({ calls: 1, averageDuration: 10 })
      }).pipe(Effect.provide(onServer)),
    { timeout: 180_000 }
  )
})

/** Why a store cannot be prepared. */
const failureAt = (address: ClickHouseAddress, queryTimeout: Duration.DurationInput = "1 minute") =>
  Effect.flatMap(ColumnStore, (store) => store.prepare("mine")).pipe(
    Effect.flip,
    Effect.provide(ClickHouseColumnStore.layerServer({ server: address, queryTimeout }).pipe(Layer.provide(noNames)))
  )

/** A server that answers each statement in the same way, or never. */
const answering = (status: number, body: string | undefined) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const created = createServer((request, response) => {
          request.resume()
          if (body !== undefined) response.writeHead(status).end(body)
        })
        created.listen(0, "127.0.0.1", () => resume(Effect.succeed(created)))
      }),
      (created) =>
        Effect.sync(() => {
          created.close()
          created.closeAllConnections()
        })
    ),
    (created) => addressOf(`clickhouse://user:secret@127.0.0.1:${(created.address() as AddressInfo).port}/charts`)
  )

const exception = (code: number, name: string) => `Code: ${code}. DB::Exception: It does not work. (${name})`

describe("a ClickHouse server that cannot be used", () => {
  it.scopedLive.each([
    ["old", 200, '{"version":"24.3.1.2672"}\n', "version"],
    ["without memory", 500, exception(241, "MEMORY_LIMIT_EXCEEDED"), "full"],
    ["without space", 500, exception(243, "NOT_ENOUGH_SPACE"), "full"],
    ["that has too much to do", 500, exception(202, "TOO_MANY_SIMULTANEOUS_QUERIES"), "slow"],
    ["that ends the statement", 500, exception(159, "TIMEOUT_EXCEEDED"), "slow"],
    ["that knows another user", 403, exception(516, "AUTHENTICATION_FAILED"), "unreachable"],
    ["without the database", 404, exception(81, "UNKNOWN_DATABASE"), "unreachable"],
    ["with another failure", 500, exception(49, "LOGICAL_ERROR"), "failed"],
    ["that is none", 200, "<html>", "failed"]
  ] as const)("fails with its reason: one %s", ([, status, body, reason]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flatMap(answering(status, body), (address) => failureAt(address))
      expect(failure.reason).toBe(reason)
    })
  )

  it.scopedLive("fails with its reason: one that does not answer", () =>
    Effect.gen(function* () {
      const address = yield* answering(200, undefined)
      expect((yield* failureAt(address, "1 second")).reason).toBe("slow")
    })
  )

  it.scopedLive("fails with its reason: none", () =>
    Effect.gen(function* () {
      const address = yield* Effect.scoped(answering(200, ""))
      expect((yield* failureAt(address)).reason).toBe("unreachable")
    })
  )

  it.scopedLive("fails with its reason: one with a wrong password", () =>
    Effect.gen(function* () {
      const url = yield* server
      expect((yield* failureAt({ ...addressOf(url), password: "wrong" })).reason).toBe("unreachable")
    })
  )
})

describe("the address of a ClickHouse server", () => {
  it.effect.each<readonly [string, string, string, string, string]>([
    ["clickhouse://host", "http://host:8123", "default", "", "default"],
    ["clickhouses://host/", "https://host:8443", "default", "", "default"],
    ["clickhouse://me:p%40ss@host:9000/charts", "http://host:9000", "me", "p@ss", "charts"],
    ["clickhouses://me@[::1]:1/x_1", "https://[::1]:1", "me", "", "x_1"]
  ])("is parsed: %s", ([text, url, username, password, database]) =>
    Effect.sync(() => {
      expect(parseClickHouseUrl(text)).toEqual(Either.right({ url, username, password, database }))
    })
  )

  it.effect.each([
    "",
    "host",
    "http://host",
    "clickhouse:///charts",
    "clickhouse://me:secret@host/a-b",
    "clickhouse://me:secret@host/a?secure=true",
    "clickhouse://me:secret%ZZ@host"
  ])("is refused without its password: %s", (text) =>
    Effect.sync(() => {
      const message = Either.getOrThrow(Either.flip(parseClickHouseUrl(text)))
      expect(message).not.toContain("secret")
      expect(message).toMatch(/^[A-Z].*\.$|^Use /)
    })
  )
})
