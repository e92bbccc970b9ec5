import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../../access/Permit.js"
import { type Cell, MAX_BUCKETS, MAX_GROUPS, MAX_MEASURE, type QueryScope } from "../../analytics/AnalyticsQuery.js"
import { AnalyticsStore } from "../../analytics/AnalyticsStore.js"
import { Dialect } from "./Dialect.js"
import * as FilterSql from "./FilterSql.js"
import { growing } from "./Reads.js"
import { storing } from "./Storing.js"
import { AnalyticsFragments, type Part } from "./AnalyticsFragments.js"
import {
  totalsRow,
  valueRow,
  typesRow,
  spanRow,
  groupRows,
  MAX_CELLS,
  cellRows,
  sliceRows,
  soleSlices,
  ranked,
  undivided,
  rankCells,
  ranking,
  type Top
} from "./AnalyticsRows.js"

export const layer = Layer.effect(
  AnalyticsStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const blocks = new AnalyticsFragments(sql, dialect)
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
            WHERE ${dialect.isOneOf("e.metric_id", question.latencyMetrics)} AND e.value_kind = 'number'
              AND e.value_number BETWEEN ${-MAX_MEASURE} AND ${MAX_MEASURE} AND ${scope}`)
          return { ...totals, p95Latency }
        }).pipe(growing("chart", permit), storing("AnalyticsStore.totals")),

      typeCounts: (permit, question) =>
        Effect.gen(function* () {
          const from = blocks.from(question, null, yield* scopeOf(permit, question))
          const value = blocks.valueParts(question)
          const count = (of: Part["of"]) =>
            value.some((part) => part.of === of) ? sql`count(${sql(`v_${of}`)})` : sql`0`
          return yield* typesRow.one(sql`SELECT ${count("flag")} AS flags, ${count("number")} AS numbers,
              ${count("text")} AS texts FROM ${blocks.values(from, { group: [], value })} r`)
        }).pipe(growing("chart", permit), storing("AnalyticsStore.typeCounts")),

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
        }).pipe(growing("chart", permit), storing("AnalyticsStore.timeRange")),

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
          // Usually there are few groups, and then the cells determine them without a second query.
          const all = yield* cellsOf(null)
          const known = by === null ? undivided : all.length <= MAX_CELLS ? rankCells(all) : undefined
          const { groups, positionOf, top } = known ?? (yield* groupsOf(blocks.values(from, { group, value }), group))
          const found = top === null ? all : yield* cellsOf(top)
          const newest = new Set([...new Set(found.map(({ at }) => at))].slice(0, MAX_BUCKETS))
          const cells = found.flatMap(({ at, count, place, value }): ReadonlyArray<Cell> => {
            const position = positionOf(place)
            // A group that appeared between the statements is not among those found.
            return newest.has(at) && position < groups.length ? [{ group: position, at, value, count }] : []
          })
          return {
            groups: groups.map(({ key, kind }) => ({ key, kind })),
            cells,
            truncated: found.some(({ at }) => !newest.has(at))
          }
        }).pipe(growing("chart", permit), storing("AnalyticsStore.timeline")),

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
        }).pipe(growing("chart", permit), storing("AnalyticsStore.shares"))
    })
  })
)
