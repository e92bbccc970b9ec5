/**
 * Earshot's HTTP server, with an API key required on every request, in one or more processes. Calls are queued for evaluation
 * but not evaluated, as the baseline does not evaluate calls either.
 */
import { Database, Engine, Organizations } from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import * as Http from "@earshot/http-adapter"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { RunningProgram } from "./runningProgram.js"

/** Starts the server; `args`: the database, and the number of processes. In a worker of a cluster it does not return. */
export const startEarshot = async ([
  database = "",
  processes = "1"
]: ReadonlyArray<string>): Promise<RunningProgram> => {
  const engine = Engine.layerWith({ blobs: MemoryBlobStore.layer }).pipe(Layer.provide(Database.layer(database)))
  const server = Effect.map(
    Layer.build(Http.layer({ port: 0, logLevel: "error" }).pipe(Layer.provide(engine))),
    (built) => Context.get(built, Http.HttpServer).url
  )
  const program = Effect.gen(function* () {
    if (Http.workerRole() !== undefined) {
      yield* Effect.flatMap(server, Http.reportReady)
      return yield* Effect.never
    }
    const { agent, apiKey } = yield* Effect.provide(
      Effect.flatMap(Organizations, (organizations) => organizations.create({ name: "Benchmark" })),
      engine
    )
    const url =
      processes === "1"
        ? yield* server
        : (yield* Http.startCluster({ servers: Number(processes), background: false })).url
    return { url, agent: agent.id, key: Redacted.value(apiKey.secret) }
  })
  const scope = await Effect.runPromise(Scope.make())
  const running = await Effect.runPromise(Scope.extend(program, scope))
  return { ...running, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
