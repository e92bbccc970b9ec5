import { BrowserSessions, CurrentActor, hostActor, type OrganizationId, signInPath } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** A new sign-in link with every permission in the organization, for whoever started the server. */
export const hostSignInLink = (url: string, organization: OrganizationId) =>
  Effect.gen(function* () {
    const { secret } = yield* (yield* BrowserSessions).createLink({})
    return `${url}${signInPath(Redacted.value(secret))}`
  }).pipe(Effect.provideService(CurrentActor, hostActor(organization)))
