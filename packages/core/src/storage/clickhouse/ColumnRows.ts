/** The rows of analytics, and what they are read as. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ColumnStoreUnavailable } from "../../analytics/Projection.js"
import { nullable, type Place, scalar, SliceColumns } from "../sql/AnalyticsRows.js"
import { decodeRows } from "./EngineRows.js"

/** The columns that rows are grouped by, of which a statement has those it needs. */
const KeyColumns = {
  k_flag: nullable(Schema.Number),
  k_number: nullable(Schema.Number),
  k_text: nullable(Schema.String)
}
interface Keys {
  readonly k_flag: number | null
  readonly k_number: number | null
  readonly k_text: string | null
}

/** Absent where no groups are put together. */
const IsTop = Schema.optionalWith(Schema.Number, { default: () => 1 })

const placeOf = (row: Keys & { readonly is_top: number }): Place => ({
  isOther: row.is_top === 0,
  key: scalar(row.k_flag, row.k_number, row.k_text)
})

const read = <Row, I, A>(row: Schema.Schema<Row, I>, make: (row: Row) => A) => {
  const decode = decodeRows(row)
  return (operation: string, rows: ReadonlyArray<object>): Effect.Effect<ReadonlyArray<A>, ColumnStoreUnavailable> =>
    Effect.map(decode(operation, rows), (all) => all.map(make))
}

export const totalsRows = read(
  Schema.Struct({
    calls: Schema.Number,
    success_rate: Schema.NullOr(Schema.Number),
    average_duration: Schema.NullOr(Schema.Number),
    p95_latency: nullable(Schema.Number),
    p95_call_latency: nullable(Schema.Number)
  }),
  (row) => ({
    calls: row.calls,
    successRate: row.success_rate,
    averageDuration: row.average_duration,
    p95Latency: row.p95_latency,
    p95CallLatency: row.p95_call_latency
  })
)

export const typesRows = read(
  Schema.Struct({ flags: Schema.Number, numbers: Schema.Number, texts: Schema.Number }),
  (row) => ({ numeric: row.numbers, boolean: row.flags, string: row.texts })
)

export const spanRows = read(
  Schema.Struct({ first: Schema.Number, last: Schema.Number, n: Schema.Number }),
  (row) => row
)

const Counted = { n: Schema.Number, total: Schema.Number }

export const groupRows = read(Schema.Struct({ ...KeyColumns, ...Counted }), ({ n, total, ...row }) => ({
  key: scalar(row.k_flag, row.k_number, row.k_text),
  count: n,
  total
}))

export const cellRows = read(
  Schema.Struct({
    ...KeyColumns,
    is_top: IsTop,
    bucket_ms: Schema.Number,
    value: Schema.Number,
    n: Schema.Number
  }),
  (row) => ({ place: placeOf(row), at: row.bucket_ms, value: row.value, count: row.n })
)

export const sliceRows = read(Schema.Struct({ ...KeyColumns, ...SliceColumns, is_top: IsTop, ...Counted }), (row) => ({
  place: placeOf(row),
  key: scalar(row.v_flag, row.v_number, row.v_text),
  count: row.n,
  total: row.total
}))

export const soleSlices = read(
  Schema.Struct({ ...SliceColumns, ...Counted }),
  ({ n, total, v_flag, v_number, v_text }) => ({ key: scalar(v_flag, v_number, v_text), count: n, total })
)
