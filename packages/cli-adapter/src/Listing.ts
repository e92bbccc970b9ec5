/** Pages of a list, as a table or as the server's JSON. */
import * as Effect from "effect/Effect"
import type { OutputClosed } from "./Errors.js"
import { Screen } from "./Screen.js"
import { defined } from "./Settings.js"
import { type Column, table } from "./Table.js"
import { jsonLine } from "./Text.js"

export interface PageOptions {
  readonly limit: number | undefined
  readonly cursor: string | undefined
}

/** The requested page, as lists take it. */
export const pageQuery = ({ cursor, limit }: PageOptions) => defined({ cursor, limit })

/** Prints a page: `{next, previous, results}` as JSON, or a table, and on stderr how to get the next page. */
export const printPage = <A>(
  page: { readonly next: string | null; readonly results: ReadonlyArray<A> },
  how: { readonly json: boolean; readonly columns: ReadonlyArray<Column<A>>; readonly none: string }
): Effect.Effect<void, OutputClosed, Screen> =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (how.json) return yield* screen.print(jsonLine(page))
    if (page.results.length === 0) return yield* screen.note(how.none)
    yield* screen.print(table(how.columns, page.results, screen.columns).join("\n"))
    if (page.next !== null) yield* screen.note(`More: --cursor ${page.next}`)
  })
