import type { RequestListener } from "node:http"
import type { Engine } from "@earshot/core"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as HashSet from "effect/HashSet"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { type App, makeApp, type TrustProxy } from "./App.js"
import { defaultLimits, type HttpLimits } from "./Limits.js"
import { effectLogger, flush, type Log, type LogLevel, type LogOptions, makeLog } from "./Log.js"
import { endpoints } from "./routes/index.js"
import { git } from "./routes/Git.js"
import { serviceEndpoints } from "./routes/Service.js"

/** What a listener takes, says and believes. */
export interface ListenerOptions {
  readonly limits?: Partial<HttpLimits>
  /** From which level on JSON lines are written; `info`, which has a line a request, unless told. */
  readonly logLevel?: LogLevel
  /** Where they go; stderr unless told. */
  readonly logDestination?: LogOptions["destination"]
  /** What every path begins with, such as `/earshot`; nothing unless told. */
  readonly basePath?: string
  /** Whose word on a caller's address is taken (`X-Forwarded-For`); nobody's unless told. */
  readonly trustProxy?: TrustProxy
}

/** A listener for a `node:http` server of the caller's own. */
export interface HttpListener {
  readonly listener: RequestListener
  /** Stops what still runs for requests. Close the server first, so that nothing new comes in. */
  readonly close: () => Promise<void>
}

/** An app with everything that is made for it; closing it leaves nothing behind. */
export interface BuiltApp {
  readonly app: App
  readonly log: Log
  readonly limits: HttpLimits
  readonly close: () => Promise<void>
}

const BASE_PATH = /^(?:\/[\w.~-]+)*$/

export const build = async (
  runtime: Runtime.Runtime<Engine.Services>,
  { basePath = "", limits: given, logDestination, logLevel = "info", trustProxy = false }: ListenerOptions
): Promise<BuiltApp> => {
  if (!BASE_PATH.test(basePath)) throw new TypeError(`Not a base path: ${basePath}`)
  const limits = { ...defaultLimits, ...given }
  const log = makeLog({ level: logLevel, destination: logDestination })
  const app = await makeApp(
    requestRuntime(runtime, log),
    (metrics) => [...endpoints, ...git, ...serviceEndpoints(metrics, basePath, endpoints)],
    { basePath, limits, log, trustProxy }
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

/** Whether spans go anywhere: Effect's own tracer only makes them, which a request that is taken in would feel. */
const isTraced = <R>(runtime: Runtime.Runtime<R>): boolean => {
  const services = FiberRefs.getOrDefault(runtime.fiberRefs, DefaultServices.currentServices)
  return Context.get(services, Tracer.Tracer) !== Context.get(DefaultServices.liveServices, Tracer.Tracer)
}

/**
 * The default scheduler with one queue for all requests. Its own way is a queue a fiber in a WeakMap, so that what a fiber
 * runs keeps its place in `AsyncLocalStorage`; every request would pay for its entry, and again whenever young memory is
 * collected. Nobody goes by that storage where nothing is traced.
 */
const sharedQueueScheduler: Scheduler.Scheduler = {
  shouldYield: (fiber) => Scheduler.defaultScheduler.shouldYield(fiber),
  scheduleTask: (task, priority) => {
    Scheduler.defaultScheduler.scheduleTask(task, priority)
  }
}

/** The engine's runtime as requests run on it: interruptible, logging where the server does, traced if anybody asks. */
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
      traced || scheduler !== Scheduler.defaultScheduler ? scheduler : sharedQueueScheduler
    ),
    Runtime.enableRuntimeFlag(RuntimeFlags.Interruption)
  )
}

/**
 * The server's endpoints as a listener for an existing `node:http` server, on an engine that runs. Time limits and the
 * number of connections are that server's to set.
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

/** The same as a resource, for programs with Effect. */
export const listener = (
  options: ListenerOptions = {}
): Effect.Effect<RequestListener, never, Engine.Services | Scope.Scope> =>
  Effect.flatMap(Effect.runtime<Engine.Services>(), (runtime) =>
    Effect.acquireRelease(
      Effect.promise(() => earshotListener(runtime, options)),
      ({ close }) => Effect.promise(close)
    )
  ).pipe(Effect.map(({ listener }) => listener))
