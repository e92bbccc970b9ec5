import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { decodeInput, type FieldErrors, fieldError, ValidationFailed } from "./FieldErrors.js"
import * as Fields from "./Fields.js"

/** Rows on a page unless the caller asks for fewer or more. */
export const DEFAULT_PAGE_SIZE = 50
export const MAX_PAGE_SIZE = 200

/**
 * Where a page starts in a list ordered by id, newest first. A keyset, not an offset: rows that come in while somebody
 * pages neither repeat nor skip one, and page 10,000 costs what page 1 costs.
 */
export type Cursor =
  | { readonly at: "start" }
  /** The rows older than this id. */
  | { readonly at: "before"; readonly id: number }
  /** The rows newer than this id, the nearest ones. */
  | { readonly at: "after"; readonly id: number }

export const firstPage: Cursor = { at: "start" }

export interface PageRequest {
  readonly cursor: Cursor
  /** Rows wanted, 1 to 200. */
  readonly limit: number
}

/** A page and the opaque cursors of its neighbours, null at either end. */
export interface Page<A> {
  readonly next: string | null
  readonly previous: string | null
  readonly results: ReadonlyArray<A>
}

const encodeCursor = (cursor: Exclude<Cursor, { at: "start" }>): string =>
  Encoding.encodeBase64Url(`${cursor.at === "before" ? "b" : "a"}${cursor.id}`)

/** Reads a cursor that an earlier page gave out. */
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

/** What a list use case takes from outside: `{cursor?, limit?}`. */
export const PageQuery = Fields.object({
  cursor: Fields.optional(Fields.text({ max: 100 })),
  limit: Fields.optional(limitSchema)
})
export type PageQuery = typeof PageQuery.Encoded

/** The page that a decoded query asks for. */
export const pageRequest = (query: typeof PageQuery.Type): Either.Either<PageRequest, FieldErrors> =>
  Either.map(query.cursor === undefined ? Either.right(firstPage) : parseCursor(query.cursor), (cursor) => ({
    cursor,
    limit: query.limit ?? DEFAULT_PAGE_SIZE
  }))

/** Reads the page that is asked for out of a query from outside, as a step of a list use case. */
export const decodeRequest = (query: unknown): Either.Either<PageRequest, ValidationFailed> =>
  Either.flatMap(decodeInput(PageQuery, query), (decoded) =>
    Either.mapLeft(pageRequest(decoded), (faults) => new ValidationFailed({ errors: faults }))
  )

/**
 * Makes a page of the rows that a store found. The store reads up to `limit + 1` rows in the cursor's direction,
 * nearest first: descending ids for `start` and `before`, ascending for `after`. The one row too many tells whether
 * there is more.
 */
export const pageOf = <A>(request: PageRequest, found: ReadonlyArray<A>, idOf: (row: A) => number): Page<A> => {
  const { cursor, limit } = request
  const hasMore = found.length > limit
  const kept = found.slice(0, limit)
  const results = cursor.at === "after" ? kept.toReversed() : kept
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
