/** The questions of charts, answered from the tables of the column store. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import {
  type Cell,
  MAX_BUCKETS,
  MAX_GROUPS,
  MAX_MEASURE,
  type QueryScope,
  type Totals
} from "../../analytics/AnalyticsQuery.js"
import { type ColumnAnalytics, ColumnStoreUnavailable } from "../../analytics/Projection.js"
import type { NamesById, ResourceNames } from "../../analytics/ResourceNames.js"
import { conjuncts, type Condition, type Filter, isGroup } from "../../filters/Filter.js"
import type { ChartPermit } from "../../analytics/AnalyticsQuery.js"
import { MAX_CELLS, rankCells, ranked, ranking, type Top, undivided } from "../sql/AnalyticsRows.js"
import type { ClickHouseEngine } from "./ClickHouseEngine.js"
import { aggregateOf, bucketStart, keyOrder, measure, type Part } from "./ColumnParts.js"
import { cellRows, groupRows, sliceRows, soleSlices, spanRows, totalsRows, typesRows } from "./ColumnRows.js"
import { ColumnSource, type Values } from "./ColumnSource.js"
import type { ColumnTables } from "./ColumnTables.js"
import { lastRow, NOTICE, readSnapshot, type Snapshot } from "./Snapshot.js"
import { Parameters } from "./Statement.js"

/** How often questions are asked again because rows that they need were erased meanwhile. */
const RETRIES = 2

/** A snapshot takes some milliseconds: a column store that needs longer hangs, and the time of a chart is not spent on it. */
const SNAPSHOT_LIMIT = Duration.seconds(3)

/**
 * Weights of answers' latencies. With them a percentile counts how often each number occurs: 10,000,000 calls have 150,000,000
 * latencies, which as a list exceed the memory of a statement, and some thousand different ones.
 */
const ONCE_EACH = "arrayWithConstant(length(answer_latencies_ms), 1)"

const NO_CALLS: Totals = {
  calls: 0,
  successRate: null,
  averageDuration: null,
  p95Latency: null,
  p95CallLatency: null
}

const NO_NAMES: NamesById = new Map()

export const make = (
  engine: ClickHouseEngine,
  tables: ColumnTables,
  names: ResourceNames["Type"]
): Effect.Effect<ColumnAnalytics> =>
  Effect.sync(() => {
    const current = FiberRef.unsafeMake<Snapshot | undefined>(undefined)

    /** Runs questions on one snapshot, again if rows of it were erased meanwhile. */
    const inSnapshot = <A, E, R>(questions: Effect.Effect<A, E, R>): Effect.Effect<A, E | ColumnStoreUnavailable, R> =>
      Effect.flatMap(FiberRef.get(current), (known) =>
        known === undefined
          ? Effect.gen(function* () {
              const begun = yield* Clock.currentTimeNanos
              const snapshot = yield* Effect.timeoutFail(readSnapshot(engine, tables), {
                duration: SNAPSHOT_LIMIT,
                onTimeout: () =>
                  new ColumnStoreUnavailable({
                    reason: "slow",
                    operation: "readSnapshot",
                    cause: new Error(`No answer within ${Duration.format(SNAPSHOT_LIMIT)}.`)
                  })
              })
              const answer = yield* Effect.locally(questions, current, snapshot)
              if (Duration.lessThan(Duration.nanos((yield* Clock.currentTimeNanos) - begun), NOTICE)) {
                return Option.some(answer)
              }
              const { erased } = yield* readSnapshot(engine, tables)
              return erased > lastRow(snapshot) ? Option.none<A>() : Option.some(answer)
            }).pipe(
              Effect.repeat({ until: Option.isSome, times: RETRIES }),
              Effect.flatMap((answer) =>
                Option.match(answer, {
                  onSome: Effect.succeed,
                  onNone: () =>
                    new ColumnStoreUnavailable({
                      reason: "changed",
                      operation: "inSnapshot",
                      cause: new Error("Rows were erased each time that the questions were asked.")
                    })
                })
              )
            )
          : questions
      )

    /** What a question's statements are made of, on the snapshot that it is asked on. */
    const sourceOf = (permit: ChartPermit, scope: QueryScope, fields: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const snapshot = yield* FiberRef.get(current)
        const used = new Set([...fields, ...namesIn(scope.filter)])
        const agents = used.has("agent.agent_name") ? yield* names.agents(permit.organizationId) : NO_NAMES
        const metrics = used.has("metric_evaluations.metric.name")
          ? yield* names.metrics(permit.organizationId)
          : NO_NAMES
        const parameters = new Parameters()
        const { organizationId } = permit
        const context = { tables, parameters, organizationId, agents, metrics, snapshot: snapshot ?? NOTHING }
        const source = new ColumnSource(context, scope)
        const ask = (operation: string, text: string) =>
          engine.rows(operation, parameters.statement(`${text} ${source.settings()}`))
        return { source, ask }
      })

    const keysOf = (prefix: "g" | "k" | "v", parts: ReadonlyArray<Part>) => parts.map(({ of }) => `${prefix}_${of}`)
    const grouped = (keys: ReadonlyArray<string>) => (keys.length === 0 ? "" : `GROUP BY ${keys.join(", ")}`)

    /** The most frequent of some keys, one too many, each with its count and the count of all. */
    const mostFrequent = (prefix: "g" | "v", parts: ReadonlyArray<Part>, { rows }: Values, as: "k" | "v") => {
      const keys = keysOf(prefix, parts)
      const named = parts.map(({ of }) => `${prefix}_${of} AS ${as}_${of}`)
      return `SELECT ${[...(as === prefix ? keys : named), "n", "total"].join(", ")} FROM (
          SELECT *, sum(n) OVER () AS total FROM (
            SELECT ${[...keys, "count() AS n"].join(", ")} FROM ${rows} ${grouped(keys)}
          )
        ) WHERE n > 0 ORDER BY n DESC, ${keyOrder(prefix, parts)} LIMIT ${MAX_GROUPS + 1}`
    }

    return {
      inSnapshot: (_permit, _of, questions) => inSnapshot(questions),

      totals: (permit, question) =>
        Effect.gen(function* () {
          const { ask, source } = yield* sourceOf(permit, question, [])
          const ofCalls = `SELECT count() AS calls, if(count(success) = 0, NULL, avg(success)) AS success_rate,
              if(count(v_number) = 0, NULL, sumKahan(v_number) / count(v_number)) AS average_duration
            FROM (SELECT success, ${measure("duration_s")} AS v_number ${source.calls()})`
          const isNumber = `value_kind = 'number' AND abs(value_number) <= ${MAX_MEASURE}`
          const ofEvaluations = (metrics: ReadonlyArray<number>) =>
            `SELECT if(countIf(${isNumber}) = 0, NULL,
                quantileExactInclusiveIf(0.95)(assumeNotNull(value_number), ifNull(${isNumber}, 0))) AS p95_call_latency,
              if(sum(length(answer_latencies_ms)) = 0, NULL,
                quantileExactWeightedInterpolatedArray(0.95)(answer_latencies_ms, ${ONCE_EACH})) AS p95_latency
              ${source.evaluations(metrics)}`
          const { latencyMetrics } = question
          const statement =
            latencyMetrics.length === 0
              ? ofCalls
              : `SELECT * FROM (${ofCalls}) AS c CROSS JOIN (${ofEvaluations(latencyMetrics)}) AS e`
          const [totals = NO_CALLS] = yield* totalsRows("totals", yield* ask("totals", statement))
          return totals
        }).pipe(inSnapshot),

      typeCounts: (permit, question) =>
        Effect.gen(function* () {
          const { ask, source } = yield* sourceOf(permit, question, [question.field.name])
          const values = source.values(question, null)
          const count = (of: Part["of"]) => (values.value.some((part) => part.of === of) ? `count(v_${of})` : "0")
          const [types = { numeric: 0, boolean: 0, string: 0 }] = yield* typesRows(
            "typeCounts",
            yield* ask(
              "typeCounts",
              `SELECT ${count("flag")} AS flags, ${count("number")} AS numbers, ${count("text")} AS texts FROM ${values.rows}`
            )
          )
          return types
        }).pipe(inSnapshot),

      timeRange: (permit, question) =>
        Effect.gen(function* () {
          const { ask, source } = yield* sourceOf(permit, question, [question.field.name])
          const { rows } = source.values(question, null)
          const [span] = yield* spanRows(
            "timeRange",
            yield* ask("timeRange", `SELECT min(at) AS first, max(at) AS last, count() AS n FROM ${rows}`)
          )
          return span === undefined || span.n === 0
            ? Option.none()
            : Option.some({ first: span.first, last: span.last })
        }).pipe(inSnapshot),

      timeline: (permit, question) =>
        Effect.gen(function* () {
          const { aggregate, bucket, group: by } = question
          const { ask, source } = yield* sourceOf(permit, question, [question.field.name, by?.name ?? ""])
          const values = source.values(question, by, aggregate !== "count")
          const keys = keysOf("k", values.group)
          /** Cells, the newest first; `top` where the other groups are to be put together. */
          const cellsOf = (top: Top) => {
            const grouped = top === null ? keys : [...keys, "is_top"]
            const columns = top === null ? values.group.map(({ of }) => `g_${of} AS k_${of}`) : grouped
            return Effect.flatMap(
              ask(
                "timeline",
                `SELECT ${[...columns, `${bucketStart(bucket, "at")} AS bucket_ms`].join(", ")},
                  ${aggregateOf(aggregate, values.value)} AS value, count() AS n
                FROM ${top === null ? values.rows : source.gathered(values, top)}
                GROUP BY ${[...grouped, "bucket_ms"].join(", ")}
                ORDER BY bucket_ms DESC LIMIT ${MAX_CELLS + 1}`
              ),
              (rows) => cellRows("timeline", rows)
            )
          }
          if (values.value.length === 0) {
            return { groups: by === null ? [...undivided.groups] : [], cells: [], truncated: false }
          }
          const all = yield* cellsOf(null)
          const known = by === null ? undivided : all.length <= MAX_CELLS ? rankCells(all) : undefined
          const { groups, positionOf, top } =
            known ??
            ranking(yield* groupRows("timeline", yield* ask("timeline", mostFrequent("g", values.group, values, "k"))))
          const found = top === null ? all : yield* cellsOf(top)
          const newest = new Set([...new Set(found.map(({ at }) => at))].slice(0, MAX_BUCKETS))
          const cells = found.flatMap(({ at, count, place, value }): ReadonlyArray<Cell> => {
            const position = positionOf(place)
            return newest.has(at) && position < groups.length ? [{ group: position, at, value, count }] : []
          })
          return {
            groups: groups.map(({ key, kind }) => ({ key, kind })),
            cells,
            truncated: found.some(({ at }) => !newest.has(at))
          }
        }).pipe(inSnapshot),

      shares: (permit, question) =>
        Effect.gen(function* () {
          const { group: by } = question
          const ofGroup = by !== null && "name" in by ? by.name : ""
          const { ask, source } = yield* sourceOf(permit, question, [question.field.name, ofGroup])
          const values = source.values(question, by)
          if (by === null) {
            const rows = yield* ask("shares", mostFrequent("v", values.value, values, "v"))
            const { groups: slices } = ranked(yield* soleSlices("shares", rows))
            const count = slices.reduce((sum, slice) => sum + slice.count, 0)
            return { groups: [{ kind: "all" as const, key: null, count, slices }] }
          }
          const { groups, positionOf, top } = ranking(
            yield* groupRows("shares", yield* ask("shares", mostFrequent("g", values.group, values, "k")))
          )
          const isAll = top === null
          const keys = isAll ? keysOf("k", values.group) : ["is_top", ...keysOf("k", values.group)]
          const columns = [...keys, ...keysOf("v", values.value)]
          const read = isAll
            ? [...values.group.map(({ of }) => `g_${of} AS k_${of}`), ...keysOf("v", values.value)]
            : columns
          const found = yield* sliceRows(
            "shares",
            yield* ask(
              "shares",
              `SELECT ${[...columns, "n", "total"].join(", ")} FROM (
                SELECT *, row_number() OVER (PARTITION BY ${keys.join(", ")}
                    ORDER BY n DESC, ${keyOrder("v", values.value)}) AS place,
                  sum(n) OVER (PARTITION BY ${keys.join(", ")}) AS total
                FROM (
                  SELECT ${read.join(", ")}, count() AS n FROM ${isAll ? values.rows : source.gathered(values, top)}
                  GROUP BY ${columns.join(", ")}
                )
              ) WHERE place <= ${MAX_GROUPS + 1} ORDER BY place`
            )
          )
          return {
            groups: groups.map((one, position) => ({
              ...one,
              slices: ranked(found.filter((slice) => positionOf(slice.place) === position)).groups
            }))
          }
        }).pipe(inSnapshot)
    }
  })

const NOTHING: Snapshot = { epochs: [], newestBase: 0, erased: 0, hasSuperseded: false }

/** The names of the fields that a filter asks for. */
const namesIn = (filter: Filter): ReadonlyArray<string> => conjuncts(filter).flatMap(fieldsIn)

const fieldsIn = (condition: Condition): ReadonlyArray<string> =>
  isGroup(condition) ? condition.conditions.flatMap(fieldsIn) : [condition.field]
