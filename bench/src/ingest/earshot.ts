/** The server that is measured: the HTTP adapter over the engine, with an API key asked for on every request. */
import { Engine, Organizations } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { SqliteStorage } from "@earshot/core/sqlite"
import * as Http from "@earshot/http-adapter"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { announce, untilTold } from "./process.js"

const [, , database, location = ""] = process.argv

const storage =
  database === "sqlite"
    ? SqliteStorage.layer({ filename: location })
    : PostgresStorage.layer({ url: Redacted.make(location) })

const engine = Engine.layerWith({ blobs: MemoryBlobStore.layer }).pipe(Layer.provideMerge(storage))

const program = Effect.gen(function* () {
  const organizations = yield* Organizations
  const { agent, apiKey } = yield* organizations.create({ name: "Benchmark" })
  const server = yield* Http.HttpServer
  announce({
    url: `${server.url}/observability/v1/observe/`,
    agent: agent.id,
    headers: { "x-service-api-key": Redacted.value(apiKey.secret) }
  })
  yield* Effect.promise(untilTold)
}).pipe(Effect.provide(Http.layer({ port: 0, logLevel: "error" }).pipe(Layer.provideMerge(engine))))

await Effect.runPromise(program)
