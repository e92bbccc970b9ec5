import { type ApiKey, ApiKeyId, ApiKeys, encodeApiKey, encodeIssuedApiKey } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, ELSEWHERE, findCaller, idOf, withEngine } from "../Session.js"
import { type CallerOptions, plainEngine } from "../Settings.js"
import { printJson } from "../Text.js"

interface Common extends CallerOptions {
  readonly database: string
  readonly json: boolean
}

export interface CreateOptions extends Common {
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly expires: Option.Option<string>
}

export const create = (options: CreateOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const issued = yield* calling(
      caller,
      (yield* ApiKeys).create
    )({
      name: options.name,
      ...(options.scopes.length === 0 ? {} : { scopes: options.scopes }),
      ...Option.match(options.expires, { onNone: () => ({}), onSome: (at) => ({ expires_at: at }) })
    })
    if (options.json) return yield* screen.print(printJson(encodeIssuedApiKey(issued)))
    yield* screen.print(Redacted.value(issued.secret))
    yield* screen.note(`Key ${issued.key.id} is made. Keep it: it is shown this once.`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

const stateOf = (now: DateTime.Utc) => (key: ApiKey) =>
  key.revokedAt !== null
    ? "revoked"
    : key.expiresAt !== null && DateTime.lessThanOrEqualTo(key.expiresAt, now)
      ? "expired"
      : "in force"

export const list = (options: Common & PageOptions): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const page = yield* calling(caller, (yield* ApiKeys).list)(pageQuery(options))
    yield* printPage(page, {
      json: options.json,
      encode: encodeApiKey,
      none: "There are no keys.",
      columns: [
        { name: "ID", of: (key) => String(key.id), right: true },
        { name: "NAME", of: (key) => key.name, least: 12 },
        { name: "KEY", of: (key) => key.hint },
        { name: "SCOPES", of: (key) => key.scopes.join(" "), least: 10 },
        { name: "CREATED", of: (key) => DateTime.formatIso(key.createdAt).slice(0, 16).replace("T", " ") },
        { name: "STATE", of: stateOf(yield* DateTime.now) }
      ]
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const revoke = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(ApiKeyId, "ApiKey", options.id)
    yield* calling(caller, (yield* ApiKeys).revoke)(id)
    yield* options.json
      ? screen.print(printJson({ id, revoked: true }))
      : screen.note(`Key ${id} is refused from now on${ELSEWHERE}`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
