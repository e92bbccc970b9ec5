import { encodeOrganization, Organizations } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { Running } from "../Running.js"
import { withEngine } from "../Session.js"
import { plainEngine } from "../Settings.js"

/** The operator's list: it asks for no credential but the database itself. */
export const list = (options: PageOptions & { readonly database: string; readonly json: boolean }): Running =>
  Effect.gen(function* () {
    const page = yield* (yield* Organizations).list(pageQuery(options))
    yield* printPage(page, {
      json: options.json,
      encode: encodeOrganization,
      none: "There are no organisations: `earshot init` makes one.",
      columns: [
        { name: "ID", of: (one) => String(one.id), right: true },
        { name: "NAME", of: (one) => one.name, least: 16 },
        { name: "CREATED", of: (one) => DateTime.formatIso(one.createdAt).slice(0, 16).replace("T", " ") }
      ]
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
