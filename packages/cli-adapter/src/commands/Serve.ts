import { Checkouts, JobRunner, Organizations } from "@earshot/core"
import { HttpServer, type HttpServerOptions, type LogLevel } from "@earshot/http-adapter"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Level from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { runEngine } from "../Session.js"
import {
  type AgentHostOptions,
  type CodeHostOptions,
  codeHostSettings,
  ingestingEngine,
  type IngestingOptions,
  workingEngine
} from "../Settings.js"
import { Signals } from "../Signals.js"
import { printJson } from "../Text.js"
import { Wiring } from "../Wiring.js"

export interface ServeOptions extends IngestingOptions, CodeHostOptions, AgentHostOptions {
  readonly database: string
  readonly json: boolean
  readonly host: string
  readonly port: number
  readonly maxBody: Option.Option<number>
  readonly maxUpload: Option.Option<number>
  readonly maxConnections: Option.Option<number>
  readonly graceSeconds: Option.Option<number>
  readonly rateLimit: Option.Option<number>
  readonly refusalLimit: Option.Option<number>
}

/** The server's word for the level that `--log-level` set. */
const serverLevel = (level: Level.LogLevel): LogLevel =>
  Level.lessThanEqual(level, Level.Debug)
    ? "debug"
    : Level.lessThanEqual(level, Level.Info)
      ? "info"
      : Level.lessThanEqual(level, Level.Warning)
        ? "warn"
        : level._tag === "None"
          ? "silent"
          : "error"

const limitsOf = (options: ServeOptions): NonNullable<HttpServerOptions["limits"]> => ({
  ...Option.match(options.maxBody, { onNone: () => ({}), onSome: (bodyBytes) => ({ bodyBytes }) }),
  ...Option.match(options.maxUpload, { onNone: () => ({}), onSome: (multipartBytes) => ({ multipartBytes }) }),
  ...Option.match(options.maxConnections, { onNone: () => ({}), onSome: (connections) => ({ connections }) }),
  ...Option.match(options.graceSeconds, {
    onNone: () => ({}),
    onSome: (seconds) => ({ graceMillis: seconds * 1000 })
  })
})

/** How long a key to a repository may outlive its session or its connection at a host that does not ask this server. */
const BETWEEN_ENDINGS = "30 seconds"

/** Serves until a signal comes; then requests in flight are finished, and it ends with 0. */
export const serve = (options: ServeOptions): Running =>
  Effect.scoped(
    Effect.gen(function* () {
      const screen = yield* Screen
      const wiring = yield* Wiring
      const signals = yield* Signals
      yield* signals.endWell
      const listening: { url?: string } = {}
      const codeHosts = codeHostSettings(options)
      const settings = {
        ...(yield* Effect.flatMap(ingestingEngine(options.database, options), (one) => workingEngine(one, options))),
        codeHosts: { ...codeHosts, publicUrl: () => codeHosts.publicUrl() ?? listening.url },
        requestsPerMinute: Option.getOrUndefined(options.rateLimit),
        refusalsPerMinute: Option.getOrUndefined(options.refusalLimit)
      }
      const engine = yield* runEngine(settings, { existing: false })
      const organizations = yield* Effect.provide(Organizations, engine)
      const present = yield* organizations.list({ limit: 1 })
      if (present.results.length === 0) {
        yield* screen.note("This database has no organisation yet, so nobody can call: `earshot init` makes one.")
      }
      // What was taken in is evaluated meanwhile; what is under way when it stops is put back.
      yield* Effect.forkScoped((yield* Effect.provide(JobRunner, engine)).run)
      const server = yield* Layer.build(
        wiring
          .server({
            host: options.host,
            port: options.port,
            limits: limitsOf(options),
            logLevel: serverLevel(yield* FiberRef.get(FiberRef.currentMinimumLogLevel))
          })
          .pipe(Layer.provide(Layer.succeedContext(engine)))
      )
      const { url } = yield* Effect.provide(HttpServer, server)
      listening.url = url
      const checkouts = yield* Effect.provide(Checkouts, engine)
      yield* checkouts.endDue.pipe(
        Effect.catchAll((fault) => Effect.logWarning("Keys that have ended could not be taken back", fault)),
        Effect.repeat(Schedule.spaced(BETWEEN_ENDINGS)),
        Effect.forkScoped
      )
      yield* screen.print(
        options.json ? printJson({ url }) : `Earshot is ready at ${url} (API description at ${url}/docs)`
      )
      yield* Effect.never
    })
  )
