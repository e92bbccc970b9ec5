/** Addresses at which voice platforms deliver signed webhooks. */
import { IntegrationId, Platforms } from "@earshot/core"
import * as Effect from "effect/Effect"
import type { CommandEffect } from "../CommandEffect.js"
import { CommandRejected } from "../Errors.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import { readText } from "../ReadText.js"
import { Screen } from "../Screen.js"
import { callAs, decodeId, resolveCaller, withEngine } from "../Session.js"
import { type CommonOptions, defined, parseFields, plainEngine } from "../Settings.js"
import { jsonLine } from "../Text.js"

interface Defaults {
  readonly redact: ReadonlyArray<string>
  readonly metrics: string | undefined
}

export interface CreateOptions extends CommonOptions, Defaults {
  readonly platform: string
  readonly agent: number | undefined
  readonly project: number | undefined
  readonly name: string
  readonly secretFile: string | undefined
}

export interface UpdateOptions extends CommonOptions, Defaults {
  readonly id: number
  readonly name: string | undefined
}

export interface RotateOptions extends CommonOptions {
  readonly id: number
  readonly secretFile: string | undefined
  readonly previousValid: number
}

interface OfOne extends CommonOptions {
  readonly id: number
}

/** Secrets come from files, never from the command line, where other users of the machine could read them. */
const secretIn = (file: string | undefined) =>
  file === undefined
    ? Effect.succeed({})
    : Effect.mapBoth(readText(file), {
        onFailure: ({ reason }) => new CommandRejected({ reason: `--secret-file: ${reason}` }),
        onSuccess: (text) => ({ secret: text.trim() })
      })

const defaultsOf = ({ metrics, redact }: Defaults) =>
  Effect.map(parseFields(redact, "--redact"), (fields) => ({
    ...(fields.length === 0 ? {} : { redact_fields: fields }),
    ...(metrics === undefined ? {} : { metric_ids: metrics.split(",").map((text) => text.trim()) })
  }))

const pathOf = ({ publicId }: Platforms.Integration): string => `${Platforms.HOOKS_PATH}/${publicId}/`

const printIssued = (options: CommonOptions, issued: Platforms.IssuedIntegration, done: string) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (options.json) return yield* screen.print(jsonLine(Platforms.encodeIssuedIntegration(issued)))
    yield* screen.print(pathOf(issued.integration))
    if (issued.secret !== null) yield* screen.print(issued.secret)
    yield* screen.note(
      `${done} integration ${issued.integration.id}. Enter its path, after your server's address, as the platform's webhook URL.${
        issued.secret === null ? "" : " Store the secret now: it is not shown again."
      }`
    )
  })

export const create = (options: CreateOptions): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const { agent, name, platform, project } = options
    const input = {
      ...{ platform, name },
      ...defined({ agent, project }),
      ...(yield* secretIn(options.secretFile)),
      ...(yield* defaultsOf(options))
    }
    const issued = yield* callAs(caller, (yield* Platforms.Integrations).create)(input)
    yield* printIssued(options, issued, "Created")
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const list = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const page = yield* callAs(caller, (yield* Platforms.Integrations).list)(pageQuery(options))
    yield* printPage(page, {
      json: options.json,
      encode: Platforms.encodeIntegration,
      none: "No integrations found.",
      columns: [
        { name: "ID", of: (one) => String(one.id), right: true },
        { name: "NAME", of: (one) => one.name, least: 8 },
        { name: "PLATFORM", of: (one) => one.platform },
        { name: "FOR", of: (one) => (one.agentId === null ? `project ${one.projectId}` : `agent ${one.agentId}`) },
        // Not shortened, since it is copied from here.
        { name: "PATH", of: pathOf }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const update = (options: UpdateOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(IntegrationId, "Integration", options.id)
    const patch = { ...defined({ name: options.name }), ...(yield* defaultsOf(options)) }
    const changed = yield* callAs(caller, (yield* Platforms.Integrations).update)(id, patch)
    yield* options.json
      ? screen.print(jsonLine(Platforms.encodeIntegration(changed)))
      : screen.note(`Changed integration ${id}.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const rotate = (options: RotateOptions): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(IntegrationId, "Integration", options.id)
    const input = { previous_valid_seconds: options.previousValid, ...(yield* secretIn(options.secretFile)) }
    const issued = yield* callAs(caller, (yield* Platforms.Integrations).rotate)(id, input)
    yield* printIssued(options, issued, "Replaced the secret of")
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const remove = (options: OfOne): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(IntegrationId, "Integration", options.id)
    yield* callAs(caller, (yield* Platforms.Integrations).delete)(id)
    yield* options.json
      ? screen.print(jsonLine({ id, deleted: true }))
      : screen.note(`Deleted integration ${id} permanently.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))
