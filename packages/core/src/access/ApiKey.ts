import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { ApiKeyId, OrganizationId, UserId } from "../kernel/Ids.js"
import { allPermissions, Permission } from "./Permission.js"

/** A permission, or the word for all of them, those of later versions included. */
export const Scope = Schema.Literal("all", ...Permission.literals)
export type Scope = typeof Scope.Type

/** The permissions that scopes stand for. */
export const permissionsOf = (scopes: ReadonlyArray<Scope>): ReadonlySet<Permission> =>
  new Set(scopes.flatMap((scope) => (scope === "all" ? allPermissions : [scope])))

/** The shortest scopes that stand for these permissions. */
export const scopesOf = (permissions: ReadonlySet<Permission>): ReadonlyArray<Scope> =>
  allPermissions.every((permission) => permissions.has(permission)) ? ["all"] : [...permissions]

/** A key of an organisation, as it is known after its secret was shown: of that, only the hint is left. */
export class ApiKey extends Schema.Class<ApiKey>("@earshot/core/access/ApiKey")({
  id: ApiKeyId,
  organizationId: Fields.named("organization", OrganizationId),
  name: Schema.String,
  /** The secret's prefix and last four characters. */
  hint: Schema.String,
  scopes: Schema.Array(Scope),
  createdBy: Fields.named("created_by", Schema.NullOr(UserId)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  /** From this instant on the key is refused. */
  expiresAt: Fields.named("expires_at", Schema.NullOr(Schema.DateTimeUtc)),
  revokedAt: Fields.named("revoked_at", Schema.NullOr(Schema.DateTimeUtc))
}) {}

/** A key as it travels, without its secret. */
export const encodeApiKey = Schema.encodeSync(ApiKey)

/** A key that was just made: the only time that its secret is there to be shown. */
export interface IssuedApiKey {
  readonly key: ApiKey
  readonly secret: Redacted.Redacted
}

/** A key that was just made as it travels: the key's fields, and the secret as `api_key`. */
export const encodeIssuedApiKey = (issued: IssuedApiKey) => ({
  ...encodeApiKey(issued.key),
  api_key: Redacted.value(issued.secret)
})

/** What creates a key. Scopes that are left out are those of whoever creates it. */
export const ApiKeyDraft = Fields.object({
  name: Fields.text({ max: 255, blank: false }),
  scopes: Fields.optional(Fields.list(Fields.choice(Scope.literals), { min: 1, max: 100 })),
  expiresAt: Fields.optional(Fields.nullable(Fields.timestamp)).pipe(Schema.fromKey("expires_at"))
})
export type ApiKeyDraft = typeof ApiKeyDraft.Type
