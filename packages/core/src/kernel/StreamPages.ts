/** A list as a stream that holds one page at a time. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Cursor, Found, PageRequest } from "./Pages.js"
import { MAX_PAGE_SIZE } from "./Pages.js"
import { releaseBytes, type ResponseBytesExceeded } from "./ResponseBytes.js"

/** Bytes of a page of a stream: what a reader who has stopped reading keeps in memory. A larger row is a page of its own. */
export const STREAM_PAGE_BYTES = 256_000

/** How often, and for how long, a stream that has begun waits for bytes of its request's budget. */
const BUDGET_WAIT = Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(300))

interface Position {
  readonly cursor: Cursor
  /** Bytes of the page before, which has been sent when the next one is asked for. */
  readonly held: number
  readonly isFirst: boolean
}

/**
 * All rows from a cursor on (`start` or `before`: newest first, `after`: oldest first). A page is read when the one before
 * has been consumed, whose bytes are given back first. Beyond the budget the first page fails; later ones wait, since a
 * response that has begun cannot become an error.
 */
export const streamPages = <Row extends { readonly id: number }, E>(
  from: Cursor,
  load: (page: PageRequest) => Effect.Effect<Found<Row>, E | ResponseBytesExceeded>
): Stream.Stream<Row, E | ResponseBytesExceeded> =>
  Stream.paginateChunkEffect({ cursor: from, held: 0, isFirst: true }, ({ cursor, held, isFirst }: Position) => {
    const page = load({ cursor, limit: MAX_PAGE_SIZE, maxBytes: STREAM_PAGE_BYTES })
    return Effect.zipRight(
      releaseBytes(held),
      isFirst ? page : Effect.retry(page, { schedule: BUDGET_WAIT, while: isExceeded })
    ).pipe(
      Effect.map(({ bytes, hasMore, rows }): readonly [Chunk.Chunk<Row>, Option.Option<Position>] => {
        const last = rows[rows.length - 1]
        return [
          Chunk.unsafeFromArray(rows),
          hasMore && last !== undefined
            ? Option.some({
                cursor: { at: cursor.at === "after" ? "after" : "before", id: last.id },
                held: bytes,
                isFirst: false
              })
            : Option.none()
        ]
      })
    )
  })

const isExceeded = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ResponseBytesExceeded"
