/** Addresses at which voice platforms deliver signed webhooks. */
import * as Effect from "effect/Effect"
import { send } from "../Api.js"
import type { CommandEffect } from "../CommandEffect.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import { readSecret } from "../ReadText.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, defined, parseFields } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"
import type { Wire } from "../Wire.js"

/** The path before an integration's public id; a test compares it with the engine's. */
export const HOOKS_PATH = "/observability/v1/hooks"

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

const secretIn = (file: string | undefined) =>
  file === undefined ? Effect.succeed({}) : Effect.map(readSecret(file), (secret) => ({ secret }))

const defaultsOf = ({ metrics, redact }: Defaults) =>
  Effect.map(parseFields(redact, "--redact"), (fields) => ({
    ...(fields.length === 0 ? {} : { redact_fields: fields }),
    ...(metrics === undefined ? {} : { metric_ids: metrics.split(",").map((text) => text.trim()) })
  }))

const pathOf = ({ public_id: id }: Wire<"Integration"> | Wire<"IssuedIntegration">): string => `${HOOKS_PATH}/${id}/`

const printIssued = (options: CommonOptions, issued: Wire<"IssuedIntegration">, done: string) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (options.json) return yield* screen.print(jsonLine(issued))
    yield* screen.print(pathOf(issued))
    if (issued.secret !== null) yield* screen.print(issued.secret)
    yield* screen.note(
      `${done} integration ${issued.id}. Enter its path, after your server's address, as the platform's webhook URL.${
        issued.secret === null ? "" : " Store the secret now: it is not shown again."
      }`
    )
  })

export const create = (options: CreateOptions): CommandEffect =>
  Effect.gen(function* () {
    const { agent, name, platform, project } = options
    const issued = yield* send("post", "/observability/v1/integrations/", {
      body: {
        ...{ platform, name },
        ...defined({ agent, project }),
        ...(yield* secretIn(options.secretFile)),
        ...(yield* defaultsOf(options))
      }
    })
    yield* printIssued(options, issued, "Created")
  }).pipe(onTarget(options))

export const list = (options: CommonOptions & PageOptions): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/observability/v1/integrations/", { query: pageQuery(options) })
    yield* printPage(page, {
      json: options.json,
      none: "No integrations found.",
      columns: [
        { name: "ID", of: (one) => String(one.id), right: true },
        { name: "NAME", of: (one) => one.name, least: 8 },
        { name: "PLATFORM", of: (one) => one.platform },
        { name: "FOR", of: (one) => (one.agent === null ? `project ${one.project}` : `agent ${one.agent}`) },
        // Not shortened, since it is copied from here.
        { name: "PATH", of: pathOf }
      ]
    })
  }).pipe(onTarget(options))

export const update = (options: UpdateOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id } = options
    const body = { ...defined({ name: options.name }), ...(yield* defaultsOf(options)) }
    const changed = yield* send("patch", "/observability/v1/integrations/{id}/", { id, body })
    yield* options.json ? screen.print(jsonLine(changed)) : screen.note(`Changed integration ${id}.`)
  }).pipe(onTarget(options))

export const rotate = (options: RotateOptions): CommandEffect =>
  Effect.gen(function* () {
    const issued = yield* send("post", "/observability/v1/integrations/{id}/rotate_secret/", {
      id: options.id,
      body: { previous_valid_seconds: options.previousValid, ...(yield* secretIn(options.secretFile)) }
    })
    yield* printIssued(options, issued, "Replaced the secret of")
  }).pipe(onTarget(options))

export const remove = (options: OfOne): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id } = options
    yield* send("delete", "/observability/v1/integrations/{id}/", { id })
    yield* options.json
      ? screen.print(jsonLine({ id, deleted: true }))
      : screen.note(`Deleted integration ${id} permanently.`)
  }).pipe(onTarget(options))
