import { Checkouts, type Engine, JobRunner, Organizations } from "@earshot/core"
import {
  HttpServer,
  type HttpServerOptions,
  lead,
  type LogLevel,
  mayLead,
  portOfProcess,
  reportReady,
  roleOfProcess
} from "@earshot/http-adapter"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Level from "effect/LogLevel"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Misused, type OutputClosed } from "../Faults.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { checkAddress, runEngine } from "../Session.js"
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
import { upkeep } from "../Upkeep.js"
import { Wiring } from "../Wiring.js"

export interface ServeOptions extends IngestingOptions, CodeHostOptions, AgentHostOptions {
  readonly database: string
  readonly json: boolean
  readonly host: string
  readonly port: number
  readonly processes: number
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

/** What a server does beside answering, until it is told to stop; what is under way then is put back. */
const workInBackground = (engine: Context.Context<Engine.Services>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const runner = yield* JobRunner
    const checkouts = yield* Checkouts
    yield* Effect.forkScoped(runner.run)
    yield* Effect.forkScoped(
      upkeep({ failure: "Keys that have ended could not be taken back", every: BETWEEN_ENDINGS, run: checkouts.endDue })
    )
  }).pipe(Effect.provide(engine))

/** Says that it serves, and where: to the process that leads this one, if there is one, since that speaks for all. */
const announce = (url: string, options: ServeOptions): Effect.Effect<void, OutputClosed, Screen> =>
  roleOfProcess() === undefined
    ? Effect.flatMap(Screen, (screen) =>
        screen.print(options.json ? printJson({ url }) : `Earshot is ready at ${url} (API description at ${url}/docs)`)
      )
    : reportReady(url)

/** Does in this process what it is there for: all there is, if no other process leads it. */
const serveHere = (options: ServeOptions): Running =>
  Effect.scoped(
    Effect.gen(function* () {
      const screen = yield* Screen
      const wiring = yield* Wiring
      const role = roleOfProcess()
      const listening: { url?: string } = {}
      const codeHosts = codeHostSettings(options)
      const settings = {
        ...(yield* Effect.flatMap(ingestingEngine(options.database, options), (one) => workingEngine(one, options))),
        codeHosts: { ...codeHosts, publicUrl: () => codeHosts.publicUrl() ?? listening.url },
        requestsPerMinute: Option.getOrUndefined(options.rateLimit),
        refusalsPerMinute: Option.getOrUndefined(options.refusalLimit),
        processes: options.processes
      }
      const engine = yield* runEngine(settings, { existing: false })
      if (role === undefined || role === "background") yield* workInBackground(engine)
      if (role === "background") {
        yield* reportReady(null)
        return yield* Effect.never
      }
      const organizations = yield* Effect.provide(Organizations, engine)
      const present = yield* organizations.list({ limit: 1 })
      if (present.results.length === 0 && role !== "serves") {
        yield* screen.note("This database has no organisation yet, so nobody can call: `earshot init` makes one.")
      }
      const server = yield* Layer.build(
        wiring
          .server({
            host: options.host,
            port: portOfProcess() ?? options.port,
            limits: limitsOf(options),
            logLevel: serverLevel(yield* FiberRef.get(FiberRef.currentMinimumLogLevel))
          })
          .pipe(Layer.provide(Layer.succeedContext(engine)))
      )
      const { url } = yield* Effect.provide(HttpServer, server)
      listening.url = url
      yield* announce(url, options)
      return yield* Effect.never
    })
  )

/**
 * Serves in processes that this one leads. What is done beside answering has a process of its own: evaluating a call takes
 * many times as long as taking it in, and no delivery should wait for it.
 */
const serveTogether = (options: ServeOptions): Running =>
  Effect.scoped(
    Effect.gen(function* () {
      const address = yield* checkAddress(options.database)
      if (!mayLead()) {
        return yield* new Misused({
          reason: "--processes: this process is one of a cluster that another one leads, such as a process manager."
        })
      }
      if (address.kind === "sqlite") {
        if (address.filename === ":memory:") {
          return yield* new Misused({ reason: "--processes: a database in memory is one process's own." })
        }
        yield* Effect.flatMap(Wiring, ({ countForOthers }) => countForOthers)
      }
      const { url } = yield* lead({ serving: options.processes, background: true })
      yield* announce(url, options)
      yield* Effect.never
    })
  )

/** Serves until a signal comes; then requests in flight are finished, and it ends with 0. */
export const serve = (options: ServeOptions): Running =>
  Effect.gen(function* () {
    const signals = yield* Signals
    yield* signals.endWell
    if (roleOfProcess() !== undefined) yield* signals.once
    return yield* options.processes > 1 && roleOfProcess() === undefined ? serveTogether(options) : serveHere(options)
  })
