import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, UserId } from "../kernel/Ids.js"
import { ResourceScope } from "./Actor.js"
import { resourceScopesField } from "./Grant.js"
import { Permission } from "./Permission.js"

/** The credential kinds that are signed tokens (JWT). */
export const TokenKind = Schema.Literal("oauth2", "dashboard_session", "embedded_session", "agent_session")
export type TokenKind = typeof TokenKind.Type

/** The default and the longest lifetime of each kind of token, in seconds. */
export const LIFETIMES: { readonly [Kind in TokenKind]: { readonly usual: number; readonly longest: number } } = {
  oauth2: { usual: 3_600, longest: 86_400 },
  dashboard_session: { usual: 43_200, longest: 86_400 },
  embedded_session: { usual: 3_600, longest: 86_400 },
  agent_session: { usual: 600, longest: 900 }
}

export const LONGEST_LIFETIME_SECONDS = Math.max(...Object.values(LIFETIMES).map(({ longest }) => longest))

/** The input that issues a token: `{kind, permissions?, bounds?, ttl?, user?}`, `ttl` in seconds. */
export const TokenDraft = Fields.object({
  kind: Fields.choice(TokenKind.literals),
  /** `read` stands for the read permissions of the issuer. */
  permissions: Fields.optional(Fields.list(Fields.choice(["read", ...Permission.literals]), { max: 100 })),
  bounds: Fields.optional(Fields.nullable(resourceScopesField)),
  ttl: Fields.optional(Fields.integer({ min: 1 })),
  user: Fields.optional(Fields.nullable(Fields.id(UserId)))
})
export type TokenDraft = typeof TokenDraft.Type

/** The input that revokes a token: `{jti}`. */
export const TokenRevocation = Fields.object({ jti: Fields.text({ max: 100, blank: false }) })

/** The claims of a token beyond the registered ones. Unknown permissions are ignored. */
export const TokenClaims = Schema.Struct({
  jti: Schema.String,
  exp: Schema.Int,
  org: OrganizationId,
  user: Schema.NullOr(UserId),
  permissions: Schema.Array(Schema.String),
  bounds: Schema.NullOr(Schema.Array(ResourceScope))
})
export type TokenClaims = typeof TokenClaims.Type

/** A token that was just issued: the only time that it can be shown. */
export interface IssuedToken {
  readonly kind: TokenKind
  readonly token: Redacted.Redacted
  /** Identifies the token for revocation. */
  readonly jti: string
  readonly userId: UserId | null
  readonly permissions: ReadonlyArray<Permission>
  readonly bounds: ReadonlyArray<ResourceScope> | null
  /** The first instant at which the token is invalid. */
  readonly expiresAt: DateTime.Utc
}

/** The wire form of a token that was just issued: `{token, token_type, kind, jti, user, permissions, bounds, expires_at}`. */
export const encodeIssuedToken = (issued: IssuedToken) => ({
  token: Redacted.value(issued.token),
  token_type: "Bearer",
  kind: issued.kind,
  jti: issued.jti,
  user: issued.userId,
  permissions: issued.permissions,
  bounds: issued.bounds,
  expires_at: DateTime.formatIso(issued.expiresAt)
})
