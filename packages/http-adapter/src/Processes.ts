/**
 * A server of several processes on one address, by `node:cluster`: the first process leads. It starts the others, which
 * run the same program; they share its address, or do in the background what keeps no client waiting.
 */
import cluster from "node:cluster"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { answerForMetrics, gatherMetrics } from "./Gather.js"

/** How a process that is led knows what it is there for. */
const ROLE = "EARSHOT_PROCESS"

/** What a process that is led is there for; the first that serves speaks for all where one is enough. */
export type ProcessRole = "first" | "serves" | "background"

const isRole = Schema.is(Schema.Literal("first", "serves", "background"))

/** A process of the server ended before it was ready; it has said why itself. */
export class ProcessEnded extends Schema.TaggedError<ProcessEnded>("@earshot/http-adapter/ProcessEnded")(
  "ProcessEnded",
  {
    /** Nothing if it was killed. */
    code: Schema.NullOr(Schema.Number)
  }
) {
  override get message(): string {
    return "A process of the server ended before it was ready."
  }
}

/** What this process is there for, if another one leads it. */
export const roleOfProcess = (): ProcessRole | undefined => {
  const role = process.env[ROLE]
  return cluster.isWorker && isRole(role) ? role : undefined
}

const Ready = Schema.Struct({ type: Schema.Literal("earshot:ready"), url: Schema.NullOr(Schema.String) })
const isReady = Schema.is(Ready)

/** Tells the process that leads this one that it is ready, and where it serves, if it does. */
export const reportReady = (url: string | null): Effect.Effect<void> =>
  Effect.sync(() => {
    // One that has no server has nothing to count, and still has to say so.
    if (url === null) gatherMetrics([])
    const message: typeof Ready.Type = { type: "earshot:ready", url }
    process.send?.(message)
  })

interface Started {
  readonly url: string | null
  /** The code it ended with, nothing if it was killed. */
  readonly ended: Effect.Effect<number | null>
}

/** A process that is ready. When the scope closes it finishes what it has begun and is gone. */
const started = (role: ProcessRole): Effect.Effect<Started, ProcessEnded, Scope.Scope> =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<string | null, ProcessEnded>()
    const ended = yield* Deferred.make<number | null>()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const worker = cluster.fork({ [ROLE]: role })
        worker.on("message", (message: unknown) => {
          if (isReady(message)) Deferred.unsafeDone(ready, Effect.succeed(message.url))
        })
        worker.once("exit", (code: number | null) => {
          Deferred.unsafeDone(ready, Effect.fail(new ProcessEnded({ code })))
          Deferred.unsafeDone(ended, Effect.succeed(code))
        })
        return worker
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
const PAUSE = "1 second"

/** Keeps a process in its place, whatever becomes of the one that had it. It fails if the first does not get ready. */
const kept = (
  role: ProcessRole,
  ready: Deferred.Deferred<string | null, ProcessEnded>
): Effect.Effect<never, ProcessEnded> =>
  Effect.scoped(
    Effect.gen(function* () {
      const one = yield* started(role)
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
    Effect.zipRight(Effect.sleep(PAUSE)),
    Effect.forever
  )

/**
 * Starts this program again for each process that is to serve, and once more for the background if that is wanted, and
 * keeps them until the scope closes. The first is ready before the others begin, so that it alone migrates a database,
 * and what it cannot do is said once.
 */
export const lead = (wanted: {
  readonly serving: number
  readonly background: boolean
}): Effect.Effect<{ readonly url: string }, ProcessEnded, Scope.Scope> =>
  Effect.gen(function* () {
    // The default hands connections out, and one that is handed to a process which is then killed stays open unanswered.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    answerForMetrics()
    const place = (role: ProcessRole) =>
      Effect.map(Deferred.make<string | null, ProcessEnded>(), (ready) => ({ role, ready }))
    const first = yield* place("first")
    const others = yield* Effect.forEach(
      [
        ...Array.from({ length: wanted.serving - 1 }, () => "serves" as const),
        ...(wanted.background ? (["background"] as const) : [])
      ],
      place
    )
    yield* Effect.forkScoped(
      Effect.all(
        [
          kept(first.role, first.ready),
          ...others.map(({ ready, role }) => Effect.zipRight(Deferred.await(first.ready), kept(role, ready)))
        ],
        { concurrency: "unbounded", discard: true }
      )
    )
    const url = yield* Deferred.await(first.ready)
    yield* Effect.forEach(others, ({ ready }) => Deferred.await(ready), { discard: true })
    // The first one serves, so it has said where.
    return { url: url ?? "" }
  })
