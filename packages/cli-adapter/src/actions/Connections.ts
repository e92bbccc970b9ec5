/** Connections to code hosts, and the checkout credentials issued through them. */
import * as Effect from "effect/Effect"
import { send } from "../Api.js"
import { UsageError, ReportedFailure, CommandRejected } from "../Errors.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import { readSecret } from "../ReadText.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, type CodeHostOptions, nonBlank } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine, sanitize, shellQuote } from "../Text.js"
import type { Wire } from "../Wire.js"

interface WithHosts extends CommonOptions, CodeHostOptions {}

interface OfOne extends WithHosts {
  readonly id: number
}

export interface CreateOptions extends WithHosts {
  readonly host: string
  readonly name: string
  readonly settings: ReadonlyArray<string>
  readonly secretFile: string | undefined
}

/** `owner=harbor` as the API takes it. */
const settingsOf = (texts: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(texts, (text) => {
      const [, name = "", value = ""] = /^([a-z_]+)=(.*)$/s.exec(text) ?? []
      return name === ""
        ? new UsageError({ reason: "--set: Expected NAME=VALUE, such as owner=harbor-dental." })
        : Effect.succeed([name, value] as const)
    }),
    (pairs) => Object.fromEntries(pairs)
  )

/** A local connection reads repositories of this machine; those of a server are its operator's. */
const needsRepositories = (options: CreateOptions): boolean =>
  options.host === "local" &&
  (nonBlank(options.repositories) ?? nonBlank(process.env.EARSHOT_REPOSITORIES)) === undefined

export const create = (options: CreateOptions): CommandEffect =>
  options.url === undefined && needsRepositories(options)
    ? new UsageError({ reason: "Connections to local need --repositories (EARSHOT_REPOSITORIES)." })
    : createConnection(options)

const createConnection = (options: CreateOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const settings = yield* settingsOf(options.settings)
    const secret = options.secretFile === undefined ? {} : { secret: yield* readSecret(options.secretFile) }
    const made = yield* send("post", "/repohost/connections/", {
      body: { host: options.host, name: options.name, settings, ...secret }
    })
    yield* options.json
      ? screen.print(jsonLine(made))
      : screen.note(
          `Created connection ${made.id}. It is inactive until you run: earshot connections activate ${made.id}`
        )
  }).pipe(onTarget(options))

const hostOf = ({ host, settings }: Wire<"CodeConnection">): string => {
  const { namespace, owner }: { readonly namespace?: unknown; readonly owner?: unknown } = settings
  const whose = owner ?? namespace
  return typeof whose === "string" ? `${host}:${whose}` : host
}

export const list = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/repohost/connections/", { query: pageQuery(options) })
    yield* printPage(page, {
      json: options.json,
      none: "No connections found.",
      columns: [
        { name: "ID", of: (one) => String(one.id), right: true },
        { name: "NAME", of: (one) => one.name, least: 12 },
        { name: "HOST", of: hostOf, least: 12 },
        { name: "STATE", of: (one) => one.state },
        { name: "TESTED", of: (one) => (one.tested_at === null ? "never" : (one.test_error ?? "ok")), least: 12 }
      ]
    })
  }).pipe(onTarget(options))

export const test = (options: OfOne): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id } = options
    const found = yield* send("post", "/repohost/connections/{id}/test/", { id })
    if (options.json) yield* screen.print(jsonLine(found))
    else if (found.test_error === null) yield* screen.note(`Connection ${id} works.`)
    else return yield* new CommandRejected({ reason: `The test of connection ${id} failed: ${found.test_error}` })
    if (found.test_error !== null) return yield* new ReportedFailure()
  }).pipe(onTarget(options))

export const activate = (options: OfOne): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const active = yield* send("post", "/repohost/connections/{id}/activate/", { id: options.id })
    yield* options.json ? screen.print(jsonLine(active)) : screen.note(`Activated connection ${active.id}.`)
  }).pipe(onTarget(options))

export const revoke = (options: OfOne): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id } = options
    yield* send("delete", "/repohost/connections/{id}/", { id })
    yield* options.json
      ? screen.print(jsonLine({ id, revoked: true }))
      : screen.note(`Revoked connection ${id} permanently.`)
  }).pipe(onTarget(options))

export interface CheckoutOptions extends WithHosts {
  readonly session: string | undefined
  readonly env: boolean
  readonly repo: string
}

export const checkout = (options: CheckoutOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const made = yield* send("post", "/repohost/checkout-token/", { body: { repo: options.repo } })
    if (options.json) return yield* screen.print(jsonLine(made))
    const until = made.expires_at
    if (options.env) {
      const basic = Buffer.from(`${made.username}:${made.token}`).toString("base64")
      // The header is sent to this repository's URL and to no other.
      yield* screen.print(
        [
          "export GIT_CONFIG_COUNT=1",
          `export GIT_CONFIG_KEY_0=${shellQuote(`http.${made.clone_url}.extraHeader`)}`,
          `export GIT_CONFIG_VALUE_0=${shellQuote(`Authorization: Basic ${basic}`)}`
        ].join("\n")
      )
      return yield* screen.note(`Valid until ${until}. Clone with: git clone ${sanitize(made.clone_url)}`)
    }
    yield* screen.print(
      [
        ["repository", made.full_name],
        ["clone URL", made.clone_url],
        ["branch", made.default_branch ?? "none"],
        ["username", made.username],
        ["token", made.token],
        ["until", until]
      ]
        .map(([name = "", value = ""]) => `${name.padEnd(12)}${sanitize(value)}`)
        .join("\n")
    )
    yield* screen.note("Store the token now: it is not shown again. --env prints it as shell variables.")
  }).pipe(onTarget(options))
