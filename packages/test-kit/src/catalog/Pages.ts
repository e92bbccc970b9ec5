import { Pages, type StorageError } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

/** The request for the page after this one, in either direction, as a client sends it. */
const follow = (cursor: string, limit: number): Pages.PageRequest => ({
  cursor: Either.getOrElse(Pages.parseCursor(cursor), () => Pages.firstPage),
  limit
})

/**
 * Every page of a store's list, following `next` (or `previous`) from a page to the last one.
 *
 * @param options.between runs between any two pages, to check that concurrent inserts disturb nothing.
 */
export const everyPage = <A extends { readonly id: number }, R>(
  list: (page: Pages.PageRequest) => Effect.Effect<Pages.Found<A>, StorageError, R>,
  options: {
    readonly limit: number
    readonly towards?: "next" | "previous"
    readonly from?: string
    readonly between?: Effect.Effect<unknown, StorageError, R>
  }
): Effect.Effect<ReadonlyArray<Pages.Page<A>>, StorageError, R> =>
  Effect.gen(function* () {
    const { between = Effect.void, from, limit, towards = "next" } = options
    const pages: Array<Pages.Page<A>> = []
    let request: Pages.PageRequest | undefined =
      from === undefined ? { cursor: Pages.firstPage, limit } : follow(from, limit)
    while (request !== undefined) {
      const page: Pages.Page<A> = Pages.pageOf(request, yield* list(request), (row) => row.id)
      pages.push(page)
      const cursor = page[towards]
      request = cursor === null ? undefined : follow(cursor, limit)
      if (request !== undefined) yield* between
    }
    return pages
  })
