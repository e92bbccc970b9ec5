/** Shareable links and tokens. */
import {
  type Actor,
  encodeIssuedShareableLink,
  encodeIssuedToken,
  encodeShareableLink,
  type ShareableLink,
  ShareableLinkId,
  ShareableLinks,
  Tokens,
  untrusted
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { UsageError, CommandRejected } from "../Errors.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, REVOCATION_DELAY, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, defined, plainEngine } from "../Settings.js"
import { jsonLine } from "../Text.js"

/** `dashboard:3` as the engine takes it. */
const bounds = (texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => {
    const match = /^([a-z]+):(\d{1,16})$/.exec(text)
    return match === null
      ? new UsageError({
          reason: `--bound: Expected a kind and an id, such as dashboard:3, got ${JSON.stringify(text)}.`
        })
      : Effect.succeed({ type: match[1], id: Number(match[2]) })
  })

export interface LinkOptions extends CommonOptions {
  readonly name: string
  readonly bounds: ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
  readonly expires: string | undefined
}

export const createLink = (options: LinkOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const input = {
      name: options.name,
      bounds: yield* bounds(options.bounds),
      ...(options.permissions.length === 0 ? {} : { permissions: options.permissions }),
      ...defined({ expires_at: options.expires })
    }
    const caller = yield* resolveCaller(options)
    const issued = yield* callAs(caller, (yield* ShareableLinks).create)(untrusted(input))
    if (options.json) return yield* screen.print(jsonLine(encodeIssuedShareableLink(issued)))
    yield* screen.print(Redacted.value(issued.secret))
    yield* screen.note(
      `Created link ${issued.link.id}. Send it in the header X-SHAREABLE-LINK. Store it now: it is not shown again.`
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const listLinks = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const now = yield* DateTime.now
    const page = yield* callAs(caller, (yield* ShareableLinks).list)(pageQuery(options))
    const state = (link: ShareableLink) =>
      link.revokedAt !== null
        ? "revoked"
        : link.expiresAt !== null && DateTime.lessThanOrEqualTo(link.expiresAt, now)
          ? "expired"
          : "active"
    yield* printPage(page, {
      json: options.json,
      encode: encodeShareableLink,
      none: "No shareable links found.",
      columns: [
        { name: "ID", of: (link) => String(link.id), right: true },
        { name: "NAME", of: (link) => link.name, least: 12 },
        { name: "LINK", of: (link) => link.hint },
        { name: "BOUND TO", of: (link) => link.bounds.map(({ id, type }) => `${type}:${id}`).join(" "), least: 12 },
        { name: "PERMISSIONS", of: (link) => link.permissions.join(" "), least: 12 },
        { name: "STATE", of: state }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const revokeLink = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(ShareableLinkId, "ShareableLink", options.id)
    yield* callAs(caller, (yield* ShareableLinks).revoke)(id)
    yield* options.json
      ? screen.print(jsonLine({ id, revoked: true }))
      : screen.note(`Revoked link ${id}.${REVOCATION_DELAY}`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export interface TokenOptions extends CommonOptions {
  readonly kind: string
  readonly bounds: ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
  readonly ttl: number | undefined
  readonly user: number | undefined
}

/** The read permissions of the issuer. */
const readPermissions = (issuer: Actor): ReadonlyArray<string> =>
  [...issuer.permissions].filter((permission) => permission.endsWith(":read"))

export const issueToken = (options: TokenOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const bound = yield* bounds(options.bounds)
    const caller = yield* resolveCaller(options)
    const tokens = yield* Tokens
    const issuer = yield* caller.admit(tokens.issue.operation)
    const issued = yield* callAs(
      caller,
      tokens.issue
    )(
      untrusted({
        kind: options.kind,
        ...(bound.length === 0 ? {} : { bounds: bound }),
        // The engine's default for oauth2 and dashboard_session is all permissions of the issuer: for the host, every one.
        permissions: options.permissions.length === 0 ? readPermissions(issuer) : options.permissions,
        ...defined({ ttl: options.ttl, user: options.user })
      })
    )
    if (options.json) return yield* screen.print(jsonLine(encodeIssuedToken(issued)))
    yield* screen.print(Redacted.value(issued.token))
    yield* screen.note(
      `Issued token ${issued.jti}, valid until ${DateTime.formatIso(issued.expiresAt)}. Store it now: it is not shown again.`
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** The `jti` of a token, from itself or from the whole token. A text of another form is rejected: it would revoke nothing. */
const jtiOf = (text: string): Effect.Effect<string, CommandRejected> => {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text) ?? []
  const named =
    payload === undefined
      ? Option.some(text)
      : Option.map(decodeClaims(Buffer.from(payload, "base64url").toString()), ({ jti }) => jti)
  return Option.match(
    Option.filter(named, (jti) => /^[\w-]{22}$/.test(jti)),
    {
      onNone: () =>
        new CommandRejected({ reason: "JTI: This is neither a token nor the id of one, which has 22 characters." }),
      onSome: Effect.succeed
    }
  )
}

const decodeClaims = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ jti: Schema.String })))

export const revokeToken = (options: CommonOptions & { readonly jti: string }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const jti = yield* jtiOf(options.jti)
    const caller = yield* resolveCaller(options)
    yield* callAs(caller, (yield* Tokens).revoke)({ jti })
    yield* options.json
      ? screen.print(jsonLine({ jti, revoked: true }))
      : screen.note(`Revoked the token.${REVOCATION_DELAY}`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))
