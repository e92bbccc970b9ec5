import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import { send } from "../Api.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, defined } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"
import { printMinute } from "../Wire.js"
import { REVOCATION_DELAY, stateAt } from "./Credentials.js"

export interface CreateOptions extends CommonOptions {
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly expires: string | undefined
}

export const create = (options: CreateOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const issued = yield* send("post", "/user/v1/api_keys/", {
      body: {
        name: options.name,
        ...(options.scopes.length === 0 ? {} : { scopes: options.scopes }),
        ...defined({ expires_at: options.expires })
      }
    })
    if (options.json) return yield* screen.print(jsonLine(issued))
    yield* screen.print(issued.api_key)
    yield* screen.note(`Created API key ${issued.id}. Store it now: it is not shown again.`)
  }).pipe(onTarget(options))

export const list = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/user/v1/api_keys/", { query: pageQuery(options) })
    yield* printPage(page, {
      json: options.json,
      none: "No API keys found.",
      columns: [
        { name: "ID", of: (key) => String(key.id), right: true },
        { name: "NAME", of: (key) => key.name, least: 12 },
        { name: "KEY", of: (key) => key.hint },
        { name: "SCOPES", of: (key) => key.scopes.join(" "), least: 10 },
        { name: "CREATED", of: (key) => printMinute(key.created_at) },
        { name: "STATE", of: stateAt(yield* Clock.currentTimeMillis) }
      ]
    })
  }).pipe(onTarget(options))

export const revoke = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id } = options
    yield* send("delete", "/user/v1/api_keys/{id}/", { id })
    yield* options.json
      ? screen.print(jsonLine({ id, revoked: true }))
      : screen.note(`Revoked API key ${id}.${REVOCATION_DELAY}`)
  }).pipe(onTarget(options))
