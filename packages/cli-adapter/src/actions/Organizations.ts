import { encodeOrganization, Organizations } from "@earshot/core"
import * as Effect from "effect/Effect"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { withEngine } from "../Session.js"
import { plainEngine } from "../EngineSettings.js"
import type { StorageOptions } from "../Settings.js"
import { printMinute } from "../Wire.js"

/** For the operator: it takes no credential but the database. */
export const list = (options: StorageOptions & PageOptions & { readonly json: boolean }): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* (yield* Organizations).list(pageQuery(options))
    const wire = { ...page, results: page.results.map((one) => encodeOrganization(one)) }
    yield* printPage(wire, {
      json: options.json,
      none: "No organizations found. Create one with `earshot init`.",
      columns: [
        { name: "ID", of: (one) => String(one.id), right: true },
        { name: "NAME", of: (one) => one.name, least: 16 },
        { name: "CREATED", of: (one) => printMinute(one.created_at) }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))
