import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type * as Schema from "effect/Schema"
import { decodeInput, type FieldErrors, fieldError, ValidationFailed } from "./FieldErrors.js"
import * as Fields from "./Fields.js"

/** Rows on a page where the request sets no limit. */
export const DEFAULT_PAGE_SIZE = 50
export const MAX_PAGE_SIZE = 200

/**
 * Bytes of stored documents on a page. A page ends early where the next row would exceed it, so that memory is bounded
 * whatever rows hold; a first row that is larger is a page of its own. Default: 4 MB.
 */
export class PageBytes extends Context.Reference<PageBytes>()("@earshot/core/kernel/PageBytes", {
  defaultValue: (): number => 4_000_000
}) {}

/**
 * Where a page starts in a list ordered by id, newest first. Keyset pagination: rows inserted between two requests
 * neither repeat nor skip a row, and page 10,000 costs what page 1 costs.
 */
export type Cursor =
  | { readonly at: "start" }
  /** The rows older than this id. */
  | { readonly at: "before"; readonly id: number }
  /** The rows directly newer than this id. */
  | { readonly at: "after"; readonly id: number }

export const firstPage: Cursor = { at: "start" }

export interface PageRequest {
  readonly cursor: Cursor
  /** Rows wanted, 1 to 200. */
  readonly limit: number
  /** Fewer bytes than `PageBytes`, for pages that are sent in parts. */
  readonly maxBytes?: number
}

/** The rows that a store found for a page request, closest to the cursor first, and whether there are more. */
export interface Found<A> {
  readonly rows: ReadonlyArray<A>
  readonly hasMore: boolean
  /** The bytes taken from the request's budget (`ResponseBytes`), 0 for rows that are always small. */
  readonly bytes: number
}

/** What a store found if it reads one row more than the page holds (see `storage/sql/Keyset`). */
export const found = <A>({ limit }: PageRequest, rows: ReadonlyArray<A>): Found<A> => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
  bytes: 0
})

/** How many rows fit on a page of `limit` rows and `maxBytes`, given the sizes of the rows closest to the cursor. */
export const rowsWithin = (sizes: ReadonlyArray<number>, limit: number, maxBytes: number): number => {
  let rows = 0
  let bytes = 0
  for (const size of sizes.slice(0, limit)) {
    bytes += size
    if (rows > 0 && bytes > maxBytes) return rows
    rows++
  }
  return rows
}

/** The items in their order, in groups of at most `maxBytes`; a larger one is alone. */
export const groupsWithin = <A>(
  items: ReadonlyArray<A>,
  bytesOf: (item: A) => number,
  maxBytes: number
): ReadonlyArray<ReadonlyArray<A>> => {
  const groups: Array<Array<A>> = []
  let bytes = 0
  for (const item of items) {
    const size = bytesOf(item)
    const last = groups.at(-1)
    if (last === undefined || bytes + size > maxBytes) {
      groups.push([item])
      bytes = size
    } else {
      last.push(item)
      bytes += size
    }
  }
  return groups
}

/** A page and the opaque cursors of the pages next to it, null at either end. */
export interface Page<A> {
  readonly next: string | null
  readonly previous: string | null
  readonly results: ReadonlyArray<A>
}

const encodeCursor = (cursor: Exclude<Cursor, { at: "start" }>): string =>
  Encoding.encodeBase64Url(`${cursor.at === "before" ? "b" : "a"}${cursor.id}`)

/** Decodes a cursor that an earlier page contained. */
export const parseCursor = (text: string): Either.Either<Cursor, FieldErrors> => {
  const match = Either.match(Encoding.decodeBase64UrlString(text), {
    onLeft: () => null,
    onRight: (plain) => /^([ab])([1-9]\d{0,15})$/.exec(plain)
  })
  return match === null
    ? Either.left(fieldError("cursor", "Invalid cursor."))
    : Either.right({ at: match[1] === "b" ? "before" : "after", id: Number(match[2]) })
}

const limitSchema = Fields.integer({ min: 1, max: MAX_PAGE_SIZE })

/** The query of a list use case: `{cursor?, limit?}`. */
export const PageQuery = Fields.object({
  cursor: Fields.optional(Fields.text({ max: 100 })),
  limit: Fields.optional(limitSchema)
})
export type PageQuery = typeof PageQuery.Encoded

/** The page request in a decoded query. */
export const pageRequest = (query: typeof PageQuery.Type): Either.Either<PageRequest, FieldErrors> =>
  Either.map(query.cursor === undefined ? Either.right(firstPage) : parseCursor(query.cursor), (cursor) => ({
    cursor,
    limit: query.limit ?? DEFAULT_PAGE_SIZE
  }))

const toRequest = (query: typeof PageQuery.Type): Either.Either<PageRequest, ValidationFailed> =>
  Either.mapLeft(pageRequest(query), (errors) => new ValidationFailed({ errors }))

/**
 * A whole list use case: decodes the query with a schema that includes `PageQuery`'s fields, loads the rows and makes a page
 * of them.
 */
export const paginate = <Query extends typeof PageQuery.Type, I, Row extends { readonly id: number }, E, R>(
  schema: Schema.Schema<Query, I>,
  input: unknown,
  load: (page: PageRequest, query: Query) => Effect.Effect<Found<Row>, E, R>
): Effect.Effect<Page<Row>, E | ValidationFailed, R> =>
  Effect.gen(function* () {
    const query = yield* decodeInput(schema, input)
    const page = yield* toRequest(query)
    return pageOf(page, yield* load(page, query), ({ id }) => id)
  })

/**
 * Makes a page of what a store found. The store reads in the cursor's direction: descending ids for `start` and `before`,
 * ascending for `after`.
 */
export const pageOf = <A>({ cursor }: PageRequest, { hasMore, rows }: Found<A>, idOf: (row: A) => number): Page<A> => {
  const results = cursor.at === "after" ? rows.toReversed() : rows
  const first = results[0]
  const last = results[results.length - 1]
  const older = last !== undefined && (cursor.at === "after" || hasMore)
  const newer = first !== undefined && (cursor.at === "before" || (cursor.at === "after" && hasMore))
  return {
    next: older ? encodeCursor({ at: "before", id: idOf(last) }) : null,
    previous: newer ? encodeCursor({ at: "after", id: idOf(first) }) : null,
    results
  }
}
