/** Pages of a list, as a table or as the server would answer them. */
import type { Pages } from "@earshot/core"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Opt from "effect/Option"
import type { OutputClosed } from "./Faults.js"
import { Screen } from "./Screen.js"
import { type Column, table } from "./Table.js"
import { printJson } from "./Text.js"

export interface PageOptions {
  readonly limit: Option.Option<number>
  readonly cursor: Option.Option<string>
}

/** The page that was asked for, as list use cases take it. */
export const pageQuery = ({ cursor, limit }: PageOptions): Pages.PageQuery => ({
  ...Opt.match(cursor, { onNone: () => ({}), onSome: (text) => ({ cursor: text }) }),
  ...Opt.match(limit, { onNone: () => ({}), onSome: (rows) => ({ limit: rows }) })
})

/** Prints a page: `{next, previous, results}` on one line, or a table and, beside it, how to have the next one. */
export const printPage = <A>(
  page: Pages.Page<A>,
  how: {
    readonly json: boolean
    readonly encode: (row: A) => unknown
    readonly columns: ReadonlyArray<Column<A>>
    readonly none: string
  }
): Effect.Effect<void, OutputClosed, Screen> =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (how.json) return yield* screen.print(printJson({ ...page, results: page.results.map(how.encode) }))
    if (page.results.length === 0) return yield* screen.note(how.none)
    yield* screen.print(table(how.columns, page.results, screen.columns).join("\n"))
    if (page.next !== null) yield* screen.note(`There are more: --cursor ${page.next}`)
  })
