import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Permit } from "../../access/Permit.js"
import {
  type Cell,
  MAX_BUCKETS,
  MAX_GROUPS,
  MAX_MEASURE,
  type QueryScope,
  isField,
  type TimelineQuery,
  type ValuesQuery
} from "../../analytics/AnalyticsQuery.js"
import { AnalyticsStore } from "../../analytics/AnalyticsStore.js"
import type { Bucket } from "../../analytics/Bucket.js"
import type { Field } from "../../filters/Filter.js"
import type { MetricId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import * as FilterSql from "./FilterSql.js"
import { growing, inSnapshot, Snapshots } from "./Reads.js"
import { storing } from "./Storing.js"
import { AnalyticsFragments, type Part, type Source } from "./AnalyticsFragments.js"
import { isOfTime, isReadAlongTime, slicesOf, timeConditions } from "./TimeSlices.js"
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

/** The field whose values an index has together with their times. */
const VALUE = "metric_evaluations.value"

export const layer = Layer.effect(
  AnalyticsStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const snapshots = yield* Snapshots
    const { tables } = dialect
    const blocks = new AnalyticsFragments(sql, dialect)
    const grouped = (columns: ReadonlyArray<Fragment>): Fragment =>
      columns.length === 0 ? sql`` : sql.csv("GROUP BY", columns)
    const named = (prefix: "g" | "k" | "v", parts: ReadonlyArray<Part>): ReadonlyArray<Fragment> =>
      parts.map(({ of }) => sql`${sql(`${prefix}_${of}`)}`)
    /** What was gathered under the names that rows are read by. */
    const asGroup = (parts: ReadonlyArray<Part>): ReadonlyArray<Fragment> =>
      parts.map(({ of }) => sql`${sql(`k_${of}`)} AS ${sql(`g_${of}`)}`)

    const ownProject = (permit: Permit, { projectId }: QueryScope) =>
      sql`(SELECT p.id FROM ${tables.projects} p
        WHERE p.id = ${projectId} AND p.organization_id = ${permit.organizationId})`

    /** The rows of an organization's project, and which of them match a filter, as conditions. */
    const conditionsOf = (of: "c" | "e", own: Fragment, { filter, now }: Pick<QueryScope, "filter" | "now">) =>
      FilterSql.compile(filter, { calls: of, scope: own, now }).pipe(
        Effect.map((matching) => ({ own, matching })),
        Effect.provideService(SqlClient, sql),
        Effect.provideService(Dialect, dialect)
      )

    /** The calls `c` of a question. */
    const callsOf = (permit: Permit, question: QueryScope) =>
      conditionsOf("c", sql`c.project_id = ${ownProject(permit, question)}`, question)

    /** The evaluations `e` by some metrics, of calls that match a filter of nothing but time. */
    const evaluationsOf = (permit: Permit, metrics: ReadonlyArray<MetricId>, question: QueryScope) => {
      const [first] = metrics
      const own = sql`SELECT m.id FROM ${tables.metrics} m
        WHERE ${dialect.isOneOf("m.id", metrics)} AND m.project_id = ${ownProject(permit, question)}`
      return conditionsOf(
        "e",
        // Of one metric, it is asked once and not for each row.
        metrics.length === 1 ? sql`e.metric_id = ${first} AND EXISTS (${own})` : sql`e.metric_id IN (${own})`,
        question
      )
    }

    /** Where the rows of a question are. Evaluations by one metric are read without their calls if these need not be known. */
    const sourceOf = (permit: Permit, question: ValuesQuery, group: Field | Bucket | null) => {
      const { field, filter, metric } = question
      return metric !== null && field.name === VALUE && !isField(group) && isOfTime(filter)
        ? Effect.map(evaluationsOf(permit, [metric], question), (conditions) => blocks.evaluations(conditions))
        : Effect.map(callsOf(permit, question), (conditions) => blocks.calls(question, group, conditions))
    }

    /** The times of the first and the last row that satisfies a condition: two searches that end at their first find. */
    const timesOf = ({ time }: Source, from: Fragment) =>
      spanRow.one(sql`SELECT
        (SELECT ${time} ${from} ORDER BY ${time} LIMIT 1) AS first,
        (SELECT ${time} ${from} ORDER BY ${time} DESC LIMIT 1) AS last`)

    /** The buckets in which a question's rows can be; undefined where it is better not to read them one by one. */
    const bucketsOf = (permit: Permit, question: TimelineQuery, source: Source) =>
      Effect.gen(function* () {
        if (!source.isAlongTime || !isReadAlongTime(question.filter)) return undefined
        const inTime = yield* sourceOf(permit, { ...question, filter: timeConditions(question.filter) }, null)
        const times = yield* timesOf(source, inTime.rows)
        return Option.match(times, { onNone: () => [], onSome: (range) => slicesOf(question.bucket, range) })
      })

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
      inSnapshot: (permit, of, questions) =>
        questions.pipe(
          Effect.either,
          inSnapshot(of, permit),
          storing("AnalyticsStore.inSnapshot"),
          Effect.flatten,
          Effect.provideService(Snapshots, snapshots)
        ),
      totals: (permit, question) =>
        Effect.gen(function* () {
          const { matching, own } = yield* callsOf(permit, question)
          const scope = sql`${own} AND ${matching}`
          const totals = yield* totalsRow.one(sql`SELECT count(*) AS calls,
              avg(CAST(c.success AS DOUBLE PRECISION)) AS success_rate,
              avg(${blocks.measure(sql`c.duration_s`)}) AS average_duration
            FROM ${tables.calls} c WHERE ${scope}`)
          if (question.latencyMetrics.length === 0) return { ...totals, p95Latency: null, p95CallLatency: null }
          // Evaluations and the latencies of answers have the times of their calls, which are read only if more is asked.
          const ofTime = isOfTime(question.filter)
            ? yield* evaluationsOf(permit, question.latencyMetrics, question)
            : undefined
          const joined = ofTime === undefined ? sql`JOIN ${tables.calls} c ON c.id = e.call_id` : sql``
          const where =
            ofTime === undefined
              ? sql`${dialect.isOneOf("e.metric_id", question.latencyMetrics)} AND ${scope}`
              : sql`${ofTime.own} AND ${ofTime.matching}`
          const p95CallLatency =
            yield* valueRow.one(sql`SELECT ${dialect.percentile(sql`e.value_number`, 0.95)} AS value
            FROM ${tables.metric_evaluations} e ${joined} WHERE ${where}
              AND e.value_kind = 'number' AND e.value_number BETWEEN ${-MAX_MEASURE} AND ${MAX_MEASURE}`)
          const p95Latency = yield* valueRow.one(
            blocks.percentileOfLists(sql`${tables.answer_latencies} e ${joined}`, where, 0.95)
          )
          return { ...totals, p95Latency, p95CallLatency }
        }).pipe(growing("chart", permit), storing("AnalyticsStore.totals")),

      typeCounts: (permit, question) =>
        Effect.gen(function* () {
          const source = yield* sourceOf(permit, question, null)
          const value = blocks.valueParts(question)
          const count = (of: Part["of"]) =>
            value.some((part) => part.of === of) ? sql`count(${sql(`v_${of}`)})` : sql`0`
          return yield* typesRow.one(sql`SELECT ${count("flag")} AS flags, ${count("number")} AS numbers,
              ${count("text")} AS texts FROM ${blocks.values(source.rows, { group: [], value })} r`)
        }).pipe(growing("chart", permit), storing("AnalyticsStore.typeCounts")),

      timeRange: (permit, question) =>
        Effect.gen(function* () {
          const source = yield* sourceOf(permit, question, null)
          const isThere = sql.or([
            ...blocks.valueParts(question).map(({ value }) => sql`${value} IS NOT NULL`),
            sql`FALSE`
          ])
          // Where min and max together would read everything.
          return yield* timesOf(source, sql`${source.rows} AND ${isThere}`)
        }).pipe(growing("chart", permit), storing("AnalyticsStore.timeRange")),

      timeline: (permit, question) =>
        Effect.gen(function* () {
          const { aggregate, bucket, group: by } = question
          const source = yield* sourceOf(permit, question, by)
          const group = blocks.groupParts(by, source.time)
          const value = blocks.valueParts(question).filter(({ of }) => of !== "text" || aggregate === "count")
          const buckets = yield* bucketsOf(permit, question, source)
          /** The cells of a bucket; `top` where the other groups are to be put together. */
          const cellsIn = (low: Fragment, high: Fragment, top: Top): Fragment => {
            const keys = [...(top === null ? [] : [sql`is_top`]), ...named("k", group)]
            return sql`SELECT ${top === null ? sql`1` : sql`is_top`} AS is_top,
                ${sql.csv([...asGroup(group), sql`${blocks.aggregate(aggregate, value)} AS value`])}, count(*) AS n
              FROM ${blocks.gathered(blocks.values(source.between(low, high), { group, value }), group, top)} r
              ${grouped(keys)} HAVING count(*) > 0`
          }
          /** Cells, the newest first unless there are as many buckets as a chart may have; `top` as above. */
          const cellsOf = (top: Top) => {
            if (buckets !== undefined) {
              const columns = ["is_top", ...group.map(({ of }) => `g_${of}`), "value", "n"]
              const cells = dialect.perRange(buckets, columns, (low, high) => cellsIn(low, high, top))
              return cellRows.all(sql`SELECT q.*, low AS bucket_ms FROM ${cells} q LIMIT ${MAX_CELLS + 1}`)
            }
            const rows = blocks.gathered(
              blocks.values(source.rows, { bucket: blocks.bucketStart(bucket, source.time), group, value }),
              group,
              top
            )
            return cellRows.all(sql`SELECT ${sql.csv([sql`bucket_ms`, sql`is_top`, ...asGroup(group)])},
                ${blocks.aggregate(aggregate, value)} AS value, count(*) AS n
              FROM ${rows} r GROUP BY ${sql.csv([sql`bucket_ms`, sql`is_top`, ...named("k", group)])}
              ORDER BY bucket_ms DESC LIMIT ${MAX_CELLS + 1}`)
          }
          // Usually there are few groups, and then the cells determine them without a second query.
          const all = yield* cellsOf(null)
          const known = by === null ? undivided : all.length <= MAX_CELLS ? rankCells(all) : undefined
          const { groups, positionOf, top } =
            known ?? (yield* groupsOf(blocks.values(source.rows, { group, value }), group))
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
          const source = yield* sourceOf(permit, question, question.group)
          const value = blocks.valueParts(question)
          if (question.group === null) {
            const rows = blocks.values(source.rows, { group: [], value })
            const { groups: slices } = ranked(yield* soleSlices.all(mostFrequent("v", rows, value)))
            const count = slices.reduce((sum, slice) => sum + slice.count, 0)
            return { groups: [{ kind: "all" as const, key: null, count, slices }] }
          }
          const group = blocks.groupParts(question.group, source.time)
          const all = blocks.values(source.rows, { group, value })
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
