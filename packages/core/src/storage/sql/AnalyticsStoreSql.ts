import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import {
  type Cell,
  compareGroupKeys,
  type Group,
  isField,
  readsEvaluations,
  MAX_BUCKETS,
  MAX_GROUPS,
  MAX_MEASURE,
  type QueryScope,
  type Share,
  type ValuesQuery
} from "../../analytics/AnalyticsQuery.js"
import { AnalyticsStore } from "../../analytics/AnalyticsStore.js"
import { type Bucket, ORIGIN, widthOf } from "../../analytics/Bucket.js"
import type { Aggregate } from "../../analytics/Measure.js"
import type { CallField, EvaluationField, Field, Scalar } from "../../filters/Filter.js"
import { Dialect, type DialectFragments } from "./Dialect.js"
import * as FilterSql from "./FilterSql.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

/**
 * JSON documents and metrics hold values of several types, so a value takes up to three columns: in a row all but one of
 * them are NULL, or all where there is no value.
 */
interface Part {
  readonly of: "flag" | "number" | "text"
  readonly value: Fragment
}

const nullable = <A, I>(column: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(column), { default: () => null })

/** The columns that rows are grouped by, of which a statement has those it needs. */
const KeyColumns = {
  g_flag: nullable(Schema.Number),
  g_number: nullable(Schema.Number),
  g_text: nullable(Schema.String)
}
const SliceColumns = {
  v_flag: nullable(Schema.Number),
  v_number: nullable(Schema.Number),
  v_text: nullable(Schema.String)
}

const scalar = (flag: number | null, number: number | null, text: string | null): Scalar | null =>
  flag === null ? (number ?? text) : flag !== 0

const totalsRow = readRows(
  Schema.Struct({
    calls: Schema.Number,
    success_rate: Schema.NullOr(Schema.Number),
    average_duration: Schema.NullOr(Schema.Number)
  }),
  (row) => ({ calls: row.calls, successRate: row.success_rate, averageDuration: row.average_duration })
)

const valueRow = readRows(Schema.Struct({ value: Schema.NullOr(Schema.Number) }), ({ value }) => value)

const typesRow = readRows(
  Schema.Struct({ flags: Schema.Number, numbers: Schema.Number, texts: Schema.Number }),
  (row) => ({ numeric: row.numbers, boolean: row.flags, string: row.texts })
)

const spanRow = readRows(
  Schema.Struct({ first: Schema.NullOr(Schema.Number), last: Schema.NullOr(Schema.Number) }),
  ({ first, last }) => (first === null || last === null ? Option.none() : Option.some({ first, last }))
)

const groupRows = readRows(
  Schema.Struct({ ...KeyColumns, n: Schema.Number, total: Schema.Number }),
  ({ g_flag, g_number, g_text, n, total }) => ({ key: scalar(g_flag, g_number, g_text), count: n, total })
)

/** The most cells of a chart. */
const MAX_CELLS = MAX_BUCKETS * (MAX_GROUPS + 1)

/** Which group a row is of. */
interface Place {
  readonly isOther: boolean
  readonly key: Scalar | null
}

const placeOf = (row: {
  readonly is_top: number
  readonly g_flag: number | null
  readonly g_number: number | null
  readonly g_text: string | null
}): Place => ({ isOther: row.is_top === 0, key: scalar(row.g_flag, row.g_number, row.g_text) })

const cellRows = readRows(
  Schema.Struct({
    ...KeyColumns,
    is_top: Schema.Number,
    bucket_ms: Schema.Number,
    value: Schema.Number,
    n: Schema.Number
  }),
  (row) => ({
    place: placeOf(row),
    at: row.bucket_ms,
    value: row.value,
    count: row.n
  })
)

const sliceRows = readRows(
  Schema.Struct({ ...KeyColumns, ...SliceColumns, is_top: Schema.Number, n: Schema.Number, total: Schema.Number }),
  (row) => ({
    place: placeOf(row),
    key: scalar(row.v_flag, row.v_number, row.v_text),
    count: row.n,
    total: row.total
  })
)

const soleSlices = readRows(
  Schema.Struct({ ...SliceColumns, n: Schema.Number, total: Schema.Number }),
  ({ n, total, v_flag, v_number, v_text }) => ({ key: scalar(v_flag, v_number, v_text), count: n, total })
)

/** The values that a chart names, from the most frequent ones read with one too many, and the rest of them as one. */
const ranked = (
  rows: ReadonlyArray<{ readonly key: Scalar | null; readonly count: number; readonly total: number }>
) => {
  const top = rows.slice(0, MAX_GROUPS)
  const groups = top.map(({ count, key }): Share => ({ kind: key === null ? "none" : "value", key, count }))
  const named = groups.reduce((sum, { count }) => sum + count, 0)
  const total = rows[0]?.total ?? 0
  const other: Share = { kind: "other", key: null, count: total - named }
  return { groups: rows.length > top.length ? [...groups, other] : groups, top: top.map(({ key }) => key) }
}

/** Where in the list of groups a row belongs; beyond it, where no such group was found. */
type PositionOf = (place: Place) => number

const positions = (top: ReadonlyArray<Scalar | null>): PositionOf => {
  const known = new Map(top.map((key, position) => [key, position]))
  return ({ isOther, key }) => (isOther ? top.length : (known.get(key) ?? Number.POSITIVE_INFINITY))
}

const undivided: { readonly groups: ReadonlyArray<Group>; readonly top: Top; readonly positionOf: PositionOf } = {
  groups: [{ kind: "all", key: null }],
  top: null,
  positionOf: () => 0
}

/** The groups that all cells together tell; `top` where there are more than a chart has. */
const rankCells = (cells: ReadonlyArray<{ readonly place: Place; readonly count: number }>) => {
  const counts = new Map<Scalar | null, number>()
  for (const { count, place } of cells) counts.set(place.key, (counts.get(place.key) ?? 0) + count)
  const total = cells.reduce((sum, { count }) => sum + count, 0)
  const rows = Array.from(counts, ([key, count]) => ({ key, count, total }))
  return ranking(rows.sort((a, b) => b.count - a.count || compareGroupKeys(a.key, b.key)))
}

const ranking = (rows: Parameters<typeof ranked>[0]) => {
  const { groups, top } = ranked(rows)
  return { groups, top: groups.length > top.length ? top : null, positionOf: positions(top) }
}

/** The most frequent keys, for a statement that puts the others together; null where it has to put nothing together. */
type Top = ReadonlyArray<Scalar | null> | null

/**
 * The statements' building blocks. They speak of calls as `c`, of their evaluations as `e` and of the metrics of those as
 * `m`. Values are selected under names that begin with `v_`, what divides them under `g_`.
 */
class Blocks {
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
        return { of, value: sql.literal(`c.${FilterSql.COLUMNS[name]}`) }
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

  /** The parts of a field that count where values of this type are asked for; see `ReferenceAnalytics` in the test kit. */
  valueParts({ dataType, field }: ValuesQuery): ReadonlyArray<Part> {
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

  groupParts(group: Field | Bucket | null): ReadonlyArray<Part> {
    return group === null
      ? []
      : isField(group)
        ? this.partsOf(group)
        : [{ of: "number", value: this.bucketStart(group) }]
  }

  /** When the bucket begins that a call is in, as `bucketStart` says it. Integer division rounds towards zero. */
  bucketStart(bucket: Bucket): Fragment {
    const { sql } = this
    const width = widthOf(bucket)
    return width === undefined
      ? this.dialect.startOfMonth(sql`c.timestamp_ms`)
      : sql`c.timestamp_ms - ((c.timestamp_ms - ${ORIGIN}) % ${width} + ${width}) % ${width}`
  }

  /** Where the rows of a question are found: a FROM with its WHERE. */
  from(question: ValuesQuery, group: Field | Bucket | null, scope: Fragment): Fragment {
    const { sql } = this
    const { tables } = this.dialect
    if (!readsEvaluations(question, group)) return sql`FROM ${tables.calls} c WHERE ${scope}`
    const ofMetric = question.metric === null ? sql`` : sql`AND e.metric_id = ${question.metric}`
    // A value of an evaluation is there only where the evaluation is; databases may then begin with the metric's.
    const join = sql.literal(question.field.of === "evaluation" ? "JOIN" : "LEFT JOIN")
    return sql`FROM ${tables.calls} c ${join} metric_evaluations e ON e.call_id = c.id ${ofMetric}
      LEFT JOIN ${tables.metrics} m ON m.id = e.metric_id WHERE ${scope}`
  }

  /** One row a value: `bucket_ms` where buckets are asked for, the parts of the group and those of the value. */
  values(
    from: Fragment,
    parts: { readonly group: ReadonlyArray<Part>; readonly value: ReadonlyArray<Part>; readonly bucket?: Bucket }
  ): Fragment {
    const { sql } = this
    const columns = [
      ...(parts.bucket === undefined ? [] : [sql`${this.bucketStart(parts.bucket)} AS bucket_ms`]),
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

export const layer = Layer.effect(
  AnalyticsStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const blocks = new Blocks(sql, dialect)
    const grouped = (columns: ReadonlyArray<Fragment>): Fragment =>
      columns.length === 0 ? sql`` : sql.csv("GROUP BY", columns)
    const named = (prefix: "g" | "k" | "v", parts: ReadonlyArray<Part>): ReadonlyArray<Fragment> =>
      parts.map(({ of }) => sql`${sql(`${prefix}_${of}`)}`)
    /** What was gathered under the names that rows are read by. */
    const asGroup = (parts: ReadonlyArray<Part>): ReadonlyArray<Fragment> =>
      parts.map(({ of }) => sql`${sql(`k_${of}`)} AS ${sql(`g_${of}`)}`)

    /** The calls `c` of a question, as a condition. */
    const scopeOf = (permit: Permit, { filter, now, projectId }: QueryScope) => {
      const own = sql`c.project_id = (SELECT p.id FROM ${tables.projects} p
        WHERE p.id = ${projectId} AND p.organization_id = ${permit.organizationId})`
      return FilterSql.compile(filter, { calls: "c", scope: own, now }).pipe(
        Effect.map((condition) => sql`${own} AND ${condition}`),
        Effect.provideService(SqlClient, sql),
        Effect.provideService(Dialect, dialect)
      )
    }

    /** The most frequent of some keys, one too many, each with its count and the count of all. */
    const mostFrequent = (prefix: "g" | "v", rows: Fragment, parts: ReadonlyArray<Part>) => {
      const keys = named(prefix, parts)
      return sql`SELECT * FROM (
          SELECT ${sql.csv(keys)}, count(*) AS n, CAST(sum(count(*)) OVER () AS BIGINT) AS total
          FROM ${rows} r ${grouped(keys)}
        ) q ORDER BY n DESC, ${blocks.keyOrder(prefix, parts)} LIMIT ${MAX_GROUPS + 1}`
    }

    /** The groups of some rows; `top` is there where a statement has to put the others together. */
    const groupsOf = (rows: Fragment, parts: ReadonlyArray<Part>) =>
      Effect.map(groupRows.all(mostFrequent("g", rows, parts)), ranking)

    return AnalyticsStore.of({
      totals: (permit, question) =>
        Effect.gen(function* () {
          const scope = yield* scopeOf(permit, question)
          const totals = yield* totalsRow.one(sql`SELECT count(*) AS calls,
              avg(CAST(c.success AS DOUBLE PRECISION)) AS success_rate,
              avg(${blocks.measure(sql`c.duration_s`)}) AS average_duration
            FROM ${tables.calls} c WHERE ${scope}`)
          if (question.latencyMetrics.length === 0) return { ...totals, p95Latency: null }
          const p95Latency = yield* valueRow.one(sql`SELECT ${dialect.percentile(sql`e.value_number`, 0.95)} AS value
            FROM ${tables.metric_evaluations} e JOIN ${tables.calls} c ON c.id = e.call_id
            WHERE e.metric_id IN ${dialect.integers(question.latencyMetrics)} AND e.value_kind = 'number'
              AND e.value_number BETWEEN ${-MAX_MEASURE} AND ${MAX_MEASURE} AND ${scope}`)
          return { ...totals, p95Latency }
        }).pipe(storing("AnalyticsStore.totals")),

      typeCounts: (permit, question) =>
        Effect.gen(function* () {
          const from = blocks.from(question, null, yield* scopeOf(permit, question))
          const value = blocks.valueParts(question)
          const count = (of: Part["of"]) =>
            value.some((part) => part.of === of) ? sql`count(${sql(`v_${of}`)})` : sql`0`
          return yield* typesRow.one(sql`SELECT ${count("flag")} AS flags, ${count("number")} AS numbers,
              ${count("text")} AS texts FROM ${blocks.values(from, { group: [], value })} r`)
        }).pipe(storing("AnalyticsStore.typeCounts")),

      timeRange: (permit, question) =>
        Effect.gen(function* () {
          const from = blocks.from(question, null, yield* scopeOf(permit, question))
          const isThere = sql.or([
            ...blocks.valueParts(question).map(({ value }) => sql`${value} IS NOT NULL`),
            sql`FALSE`
          ])
          // Two searches that end at their first find, where min and max together would read everything.
          return yield* spanRow.one(sql`SELECT
            (SELECT c.timestamp_ms ${from} AND ${isThere} ORDER BY c.timestamp_ms LIMIT 1) AS first,
            (SELECT c.timestamp_ms ${from} AND ${isThere} ORDER BY c.timestamp_ms DESC LIMIT 1) AS last`)
        }).pipe(storing("AnalyticsStore.timeRange")),

      timeline: (permit, question) =>
        Effect.gen(function* () {
          const { aggregate, bucket, group: by } = question
          const from = blocks.from(question, by, yield* scopeOf(permit, question))
          const group = blocks.groupParts(by)
          const value = blocks.valueParts(question).filter(({ of }) => of !== "text" || aggregate === "count")
          /** Cells, the newest first; `top` where the other groups are to be put together. */
          const cellsOf = (top: Top) => {
            const rows = blocks.gathered(blocks.values(from, { bucket, group, value }), group, top)
            return cellRows.all(sql`SELECT ${sql.csv([sql`bucket_ms`, sql`is_top`, ...asGroup(group)])},
                ${blocks.aggregate(aggregate, value)} AS value, count(*) AS n
              FROM ${rows} r GROUP BY ${sql.csv([sql`bucket_ms`, sql`is_top`, ...named("k", group)])}
              ORDER BY bucket_ms DESC LIMIT ${MAX_CELLS + 1}`)
          }
          // Mostly there are few groups, and then all cells tell which they are without a second reading of the calls.
          const all = yield* cellsOf(null)
          const told = by === null ? undivided : all.length <= MAX_CELLS ? rankCells(all) : undefined
          const { groups, positionOf, top } = told ?? (yield* groupsOf(blocks.values(from, { group, value }), group))
          const found = top === null ? all : yield* cellsOf(top)
          const newest = new Set([...new Set(found.map(({ at }) => at))].slice(0, MAX_BUCKETS))
          const cells = found.flatMap(({ at, count, place, value }): ReadonlyArray<Cell> => {
            const position = positionOf(place)
            // A group that came up between the statements is not among those that were found.
            return newest.has(at) && position < groups.length ? [{ group: position, at, value, count }] : []
          })
          return {
            groups: groups.map(({ key, kind }) => ({ key, kind })),
            cells,
            truncated: found.some(({ at }) => !newest.has(at))
          }
        }).pipe(storing("AnalyticsStore.timeline")),

      shares: (permit, question) =>
        Effect.gen(function* () {
          const from = blocks.from(question, question.group, yield* scopeOf(permit, question))
          const value = blocks.valueParts(question)
          if (question.group === null) {
            const rows = blocks.values(from, { group: [], value })
            const { groups: slices } = ranked(yield* soleSlices.all(mostFrequent("v", rows, value)))
            const count = slices.reduce((sum, slice) => sum + slice.count, 0)
            return { groups: [{ kind: "all" as const, key: null, count, slices }] }
          }
          const group = blocks.groupParts(question.group)
          const all = blocks.values(from, { group, value })
          const { groups, positionOf, top } = yield* groupsOf(all, group)
          const keys = sql.csv([sql`is_top`, ...named("g", group)])
          const found = yield* sliceRows.all(sql`SELECT * FROM (
              SELECT q.*, row_number() OVER (PARTITION BY ${keys}
                ORDER BY n DESC, ${blocks.keyOrder("v", value)}) AS place,
                CAST(sum(n) OVER (PARTITION BY ${keys}) AS BIGINT) AS total
              FROM (
                SELECT ${sql.csv([sql`is_top`, ...asGroup(group), ...named("v", value)])}, count(*) AS n
                FROM ${blocks.gathered(all, group, top)} r
                GROUP BY ${sql.csv([sql`is_top`, ...named("k", group), ...named("v", value)])}
              ) q
            ) p WHERE place <= ${MAX_GROUPS + 1} ORDER BY place`)
          return {
            groups: groups.map((one, position) => ({
              ...one,
              slices: ranked(found.filter((slice) => positionOf(slice.place) === position)).groups
            }))
          }
        }).pipe(storing("AnalyticsStore.shares"))
    })
  })
)
