/** Worker threads that run a program given as a text, so that no file has to be found by a program that bundles the engine. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pool from "effect/Pool"
import type * as Scope from "effect/Scope"
import { Worker, type ResourceLimits } from "node:worker_threads"

export interface ThreadConfig {
  /** JavaScript, as a CommonJS module. */
  readonly program: string
  readonly workerData: unknown
  readonly resourceLimits: ResourceLimits
}

/** A thread without the environment and the arguments of the process. While it waits, it keeps no process alive. */
export const startThread = ({ program, resourceLimits, workerData }: ThreadConfig): Worker => {
  const worker = new Worker(program, { eval: true, workerData, env: {}, execArgv: [], stdin: false, resourceLimits })
  // What fails while nothing is asked is seen by the next question; a thread that is being stopped may fail.
  worker.on("error", () => undefined)
  worker.unref()
  return worker
}

/**
 * Sends a message to a thread and waits for the next one from it; fails with a sentence if the thread fails or ends. Until
 * then the thread keeps the process alive. Interrupted, the thread works on: its owner ends it.
 */
export const askThread = (worker: Worker, message: unknown): Effect.Effect<unknown, string> =>
  Effect.async((resume) => {
    const onMessage = (answer: unknown) => {
      leave()
      resume(Effect.succeed(answer))
    }
    const onError = (error: Error) => {
      leave()
      resume(Effect.fail(`The thread failed: ${error.message}`))
    }
    const onExit = () => {
      leave()
      resume(Effect.fail("The thread has ended."))
    }
    const leave = () => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit)
      worker.unref()
    }
    worker.on("message", onMessage).on("error", onError).on("exit", onExit)
    worker.ref()
    worker.postMessage(message)
    return Effect.sync(leave)
  })

/** Lends a thread to an effect. A thread whose effect fails or is interrupted is ended, with what it does. */
export type UseThread = <A, E, R>(use: (worker: Worker) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Threads that are started when they are needed, and end after a minute without use.
 *
 * @param size the most of them
 */
export const makeThreadPool = (config: ThreadConfig, size: number): Effect.Effect<UseThread, never, Scope.Scope> =>
  Effect.map(
    Pool.makeWithTTL({
      acquire: Effect.acquireRelease(
        Effect.sync(() => startThread(config)),
        (worker) => Effect.promise(() => worker.terminate())
      ),
      min: 0,
      max: size,
      timeToLive: "1 minute"
      // Threads end by the time that passes, whatever clock the caller has: one that jumps ahead would wake the pool for
      // every minute in between.
    }).pipe(Effect.withClock(Clock.make())),
    (pool) => (use) =>
      Effect.flatMap(Pool.get(pool), (worker) =>
        use(worker).pipe(
          Effect.onExit((exit) =>
            Exit.isSuccess(exit)
              ? Effect.void
              : Effect.zipRight(
                  Pool.invalidate(pool, worker),
                  Effect.promise(() => worker.terminate())
                )
          )
        )
      ).pipe(Effect.scoped)
  )
