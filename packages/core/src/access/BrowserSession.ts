import type * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { type BrowserSessionId, OrganizationId, UserId } from "../kernel/Ids.js"
import { ApiKeyScope } from "./ApiKey.js"
import { Permission } from "./Permission.js"
import type { SecretCredential } from "./SecretCredential.js"

/** How long a browser session lasts. */
export const SESSION_LIFETIME = { hours: 12 }

/** How long a sign-in link can be used. */
export const SIGN_IN_LINK_LIFETIME = { minutes: 15 }

/**
 * A person's session in a browser. It stands for an API key: the one that it was exchanged for, whose state and scopes are
 * those of the session, or, after a sign-in link, one of the scopes in the link.
 */
export interface BrowserSession extends SecretCredential {
  readonly id: BrowserSessionId
  readonly createdBy: UserId | null
  /** The hash of the API key that it was exchanged for; null after a sign-in link. */
  readonly keyHash: string | null
  readonly scopes: ReadonlyArray<ApiKeyScope>
}

/** A session that has just begun. The secret goes into a cookie and nowhere else. */
export interface StartedSession {
  readonly secret: Redacted.Redacted
  readonly current: CurrentSession
}

/** What a browser may know of its session. */
export const CurrentSession = Schema.Struct({
  organization: OrganizationId,
  user: Schema.NullOr(UserId),
  permissions: Schema.Array(Permission),
  expiresAt: Fields.named("expires_at", Schema.DateTimeUtc)
})
export type CurrentSession = typeof CurrentSession.Type

/** The wire form of a session, without its secret. */
export const encodeCurrentSession = Schema.encodeSync(CurrentSession)

/** The input that creates a sign-in link. `scopes` default to the permissions of the caller. */
export const SignInLinkDraft = Fields.object({
  scopes: Fields.optional(Fields.list(Fields.choice(ApiKeyScope.literals), { min: 1, max: 100 }))
})

/** A sign-in link that was just created: the only time that its secret can be shown. */
export interface IssuedSignInLink {
  readonly secret: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

/** The wire form of a sign-in link. */
export const SignInLink = Schema.Struct({
  token: Schema.String,
  /** The page of the web app, relative to the address of the server, which exchanges the token for a session. */
  path: Schema.String,
  expires_at: Schema.DateTimeUtc
})

const encodeLink = Schema.encodeSync(SignInLink)

/**
 * The page on which a sign-in link is used. The token is in the fragment, which browsers send to no server, so that it
 * appears in no log and a program that fetches the address of a link does not use it up.
 */
export const signInPath = (token: string): string => `/app/login#link=${token}`

export const encodeIssuedSignInLink = ({ expiresAt, secret }: IssuedSignInLink) =>
  encodeLink({ token: Redacted.value(secret), path: signInPath(Redacted.value(secret)), expires_at: expiresAt })

/** The input that signs in: the secret of an API key, or the token of a sign-in link. */
export const SignInDraft = Fields.object({
  api_key: Fields.optional(Fields.text({ max: 255, blank: false })),
  link: Fields.optional(Fields.text({ max: 255, blank: false }))
})
