/** How a filter's conditions are written in SQL. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type * as DateTime from "effect/DateTime"
import {
  type CallField,
  type Condition,
  type Field,
  isGroup,
  type Leaf,
  type Scalar,
  STATUSES
} from "../../filters/Filter.js"
import { compileLeaf, type Order, type Interval, type LeafTest, predicate } from "../../filters/CompiledLeaf.js"
import { type DialectFragments } from "./Dialect.js"

/** The statement that a filter is part of. */
export interface FilterContext {
  /** The alias of the table `calls` in the statement the condition goes into. It must be none of `fa`, `fe` and `fm`. */
  readonly calls: string
  /**
   * The calls that the caller may see, as a condition on that alias. The values that patterns are tested on are those of
   * these calls; the statement has to contain the scope too, since the condition made here does not.
   */
  readonly scope: Fragment
  /** What relative times are relative to. */
  readonly now: DateTime.Utc
}

/** Which of a field's values a pattern is found in, by `patternKey`; or that the database tests patterns itself. */
export type MatchedValues = ReadonlyMap<string, ReadonlyArray<string>> | "tested in SQL"

export const patternKey = (field: Field, pattern: string): string => JSON.stringify([field, pattern])

/** The fields that are a column of `calls`; the other two are worked out. */
export const COLUMNS: Readonly<Record<Exclude<CallField, "agent.agent_name" | "status">, string>> = {
  id: "id",
  call_id: "call_id",
  success: "success",
  duration: "duration_s",
  customer_number: "customer_number",
  call_ended_reason: "call_ended_reason",
  dropoff_point: "dropoff_point",
  topic: "topic",
  timestamp: "timestamp_ms",
  is_reviewed: "is_reviewed",
  feedback: "feedback",
  trace_id: "trace_id",
  "agent.id": "agent_id"
}

const SIGNS: Readonly<Record<Order, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" }

/** A test of a value that is there. */
type ValueTest = Exclude<LeafTest, { test: "missing" }>

const isAboutNumbers = (test: ValueTest): boolean => test.test === "order" && typeof test.than === "number"

const numbersOf = (values: ReadonlyArray<Scalar>) => values.filter((value) => typeof value === "number")
const textsOf = (values: ReadonlyArray<Scalar>) => values.filter((value) => typeof value === "string")
/** Booleans as both databases keep them. */
const flagsOf = (values: ReadonlyArray<Scalar>) => values.filter((value) => typeof value === "boolean").map(Number)

/**
 * Writes conditions in SQL. Each is true or false even where a value is missing: `a > b` alone is unknown for a
 * NULL, and NOT leaves it so. Columns stand bare beside their guard, where an index can serve them.
 */
export class FilterTranslation {
  constructor(
    private readonly sql: SqlClient,
    private readonly dialect: DialectFragments,
    private readonly question: FilterContext,
    private readonly matched: MatchedValues,
    private readonly asSets: boolean
  ) {}

  /** A condition on a call. */
  ofCall(condition: Condition): Fragment {
    if (!isGroup(condition)) return this.leafOfCall(condition)
    if (condition.operator === "same_row" && condition.conditions.length > 0) {
      return this.anyEvaluation(this.all(condition.conditions.map((inner) => this.ofRow(inner))))
    }
    return this.group(
      condition.operator,
      condition.conditions.map((inner) => this.ofCall(inner))
    )
  }

  /** A condition on the evaluation `fe`. */
  private ofRow(condition: Condition): Fragment {
    if (isGroup(condition)) {
      return this.group(
        condition.operator,
        condition.conditions.map((inner) => this.ofRow(inner))
      )
    }
    const meaning = compileLeaf(condition, this.question.now)
    return meaning?.field.of === "evaluation"
      ? this.negatedIf(meaning.negated, this.evaluationTest(meaning.field, meaning.test))
      : this.sql`FALSE`
  }

  private group(operator: "and" | "or" | "not" | "same_row", parts: ReadonlyArray<Fragment>): Fragment {
    switch (operator) {
      case "and":
      case "same_row":
        return this.all(parts)
      case "or":
        return parts.length === 0 ? this.sql`TRUE` : this.any(parts)
      case "not":
        return this.sql`NOT ${this.all(parts)}`
    }
  }

  private leafOfCall(leaf: Leaf): Fragment {
    const meaning = compileLeaf(leaf, this.question.now)
    if (meaning === undefined) return this.sql`FALSE`
    const { field, negated, test } = meaning
    switch (field.of) {
      case "call":
        return this.negatedIf(negated, this.callTest(field, test))
      case "document":
        return this.negatedIf(negated, this.documentTest(field, test))
      case "evaluation":
        return this.anyEvaluation(this.negatedIf(negated, this.evaluationTest(field, test)))
    }
  }

  private callTest(field: Extract<Field, { of: "call" }>, test: LeafTest): Fragment {
    switch (field.name) {
      case "status":
        return this.statusTest(test)
      case "agent.agent_name":
        return this.agentNameTest(field, test)
      case "trace_id": {
        // Calls without a trace have the empty text here, the interface's default.
        const trace = this.column("trace_id")
        return test.test === "missing"
          ? this.sql`(${trace} IS NULL OR ${trace} = '')`
          : this.sql`(${trace} IS NOT NULL AND ${trace} <> '' AND ${this.valueTest(trace, field, test)})`
      }
      default:
        return this.columnTest(this.column(COLUMNS[field.name]), field, test)
    }
  }

  private columnTest(column: Fragment, field: Field, test: LeafTest): Fragment {
    return test.test === "missing"
      ? this.sql`(${column} IS NULL)`
      : this.sql`(${column} IS NOT NULL AND ${this.valueTest(column, field, test)})`
  }

  private agentNameTest(field: Field, test: LeafTest): Fragment {
    const { sql } = this
    const agent = this.column("agent_id")
    return test.test === "missing"
      ? sql`(${agent} IS NULL)`
      : sql`(${agent} IS NOT NULL
          AND ${agent} IN (SELECT fa.id FROM ${this.dialect.tables.agents} fa WHERE ${this.valueTest(sql`fa.name`, field, test)}))`
  }

  /** A status is one of four, so a test of it is evaluated here and becomes a test of two flags, as one number. */
  private statusTest(test: LeafTest): Fragment {
    const { dialect, sql } = this
    const success = this.column("success")
    if (test.test === "missing") return sql`(${success} IS NULL)`
    const flags = STATUSES.filter(predicate(test)).map(
      (status) => (status.startsWith("reviewed_") ? 2 : 0) + (status.endsWith("success") ? 1 : 0)
    )
    return sql`(${success} IS NOT NULL
      AND 2 * ${this.column("is_reviewed")} + ${success} IN ${dialect.integers(flags)})`
  }

  private documentTest(field: Extract<Field, { of: "document" }>, test: LeafTest): Fragment {
    const value = this.dialect.jsonAt(this.column(field.name), field.path)
    switch (test.test) {
      case "missing":
        return value.isMissing
      case "among":
        return value.isAmong(test.values)
      default:
        return this
          .sql`COALESCE(${this.valueTest(isAboutNumbers(test) ? value.number : value.text, field, test)}, FALSE)`
    }
  }

  private evaluationTest(field: Extract<Field, { of: "evaluation" }>, test: LeafTest): Fragment {
    const { sql } = this
    switch (field.name) {
      case "metric_evaluations.value":
        return this.evaluationValueTest(field, test)
      case "metric_evaluations.metric.id":
        return this.columnTest(sql`fe.metric_id`, field, test)
      case "metric_evaluations.metric.name":
        return test.test === "missing"
          ? sql`(fe.metric_id IS NULL)`
          : sql`(fe.metric_id IN (SELECT fm.id FROM ${this.dialect.tables.metrics} fm WHERE ${this.valueTest(sql`fm.name`, field, test)}))`
    }
  }

  private evaluationValueTest(field: Field, test: LeafTest): Fragment {
    const { dialect, sql } = this
    switch (test.test) {
      case "missing":
        return sql`(fe.value_kind = 'null')`
      case "among": {
        const numbers = numbersOf(test.values)
        const words = textsOf(test.values)
        const flags = flagsOf(test.values)
        return this.any([
          ...(numbers.length > 0
            ? [sql`(fe.value_kind = 'number' AND fe.value_number IN ${dialect.numbers(numbers)})`]
            : []),
          ...(words.length > 0 ? [sql`(fe.value_kind = 'text' AND fe.value_text IN ${dialect.texts(words)})`] : []),
          ...(flags.length > 0
            ? [sql`(fe.value_kind = 'boolean' AND fe.value_number IN ${dialect.numbers(flags)})`]
            : [])
        ])
      }
      default:
        return isAboutNumbers(test)
          ? sql`(fe.value_kind = 'number' AND ${this.valueTest(sql`fe.value_number`, field, test)})`
          : sql`(fe.value_kind = 'text' AND ${this.valueTest(sql`fe.value_text`, field, test)})`
    }
  }

  private anyEvaluation(condition: Fragment): Fragment {
    const { sql } = this
    const call = this.column("id")
    return this.asSets
      ? sql`(${call} IN (SELECT fe.call_id FROM ${this.dialect.tables.metric_evaluations} fe WHERE ${condition}))`
      : sql`(EXISTS (SELECT 1 FROM ${this.dialect.tables.metric_evaluations} fe WHERE fe.call_id = ${call} AND ${condition}))`
  }

  /** A test of an expression of the test's own type; unknown where it is NULL. It names the expression once. */
  private valueTest(value: Fragment, field: Field, test: ValueTest): Fragment {
    const { dialect, sql } = this
    switch (test.test) {
      case "among":
        return sql`${value} IN ${this.listed(field, test.values)}`
      case "order":
        return typeof test.than === "number"
          ? sql`${value} ${sql.literal(SIGNS[test.op])} ${test.than}`
          : sql`${dialect.byCodePoint(value)} ${sql.literal(SIGNS[test.op])} ${test.than}`
      case "contains":
        return dialect.contains(value, test.text)
      case "startswith":
        return sql`substr(${value}, 1, length(CAST(${test.text} AS TEXT))) = ${test.text}`
      case "endswith":
        // Every text ends with the empty one, as it contains it; counted from the end, it would begin at the start.
        return test.text === "" ? dialect.contains(value, "") : dialect.endsWith(value, test.text)
      case "regex":
        if (this.matched !== "tested in SQL") {
          return sql`${value} IN ${dialect.texts(this.matched.get(patternKey(field, test.pattern)) ?? [])}`
        }
        return dialect.matches === undefined ? sql`FALSE` : dialect.matches(value, test.pattern)
      case "within":
        return this.within(value, test.intervals)
    }
  }

  /** The right side of an IN. A single value is bound as itself, which planners know more about. */
  private listed(field: Field, values: ReadonlyArray<Scalar>): Fragment {
    const { dialect, sql } = this
    const [only] = values
    if (values.length === 1) return sql`(${typeof only === "boolean" ? Number(only) : only})`
    switch (field.type) {
      case "integer":
        return dialect.integers(numbersOf(values))
      case "boolean":
        return dialect.integers(flagsOf(values))
      case "number":
        return dialect.numbers(numbersOf(values))
      default:
        return dialect.texts(textsOf(values))
    }
  }

  private within(value: Fragment, spans: ReadonlyArray<Interval>): Fragment {
    const { dialect, sql } = this
    const [only] = spans
    return only !== undefined && spans.length === 1
      ? sql`${value} BETWEEN ${only.since} AND ${only.until}`
      : sql`EXISTS (SELECT 1 FROM ${dialect.ranges(spans.map(({ since, until }) => [since, until]))} AS fr
          WHERE ${value} BETWEEN fr.low AND fr.high)`
  }

  /**
   * The distinct texts that a field holds in a scope, as a statement of one column `value`; undefined for a field whose
   * patterns need no statement.
   */
  distinctTexts(field: Field, scope: Fragment) {
    const { dialect, sql } = this
    const calls = sql`${this.dialect.tables.calls} AS ${sql(this.question.calls)}`
    const inScope = (column: string) => sql`(SELECT ${this.column(column)} FROM ${calls} WHERE ${scope})`
    switch (field.of) {
      case "document": {
        const { text } = dialect.jsonAt(this.column(field.name), field.path)
        return sql`SELECT value FROM (SELECT DISTINCT ${text} AS value FROM ${calls} WHERE ${scope}) AS fd
          WHERE value IS NOT NULL`
      }
      case "evaluation":
        return field.name === "metric_evaluations.metric.name"
          ? sql`SELECT DISTINCT fm.name AS value FROM ${this.dialect.tables.metrics} fm WHERE fm.id IN
              (SELECT fe.metric_id FROM ${this.dialect.tables.metric_evaluations} fe WHERE fe.call_id IN ${inScope("id")})`
          : sql`SELECT DISTINCT fe.value_text AS value FROM ${this.dialect.tables.metric_evaluations} fe
              WHERE fe.value_kind = 'text' AND fe.call_id IN ${inScope("id")}`
      case "call":
        switch (field.name) {
          case "status":
            return undefined
          case "agent.agent_name":
            return sql`SELECT DISTINCT fa.name AS value FROM ${this.dialect.tables.agents} fa WHERE fa.id IN ${inScope("agent_id")}`
          default: {
            const column = this.column(COLUMNS[field.name])
            return sql`SELECT DISTINCT ${column} AS value FROM ${calls} WHERE ${scope} AND ${column} IS NOT NULL`
          }
        }
    }
  }

  private column(name: string): Fragment {
    return this.sql`${this.sql(`${this.question.calls}.${name}`)}`
  }

  private negatedIf(negated: boolean, test: Fragment): Fragment {
    return negated ? this.sql`(NOT ${test})` : test
  }

  all(parts: ReadonlyArray<Fragment>): Fragment {
    return parts.length === 0 ? this.sql`TRUE` : this.joined("AND", parts)
  }

  private any(parts: ReadonlyArray<Fragment>): Fragment {
    return parts.length === 0 ? this.sql`FALSE` : this.joined("OR", parts)
  }

  /** Joined as a balanced tree: SQLite takes expressions 1,000 deep, and a chain is as deep as it is long. */
  private joined(operator: "AND" | "OR", parts: ReadonlyArray<Fragment>): Fragment {
    const { sql } = this
    const [only] = parts
    if (parts.length === 1 && only !== undefined) return only
    const middle = parts.length >> 1
    const left = this.joined(operator, parts.slice(0, middle))
    const right = this.joined(operator, parts.slice(middle))
    return sql`(${left} ${sql.literal(operator)} ${right})`
  }
}
