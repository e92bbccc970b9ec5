import { type Actor, type Engine, NotFound, RunIsOver, untrusted, ValidationFailed } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as TestEngine from "../TestEngine.js"
import { type Driver, type DriverResponse, response } from "./Drivers.js"
import { routes } from "./EngineRoutes.js"

/**
 * A driver of an in-process engine, as an actor. It supports only the requests that models send.
 *
 * @param run runs an effect on the engine, such as `runtime.runPromise`.
 */
export const engineDriver =
  (run: <A>(steps: Effect.Effect<A, unknown, Engine.Services>) => Promise<A>, actor: Actor): Driver =>
  (method, path, json) => {
    const [plain = "", query = ""] = path.split("?")
    const id = Number(/\/(\d+)\//.exec(plain)?.[1])
    const route = routes[`${method} ${plain.replace(/\/\d+\//, "/:id/")}`]
    if (route === undefined) return Promise.reject(new Error(`No route for ${method} ${path}`))
    return run(
      route(id, untrusted(json), untrusted(Object.fromEntries(new URLSearchParams(query)))).pipe(
        Effect.catchAll((error) =>
          error instanceof RunIsOver
            ? Effect.succeed(response("refused"))
            : error instanceof ValidationFailed
              ? Effect.succeed(response("refused", null, Object.keys(error.errors)))
              : error instanceof NotFound
                ? Effect.succeed(response("missing"))
                : Effect.fail(error)
        ),
        // Responses are compared with the wire form: instants as texts, and only what JSON can represent.
        Effect.map((answer): DriverResponse => ({ ...answer, body: JSON.parse(JSON.stringify(answer.body)) })),
        TestEngine.as(actor)
      )
    )
  }
