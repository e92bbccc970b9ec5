import type { RequestListener } from "node:http"
import { type Engine, TurnScheduler } from "@earshot/core"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { type App, makeApp } from "./App.js"
import type { TrustProxy } from "./ClientAddress.js"
import { type HttpLimits, makeLimits } from "./Limits.js"
import { effectLogger, flush, type Log, type LogLevel, type LogOptions, makeLog } from "./Log.js"
import { endpoints } from "./routes/index.js"
import { git } from "./routes/Git.js"
import { hooks } from "./routes/Hooks.js"
import { serviceEndpoints } from "./routes/Service.js"
import { webApp } from "./WebApp.js"
import { traceAliases } from "./routes/Traces.js"

/** Options of a listener. */
export interface ListenerOptions {
  readonly limits?: Partial<HttpLimits>
  /** The least severe level that is logged. Default: `info`, which logs every request. */
  readonly logLevel?: LogLevel
  /** Where JSON log lines are written. Default: stderr. */
  readonly logDestination?: LogOptions["destination"]
  /** The prefix of every path, such as `/earshot`. Default: none. */
  readonly basePath?: string
  /** Whose `X-Forwarded-For` and `Forwarded` are trusted. Default: nobody's. */
  readonly trustProxy?: TrustProxy
  /**
   * Origins, such as `https://app.example.com`, whose pages may embed the server and call it with embedded sessions and
   * shareable links. Default: none.
   */
  readonly allowOrigins?: ReadonlyArray<string>
}

/** A listener for an existing `node:http` server. */
export interface HttpListener {
  readonly listener: RequestListener
  /** Interrupts running requests. Close the server first, so that no new ones arrive. */
  readonly close: () => Promise<void>
}

/** An app with its log and limits. */
export interface BuiltApp {
  readonly app: App
  readonly log: Log
  readonly limits: HttpLimits
  readonly close: () => Promise<void>
}

const BASE_PATH = /^(?:\/[\w.~-]+)*$/

export const build = async (
  runtime: Runtime.Runtime<Engine.Services>,
  {
    basePath = "",
    limits: given,
    logDestination,
    logLevel = "info",
    trustProxy = false,
    allowOrigins = []
  }: ListenerOptions
): Promise<BuiltApp> => {
  if (!BASE_PATH.test(basePath)) throw new TypeError(`Invalid base path: ${basePath}`)
  const limits = makeLimits(given)
  const log = makeLog({ level: logLevel, destination: logDestination })
  const app = await makeApp(
    requestRuntime(runtime, log),
    (metrics, state) => [
      ...endpoints,
      ...hooks,
      ...webApp(basePath, allowOrigins),
      ...traceAliases,
      ...git,
      ...serviceEndpoints(metrics, basePath, state)
    ],
    { basePath, limits, log, trustProxy, allowOrigins }
  )
  return {
    app,
    log,
    limits,
    close: async () => {
      await app.fastify.close()
      await app.interrupt()
      flush(log)
    }
  }
}

/** Whether a tracer is configured. Effect's default tracer exports no spans, but costs each request time to create them. */
const isTraced = <R>(runtime: Runtime.Runtime<R>): boolean => {
  const services = FiberRefs.getOrDefault(runtime.fiberRefs, DefaultServices.currentServices)
  return Context.get(services, Tracer.Tracer) !== Context.get(DefaultServices.liveServices, Tracer.Tracer)
}

/** The engine's runtime for requests: interruptible, with the server's log, traced only if a tracer is configured. */
const requestRuntime = <R>(runtime: Runtime.Runtime<R>, log: Log): Runtime.Runtime<R> => {
  const loggers: HashSet.HashSet<Logger.Logger<unknown, unknown>> = FiberRefs.getOrDefault(
    runtime.fiberRefs,
    FiberRef.currentLoggers
  )
  const own = HashSet.has(loggers, Logger.defaultLogger)
    ? HashSet.add(HashSet.remove(loggers, Logger.defaultLogger), effectLogger(log))
    : loggers
  const traced = isTraced(runtime)
  const scheduler = FiberRefs.getOrDefault(runtime.fiberRefs, FiberRef.currentScheduler)
  return runtime.pipe(
    Runtime.setFiberRef(FiberRef.currentLoggers, own),
    Runtime.setFiberRef(FiberRef.currentTracerEnabled, traced),
    Runtime.setFiberRef(
      FiberRef.currentScheduler,
      // A tracer may use `AsyncLocalStorage`, which only the default scheduler preserves, by a queue for each fiber.
      traced || !TurnScheduler.isDefault(scheduler) ? scheduler : TurnScheduler.turnScheduler
    ),
    Runtime.enableRuntimeFlag(RuntimeFlags.Interruption)
  )
}

/**
 * The endpoints as a listener for an existing `node:http` server, over a running engine. Time limits and the number of
 * connections are set on that server.
 *
 * ```ts
 * const engine = await createEngine({ database: "sqlite:./calls.db" })
 * const { listener } = await earshotListener(await engine.runtime(), { basePath: "/earshot" })
 * http.createServer((request, response) => request.url?.startsWith("/earshot") ? listener(request, response) : mine(request, response))
 * ```
 */
export const earshotListener = async (
  runtime: Runtime.Runtime<Engine.Services>,
  options: ListenerOptions = {}
): Promise<HttpListener> => {
  const { app, close } = await build(runtime, options)
  return {
    listener: (request, response) => {
      app.fastify.routing(request, response)
    },
    close
  }
}

/** The same as a scoped effect. */
export const listener = (
  options: ListenerOptions = {}
): Effect.Effect<RequestListener, never, Engine.Services | Scope.Scope> =>
  Effect.flatMap(Effect.runtime<Engine.Services>(), (runtime) =>
    Effect.acquireRelease(
      Effect.promise(() => earshotListener(runtime, options)),
      ({ close }) => Effect.promise(close)
    )
  ).pipe(Effect.map(({ listener }) => listener))
