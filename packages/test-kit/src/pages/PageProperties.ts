/** Properties of every paginated list. */
import * as fc from "fast-check"
import { type AsyncProperty, asyncProperty, expectEqual, expectEvery } from "../Property.js"

/** A page: ids newest first, and the cursors of the pages next to it. */
export interface PageOfIds {
  readonly next: string | null
  readonly previous: string | null
  readonly ids: ReadonlyArray<number>
}

/** A new, empty list. */
export interface PagedList {
  /** Adds a row as the newest and returns its id. */
  readonly insert: () => Promise<number>
  /** Removes a row. */
  readonly remove: (id: number) => Promise<void>
  readonly page: (cursor: string | null, limit: number) => Promise<PageOfIds>
}

/** More pages than any run needs: inserted rows are newer than all that is still to come. */
const MOST_PAGES = 15

const descending = (ids: ReadonlyArray<number>) => [...ids].sort((a, b) => b - a)

/** Reads pages until the last one; `between` runs after each page. */
const readAllPages = async (
  list: PagedList,
  limit: number,
  between: (page: number) => Promise<void> = () => Promise.resolve()
): Promise<ReadonlyArray<PageOfIds>> => {
  const pages: Array<PageOfIds> = []
  let cursor: string | null = null
  do {
    const page: PageOfIds = await list.page(cursor, limit)
    pages.push(page)
    cursor = page.next
    await between(pages.length)
    // A cyclic list shows in its rows, and need not be read forever.
  } while (cursor !== null && pages.length < MOST_PAGES)
  return pages
}

const size = fc.integer({ min: 0, max: 12 })
const limit = fc.integer({ min: 1, max: 6 })

/** Each run uses a new list. */
export const pageProperties = (list: () => Promise<PagedList>): ReadonlyArray<AsyncProperty> => {
  const filled = async (rows: number) => {
    const of = await list()
    const ids: Array<number> = []
    for (let n = 0; n < rows; n++) ids.push(await of.insert())
    return { of, ids }
  }
  const rowsOf = (pages: ReadonlyArray<PageOfIds>) => pages.flatMap(({ ids }) => ids)
  return [
    asyncProperty(
      "every row is met once, newest first, on pages that are full except the last",
      [size, limit],
      async (rows, limit) => {
        const { ids, of } = await filled(rows)
        const pages = await readAllPages(of, limit)
        expectEqual("the rows", rowsOf(pages), descending(ids))
        expectEvery("pages", pages, (page, at) => page.ids.length === limit || at === pages.length - 1)
      }
    ),
    asyncProperty(
      "rows inserted meanwhile do not change which rows are read",
      [size, limit, fc.integer({ min: 1, max: 3 })],
      async (rows, limit, more) => {
        const { ids, of } = await filled(rows)
        const pages = await readAllPages(of, limit, async () => {
          for (let n = 0; n < more; n++) await of.insert()
        })
        expectEqual("the rows", rowsOf(pages), descending(ids))
      }
    ),
    asyncProperty(
      "a row removed meanwhile hides no other row",
      [fc.integer({ min: 3, max: 12 }), limit, fc.nat()],
      async (rows, limit, which) => {
        const { ids, of } = await filled(rows)
        const gone = ids[which % ids.length] ?? 0
        const pages = await readAllPages(of, limit, (page) => (page === 1 ? of.remove(gone) : Promise.resolve()))
        expectEqual(
          "the others",
          rowsOf(pages).filter((id) => id !== gone),
          descending(ids).filter((id) => id !== gone)
        )
      }
    ),
    asyncProperty("previous leads back over the same rows to the first page", [size, limit], async (rows, limit) => {
      const { ids, of } = await filled(rows)
      const last = (await readAllPages(of, limit)).at(-1)
      const back: Array<number> = [...(last?.ids ?? [])]
      let cursor = last?.previous ?? null
      for (let n = 0; cursor !== null && n < MOST_PAGES; n++) {
        const page = await of.page(cursor, limit)
        back.unshift(...page.ids)
        cursor = page.previous
      }
      expectEqual("the rows", back, descending(ids))
      expectEqual("(await of.page(null, limit)).previous", (await of.page(null, limit)).previous, null)
    })
  ]
}
