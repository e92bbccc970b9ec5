/** Properties of pages and cursors, on a list in memory. Source: docs/http.md, Pages. */
import type { Pages } from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property } from "../Property.js"

export type PageRules = Pick<
  typeof Pages,
  "found" | "pageOf" | "pageRequest" | "parseCursor" | "rowsWithin" | "DEFAULT_PAGE_SIZE" | "MAX_PAGE_SIZE"
>

const size = fc.integer({ min: 0, max: 12 })
const limit = fc.integer({ min: 1, max: 5 })

/** Ids with gaps between them, newest first. */
const idsOf = (rows: number): ReadonlyArray<number> => Array.from({ length: rows }, (_, at) => 3 * (rows - at))

export const pageRuleProperties = (rules: PageRules): ReadonlyArray<Property> => {
  /** A page of a list in memory. */
  const page = (ids: ReadonlyArray<number>, cursor: string | null, size: number): Pages.Page<number> => {
    const request = Either.getOrThrow(rules.pageRequest({ limit: size, ...(cursor === null ? {} : { cursor }) }))
    const from = request.cursor
    const rows =
      from.at === "start"
        ? ids
        : from.at === "before"
          ? ids.filter((id) => id < from.id)
          : ids.filter((id) => id > from.id).toReversed()
    return rules.pageOf(request, rules.found(request, rows.slice(0, size + 1)), (id) => id)
  }
  const forth = (ids: ReadonlyArray<number>, size: number): ReadonlyArray<Pages.Page<number>> => {
    const pages = [page(ids, null, size)]
    for (let next = pages[0]?.next; typeof next === "string" && pages.length < 20; next = pages.at(-1)?.next) {
      pages.push(page(ids, next, size))
    }
    return pages
  }
  return [
    property("pages that follow next are the list in pieces of their size", [size, limit], (rows, of) => {
      const ids = idsOf(rows)
      const pieces = Array.from({ length: Math.max(1, Math.ceil(rows / of)) }, (_, at) =>
        ids.slice(at * of, (at + 1) * of)
      )
      expectEqual(
        "the pages",
        forth(ids, of).map(({ results }) => results),
        pieces
      )
    }),
    property(
      "following next and then previous leads back to the same page, from every page",
      [size, limit],
      (rows, of) => {
        const ids = idsOf(rows)
        const pages = forth(ids, of)
        const back = pages.slice(1).map(({ previous }) => (previous === null ? null : page(ids, previous, of).results))
        expectEqual(
          "the pages before",
          back,
          pages.slice(0, -1).map(({ results }) => results)
        )
      }
    ),
    property("following previous and then next leads back to the same page", [size, limit], (rows, of) => {
      const ids = idsOf(rows)
      const pages = forth(ids, of)
      const again = pages.slice(1).map(({ previous }) => {
        const next = previous === null ? null : page(ids, previous, of).next
        return next === null ? null : page(ids, next, of).results
      })
      expectEqual(
        "the pages",
        again,
        pages.slice(1).map(({ results }) => results)
      )
    }),
    property(
      "the first page has no previous one and the last no next one, in both directions",
      [size, limit],
      (rows, of) => {
        const ids = idsOf(rows)
        const pages = forth(ids, of)
        const [, second] = pages
        const first = typeof second?.previous === "string" ? page(ids, second.previous, of) : pages[0]
        expectEqual("before the first", first?.previous, null)
        expectEqual("after the last", pages.at(-1)?.next, null)
        expectEqual(
          "between them",
          pages.slice(1).map(({ previous }) => previous !== null),
          pages.slice(1).map(() => true)
        )
      }
    ),
    property(
      "a page holds as many rows as fit into its bytes, and at least one",
      [fc.array(fc.nat({ max: 5 })), limit, fc.nat({ max: 12 })],
      (sizes, of, bytes) => {
        const fitting = sizes.slice(0, of).filter((_, at) => {
          const sum = sizes.slice(0, at + 1).reduce((total, one) => total + one, 0)
          return at === 0 || sum <= bytes
        })
        expectEqual("the rows", rules.rowsWithin(sizes, of, bytes), fitting.length)
      }
    ),
    property(
      "a text that is no cursor is an error of cursor",
      [fc.oneof(fc.string(), fc.base64String(), fc.constantFrom("YjA", "YjAx", "Yi0x", "YzE", "YjE "))],
      (text) => {
        const plain = Buffer.from(text, "base64url").toString()
        if (/^[ab][1-9]\d{0,15}$/.test(plain)) return
        expectEqual(
          "the errors",
          Either.match(rules.parseCursor(text), { onLeft: Object.keys, onRight: () => ["none"] }),
          ["cursor"]
        )
      }
    ),
    invariant("a page has 50 rows where no limit is given, and at most 200", () => {
      const of = Either.getOrThrow(rules.pageRequest({}))
      expectEqual(
        "the page",
        [of.limit, of.cursor.at, rules.DEFAULT_PAGE_SIZE, rules.MAX_PAGE_SIZE],
        [50, "start", 50, 200]
      )
    })
  ]
}
