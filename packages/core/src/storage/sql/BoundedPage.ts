/** Pages that are bounded by bytes: ids and sizes are read first, then the rows that fit. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { type Found, type PageRequest, rowsWithin } from "../../kernel/Pages.js"
import { reserveBytes, type ResponseBytesExceeded } from "../../kernel/ResponseBytes.js"
import type { DialectFragments } from "./Dialect.js"
import { readRows } from "./Rows.js"

/** Rows of a statement of ids and sizes. */
export const sizes = readRows(Schema.Struct({ id: Schema.Number, bytes: Schema.Number }), (row) => row)

/** Bytes of a row's names, numbers and times. */
const ROW_BYTES = 500

/** An expression for the size of a row: the bytes of these columns, further numbers, and `ROW_BYTES`. */
export const sizeOf = (
  sql: SqlClient,
  { bytes }: Pick<DialectFragments, "bytes">,
  columns: ReadonlyArray<Fragment>,
  further: ReadonlyArray<Fragment> = []
): Fragment =>
  [...columns.map(bytes), ...further].reduce(
    (sum, term) => sql`${sum} + ${term}`,
    sql`${sql.literal(String(ROW_BYTES))}`
  )

type ReadError = SqlError | ParseResult.ParseError

/**
 * A page of rows within so many bytes (`PageBytes`), or the fewer bytes that the request asks for. Memory is bounded before any document is
 * read, and the bytes are taken from the budget of the current request.
 *
 * @param of.sizes a statement of `id` and `bytes` for one row more than the page holds, closest to the cursor first
 * @param of.rows the rows with these ids, in the same order
 */
export const boundedPage = <A, E>(
  pageBytes: number,
  page: PageRequest,
  of: {
    readonly sizes: Effect.Effect<ReadonlyArray<object>, SqlError>
    readonly rows: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<A>, E>
  }
): Effect.Effect<Found<A>, E | ReadError | ResponseBytesExceeded> =>
  Effect.gen(function* () {
    const measured = yield* sizes.all(of.sizes)
    const maxBytes = Math.min(pageBytes, page.maxBytes ?? pageBytes)
    const count = rowsWithin(
      measured.map(({ bytes }) => bytes),
      page.limit,
      maxBytes
    )
    const kept = measured.slice(0, count)
    const hasMore = measured.length > count
    if (kept.length === 0) return { rows: [], hasMore, bytes: 0 }
    const bytes = kept.reduce((sum, row) => sum + row.bytes, 0)
    yield* reserveBytes(bytes)
    const rows = yield* of.rows(kept.map(({ id }) => id))
    // Deleted since they were measured: a page without rows would have no cursor to the rest.
    return rows.length === 0 && hasMore ? yield* boundedPage(pageBytes, page, of) : { rows, hasMore, bytes }
  })

/** How a page's rows are ordered, by their id. */
export const orderOf = (sql: SqlClient, { cursor }: PageRequest, id: string): Fragment =>
  sql.literal(`ORDER BY ${id} ${cursor.at === "after" ? "ASC" : "DESC"}`)
