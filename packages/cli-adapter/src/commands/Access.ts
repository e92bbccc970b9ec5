/** Shareable links and tokens: what is made for others to call with. */
import {
  type Actor,
  encodeIssuedShareableLink,
  encodeIssuedToken,
  encodeShareableLink,
  type ShareableLink,
  ShareableLinkId,
  ShareableLinks,
  Tokens
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Misused, Refused } from "../Faults.js"
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

/** `dashboard:3` as the engine takes it. */
const bounds = (texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => {
    const match = /^([a-z]+):(\d{1,16})$/.exec(text)
    return match === null
      ? new Misused({ reason: `--bound takes a kind and an id, such as dashboard:3, and not ${text}` })
      : Effect.succeed({ type: match[1], id: Number(match[2]) })
  })

export interface LinkOptions extends Common {
  readonly name: string
  readonly bounds: ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
  readonly expires: Option.Option<string>
}

export const createLink = (options: LinkOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const input = {
      name: options.name,
      bounds: yield* bounds(options.bounds),
      ...(options.permissions.length === 0 ? {} : { permissions: options.permissions }),
      ...Option.match(options.expires, { onNone: () => ({}), onSome: (at) => ({ expires_at: at }) })
    }
    const caller = yield* findCaller(options)
    const issued = yield* calling(caller, (yield* ShareableLinks).create)(input)
    if (options.json) return yield* screen.print(printJson(encodeIssuedShareableLink(issued)))
    yield* screen.print(Redacted.value(issued.secret))
    yield* screen.note(
      `Link ${issued.link.id} is made; it goes into the header X-SHAREABLE-LINK. It is shown this once.`
    )
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const listLinks = (options: Common & PageOptions): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const now = yield* DateTime.now
    const page = yield* calling(caller, (yield* ShareableLinks).list)(pageQuery(options))
    const state = (link: ShareableLink) =>
      link.revokedAt !== null
        ? "revoked"
        : link.expiresAt !== null && DateTime.lessThanOrEqualTo(link.expiresAt, now)
          ? "expired"
          : "in force"
    yield* printPage(page, {
      json: options.json,
      encode: encodeShareableLink,
      none: "There are no links.",
      columns: [
        { name: "ID", of: (link) => String(link.id), right: true },
        { name: "NAME", of: (link) => link.name, least: 12 },
        { name: "LINK", of: (link) => link.hint },
        { name: "BOUND TO", of: (link) => link.bounds.map(({ id, type }) => `${type}:${id}`).join(" "), least: 12 },
        { name: "PERMISSIONS", of: (link) => link.permissions.join(" "), least: 12 },
        { name: "STATE", of: state }
      ]
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const revokeLink = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(ShareableLinkId, "ShareableLink", options.id)
    yield* calling(caller, (yield* ShareableLinks).revoke)(id)
    yield* options.json
      ? screen.print(printJson({ id, revoked: true }))
      : screen.note(`Link ${id} is refused from now on${ELSEWHERE}`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export interface TokenOptions extends Common {
  readonly kind: string
  readonly bounds: ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
  readonly ttl: Option.Option<number>
  readonly user: Option.Option<number>
}

/** What somebody may look at. */
const readsOf = (issuer: Actor): ReadonlyArray<string> =>
  [...issuer.permissions].filter((permission) => permission.endsWith(":read"))

export const issueToken = (options: TokenOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const bound = yield* bounds(options.bounds)
    const caller = yield* findCaller(options)
    const tokens = yield* Tokens
    const issuer = yield* caller.admit(tokens.issue.operation)
    const issued = yield* calling(
      caller,
      tokens.issue
    )({
      kind: options.kind,
      ...(bound.length === 0 ? {} : { bounds: bound }),
      // Left to the engine, connected apps and sessions at the dashboard get all that the issuer has: here, everything.
      permissions: options.permissions.length === 0 ? readsOf(issuer) : options.permissions,
      ...Option.match(options.ttl, { onNone: () => ({}), onSome: (ttl) => ({ ttl }) }),
      ...Option.match(options.user, { onNone: () => ({}), onSome: (user) => ({ user }) })
    })
    if (options.json) return yield* screen.print(printJson(encodeIssuedToken(issued)))
    yield* screen.print(Redacted.value(issued.token))
    yield* screen.note(
      `Token ${issued.jti} is good until ${DateTime.formatIso(issued.expiresAt)}. It is shown this once.`
    )
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** The id of a token that is named by it or given whole. One that no token has is a slip that would revoke nothing. */
const jtiOf = (text: string): Effect.Effect<string, Refused> => {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text) ?? []
  const named =
    payload === undefined
      ? Option.some(text)
      : Option.map(decodeClaims(Buffer.from(payload, "base64url").toString()), ({ jti }) => jti)
  return Option.match(
    Option.filter(named, (jti) => /^[\w-]{22}$/.test(jti)),
    {
      onNone: () =>
        new Refused({ reason: "JTI: this is neither the id of a token, which has 22 characters, nor a token." }),
      onSome: Effect.succeed
    }
  )
}

const decodeClaims = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ jti: Schema.String })))

export const revokeToken = (options: Common & { readonly jti: string }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const jti = yield* jtiOf(options.jti)
    const caller = yield* findCaller(options)
    yield* calling(caller, (yield* Tokens).revoke)({ jti })
    yield* options.json
      ? screen.print(printJson({ jti, revoked: true }))
      : screen.note(`The token is refused from now on${ELSEWHERE}`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
