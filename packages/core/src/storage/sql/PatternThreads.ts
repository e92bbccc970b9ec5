/** Tests values with patterns in threads of their own, for a database without such a function. */
import { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pool from "effect/Pool"
import type * as Scope from "effect/Scope"
import { Worker } from "node:worker_threads"
import { NotNow } from "./Storing.js"

/** The values that a pattern, which has been compiled before, is found in. */
export type TestPattern = (
  pattern: string,
  values: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<string>, SqlError>

/** JavaScript in a text, so that no file has to be found by a program that bundles the engine. */
const THREAD_PROGRAM = `
"use strict"
const { parentPort, workerData } = require("node:worker_threads")
const { RE2JS } = require(workerData.re2)
let known = { pattern: undefined, test: undefined }
parentPort.on("message", ({ pattern, values }) => {
  if (known.pattern !== pattern) known = { pattern, test: RE2JS.compile(pattern) }
  parentPort.postMessage(values.map((value) => known.test.test(value)))
})
`

/** Characters sent to a thread at a time: copying them takes the sender a millisecond. */
const BATCH_CHARACTERS = 256_000

const HEAP_MEGABYTES = 128

const start = (re2: string): Worker => {
  const worker = new Worker(THREAD_PROGRAM, {
    eval: true,
    workerData: { re2 },
    env: {},
    execArgv: [],
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: 16 }
  })
  // What fails while nothing is asked is seen by the next question.
  worker.on("error", () => undefined)
  // A thread that waits keeps no process alive.
  worker.unref()
  return worker
}

/** Whether each of some values has a match. Interrupted, the thread works on: its owner ends it. */
const ask = (
  worker: Worker,
  pattern: string,
  values: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
  Effect.async((resume) => {
    const fail = (message: string) => {
      leave()
      resume(new SqlError({ cause: new NotNow({ message }), message }))
    }
    const onMessage = (found: unknown) => {
      leave()
      resume(Effect.succeed(Array.isArray(found) ? found : []))
    }
    const onError = (error: Error) => {
      fail(`Testing the values failed: ${error.message}`)
    }
    const onExit = () => {
      fail("The thread that tests patterns has ended.")
    }
    const leave = () => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit)
      worker.unref()
    }
    worker.on("message", onMessage).on("error", onError).on("exit", onExit)
    worker.ref()
    worker.postMessage({ pattern, values })
    return Effect.sync(leave)
  })

/** Values in batches of so many characters, or one value that has more. */
export const batchesOf = (values: ReadonlyArray<string>, characters: number): ReadonlyArray<ReadonlyArray<string>> => {
  const batches: Array<Array<string>> = []
  let left = 0
  for (const value of values) {
    const batch = batches.at(-1)
    if (batch === undefined || value.length > left) {
      batches.push([value])
      left = characters - value.length
    } else {
      batch.push(value)
      left -= value.length
    }
  }
  return batches
}

/**
 * Threads that are started when they are needed and end after a minute without use, with what they test when the caller is
 * interrupted.
 *
 * @param re2 the file of the regular expressions' main module
 * @param threads how many values are tested at a time
 */
export const make = (re2: string, threads: number): Effect.Effect<TestPattern, never, Scope.Scope> =>
  Effect.map(
    Pool.makeWithTTL({
      acquire: Effect.acquireRelease(
        Effect.sync(() => start(re2)),
        (worker) => Effect.promise(() => worker.terminate())
      ),
      min: 0,
      max: threads,
      timeToLive: "1 minute"
      // Threads end by the time that passes, whatever clock the caller has: one that jumps ahead would wake the pool for
      // every minute in between.
    }).pipe(Effect.withClock(Clock.make())),
    (pool) => (pattern, values) =>
      Effect.gen(function* () {
        const worker = yield* Pool.get(pool)
        return yield* Effect.forEach(batchesOf(values, BATCH_CHARACTERS), (batch) =>
          Effect.map(ask(worker, pattern, batch), (found) => batch.filter((_, at) => found[at] === true))
        ).pipe(
          Effect.map((matching) => matching.flat()),
          Effect.onExit((exit) =>
            Exit.isSuccess(exit)
              ? Effect.void
              : Effect.zipRight(
                  Pool.invalidate(pool, worker),
                  Effect.promise(() => worker.terminate())
                )
          )
        )
      }).pipe(Effect.scoped)
  )
