import { Organizations } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { CommandRejected } from "../Errors.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { withEngine } from "../Session.js"
import { DEFAULT_DATABASE } from "../commands/Shared.js"
import { plainEngine } from "../EngineSettings.js"
import type { StorageOptions } from "../Settings.js"
import { sanitize, jsonLine, shellQuote } from "../Text.js"
import { typedCommand } from "../TypedCommand.js"

export interface InitOptions extends StorageOptions {
  readonly organization: string | undefined
  readonly json: boolean
}

/** The address without its password. */
const withoutPassword = (address: string): string => {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.password !== "") url.password = "***"
  for (const name of url.searchParams.keys()) if (/password|key/i.test(name)) url.searchParams.set(name, "***")
  return address.startsWith("sqlite:") ? address : url.href
}

/** Creates the tables, an organization with a project and an agent, and its first API key, which is printed only here. */
export const init = ({ database, json, organization, tablePrefix }: InitOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const organizations = yield* Organizations
    if (organization === undefined) {
      const present = yield* organizations.list({ limit: 1 })
      const [first] = present.results
      if (first !== undefined) {
        return yield* new CommandRejected({
          reason: `This database already has an organization (${first.id}, ${first.name}). Add another with \`earshot init --organization NAME\`, or create a key with \`earshot keys create\`.`
        })
      }
    }
    const founded = yield* organizations.create({
      name: organization ?? "Default organization"
    })
    const secret = Redacted.value(founded.apiKey.secret)
    if (json) {
      return yield* screen.print(
        jsonLine({
          organization: founded.organization.id,
          project: founded.project.id,
          agent: founded.agent.id,
          api_key: secret
        })
      )
    }
    const named = (thing: { readonly id: number; readonly name: string }) => `${thing.id}  ${sanitize(thing.name)}`
    yield* screen.print(
      [
        `Database      ${sanitize(withoutPassword(database))}`,
        `Organization  ${named(founded.organization)}`,
        `Project       ${named(founded.project)}`,
        `Agent         ${named(founded.agent)}`,
        `API key       ${secret}`,
        "",
        `Store the key now: it is not shown again. Next: ${typedCommand(process.env)} serve` +
          (database === DEFAULT_DATABASE
            ? ""
            : ` --database ${withoutPassword(database) === database ? sanitize(shellQuote(database)) : "..."} (or set EARSHOT_DATABASE)`)
      ].join("\n")
    )
  }).pipe(withEngine(plainEngine({ database, tablePrefix }), { existing: false }))
