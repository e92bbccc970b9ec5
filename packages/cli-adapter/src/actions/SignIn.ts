import * as Effect from "effect/Effect"
import { send } from "../Api.js"
import type { CommandEffect } from "../CommandEffect.js"
import { UsageError } from "../Errors.js"
import { Screen } from "../Screen.js"
import { serverAddress } from "../ServerAddress.js"
import type { CommonOptions } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"

export interface SignInOptions extends CommonOptions {
  readonly publicUrl: string | undefined
  readonly scopes: ReadonlyArray<string>
}

export const signIn = (options: SignInOptions): CommandEffect => {
  const url = serverAddress(options)
  return /^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")
    ? createLink(url, options)
    : new UsageError({
        reason: `--public-url: ${JSON.stringify(url)} is not an address such as https://earshot.example.com.`
      })
}

const createLink = (url: string, options: SignInOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const link = yield* send("post", "/user/v1/sign_in_links/", {
      body: options.scopes.length === 0 ? {} : { scopes: options.scopes }
    })
    if (options.json) return yield* screen.print(jsonLine({ ...link, url: `${url}${link.path}` }))
    yield* screen.print(`${url}${link.path}`)
    yield* screen.note("The link can be used once within 15 minutes.")
  }).pipe(onTarget(options))
