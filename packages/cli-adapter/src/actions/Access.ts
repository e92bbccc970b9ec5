/** Shareable links and tokens. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { send } from "../Api.js"
import { UsageError, CommandRejected } from "../Errors.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { serverAddress } from "../ServerAddress.js"
import { type CommonOptions, defined } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"
import { REVOCATION_DELAY, stateAt } from "./Credentials.js"

/** `dashboard:3` as the API takes it. */
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
    const issued = yield* send("post", "/user/v1/shareable_links/", {
      body: {
        name: options.name,
        bounds: yield* bounds(options.bounds),
        ...(options.permissions.length === 0 ? {} : { permissions: options.permissions }),
        ...defined({ expires_at: options.expires })
      }
    })
    if (options.json) return yield* screen.print(jsonLine(issued))
    yield* screen.print(issued.token)
    yield* screen.note(
      `Created link ${issued.id}. Send it in the header X-SHAREABLE-LINK. Store it now: it is not shown again.`
    )
    for (const { id, type } of issued.bounds) {
      if (type !== "dashboard") continue
      yield* screen.note(`Page of dashboard ${id}: ${serverAddress(options)}/app/share/${id}#link=${issued.token}`)
    }
  }).pipe(onTarget(options))

export const listLinks = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/user/v1/shareable_links/", { query: pageQuery(options) })
    yield* printPage(page, {
      json: options.json,
      none: "No shareable links found.",
      columns: [
        { name: "ID", of: (link) => String(link.id), right: true },
        { name: "NAME", of: (link) => link.name, least: 12 },
        { name: "LINK", of: (link) => link.hint },
        { name: "BOUND TO", of: (link) => link.bounds.map(({ id, type }) => `${type}:${id}`).join(" "), least: 12 },
        { name: "PERMISSIONS", of: (link) => link.permissions.join(" "), least: 12 },
        { name: "STATE", of: stateAt(yield* Clock.currentTimeMillis) }
      ]
    })
  }).pipe(onTarget(options))

export const revokeLink = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id } = options
    yield* send("delete", "/user/v1/shareable_links/{id}/", { id })
    yield* options.json
      ? screen.print(jsonLine({ id, revoked: true }))
      : screen.note(`Revoked link ${id}.${REVOCATION_DELAY}`)
  }).pipe(onTarget(options))

export interface TokenOptions extends CommonOptions {
  readonly kind: string
  readonly bounds: ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
  readonly ttl: number | undefined
  readonly user: number | undefined
}

export const issueToken = (options: TokenOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const bound = yield* bounds(options.bounds)
    const issued = yield* send("post", "/user/v1/tokens/", {
      body: {
        kind: options.kind,
        ...(bound.length === 0 ? {} : { bounds: bound }),
        // The default for oauth2 and dashboard_session is all permissions of the issuer: for the host, every one.
        permissions: options.permissions.length === 0 ? ["read"] : options.permissions,
        ...defined({ ttl: options.ttl, user: options.user })
      }
    })
    if (options.json) return yield* screen.print(jsonLine(issued))
    yield* screen.print(issued.token)
    yield* screen.note(
      `Issued token ${issued.jti}, valid until ${issued.expires_at}. Store it now: it is not shown again.`
    )
  }).pipe(onTarget(options))

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
    yield* send("post", "/user/v1/tokens/revoke/", { body: { jti } })
    yield* options.json
      ? screen.print(jsonLine({ jti, revoked: true }))
      : screen.note(`Revoked the token.${REVOCATION_DELAY}`)
  }).pipe(onTarget(options))
