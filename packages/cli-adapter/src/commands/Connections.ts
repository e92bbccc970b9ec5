/** Connections to code hosts, and the keys to repositories that they give. */
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
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Misused, PartlyRefused, Refused } from "../Faults.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import { readText } from "../ReadText.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, idOf, withEngine } from "../Session.js"
import { type CallerOptions, type CodeHostOptions, codeHostSettings, plainEngine } from "../Settings.js"
import { neutralised, printJson } from "../Text.js"

interface Common extends CallerOptions {
  readonly database: string
  readonly json: boolean
}

interface WithHosts extends Common, CodeHostOptions {}

interface OfOne extends WithHosts {
  readonly id: number
}

export interface CreateOptions extends WithHosts {
  readonly host: string
  readonly name: string
  readonly settings: ReadonlyArray<string>
  readonly secretFile: Option.Option<string>
}

/** Secrets come from files, never from the command line, where other users of the machine could read them. */
const readSecret = (file: string): Effect.Effect<string, Refused> =>
  Effect.mapBoth(readText(file), {
    onFailure: ({ reason }) => new Refused({ reason: `--secret-file: ${reason}` }),
    onSuccess: (text) => text.trim()
  })

/** `owner=harbour` as the engine takes it. */
const settingsOf = (texts: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(texts, (text) => {
      const [, name = "", value = ""] = /^([a-z_]+)=(.*)$/s.exec(text) ?? []
      return name === ""
        ? new Misused({ reason: "--set takes a name and a value, such as owner=harbour-dental" })
        : Effect.succeed([name, value] as const)
    }),
    (pairs) => Object.fromEntries(pairs)
  )

const running = (options: WithHosts) => withEngine(plainEngine(options.database, options), { existing: true })

export const create = (options: CreateOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (options.host === "local" && codeHostSettings(options).repositories === undefined) {
      return yield* new Misused({ reason: "local connections need --repositories (EARSHOT_REPOSITORIES)." })
    }
    const caller = yield* findCaller(options)
    const settings = yield* settingsOf(options.settings)
    const secret = Option.isNone(options.secretFile) ? {} : { secret: yield* readSecret(options.secretFile.value) }
    const input = { host: options.host, name: options.name, settings, ...secret }
    const made = yield* calling(caller, (yield* CodeConnections).create)(input)
    yield* options.json
      ? screen.print(printJson(encodeCodeConnection(made)))
      : screen.note(
          `Connection ${made.id} is made. It is used once it is activated: earshot connections activate ${made.id}`
        )
  }).pipe(running(options))

const hostOf = (connection: CodeConnection): string => {
  const { namespace, owner } = connection.settings
  const whose = owner ?? namespace
  return typeof whose === "string" ? `${connection.host}:${whose}` : connection.host
}

const tested = (connection: CodeConnection): string =>
  connection.testedAt === null ? "not yet" : (connection.testError ?? "works")

export const list = (options: Common & PageOptions): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const page = yield* calling(caller, (yield* CodeConnections).list)(pageQuery(options))
    yield* printPage(page, {
      json: options.json,
      encode: encodeCodeConnection,
      none: "There are no connections.",
      columns: [
        { name: "ID", of: (one) => String(one.id), right: true },
        { name: "NAME", of: (one) => one.name, least: 12 },
        { name: "HOST", of: hostOf, least: 12 },
        { name: "STATE", of: (one) => one.state },
        { name: "TESTED", of: tested, least: 12 }
      ]
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const test = (options: OfOne): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(CodeConnectionId, "CodeConnection", options.id)
    const found = yield* calling(caller, (yield* CodeConnections).test)(id)
    if (options.json) yield* screen.print(printJson(encodeCodeConnection(found)))
    else if (found.testError === null) yield* screen.note(`Connection ${id} works.`)
    else return yield* new Refused({ reason: `Connection ${id} does not work: ${found.testError}` })
    if (found.testError !== null) return yield* new PartlyRefused()
  }).pipe(running(options))

export const activate = (options: OfOne): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(CodeConnectionId, "CodeConnection", options.id)
    const active = yield* calling(caller, (yield* CodeConnections).activate)(id)
    yield* options.json
      ? screen.print(printJson(encodeCodeConnection(active)))
      : screen.note(`Connection ${id} is the active one now.`)
  }).pipe(running(options))

export const revoke = (options: OfOne): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(CodeConnectionId, "CodeConnection", options.id)
    yield* calling(caller, (yield* CodeConnections).revoke)(id)
    yield* options.json
      ? screen.print(printJson({ id, revoked: true }))
      : screen.note(`Connection ${id} is revoked for good.`)
  }).pipe(running(options))

export const reseal = (options: { readonly database: string; readonly json: boolean }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const resealed = yield* (yield* CodeConnections).reseal
    yield* options.json
      ? screen.print(printJson({ resealed }))
      : screen.note(`${resealed} secrets were sealed anew. Older keys are of no use any more.`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export interface CheckoutOptions extends WithHosts {
  readonly session: Option.Option<Redacted.Redacted>
  readonly env: boolean
  readonly repo: string
}

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const checkout = (options: CheckoutOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const made = yield* calling(caller, (yield* Checkouts).create)({ repo: options.repo })
    if (options.json) return yield* screen.print(printJson(encodeCheckout(made)))
    const until = DateTime.formatIso(made.expiresAt)
    if (options.env) {
      const basic = Buffer.from(`${made.username}:${Redacted.value(made.token)}`).toString("base64")
      // The header goes along to this repository's URL and to no other.
      yield* screen.print(
        [
          "export GIT_CONFIG_COUNT=1",
          `export GIT_CONFIG_KEY_0=${quoted(`http.${made.cloneUrl}.extraHeader`)}`,
          `export GIT_CONFIG_VALUE_0=${quoted(`Authorization: Basic ${basic}`)}`
        ].join("\n")
      )
      return yield* screen.note(`Until ${until}: git clone ${neutralised(made.cloneUrl)}`)
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
        .map(([name = "", value = ""]) => `${name.padEnd(12)}${neutralised(value)}`)
        .join("\n")
    )
    yield* screen.note("The token is shown this once. With --env it is printed for a shell to evaluate.")
  }).pipe(running(options))
