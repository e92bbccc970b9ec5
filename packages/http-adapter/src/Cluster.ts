/**
 * A server of several processes on one address, by `node:cluster`: the first process leads. It starts the others, which
 * run the same program; they share its address, or do in the background what keeps no client waiting.
 */
import cluster, { type Worker } from "node:cluster"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { aggregateWorkerMetrics, type MetricsSources } from "./clusterMetrics.js"

/** How a process that is led knows what it is there for: by whom it is led, its role, and its port if that is settled. */
const WORKER_VARIABLE = "EARSHOT_PROCESS"

/** What a process that is led is there for; the first that serves speaks for all where one is enough. */
export type WorkerRole = "first" | "serves" | "background"

const isWorkerRole = Schema.is(Schema.Literal("first", "serves", "background"))

/** A process of the server ended before it was ready. It has said why itself, unless it was killed. */
export class ProcessEnded extends Schema.TaggedError<ProcessEnded>("@earshot/http-adapter/ProcessEnded")(
  "ProcessEnded",
  {
    /** Nothing if it was killed, or could not be started. */
    code: Schema.NullOr(Schema.Number)
  }
) {
  override get message(): string {
    return "A process of the server ended before it was ready."
  }
}

const encodeAssignment = (role: WorkerRole, leader: number, port: number | undefined): string =>
  [leader, role, ...(port === undefined ? [] : [port])].join(":")

const readAssignment = (): { readonly role: WorkerRole; readonly port: number | undefined } | undefined => {
  const [leader, role, port] = process.env[WORKER_VARIABLE]?.split(":") ?? []
  // The variable alone may be anybody's, and so may the cluster.
  if (!cluster.isWorker || leader !== String(process.ppid) || !isWorkerRole(role)) return undefined
  return { role, port: port === undefined ? undefined : Number(port) }
}

/** Looked at once: a process outlives the one that leads it by a moment. */
const assignment = readAssignment()

/** What this process is there for, if another one leads it. */
export const workerRole = (): WorkerRole | undefined => assignment?.role

/** The port that this process has to listen on, whichever was asked for: that of the address that was announced. */
export const workerPort = (): number | undefined => assignment?.port

/** Whether this process may lead others: one of a cluster, such as a process manager's, may not. */
export const canStartCluster = (): boolean => cluster.isPrimary

const Ready = Schema.Struct({ type: Schema.Literal("earshot:ready"), url: Schema.NullOr(Schema.String) })
const isReady = Schema.is(Ready)

/** Tells the process that leads this one that it is ready, and where it serves, if it does. */
export const reportReady = (url: string | null): Effect.Effect<void> =>
  Effect.sync(() => {
    const message: typeof Ready.Type = { type: "earshot:ready", url }
    process.send?.(message)
  })

/**
 * Keeps the address that was announced. Processes that were told to listen on port 0 share a port while one of them
 * lives, and beside them nobody can listen on it by its number. Once all of them are gone the number is all there is.
 */
class SharedAddress {
  #announced: string | undefined
  #byNumber = false
  readonly #unnumbered = new Set<Worker>()

  /** The port for a process that is about to start, nothing if it is to listen as it was asked to. */
  port(): number | undefined {
    if (this.#announced === undefined) return undefined
    if (this.#unnumbered.size === 0) this.#byNumber = true
    return this.#byNumber ? Number(new URL(this.#announced).port || 80) : undefined
  }

  startWorker(worker: Worker, port: number | undefined): void {
    if (port !== undefined) return
    this.#unnumbered.add(worker)
    worker.once("exit", () => this.#unnumbered.delete(worker))
  }

  /** Whether this is the address of all; the first one is. */
  agrees(url: string): boolean {
    this.#announced ??= url
    // The last of the others ended while this one started.
    if (url !== this.#announced) this.#byNumber = true
    return url === this.#announced
  }
}

/** What the process that leads knows of those that it leads. */
interface ClusterState {
  readonly address: SharedAddress
  readonly counted: MetricsSources
}

interface ReadyWorker {
  readonly url: string | null
  /** The code it ended with, nothing if it was killed. */
  readonly ended: Effect.Effect<number | null>
}

/** A process that is ready. When the scope closes it finishes what it has begun and is gone. */
const started = (
  role: WorkerRole,
  { address, counted }: ClusterState
): Effect.Effect<ReadyWorker, ProcessEnded, Scope.Scope> =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<string | null, ProcessEnded>()
    const ended = yield* Deferred.make<number | null>()
    yield* Effect.acquireRelease(
      Effect.try({
        try: () => {
          const port = role === "background" ? undefined : address.port()
          const worker = cluster.fork({ [WORKER_VARIABLE]: encodeAssignment(role, process.pid, port) })
          if (role !== "background") address.startWorker(worker, port)
          const end = (code: number | null): void => {
            counted.delete(worker)
            Deferred.unsafeDone(ready, Effect.fail(new ProcessEnded({ code })))
            Deferred.unsafeDone(ended, Effect.succeed(code))
          }
          worker.on("message", (message: unknown) => {
            if (!isReady(message)) return
            if (message.url !== null) counted.add(worker)
            Deferred.unsafeDone(ready, Effect.succeed(message.url))
          })
          worker.once("exit", end)
          // A message to one that was killed a moment ago is lost, and no fault; one without a number never started.
          worker.on("error", () => {
            if (worker.process.pid === undefined) end(null)
          })
          return worker
        },
        catch: () => new ProcessEnded({ code: null })
      }),
      // Not `worker.kill`: that one closes its server under its hands.
      (worker) =>
        Effect.zipRight(
          Effect.sync(() => worker.process.kill("SIGTERM")),
          Deferred.await(ended)
        )
    )
    return { url: yield* Deferred.await(ready), ended: Deferred.await(ended) }
  })

/** Until the place of a process that ended is taken: one that ends at once must not keep a processor busy. */
const RESTART_DELAY = "1 second"

/** Keeps a process in its place, whatever becomes of the one that had it. It fails if the first does not get ready. */
const superviseWorker = (
  role: WorkerRole,
  ready: Deferred.Deferred<string | null, ProcessEnded>,
  led: ClusterState
): Effect.Effect<never, ProcessEnded> =>
  Effect.scoped(
    Effect.gen(function* () {
      const one = yield* started(role, led)
      if (one.url !== null && !led.address.agrees(one.url)) return null
      yield* Deferred.succeed(ready, one.url)
      return yield* one.ended
    })
  ).pipe(
    Effect.catchAll((fault) =>
      Effect.flatMap(Deferred.fail(ready, fault), (isFirst) =>
        isFirst ? Effect.fail(fault) : Effect.succeed(fault.code)
      )
    ),
    Effect.flatMap((code) =>
      Effect.logError("A process of the server ended; another takes its place", { process: role, code })
    ),
    Effect.zipRight(Effect.sleep(RESTART_DELAY)),
    Effect.forever
  )

/**
 * Starts this program again for each process that is to serve, and once more for the background if that is wanted, and
 * keeps them until the scope closes. The first is ready before the others begin, so that it alone migrates a database,
 * and what it cannot do is said once. Not for a process that `mayLead` denies.
 */
export const startCluster = (wanted: {
  readonly serving: number
  readonly background: boolean
}): Effect.Effect<{ readonly url: string }, ProcessEnded, Scope.Scope> =>
  Effect.gen(function* () {
    // The default hands connections out, and one that is handed to a process which is then killed stays open unanswered.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    const led: ClusterState = { address: new SharedAddress(), counted: aggregateWorkerMetrics() }
    const place = (role: WorkerRole) =>
      Effect.map(Deferred.make<string | null, ProcessEnded>(), (ready) => ({ role, ready }))
    const first = yield* place("first")
    const others = yield* Effect.forEach(
      [
        ...Array.from({ length: wanted.serving - 1 }, () => "serves" as const),
        ...(wanted.background ? (["background"] as const) : [])
      ],
      place
    )
    const keeping = yield* Effect.forkScoped(
      Effect.all(
        [
          superviseWorker(first.role, first.ready, led),
          ...others.map(({ ready, role }) =>
            Effect.zipRight(Deferred.await(first.ready), superviseWorker(role, ready, led))
          )
        ],
        { concurrency: "unbounded", discard: true }
      )
    )
    const allReady = Effect.zipLeft(
      Deferred.await(first.ready),
      Effect.forEach(others, ({ ready }) => Deferred.await(ready), { discard: true })
    )
    // When one cannot start the others are told to end, and those that were starting never say that they are ready.
    const url = yield* Effect.raceFirst(allReady, Effect.zipRight(Fiber.join(keeping), Effect.never))
    // The first one serves, so it has said where.
    return { url: url ?? "" }
  })
