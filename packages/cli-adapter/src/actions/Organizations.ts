import { encodeOrganization, Organizations } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { withEngine } from "../Session.js"
import { plainEngine, type StorageOptions } from "../Settings.js"

/** For the operator: it takes no credential but the database. */
export const list = (options: StorageOptions & PageOptions & { readonly json: boolean }): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* (yield* Organizations).list(pageQuery(options))
    yield* printPage(page, {
      json: options.json,
      encode: encodeOrganization,
      none: "No organizations found. Create one with `earshot init`.",
      columns: [
        { name: "ID", of: (one) => String(one.id), right: true },
        { name: "NAME", of: (one) => one.name, least: 16 },
        { name: "CREATED", of: (one) => DateTime.formatIso(one.createdAt).slice(0, 16).replace("T", " ") }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))
