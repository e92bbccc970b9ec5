import * as Effect from "effect/Effect"
import { send } from "../Api.js"
import type { CommandEffect } from "../CommandEffect.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommonOptions } from "../Settings.js"
import { onTarget } from "../Target.js"
import { printMinute } from "../Wire.js"

export const list = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/credits/ledger/", { query: pageQuery(options) })
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
