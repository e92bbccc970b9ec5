/** What a command calls: the engine on a database, or a server. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Api } from "./Api.js"
import type { UsageError, CommandRejected } from "./Errors.js"
import * as ServerApi from "./ServerApi.js"
import type { RunFailure } from "./Session.js"
import type { CommonOptions } from "./Settings.js"
import type { EngineSettings, Wiring } from "./Wiring.js"

type SettingsOf = Effect.Effect<EngineSettings, UsageError | CommandRejected>

/**
 * Runs the steps of a command over the API of `--url`, or else of the database. The engine is loaded for a database only.
 *
 * @param settings loads what the engine is set to. Default: the settings of a command that ingests no calls.
 */
export const onTarget =
  (options: CommonOptions, settings?: () => Promise<SettingsOf>) =>
  <A, E, R>(steps: Effect.Effect<A, E, R>): Effect.Effect<A, E | RunFailure, Exclude<R, Api> | Wiring> =>
    Effect.provide(steps, options.url === undefined ? local(options, settings) : ServerApi.layer(options.url, options))

const local = (
  options: CommonOptions,
  settings: (() => Promise<SettingsOf>) | undefined
): Layer.Layer<Api, RunFailure, Wiring> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const EngineApi = yield* Effect.promise(() => import("./EngineApi.js"))
      const given =
        settings === undefined
          ? Effect.map(
              Effect.promise(() => import("./EngineSettings.js")),
              ({ plainEngine }) => plainEngine(options)
            )
          : Effect.flatten(Effect.promise(settings))
      return EngineApi.layer(yield* given, options)
    })
  )
