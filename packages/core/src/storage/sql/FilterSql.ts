import { SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { type Condition, conjuncts, type Field, type Filter, isGroup } from "../../filters/Filter.js"
import { compileLeaf } from "../../filters/CompiledLeaf.js"
import * as Regex from "../../filters/Regex.js"
import { Dialect, type DialectFragments } from "./Dialect.js"
import type { TestPattern } from "./PatternThreads.js"
import { CurrentRead } from "./Reads.js"
import { readRows } from "./Rows.js"
import { ReadLimitExceeded } from "./Storing.js"
import { FilterTranslation, type FilterContext, type MatchedValues, patternKey } from "./FilterTranslation.js"

export type { FilterContext } from "./FilterTranslation.js"

/**
 * Whether the condition is for a reader that tests patterns itself. In a transaction it is for the transaction's
 * connection.
 */
const inReader = ({ matches }: DialectFragments) =>
  Effect.zipWith(
    Effect.serviceOption(CurrentRead),
    Effect.serviceOption(TransactionConnection),
    (read, transaction) => matches !== undefined && Option.isSome(read) && Option.isNone(transaction)
  )

/**
 * The condition that holds for the calls that match a filter, for a WHERE over `calls`: on both databases it selects the
 * calls that the filter matches (`ReferenceMatcher` in the test kit). It is true or false, never unknown, so it may stand under NOT or in a
 * CASE. Every value and every path is bound.
 *
 * A pattern (`regex`) is no SQL: SQLite has none and PostgreSQL another dialect. SQLite's reader processes have a function
 * for it. Elsewhere the field's distinct values in scope are read first and tested in a thread (`PatternThreads`), and the condition asks for
 * those that match; a value that is inserted between the two statements is missed, unless both run in one transaction with
 * one snapshot.
 */
export const compile = (
  filter: Filter,
  question: FilterContext
): Effect.Effect<Fragment, SqlError | ParseResult.ParseError, SqlClient | Dialect> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    if (filter === null) return sql`TRUE`
    const translation = (matched: MatchedValues) =>
      new FilterTranslation(sql, dialect, question, matched, probesIn(filter) > MAX_PROBES)
    if (yield* inReader(dialect)) return translation("tested in SQL").ofCall(filter)
    const plain = translation(new Map())
    const asked = patternsIn(filter, question.now)
    if (asked.size === 0) return plain.ofCall(filter)
    // The other conditions narrow down the calls whose values the patterns are tested on.
    const besides = conjuncts(filter).filter((condition) => patternsIn(condition, question.now).size === 0)
    const scope = plain.all([question.scope, ...besides.map((condition) => plain.ofCall(condition))])
    const matched = new Map<string, ReadonlyArray<string>>()
    for (const { field, patterns } of asked.values()) {
      const statement = plain.distinctTexts(field, scope)
      if (statement === undefined) continue
      const lists = yield* listsOfTexts.all(inLists(sql, dialect, statement))
      for (const pattern of patterns) matched.set(patternKey(field, pattern), yield* testAll(dialect, pattern, lists))
    }
    return translation(matched).ofCall(filter)
  })

const listsOfTexts = readRows(Schema.Struct({ list: Schema.String }), (row) => row.list)

/** About how many characters a list of texts has: reading and copying it takes a millisecond. */
const LIST_CHARACTERS = 250_000

/**
 * The texts of a statement of one column `value` as JSON lists. As rows, 100,000 texts would keep the main thread busy
 * for a quarter of a second.
 */
const inLists = (sql: SqlClient, { jsonTexts }: DialectFragments, statement: Fragment) =>
  sql`SELECT ${jsonTexts("value")} AS list
      FROM (SELECT value, SUM(length(value)) OVER (ROWS UNBOUNDED PRECEDING) / ${sql.literal(String(LIST_CHARACTERS))} AS part
            FROM (${statement}) AS texts) AS parts
      GROUP BY part`

interface AskedPatterns {
  readonly field: Field
  readonly patterns: Set<string>
}

/** The patterns in a condition, by the name of the field they test. */
const patternsIn = (
  condition: Condition,
  now: DateTime.Utc,
  found = new Map<string, AskedPatterns>()
): ReadonlyMap<string, AskedPatterns> => {
  if (isGroup(condition)) {
    for (const inner of condition.conditions) patternsIn(inner, now, found)
    return found
  }
  const meaning = compileLeaf(condition, now)
  if (meaning?.test.test === "regex") {
    const asked = found.get(condition.field) ?? { field: meaning.field, patterns: new Set() }
    found.set(condition.field, { ...asked, patterns: asked.patterns.add(meaning.test.pattern) })
  }
  return found
}

/** How long values are tested between two turns of the event loop, in milliseconds: nobody else may wait long. */
const SLICE = 5

/** Values tested between two looks at the clock. */
const BATCH = 50

/** Completes after the input and output that is due. `Effect.yieldNow` does not wait for it. */
const nextTurn = Effect.async((resume: (turn: Effect.Effect<void>) => void) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

const tooLong = (limitMillis: number): SqlError =>
  new SqlError({ cause: new ReadLimitExceeded({ limitMillis }), message: "Testing the values took too long" })

/** The values that a pattern is found in. The time counts towards the limit of the read. */
const testAll = (
  { testPattern = testHere }: Pick<DialectFragments, "testPattern">,
  pattern: string,
  lists: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Either.match(Regex.compile(pattern), {
    onLeft: () => Effect.succeed([]),
    onRight: () =>
      Effect.gen(function* () {
        const read = Option.getOrUndefined(yield* Effect.serviceOption(CurrentRead))
        if (read?.limitMillis === undefined) return yield* testPattern(pattern, lists)
        const { limitMillis } = read
        const began = performance.now()
        return yield* testPattern(pattern, lists).pipe(
          Effect.timeoutFail({
            duration: Math.max(1, limitMillis - read.spentMillis),
            onTimeout: () => tooLong(limitMillis)
          }),
          Effect.ensuring(
            Effect.sync(() => {
              read.spentMillis += performance.now() - began
            })
          )
        )
      })
  })

const decodeTexts = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Schema.String)))

/** Tests values in this thread, in slices. */
const testHere: TestPattern = (pattern, lists) =>
  Either.match(Regex.compile(pattern), {
    onLeft: () => Effect.succeed([]),
    onRight: (isMatch) =>
      Effect.gen(function* () {
        const matched: Array<string> = []
        const values = lists.flatMap((list) => decodeTexts(list))
        for (let start = 0; start < values.length;) {
          const began = performance.now()
          while (start < values.length && performance.now() - began < SLICE) {
            for (const value of values.slice(start, start + BATCH)) if (isMatch(value)) matched.push(value)
            start += BATCH
          }
          if (start < values.length) yield* nextTurn
        }
        return matched
      })
  })

/**
 * The most subqueries about evaluations that run for each call, which is fastest where few calls remain. More of them run
 * once each, as sets of calls: SQLite searches all open cursors whenever it opens one, so that
 * 2,000 such subqueries took 47 s over 200 calls, and 0.2 s as sets.
 */
const MAX_PROBES = 16

const probesIn = (condition: Condition): number =>
  !isGroup(condition)
    ? Number(condition.field.startsWith("metric_evaluations."))
    : condition.operator === "same_row"
      ? 1
      : condition.conditions.reduce((sum, inner) => sum + probesIn(inner), 0)
