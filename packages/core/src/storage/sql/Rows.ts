import type { SqlError } from "@effect/sql/SqlError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { inSlices } from "../../kernel/Slices.js"

type Rows = Effect.Effect<ReadonlyArray<object>, SqlError>

/**
 * Readers of a statement's rows: the row schema says what the columns are, `make` what they are made into. A row that is
 * not what its schema says is a storage error.
 */
export const readRows = <Row, Columns, A>(row: Schema.Schema<Row, Columns>, make: (row: Row) => A) => {
  const decode = Schema.decodeUnknown(Schema.Array(row))
  const all = (statement: Rows): Effect.Effect<ReadonlyArray<A>, SqlError | ParseResult.ParseError> =>
    Effect.map(Effect.flatMap(statement, decode), (rows) => rows.map(make))
  return {
    all,
    /**
     * As `all`, a slice of the rows at a time: for many or wide ones, and outside of transactions, which would take as long
     * as what else runs meanwhile.
     */
    allInSlices: (statement: Rows): Effect.Effect<ReadonlyArray<A>, SqlError | ParseResult.ParseError> =>
      Effect.flatMap(statement, (rows) => inSlices(rows, (slice) => all(Effect.succeed(slice)))),
    first: (statement: Rows): Effect.Effect<Option.Option<A>, SqlError | ParseResult.ParseError> =>
      Effect.map(all(statement), (rows) => Option.fromNullable(rows[0])),
    /** For statements that answer exactly one row, such as INSERT ... RETURNING; none is a defect. */
    one: (statement: Rows): Effect.Effect<A, SqlError | ParseResult.ParseError> =>
      Effect.flatMap(all(statement), (rows) =>
        rows[0] === undefined ? Effect.dieMessage("The statement answered no row") : Effect.succeed(rows[0])
      )
  }
}

/** An instant column: epoch milliseconds. */
export const Instant: Schema.Schema<DateTime.Utc, number> = Schema.transform(
  Schema.Number,
  Schema.DateTimeUtcFromSelf,
  { strict: true, decode: (millis) => DateTime.unsafeMake(millis), encode: DateTime.toEpochMillis }
)

/** A column that holds JSON, read as text on both databases. */
export const jsonColumn = <A, I>(of: Schema.Schema<A, I>): Schema.Schema<A, string> => Schema.parseJson(of)

/** The text of a column that holds JSON; null for no document. */
export const documentText = (document: object | string | number | boolean | null | undefined): string | null =>
  document === undefined || document === null ? null : JSON.stringify(document)

/** Lists by their keys, in the order in which they come. */
export const grouped = <K, V>(pairs: ReadonlyArray<readonly [K, V]>): ReadonlyMap<K, ReadonlyArray<V>> => {
  const groups = new Map<K, Array<V>>()
  for (const [key, value] of pairs) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}
