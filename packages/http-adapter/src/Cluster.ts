/**
 * A server of several processes that share one address, on `node:cluster`. The primary starts the workers, which run the
 * same program; a worker either serves requests or runs background jobs.
 */
import cluster, { type Worker } from "node:cluster"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { aggregateWorkerMetrics, type MetricsSources } from "./clusterMetrics.js"

/** Carries a worker's assignment: the primary's process id, the worker's role, and its port once that is known. */
const WORKER_VARIABLE = "EARSHOT_PROCESS"

/** What a worker does. The first server also does what one process is enough for, such as migrations. */
export type WorkerRole = "first" | "server" | "background"

const isWorkerRole = Schema.is(Schema.Literal("first", "server", "background"))

/** A worker process exited before it was ready. It has printed the reason itself, unless it was killed. */
export class ProcessEnded extends Schema.TaggedError<ProcessEnded>("@earshot/http-adapter/ProcessEnded")(
  "ProcessEnded",
  {
    /** The exit code; null if it was killed or could not be started. */
    code: Schema.NullOr(Schema.Number)
  }
) {
  override get message(): string {
    return "A worker process of the server exited before it was ready."
  }
}

const encodeAssignment = (role: WorkerRole, primary: number, port: number | undefined): string =>
  [primary, role, ...(port === undefined ? [] : [port])].join(":")

const readAssignment = (): { readonly role: WorkerRole; readonly port: number | undefined } | undefined => {
  const [primary, role, port] = process.env[WORKER_VARIABLE]?.split(":") ?? []
  // The variable may be inherited, and this may be a worker of another program's cluster.
  if (!cluster.isWorker || primary !== String(process.ppid) || !isWorkerRole(role)) return undefined
  return { role, port: port === undefined ? undefined : Number(port) }
}

/** Read once: a worker outlives its primary by a moment, and then has another parent. */
const assignment = readAssignment()

/** The role of this process, or undefined if it is not a worker of an Earshot cluster. */
export const workerRole = (): WorkerRole | undefined => assignment?.role

/** The port that this worker has to listen on instead of the configured one, once the cluster's address is known. */
export const workerPort = (): number | undefined => assignment?.port

/** Whether this process can be a primary. A worker of another cluster, such as a process manager's, cannot. */
export const canStartCluster = (): boolean => cluster.isPrimary

const Ready = Schema.Struct({ type: Schema.Literal("earshot:ready"), url: Schema.NullOr(Schema.String) })
const isReady = Schema.is(Ready)

/** Reports to the primary that this worker is ready. `url` is the address it serves on; null for a background worker. */
export const reportReady = (url: string | null): Effect.Effect<void> =>
  Effect.sync(() => {
    const message: typeof Ready.Type = { type: "earshot:ready", url }
    process.send?.(message)
  })

/**
 * Keeps the address that was printed at the start. With port 0, workers share one port as long as one of them runs, and
 * meanwhile no process can bind that port by its number. When all of them have exited, it can only be bound by number.
 */
class SharedAddress {
  #url: string | undefined
  #byNumber = false
  readonly #onPortZero = new Set<Worker>()

  /** The port for a worker that is about to start; undefined for the configured port. */
  port(): number | undefined {
    if (this.#url === undefined) return undefined
    if (this.#onPortZero.size === 0) this.#byNumber = true
    return this.#byNumber ? Number(new URL(this.#url).port || 80) : undefined
  }

  register(worker: Worker, port: number | undefined): void {
    if (port !== undefined) return
    this.#onPortZero.add(worker)
    worker.once("exit", () => this.#onPortZero.delete(worker))
  }

  /** Whether a worker's URL is the cluster's; the first worker's URL becomes the cluster's. */
  matches(url: string): boolean {
    this.#url ??= url
    // The last of the other workers exited while this one started.
    if (url !== this.#url) this.#byNumber = true
    return url === this.#url
  }
}

interface ClusterState {
  readonly address: SharedAddress
  readonly metricsSources: MetricsSources
}

interface ReadyWorker {
  readonly url: string | null
  /** The exit code; null if it was killed. */
  readonly exited: Effect.Effect<number | null>
}

/** Starts a worker and waits until it is ready. When the scope closes, the worker finishes its requests and exits. */
const startWorker = (
  role: WorkerRole,
  { address, metricsSources }: ClusterState
): Effect.Effect<ReadyWorker, ProcessEnded, Scope.Scope> =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<string | null, ProcessEnded>()
    const exited = yield* Deferred.make<number | null>()
    yield* Effect.acquireRelease(
      Effect.try({
        try: () => {
          const port = role === "background" ? undefined : address.port()
          const worker = cluster.fork({ [WORKER_VARIABLE]: encodeAssignment(role, process.pid, port) })
          if (role !== "background") address.register(worker, port)
          const onExit = (code: number | null): void => {
            metricsSources.delete(worker)
            Deferred.unsafeDone(ready, Effect.fail(new ProcessEnded({ code })))
            Deferred.unsafeDone(exited, Effect.succeed(code))
          }
          worker.on("message", (message: unknown) => {
            if (!isReady(message)) return
            metricsSources.add(worker)
            Deferred.unsafeDone(ready, Effect.succeed(message.url))
          })
          worker.once("exit", onExit)
          // A message to a worker that has just been killed is lost: no error. A worker without a pid never started.
          worker.on("error", () => {
            if (worker.process.pid === undefined) onExit(null)
          })
          return worker
        },
        catch: () => new ProcessEnded({ code: null })
      }),
      // Not `worker.kill`, which closes the worker's server at once.
      (worker) =>
        Effect.zipRight(
          Effect.sync(() => worker.process.kill("SIGTERM")),
          Deferred.await(exited)
        )
    )
    return { url: yield* Deferred.await(ready), exited: Deferred.await(exited) }
  })

/** Delay before a worker is restarted, so that a worker that exits at once does not keep a processor busy. */
const RESTART_DELAY = "1 second"

/** Restarts a worker whenever it exits. Fails if the worker exits before it was ready for the first time. */
const superviseWorker = (
  role: WorkerRole,
  ready: Deferred.Deferred<string | null, ProcessEnded>,
  state: ClusterState
): Effect.Effect<never, ProcessEnded> =>
  Effect.scoped(
    Effect.gen(function* () {
      const worker = yield* startWorker(role, state)
      if (worker.url !== null && !state.address.matches(worker.url)) return null
      yield* Deferred.succeed(ready, worker.url)
      return yield* worker.exited
    })
  ).pipe(
    Effect.catchAll((error) =>
      Effect.flatMap(Deferred.fail(ready, error), (isFirst) =>
        isFirst ? Effect.fail(error) : Effect.succeed(error.code)
      )
    ),
    Effect.flatMap((code) => Effect.logError("Worker process exited; restarting it", { process: role, code })),
    Effect.zipRight(Effect.sleep(RESTART_DELAY)),
    Effect.forever
  )

/**
 * Starts this program `servers` times to serve requests, and once more for background jobs if `background`, and restarts
 * workers that exit until the scope closes. The first worker is ready before the others start, so that only one migrates
 * the database and reports start-up errors. Requires `canStartCluster`.
 */
export const startCluster = (options: {
  readonly servers: number
  readonly background: boolean
}): Effect.Effect<{ readonly url: string }, ProcessEnded, Scope.Scope> =>
  Effect.gen(function* () {
    // By default the primary hands connections out, and one handed to a worker that is then killed stays open, unanswered.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    const state: ClusterState = { address: new SharedAddress(), metricsSources: aggregateWorkerMetrics() }
    const makeSlot = (role: WorkerRole) =>
      Effect.map(Deferred.make<string | null, ProcessEnded>(), (ready) => ({ role, ready }))
    const first = yield* makeSlot("first")
    const others = yield* Effect.forEach(
      [
        ...Array.from({ length: options.servers - 1 }, () => "server" as const),
        ...(options.background ? (["background"] as const) : [])
      ],
      makeSlot
    )
    const supervision = yield* Effect.forkScoped(
      Effect.all(
        [
          superviseWorker(first.role, first.ready, state),
          ...others.map(({ ready, role }) =>
            Effect.zipRight(Deferred.await(first.ready), superviseWorker(role, ready, state))
          )
        ],
        { concurrency: "unbounded", discard: true }
      )
    )
    const allReady = Effect.zipLeft(
      Deferred.await(first.ready),
      Effect.forEach(others, ({ ready }) => Deferred.await(ready), { discard: true })
    )
    // If a worker cannot start, the others are stopped, and those that were starting never become ready.
    const url = yield* Effect.raceFirst(allReady, Effect.zipRight(Fiber.join(supervision), Effect.never))
    // The first worker is a server, so it has reported its URL.
    return { url: url ?? "" }
  })
