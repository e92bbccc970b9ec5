import { Organizations } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Refused } from "../Faults.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { withEngine } from "../Session.js"
import { DEFAULT_DATABASE, plainEngine } from "../Settings.js"
import { neutralised, printJson, quoted } from "../Text.js"

export interface InitOptions {
  readonly database: string
  readonly organization: Option.Option<string>
  readonly json: boolean
}

/** An address as it may be shown: without the password. */
export const shownAddress = (address: string): string => {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.password !== "") url.password = "***"
  for (const name of url.searchParams.keys()) if (/password|key/i.test(name)) url.searchParams.set(name, "***")
  return address.startsWith("sqlite:") ? address : url.href
}

/** Makes the database, an organisation that can be used at once, and its first key, which is shown here and never again. */
export const init = ({ database, json, organization }: InitOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const organizations = yield* Organizations
    if (Option.isNone(organization)) {
      const present = yield* organizations.list({ limit: 1 })
      const [first] = present.results
      if (first !== undefined) {
        return yield* new Refused({
          reason: `This database has an organisation already (${first.id}, ${first.name}). \`earshot init --organization NAME\` adds another; \`earshot keys create\` makes a key for one that is there.`
        })
      }
    }
    const founded = yield* organizations.create({
      name: Option.getOrElse(organization, () => "Default organization")
    })
    const secret = Redacted.value(founded.apiKey.secret)
    if (json) {
      return yield* screen.print(
        printJson({
          organization: founded.organization.id,
          project: founded.project.id,
          agent: founded.agent.id,
          api_key: secret
        })
      )
    }
    const named = (thing: { readonly id: number; readonly name: string }) => `${thing.id}  ${neutralised(thing.name)}`
    yield* screen.print(
      [
        `Database      ${neutralised(shownAddress(database))}`,
        `Organization  ${named(founded.organization)}`,
        `Project       ${named(founded.project)}`,
        `Agent         ${named(founded.agent)}`,
        `API key       ${secret}`,
        "",
        "Keep the key: it is shown this once. Next: earshot serve" +
          (database === DEFAULT_DATABASE
            ? ""
            : ` --database ${shownAddress(database) === database ? neutralised(quoted(database)) : "..."} (or set EARSHOT_DATABASE)`)
      ].join("\n")
    )
  }).pipe(withEngine(plainEngine(database), { existing: false }))
