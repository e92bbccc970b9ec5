/**
 * The server that is measured: the HTTP adapter over the engine, with an API key asked for on every request, in as many
 * processes as it is told. Calls wait to be evaluated, which nobody does here: what they are compared with does not, either.
 */
import { Database, Engine, Organizations } from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import * as Http from "@earshot/http-adapter"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const [, , database = "", processes = "1"] = process.argv

const engine = Engine.layerWith({ blobs: MemoryBlobStore.layer }).pipe(Layer.provide(Database.layer(database)))
const server = Effect.map(
  Layer.build(Http.layer({ port: 0, logLevel: "error" }).pipe(Layer.provide(engine))),
  (built) => Context.get(built, Http.HttpServer).url
)

const program = Effect.gen(function* () {
  if (Http.roleOfProcess() !== undefined) {
    yield* Effect.flatMap(server, Http.reportReady)
    return yield* Effect.never
  }
  const { agent, apiKey } = yield* Effect.provide(
    Effect.flatMap(Organizations, (organizations) => organizations.create({ name: "Benchmark" })),
    engine
  )
  const url =
    processes === "1" ? yield* server : (yield* Http.lead({ serving: Number(processes), background: false })).url
  console.log(JSON.stringify({ url, agent: agent.id, key: Redacted.value(apiKey.secret) }))
  return yield* Effect.never
}).pipe(Effect.scoped)

process.once("SIGTERM", () => process.exit(0))
await Effect.runPromise(program)
