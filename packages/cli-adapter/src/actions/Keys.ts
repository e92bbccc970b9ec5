import { type ApiKey, ApiKeyId, ApiKeys, encodeApiKey, encodeIssuedApiKey, untrusted } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, REVOCATION_DELAY, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, defined, plainEngine } from "../Settings.js"
import { jsonLine } from "../Text.js"

export interface CreateOptions extends CommonOptions {
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly expires: string | undefined
}

export const create = (options: CreateOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const issued = yield* callAs(
      caller,
      (yield* ApiKeys).create
    )(
      untrusted({
        name: options.name,
        ...(options.scopes.length === 0 ? {} : { scopes: options.scopes }),
        ...defined({ expires_at: options.expires })
      })
    )
    if (options.json) return yield* screen.print(jsonLine(encodeIssuedApiKey(issued)))
    yield* screen.print(Redacted.value(issued.secret))
    yield* screen.note(`Created API key ${issued.key.id}. Store it now: it is not shown again.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))

const stateOf = (now: DateTime.Utc) => (key: ApiKey) =>
  key.revokedAt !== null
    ? "revoked"
    : key.expiresAt !== null && DateTime.lessThanOrEqualTo(key.expiresAt, now)
      ? "expired"
      : "active"

export const list = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const page = yield* callAs(caller, (yield* ApiKeys).list)(pageQuery(options))
    yield* printPage(page, {
      json: options.json,
      encode: encodeApiKey,
      none: "No API keys found.",
      columns: [
        { name: "ID", of: (key) => String(key.id), right: true },
        { name: "NAME", of: (key) => key.name, least: 12 },
        { name: "KEY", of: (key) => key.hint },
        { name: "SCOPES", of: (key) => key.scopes.join(" "), least: 10 },
        { name: "CREATED", of: (key) => DateTime.formatIso(key.createdAt).slice(0, 16).replace("T", " ") },
        { name: "STATE", of: stateOf(yield* DateTime.now) }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const revoke = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(ApiKeyId, "ApiKey", options.id)
    yield* callAs(caller, (yield* ApiKeys).revoke)(id)
    yield* options.json
      ? screen.print(jsonLine({ id, revoked: true }))
      : screen.note(`Revoked API key ${id}.${REVOCATION_DELAY}`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))
