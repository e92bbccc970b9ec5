/**
 * A server of several processes on one address, by `node:cluster`: the first process leads. It starts the others, which
 * run the same program and share its connections, and answers no request itself.
 */
import cluster from "node:cluster"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { answerForMetrics } from "./Gather.js"

/** How a process that is led knows it; its value is its number, from 1. */
const NUMBER = "EARSHOT_PROCESS"

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

/** The number of this process, from 1, if another one leads it. One that takes another's place has its number. */
export const numberOfProcess = (): number | undefined => {
  const number = process.env[NUMBER]
  return cluster.isWorker && number !== undefined ? Number(number) : undefined
}

const Ready = Schema.Struct({ type: Schema.Literal("earshot:ready"), url: Schema.String })
const isReady = Schema.is(Ready)

/** Tells the process that leads this one that it serves, and where. */
export const reportReady = (url: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const message: typeof Ready.Type = { type: "earshot:ready", url }
    process.send?.(message)
  })

interface Started {
  readonly url: string
  /** The code it ended with, nothing if it was killed. */
  readonly ended: Effect.Effect<number | null>
}

/** A process that serves. When the scope closes it finishes its requests and is gone. */
const started = (number: number): Effect.Effect<Started, ProcessEnded, Scope.Scope> =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<string, ProcessEnded>()
    const ended = yield* Deferred.make<number | null>()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const worker = cluster.fork({ [NUMBER]: String(number) })
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
const kept = (number: number, ready: Deferred.Deferred<string, ProcessEnded>): Effect.Effect<never, ProcessEnded> =>
  Effect.scoped(
    Effect.gen(function* () {
      const one = yield* started(number)
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
      Effect.logError("A process of the server ended; another takes its place", { process: number, code })
    ),
    Effect.zipRight(Effect.sleep(PAUSE)),
    Effect.forever
  )

/**
 * Starts this program that many times over and keeps them until the scope closes. The first is ready before the others
 * begin, so that it alone migrates a database, and what it cannot do is said once.
 */
export const lead = (processes: number): Effect.Effect<{ readonly url: string }, ProcessEnded, Scope.Scope> =>
  Effect.gen(function* () {
    answerForMetrics()
    const first = yield* Deferred.make<string, ProcessEnded>()
    const others = yield* Effect.replicateEffect(Deferred.make<string, ProcessEnded>(), processes - 1)
    yield* Effect.forkScoped(
      Effect.all(
        [kept(1, first), ...others.map((ready, at) => Effect.zipRight(Deferred.await(first), kept(at + 2, ready)))],
        { concurrency: "unbounded", discard: true }
      )
    )
    const url = yield* Deferred.await(first)
    yield* Effect.forEach(others, (ready) => Deferred.await(ready))
    return { url }
  })
