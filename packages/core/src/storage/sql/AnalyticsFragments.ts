import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment, Statement } from "@effect/sql/Statement"
import { isField, readsEvaluations, MAX_MEASURE, type ValuesQuery } from "../../analytics/AnalyticsQuery.js"
import { type Bucket, ORIGIN, widthOf } from "../../analytics/Bucket.js"
import type { Aggregate } from "../../analytics/Measure.js"
import type { CallField, EvaluationField, Field } from "../../filters/Filter.js"
import { type DialectFragments } from "./Dialect.js"
import { COLUMNS } from "./FilterTranslation.js"
import type { Top } from "./AnalyticsRows.js"

/**
 * JSON documents and metrics hold values of several types, so a value takes up to three columns: in a row all but one of
 * them are NULL, or all where there is no value.
 */
export interface Part {
  readonly of: "flag" | "number" | "text"
  readonly value: Fragment
}

/** Which rows are the organization's, and which of them match the filter. */
interface Conditions {
  readonly own: Fragment
  readonly matching: Fragment
}

/** Where the rows of a question are found. */
export interface Source {
  /** A FROM with its WHERE. */
  readonly rows: Fragment
  /** The same for the rows from a time until before another. */
  readonly between: (low: Fragment, high: Fragment) => Fragment
  /** The time of a row. */
  readonly time: Fragment
  /** Whether an index has the rows in the order of their times. */
  readonly isAlongTime: boolean
}

/**
 * The statements' building blocks. They speak of calls as `c`, of their evaluations as `e` and of the metrics of those as
 * `m`. Values are selected under names that begin with `v_`, what divides them under `g_`.
 */
export class AnalyticsFragments {
  constructor(
    private readonly sql: SqlClient,
    private readonly dialect: DialectFragments
  ) {}

  private partsOf(field: Field): ReadonlyArray<Part> {
    const { dialect, sql } = this
    switch (field.of) {
      case "document": {
        const value = dialect.jsonAt(sql.literal(`c.${field.name}`), field.path)
        return [
          { of: "flag", value: value.flag },
          { of: "number", value: value.number },
          { of: "text", value: value.text }
        ]
      }
      case "evaluation":
        return this.partsOfEvaluation(field.name)
      case "call":
        return [
          this.partOfCall(field.name, field.type === "boolean" ? "flag" : field.type === "text" ? "text" : "number")
        ]
    }
  }

  private partOfCall(name: CallField, of: Part["of"]): Part {
    const { sql } = this
    switch (name) {
      case "agent.agent_name":
        return { of: "text", value: sql`(SELECT a.name FROM ${this.dialect.tables.agents} a WHERE a.id = c.agent_id)` }
      case "status":
        return {
          of: "text",
          value: sql`CASE WHEN c.success = 1 THEN CASE c.is_reviewed WHEN 1 THEN 'reviewed_success' ELSE 'success' END
            WHEN c.success = 0 THEN CASE c.is_reviewed WHEN 1 THEN 'reviewed_failure' ELSE 'failure' END END`
        }
      case "trace_id":
        // An empty one is none.
        return { of, value: sql`NULLIF(c.trace_id, '')` }
      default:
        return { of, value: sql.literal(`c.${COLUMNS[name]}`) }
    }
  }

  private partsOfEvaluation(name: EvaluationField): ReadonlyArray<Part> {
    const { sql } = this
    switch (name) {
      case "metric_evaluations.value":
        return [
          { of: "flag", value: sql`CASE WHEN e.value_kind = 'boolean' THEN e.value_number END` },
          { of: "number", value: sql`CASE WHEN e.value_kind = 'number' THEN e.value_number END` },
          { of: "text", value: sql`e.value_text` }
        ]
      case "metric_evaluations.metric.id":
        return [{ of: "number", value: sql`e.metric_id` }]
      case "metric_evaluations.metric.name":
        return [{ of: "text", value: sql`m.name` }]
    }
  }

  /** The parts of a field that count for values of this type; see `ReferenceAnalytics` in the test kit. */
  valueParts({ dataType, field }: Pick<ValuesQuery, "dataType" | "field">): ReadonlyArray<Part> {
    const isWanted = (part: Part): boolean => {
      switch (dataType) {
        case "numeric":
          return part.of === "number"
        case "boolean":
          return part.of === "flag"
        case "string":
          return part.of === "text"
        case "datetime":
          return part.of === (field.type === "timestamp" ? "number" : "text")
        case "dynamic":
          return true
      }
    }
    return this.partsOf(field)
      .filter(isWanted)
      .map((part) => (field.type === "number" || field.type === "dynamic" ? this.bounded(part) : part))
  }

  private bounded({ of, value }: Part): Part {
    return of === "number" ? { of, value: this.measure(value) } : { of, value }
  }

  /** A number that is not out of bounds, else NULL. */
  measure(value: Fragment): Fragment {
    return this.sql`CASE WHEN ${value} BETWEEN ${-MAX_MEASURE} AND ${MAX_MEASURE} THEN ${value} END`
  }

  /** @param time that of a row, which is in one of the buckets */
  groupParts(group: Field | Bucket | null, time: Fragment): ReadonlyArray<Part> {
    return group === null
      ? []
      : isField(group)
        ? this.partsOf(group)
        : [{ of: "number", value: this.bucketStart(group, time) }]
  }

  /** When the bucket begins that a time is in, as `bucketStart` says it. Integer division rounds towards zero. */
  bucketStart(bucket: Bucket, time: Fragment): Fragment {
    const { sql } = this
    const width = widthOf(bucket)
    return width === undefined
      ? this.dialect.startOfMonth(time)
      : sql`${time} - ((${time} - ${ORIGIN}) % ${width} + ${width}) % ${width}`
  }

  /** The calls of a question, with their evaluations if its values are those of evaluations. */
  calls(question: ValuesQuery, group: Field | Bucket | null, conditions: Conditions): Source {
    const { sql } = this
    const { tables } = this.dialect
    const time = sql`c.timestamp_ms`
    if (!readsEvaluations(question, group)) return this.source(sql`${tables.calls} c`, time, conditions)
    const ofMetric = question.metric === null ? sql`` : sql`AND e.metric_id = ${question.metric}`
    // A value of an evaluation is there only where the evaluation is; databases may then begin with the metric's.
    const join = sql.literal(question.field.of === "evaluation" ? "JOIN" : "LEFT JOIN")
    const from = sql`${tables.calls} c ${join} ${tables.metric_evaluations} e ON e.call_id = c.id ${ofMetric}
      LEFT JOIN ${tables.metrics} m ON m.id = e.metric_id`
    return { ...this.source(from, time, conditions), isAlongTime: false }
  }

  /** Evaluations alone. */
  evaluations(conditions: Conditions): Source {
    return this.source(this.sql`${this.dialect.tables.metric_evaluations} e`, this.sql`e.timestamp_ms`, conditions)
  }

  /**
   * A percentile of all numbers in the lists `e.latencies` of some rows, as a SELECT of `value`: NULL if there are none. There
   * are far fewer values than numbers, so these are counted and not sorted.
   */
  percentileOfLists(from: Fragment, where: Fragment, at: number): Statement<object> {
    const { dialect, sql } = this
    const list = sql`e.latencies`
    if (dialect.percentileOfLists !== undefined)
      return sql`SELECT ${dialect.percentileOfLists(list, at)} AS value FROM ${from} WHERE ${where}`
    const position = sql`CAST(${at} AS DOUBLE PRECISION) * (CAST(total AS DOUBLE PRECISION) - 1)`
    return sql`SELECT low + part * (COALESCE(high, low) - low) AS value FROM (
        SELECT CAST(min(CASE WHEN upto > floor(position) THEN value END) AS DOUBLE PRECISION) AS low,
          CAST(min(CASE WHEN upto > floor(position) + 1 THEN value END) AS DOUBLE PRECISION) AS high,
          min(position - floor(position)) AS part
        FROM (SELECT value, upto, ${position} AS position FROM (
          SELECT value, sum(n) OVER (ORDER BY value) AS upto, sum(n) OVER () AS total FROM (
            SELECT listed.value, count(*) AS n FROM ${from} CROSS JOIN ${dialect.listed(list)} WHERE ${where}
            GROUP BY listed.value
          ) counted
        ) ranked) placed
      ) found`
  }

  private source(from: Fragment, time: Fragment, { matching, own }: Conditions): Source {
    const { sql } = this
    return {
      time,
      isAlongTime: true,
      rows: sql`FROM ${from} WHERE ${own} AND ${matching}`,
      // No index is to be used for the filter: along time, only this part of the index is read.
      between: (low, high) =>
        sql`FROM ${from} WHERE ${own} AND ${time} >= ${low} AND ${time} < ${high} AND (${matching}) IS TRUE`
    }
  }

  /** One row a value: `bucket_ms` if there are buckets, the parts of the group and those of the value. */
  values(
    from: Fragment,
    parts: { readonly group: ReadonlyArray<Part>; readonly value: ReadonlyArray<Part>; readonly bucket?: Fragment }
  ): Fragment {
    const { sql } = this
    const columns = [
      ...(parts.bucket === undefined ? [] : [sql`${parts.bucket} AS bucket_ms`]),
      ...parts.group.map(({ of, value }) => sql`${value} AS ${sql(`g_${of}`)}`),
      ...parts.value.map(({ of, value }) => sql`${value} AS ${sql(`v_${of}`)}`)
    ]
    const isThere = parts.value.map(({ of }) => sql`${sql(`v_${of}`)} IS NOT NULL`)
    return sql`(SELECT * FROM (SELECT ${sql.csv(columns)} ${from}) f WHERE ${sql.or([...isThere, sql`FALSE`])})`
  }

  /**
   * Rows with `is_top`, which is 0 for those of groups that are put together, and with the parts of the group under names
   * that begin with `k_`, NULL where they are put together.
   */
  gathered(rows: Fragment, group: ReadonlyArray<Part>, top: Top): Fragment {
    const { dialect, sql } = this
    if (top === null) {
      const kept = group.map(({ of }) => sql`t.${sql(`g_${of}`)} AS ${sql(`k_${of}`)}`)
      return sql`(SELECT t.*, ${sql.csv([...kept, sql`1 AS is_top`])} FROM ${rows} t)`
    }
    const among = group.map(({ of }) => {
      const column = sql(`g_${of}`)
      switch (of) {
        case "flag":
          return sql`${column} IN ${dialect.integers(top.filter((key) => typeof key === "boolean").map(Number))}`
        case "number":
          return sql`${column} IN ${dialect.numbers(top.filter((key) => typeof key === "number"))}`
        case "text":
          return sql`${column} IN ${dialect.texts(top.filter((key) => typeof key === "string"))}`
      }
    })
    const none = top.includes(null) ? [sql.and(group.map(({ of }) => sql`${sql(`g_${of}`)} IS NULL`))] : []
    const isTop = sql`CASE WHEN ${sql.or([...among, ...none])} THEN 1 ELSE 0 END`
    const kept = group.map(({ of }) => sql`CASE WHEN is_top = 1 THEN ${sql(`g_${of}`)} END AS ${sql(`k_${of}`)}`)
    return sql`(SELECT u.*, ${sql.csv(kept)} FROM (SELECT t.*, ${isTop} AS is_top FROM ${rows} t) u)`
  }

  /** One aggregate of the values in a group of rows. */
  aggregate(what: Aggregate, parts: ReadonlyArray<Part>): Fragment {
    const { dialect, sql } = this
    const columns = parts.map(({ of }) => sql`${sql(`v_${of}`)}`)
    const either = columns.length === 1 ? sql.csv(columns) : sql`COALESCE(${sql.csv(columns)})`
    // Integers of SQLite overflow when they are added up, and PostgreSQL's averages of them are no floating point.
    const value = sql`CAST(${either} AS DOUBLE PRECISION)`
    switch (what) {
      case "count":
        return sql`count(*)`
      case "sum":
      case "avg":
      case "min":
      case "max":
        return sql`${sql.literal(what)}(${value})`
      case "p50":
        return dialect.percentile(value, 0.5)
      case "p95":
        return dialect.percentile(value, 0.95)
      case "p99":
        return dialect.percentile(value, 0.99)
    }
  }

  /** The order of keys among equals: none, booleans, numbers, texts. */
  keyOrder(prefix: "g" | "v", parts: ReadonlyArray<Part>): Fragment {
    const { dialect, sql } = this
    const column = (of: Part["of"]) => sql`${sql(`${prefix}_${of}`)}`
    const kinds = parts.reduce(
      (above, { of }, index) => sql`${above} WHEN ${column(of)} IS NOT NULL THEN ${sql.literal(String(index + 1))}`,
      sql`CASE`
    )
    return sql.csv([
      sql`${kinds} ELSE 0 END`,
      ...parts.map(({ of }) => (of === "text" ? dialect.byCodePoint(column(of)) : column(of)))
    ])
  }
}
