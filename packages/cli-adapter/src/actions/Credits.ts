import * as Effect from "effect/Effect"
import { send } from "../Api.js"
import type { CommandEffect } from "../CommandEffect.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, defined } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"
import { printMinute } from "../Wire.js"

/** Which charges. */
interface LedgerFilter {
  readonly reason: string | undefined
  readonly project: number | undefined
  readonly agent: number | undefined
  readonly call: number | undefined
  readonly since: string | undefined
  readonly until: string | undefined
}

const filterQuery = ({ agent, call, project, reason, since, until }: LedgerFilter) =>
  defined({ agent, call, project, reason, since, until })

export const totals = (options: CommonOptions & LedgerFilter): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const found = yield* send("get", "/credits/totals/", { query: filterQuery(options) })
    if (options.json) return yield* screen.print(jsonLine(found))
    const rows = [...found.by_reason, { reason: "total", entries: found.entries, amount: found.amount }]
    const columns: ReadonlyArray<Column<(typeof rows)[number]>> = [
      { name: "REASON", of: (row) => row.reason },
      { name: "CHARGES", of: (row) => String(row.entries), right: true },
      { name: "CREDITS", of: (row) => row.amount, right: true }
    ]
    yield* screen.print(table(columns, rows, screen.columns).join("\n"))
  }).pipe(onTarget(options))

export const list = (options: CommonOptions & PageOptions & LedgerFilter): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/credits/ledger/", { query: { ...pageQuery(options), ...filterQuery(options) } })
    yield* printPage(page, {
      json: options.json,
      none: "Nothing was charged.",
      columns: [
        { name: "ID", of: (entry) => String(entry.id), right: true },
        { name: "WHEN (UTC)", of: (entry) => printMinute(entry.created_at) },
        { name: "REASON", of: (entry) => entry.reason },
        { name: "CREDITS", of: (entry) => entry.amount, right: true },
        { name: "PROJECT", of: (entry) => String(entry.project), right: true },
        { name: "AGENT", of: (entry) => (entry.agent === null ? "" : String(entry.agent)), right: true },
        { name: "CALL", of: (entry) => (entry.call === null ? "" : String(entry.call)), right: true }
      ]
    })
  }).pipe(onTarget(options))
