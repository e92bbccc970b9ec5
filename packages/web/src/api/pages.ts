import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query"

/** Rows of a list that one request takes. */
const PAGE = 100

export interface Page<A> {
  readonly next: string | null
  readonly results: ReadonlyArray<A>
}

/** What a request of one page states, of the first one without a cursor. */
export const pageQuery = (cursor: string | null) => ({ limit: PAGE, ...(cursor === null ? {} : { cursor }) })

const firstCursor = (): string | null => null

/** A list that is read page by page, as its items so far. */
export const listQuery = <A>(
  queryKey: QueryKey,
  read: (cursor: string | null, signal: AbortSignal) => Promise<Page<A>>
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: firstCursor(),
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ results }) => results)
  })
