/** What a reader process is started with, as JSON in its last argument. */
export interface ReaderSettings {
  /** An absolute path. */
  readonly filename: string
  /** The file of the driver's main module. */
  readonly driver: string
  /** The file of the regular expressions' main module; null where it is not installed as a package. */
  readonly re2: string | null
}

export interface ReaderRequest {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
  /** Rows as lists of values instead of objects. */
  readonly asLists: boolean
}

/** The function of reader processes that tests a text with a pattern. */
export const MATCHES = "earshot_matches"

/** The aggregate function of reader processes: a percentile of the integers in JSON lists without spaces. */
export const PERCENTILE_OF_LISTS = "earshot_percentile_of_lists"

/**
 * The program of a reader process: one read-only connection, on which it runs one statement at a time and answers with the
 * rows. It is JavaScript in a text, passed on the command line, so that no file has to be found: not in tests, which run
 * TypeScript sources, and not in a program that bundles the engine. Both modules are found by the parent.
 *
 * A native query blocks the process's main thread and cannot be interrupted, so the parent ends it with SIGKILL. The thread
 * does the same when the parent is gone, also by SIGKILL: its end of the pipe on stdin closes then.
 *
 * A pattern is tested once for each distinct value, as long as a pattern has no more than 10,000 short ones. Integers from 0 to
 * 65,535 are counted, and others listed, which takes four bytes each.
 */
export const READER_PROGRAM = `
"use strict"
const { setPriority } = require("node:os")
const { Worker } = require("node:worker_threads")
process.title = "earshot reader"
process.on("disconnect", () => process.exit(0))
new Worker(
  'const { Socket } = require("node:net"); const end = () => process.kill(process.pid, "SIGKILL");' +
    'new Socket({ fd: 0 }).on("error", end).on("close", end).resume()',
  { eval: true, stdin: false, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 } }
).unref()
try {
  setPriority(5)
} catch {}

const settings = JSON.parse(process.argv[process.argv.length - 1])
const failure = (error) => ({ failed: { code: String(error.code ?? ""), message: String(error.message) } })

const patterns = new Map()
const patternOf = (pattern) => {
  let known = patterns.get(pattern)
  if (known === undefined) {
    if (patterns.size >= 100) patterns.clear()
    const compiled = require(settings.re2).RE2JS.compile(pattern)
    known = { test: (text) => Number(compiled.test(text)), known: new Map() }
    patterns.set(pattern, known)
  }
  return known
}
const matches = (text, pattern) => {
  if (typeof text !== "string") return null
  const { known, test } = patternOf(pattern)
  const before = known.get(text)
  if (before !== undefined) return before
  const found = test(text)
  if (text.length <= 200 && known.size < 10000) known.set(text, found)
  return found
}

const COUNTED = 65536
const newSample = () => ({ at: 0, counts: new Uint32Array(COUNTED), others: new Int32Array(256), length: 0, total: 0 })
const addTo = (sample, value) => {
  sample.total++
  if (value >= 0 && value < COUNTED) {
    sample.counts[value]++
    return
  }
  if (sample.length === sample.others.length) {
    const longer = new Int32Array(2 * sample.length)
    longer.set(sample.others)
    sample.others = longer
  }
  sample.others[sample.length++] = value
}
const addAll = (sample, list, at) => {
  sample.at = at
  let isNegative = false
  let hasDigits = false
  let value = 0
  for (let i = 1; i < list.length; i++) {
    const code = list.charCodeAt(i)
    if (code >= 48 && code <= 57) {
      value = value * 10 + code - 48
      hasDigits = true
    } else if (code === 45) {
      isNegative = true
    } else {
      if (hasDigits) addTo(sample, isNegative ? -value : value)
      isNegative = hasDigits = false
      value = 0
    }
  }
}
const percentileOf = ({ at, counts, length, others, total }) => {
  if (total === 0) return null
  const listed = others.subarray(0, length).sort()
  const firstLarge = listed.findIndex((value) => value >= 0)
  const negative = firstLarge < 0 ? length : firstLarge
  const valueAt = (index) => {
    if (index < negative) return listed[index]
    let left = index - negative
    for (let value = 0; value < COUNTED; value++) {
      if (left < counts[value]) return value
      left -= counts[value]
    }
    return listed[negative + left]
  }
  const position = at * (total - 1)
  const below = Math.floor(position)
  const low = valueAt(below)
  return below + 1 < total ? low + (position - below) * (valueAt(below + 1) - low) : low
}

let database
const statements = new Map()
const statementOf = (sql) => {
  let statement = statements.get(sql)
  if (statement === undefined) {
    if (statements.size >= 100) statements.clear()
    statement = database.prepare(sql)
    statements.set(sql, statement)
  }
  return statement
}

process.on("message", ({ sql, params, asLists }) => {
  let answer
  try {
    const statement = statementOf(sql)
    answer = { rows: statement.reader ? statement.raw(asLists).all(...params) : (statement.run(...params), []) }
  } catch (error) {
    answer = failure(error)
  }
  process.send(answer)
})

try {
  database = new (require(settings.driver))(settings.filename, { readonly: true, fileMustExist: true, timeout: 2000 })
  database.pragma("query_only = ON")
  database.function("${MATCHES}", { deterministic: true, directOnly: true }, matches)
  database.aggregate("${PERCENTILE_OF_LISTS}", {
    deterministic: true,
    directOnly: true,
    start: newSample,
    step: addAll,
    result: percentileOf
  })
  process.send({ ready: true })
} catch (error) {
  process.send(failure(error), () => process.exit(1))
}
`
