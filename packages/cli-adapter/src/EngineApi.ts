/** The API of an engine in this process, on a database. */
import { type Engine, JobRunner } from "@earshot/core"
import { respond } from "@earshot/http-adapter"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Api, clientOver, type Fetch, Thrown } from "./Api.js"
import { type Caller, resolveCaller, type RunFailure, runEngine } from "./Session.js"
import type { CallerOptions } from "./Settings.js"
import type { EngineSettings, Wiring } from "./Wiring.js"

/** No request leaves this process. */
const BASE_URL = "http://engine.invalid"

/** The API of a running engine, as the caller that is admitted. Requests are interrupted when the scope ends. */
export const make = (
  engine: Context.Context<Engine.Services>,
  caller: Caller
): Effect.Effect<Api["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* Effect.provide(FiberSet.makeRuntimePromise<Engine.Services>(), engine)
    const fetch: Fetch = async (request) => {
      const exit = await run(Effect.exit(respond(request, caller.admit)))
      if (Exit.isFailure(exit)) throw new Thrown(exit.cause)
      return exit.value
    }
    return {
      // The engine retries by itself what is worth retrying.
      client: clientOver(fetch, { baseUrl: BASE_URL, retry: { attempts: 1 } }),
      isLocal: true,
      runJobs: Effect.flatMap(JobRunner, (runner) => Effect.forkScoped(runner.run)).pipe(
        Effect.asVoid,
        Effect.provide(engine)
      )
    }
  })

/** The API of an engine with these settings, until the scope ends. */
export const layer = (settings: EngineSettings, options: CallerOptions): Layer.Layer<Api, RunFailure, Wiring> =>
  Layer.scoped(
    Api,
    Effect.gen(function* () {
      const engine = yield* runEngine(settings, { existing: true })
      return yield* make(engine, yield* Effect.provide(resolveCaller(options), engine))
    })
  )
