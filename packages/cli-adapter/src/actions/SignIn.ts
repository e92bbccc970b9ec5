import {
  BrowserSessions,
  CurrentActor,
  encodeIssuedSignInLink,
  hostActor,
  type OrganizationId,
  signInPath
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { CommandEffect } from "../CommandEffect.js"
import { UsageError } from "../Errors.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, withEngine } from "../Session.js"
import { type CommonOptions, plainEngine } from "../Settings.js"
import { jsonLine } from "../Text.js"

export interface SignInOptions extends CommonOptions {
  readonly url: string
  readonly scopes: ReadonlyArray<string>
}

export const signIn = (options: SignInOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const url = options.url.replace(/\/+$/, "")
    if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
      return yield* new UsageError({
        reason: `--url: ${JSON.stringify(options.url)} is not an address such as https://earshot.example.com.`
      })
    }
    const caller = yield* resolveCaller(options)
    const issued = yield* callAs(
      caller,
      (yield* BrowserSessions).createLink
    )(options.scopes.length === 0 ? {} : { scopes: options.scopes })
    const link = encodeIssuedSignInLink(issued)
    if (options.json) return yield* screen.print(jsonLine({ ...link, url: `${url}${link.path}` }))
    yield* screen.print(`${url}${link.path}`)
    yield* screen.note("The link can be used once within 15 minutes.")
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** A new sign-in link with every permission in the organization, for whoever started the server. */
export const hostSignInLink = (url: string, organization: OrganizationId) =>
  Effect.gen(function* () {
    const { secret } = yield* (yield* BrowserSessions).createLink({})
    return `${url}${signInPath(Redacted.value(secret))}`
  }).pipe(Effect.provideService(CurrentActor, hostActor(organization)))
