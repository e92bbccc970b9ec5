/** Connections to code hosts, and the checkout credentials issued through them. */
import {
  Checkouts,
  type CodeConnection,
  CodeConnectionId,
  CodeConnections,
  encodeCheckout,
  encodeCodeConnection
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { UsageError, ReportedFailure, CommandRejected } from "../Errors.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import { readText } from "../ReadText.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, type CodeHostOptions, codeHostSettings, plainEngine } from "../Settings.js"
import { jsonLine, sanitize, shellQuote } from "../Text.js"

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

/** Secrets come from files, never from the command line, where other users of the machine could read them. */
const readSecret = (file: string): Effect.Effect<string, CommandRejected> =>
  Effect.mapBoth(readText(file), {
    onFailure: ({ reason }) => new CommandRejected({ reason: `--secret-file: ${reason}` }),
    onSuccess: (text) => text.trim()
  })

/** `owner=harbour` as the engine takes it. */
const settingsOf = (texts: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(texts, (text) => {
      const [, name = "", value = ""] = /^([a-z_]+)=(.*)$/s.exec(text) ?? []
      return name === ""
        ? new UsageError({ reason: "--set: Expected NAME=VALUE, such as owner=harbour-dental." })
        : Effect.succeed([name, value] as const)
    }),
    (pairs) => Object.fromEntries(pairs)
  )

const running = (options: WithHosts) => withEngine(plainEngine(options), { existing: true })

export const create = (options: CreateOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (options.host === "local" && codeHostSettings(options).repositories === undefined) {
      return yield* new UsageError({ reason: "Connections to local need --repositories (EARSHOT_REPOSITORIES)." })
    }
    const caller = yield* resolveCaller(options)
    const settings = yield* settingsOf(options.settings)
    const secret = options.secretFile === undefined ? {} : { secret: yield* readSecret(options.secretFile) }
    const input = { host: options.host, name: options.name, settings, ...secret }
    const made = yield* callAs(caller, (yield* CodeConnections).create)(input)
    yield* options.json
      ? screen.print(jsonLine(encodeCodeConnection(made)))
      : screen.note(
          `Created connection ${made.id}. It is inactive until you run: earshot connections activate ${made.id}`
        )
  }).pipe(running(options))

const hostOf = (connection: CodeConnection): string => {
  const { namespace, owner } = connection.settings
  const whose = owner ?? namespace
  return typeof whose === "string" ? `${connection.host}:${whose}` : connection.host
}

const tested = (connection: CodeConnection): string =>
  connection.testedAt === null ? "never" : (connection.testError ?? "ok")

export const list = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const page = yield* callAs(caller, (yield* CodeConnections).list)(pageQuery(options))
    yield* printPage(page, {
      json: options.json,
      encode: encodeCodeConnection,
      none: "No connections found.",
      columns: [
        { name: "ID", of: (one) => String(one.id), right: true },
        { name: "NAME", of: (one) => one.name, least: 12 },
        { name: "HOST", of: hostOf, least: 12 },
        { name: "STATE", of: (one) => one.state },
        { name: "TESTED", of: tested, least: 12 }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const test = (options: OfOne): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(CodeConnectionId, "CodeConnection", options.id)
    const found = yield* callAs(caller, (yield* CodeConnections).test)(id)
    if (options.json) yield* screen.print(jsonLine(encodeCodeConnection(found)))
    else if (found.testError === null) yield* screen.note(`Connection ${id} works.`)
    else return yield* new CommandRejected({ reason: `The test of connection ${id} failed: ${found.testError}` })
    if (found.testError !== null) return yield* new ReportedFailure()
  }).pipe(running(options))

export const activate = (options: OfOne): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(CodeConnectionId, "CodeConnection", options.id)
    const active = yield* callAs(caller, (yield* CodeConnections).activate)(id)
    yield* options.json
      ? screen.print(jsonLine(encodeCodeConnection(active)))
      : screen.note(`Activated connection ${id}.`)
  }).pipe(running(options))

export const revoke = (options: OfOne): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(CodeConnectionId, "CodeConnection", options.id)
    yield* callAs(caller, (yield* CodeConnections).revoke)(id)
    yield* options.json
      ? screen.print(jsonLine({ id, revoked: true }))
      : screen.note(`Revoked connection ${id} permanently.`)
  }).pipe(running(options))

export interface CheckoutOptions extends WithHosts {
  readonly session: string | undefined
  readonly env: boolean
  readonly repo: string
}

export const checkout = (options: CheckoutOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const made = yield* callAs(caller, (yield* Checkouts).create)({ repo: options.repo })
    if (options.json) return yield* screen.print(jsonLine(encodeCheckout(made)))
    const until = DateTime.formatIso(made.expiresAt)
    if (options.env) {
      const basic = Buffer.from(`${made.username}:${Redacted.value(made.token)}`).toString("base64")
      // The header is sent to this repository's URL and to no other.
      yield* screen.print(
        [
          "export GIT_CONFIG_COUNT=1",
          `export GIT_CONFIG_KEY_0=${shellQuote(`http.${made.cloneUrl}.extraHeader`)}`,
          `export GIT_CONFIG_VALUE_0=${shellQuote(`Authorization: Basic ${basic}`)}`
        ].join("\n")
      )
      return yield* screen.note(`Valid until ${until}. Clone with: git clone ${sanitize(made.cloneUrl)}`)
    }
    yield* screen.print(
      [
        ["repository", made.fullName],
        ["clone URL", made.cloneUrl],
        ["branch", made.defaultBranch ?? "none"],
        ["username", made.username],
        ["token", Redacted.value(made.token)],
        ["until", until]
      ]
        .map(([name = "", value = ""]) => `${name.padEnd(12)}${sanitize(value)}`)
        .join("\n")
    )
    yield* screen.note("Store the token now: it is not shown again. --env prints it as shell variables.")
  }).pipe(running(options))
