/** Tests values with patterns in threads of their own, for a database without such a function. */
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Worker } from "node:worker_threads"
import { askThread, makeThreadPool } from "../../kernel/Threads.js"
import { NotNow } from "./Storing.js"

/**
 * The values that a pattern, which has been compiled before, is found in.
 *
 * @param lists the values, as JSON lists of texts: so many values are copied to a thread as one text
 */
export type TestPattern = (
  pattern: string,
  lists: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<string>, SqlError>

const THREAD_PROGRAM = `
"use strict"
const { parentPort, workerData } = require("node:worker_threads")
const { RE2JS } = require(workerData.re2)
let known = { pattern: undefined, test: undefined }
parentPort.on("message", ({ pattern, list }) => {
  if (known.pattern !== pattern) known = { pattern, test: RE2JS.compile(pattern) }
  parentPort.postMessage(JSON.parse(list).filter((value) => known.test.test(value)))
})
`

const isTexts = Schema.is(Schema.Array(Schema.String))

/** The values of a list that have a match. */
const ask = (worker: Worker, pattern: string, list: string): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  askThread(worker, { pattern, list }).pipe(
    Effect.filterOrFail(isTexts, () => "The thread sent something else."),
    Effect.mapError((reason) => {
      const message = `The values cannot be tested. ${reason}`
      return new SqlError({ cause: new NotNow({ message }), message })
    })
  )

/**
 * Threads that test values; with what they test they are ended when the caller is interrupted.
 *
 * @param re2 the file of the regular expressions' main module
 * @param threads how many lists are tested at a time
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
    (useThread) => (pattern, lists) =>
      useThread((worker) => Effect.forEach(lists, (list) => ask(worker, pattern, list))).pipe(
        Effect.map((matching) => matching.flat())
      )
  )
