import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import {
  type CountedValue,
  type FacetField,
  facetOf,
  MAX_FACET_TEXT,
  MAX_SAMPLED_CHARACTERS,
  pathsInUse,
  SAMPLED_DOCUMENTS
} from "../../calls/CallFacets.js"
import { CallFacetStore, countEach } from "../../calls/CallFacetStore.js"
import { Json } from "../../kernel/Json.js"
import { AnalyticsFragments } from "./AnalyticsFragments.js"
import { scalar } from "./AnalyticsRows.js"
import { Dialect } from "./Dialect.js"
import * as FilterSql from "./FilterSql.js"
import { inSnapshot, Snapshots } from "./Reads.js"
import { jsonColumn, readRows } from "./Rows.js"
import { callsInScope } from "./ScopeSql.js"
import { storing } from "./Storing.js"

const countRow = readRows(Schema.Struct({ n: Schema.Number }), ({ n }) => n)

const documentRows = readRows(Schema.Struct({ document: jsonColumn(Json) }), ({ document }) => document)

/** A statement has the parts that its field can have. */
const absent = { default: () => null }

const valueRows = readRows(
  Schema.Struct({
    v_flag: Schema.optionalWith(Schema.NullOr(Schema.Number), absent),
    v_number: Schema.optionalWith(Schema.NullOr(Schema.Number), absent),
    v_text: Schema.optionalWith(Schema.NullOr(Schema.String), absent),
    is_missing: Schema.Number,
    n: Schema.Number
  }),
  ({ is_missing, n, v_flag, v_number, v_text }): CountedValue => ({
    value: scalar(v_flag, v_number, v_text),
    isMissing: is_missing === 1,
    count: n
  })
)

export const layer = Layer.effect(
  CallFacetStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const snapshots = yield* Snapshots
    const { tables } = dialect
    const fragments = new AnalyticsFragments(sql, dialect)
    const context = yield* Effect.context<SqlClient | Dialect>()

    /** The values of a field that a filter can name, each kind as a column. */
    const columnsOf = ({ field }: FacetField) =>
      fragments.valueParts({ field, dataType: "dynamic" }).map(({ of, value }) => ({
        of,
        value: of === "text" ? sql`CASE WHEN length(${value}) <= ${MAX_FACET_TEXT} THEN ${value} END` : value
      }))

    /** The most frequent values of a field, and the calls without one, which come first. */
    const valuesOf = (from: Fragment, isMissing: Fragment, facet: FacetField, limit: number) => {
      const columns = columnsOf(facet)
      const names = columns.map(({ of }) => sql`${sql(`v_${of}`)}`)
      const selected = columns.map(({ of, value }) => sql`${value} AS ${sql(`v_${of}`)}`)
      const keys = sql.csv([...names, sql`is_missing`])
      const hasValue = sql.or(names.map((name) => sql`${name} IS NOT NULL`))
      return valueRows.all(sql`SELECT * FROM (
          SELECT ${keys}, count(*) AS n, CASE WHEN ${hasValue} THEN 1 ELSE 0 END AS has_value
          FROM (SELECT ${sql.csv([...selected, sql`CASE WHEN ${isMissing} THEN 1 ELSE 0 END AS is_missing`])} ${from}) r
          GROUP BY ${keys}
        ) q ORDER BY has_value, n DESC, ${fragments.keyOrder("v", columns)} LIMIT ${limit + 2}`)
    }

    return CallFacetStore.of({
      count: (permit, { criteria, fields, limit, withPaths }) =>
        Effect.gen(function* () {
          const { agentId, filter, now, projectId } = criteria
          const scope = sql.and([
            callsInScope(sql, tables, permit),
            ...(agentId === undefined ? [] : [sql`c.agent_id = ${agentId}`]),
            ...(projectId === undefined ? [] : [sql`c.project_id = ${projectId}`])
          ])
          const question = { calls: "c", scope, now }
          const matches = yield* FilterSql.compile(filter, question)
          const from = sql`FROM ${tables.calls} c WHERE ${scope} AND ${matches}`
          const total = yield* countRow.one(sql`SELECT count(*) AS n ${from}`)
          const documents = withPaths
            ? yield* documentRows.all(sql`SELECT CAST(c.metadata AS TEXT) AS document ${from}
                AND c.metadata IS NOT NULL AND length(CAST(c.metadata AS TEXT)) <= ${MAX_SAMPLED_CHARACTERS}
                ORDER BY c.id DESC LIMIT ${SAMPLED_DOCUMENTS}`)
            : []
          const counted = yield* countEach([...fields, ...pathsInUse(documents)], (facet) =>
            Effect.gen(function* () {
              const isMissing = yield* FilterSql.compile({ field: facet.name, op: "isnull", value: true }, question)
              const rows = yield* valuesOf(from, isMissing, facet, limit)
              return facetOf(facet.name, total, rows, limit)
            }).pipe(storing("CallFacetStore.count"))
          )
          return { total, ...counted }
        }).pipe(
          Effect.provide(context),
          Effect.either,
          inSnapshot("list", permit),
          Effect.flatten,
          storing("CallFacetStore.count"),
          Effect.provideService(Snapshots, snapshots)
        )
    })
  })
)
