/** Tests values with patterns in threads of their own, for a database without such a function. */
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Worker } from "node:worker_threads"
import { askThread, makeThreadPool } from "../../kernel/Threads.js"
import { NotNow } from "./Storing.js"

/** The values that a pattern, which has been compiled before, is found in. */
export type TestPattern = (
  pattern: string,
  values: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<string>, SqlError>

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

/** Whether each of some values has a match. */
const ask = (
  worker: Worker,
  pattern: string,
  values: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
  askThread(worker, { pattern, values }).pipe(
    Effect.map((found): ReadonlyArray<unknown> => (Array.isArray(found) ? found : [])),
    Effect.mapError((reason) => {
      const message = `The values cannot be tested. ${reason}`
      return new SqlError({ cause: new NotNow({ message }), message })
    })
  )

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
 * Threads that test values; with what they test they are ended when the caller is interrupted.
 *
 * @param re2 the file of the regular expressions' main module
 * @param threads how many values are tested at a time
 */
export const make = (re2: string, threads: number): Effect.Effect<TestPattern, never, Scope.Scope> =>
  Effect.map(
    makeThreadPool(
      {
        program: THREAD_PROGRAM,
        workerData: { re2 },
        resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }
      },
      threads
    ),
    (useThread) => (pattern, values) =>
      useThread((worker) =>
        Effect.forEach(batchesOf(values, BATCH_CHARACTERS), (batch) =>
          Effect.map(ask(worker, pattern, batch), (found) => batch.filter((_, at) => found[at] === true))
        )
      ).pipe(Effect.map((matching) => matching.flat()))
  )
