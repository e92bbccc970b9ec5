import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { ApiKeyId } from "../kernel/Ids.js"
import { allPermissions, Permission } from "./Permission.js"
import { identityFields, lifetimeFields } from "./SecretCredential.js"

/** A permission, or `all` for every permission, those of later versions included. */
export const ApiKeyScope = Schema.Literal("all", ...Permission.literals)
export type ApiKeyScope = typeof ApiKeyScope.Type

/** The permissions that scopes stand for. */
export const permissionsOf = (scopes: ReadonlyArray<ApiKeyScope>): ReadonlySet<Permission> =>
  new Set(scopes.flatMap((scope) => (scope === "all" ? allPermissions : [scope])))

/** The shortest list of scopes that stands for these permissions. */
export const scopesOf = (permissions: ReadonlySet<Permission>): ReadonlyArray<ApiKeyScope> =>
  allPermissions.every((permission) => permissions.has(permission)) ? ["all"] : [...permissions]

/** An API key of an organization. Of its secret, only the hint is known after it was created. */
export class ApiKey extends Schema.Class<ApiKey>("@earshot/core/access/ApiKey")({
  id: ApiKeyId,
  ...identityFields,
  scopes: Schema.Array(ApiKeyScope),
  ...lifetimeFields
}) {}

/** The wire form of a key, without its secret. */
export const encodeApiKey = Schema.encodeSync(ApiKey)

/** A key that was just created: the only time that its secret can be shown. */
export interface IssuedApiKey {
  readonly key: ApiKey
  readonly secret: Redacted.Redacted
}

/** The wire form of a key that was just created: the key's fields, and the secret as `api_key`. */
export const encodeIssuedApiKey = (issued: IssuedApiKey) => ({
  ...encodeApiKey(issued.key),
  api_key: Redacted.value(issued.secret)
})

/** The input that creates a key. `scopes` default to the permissions of the caller. */
export const ApiKeyDraft = Fields.object({
  name: Fields.text({ max: 255, blank: false }),
  scopes: Fields.optional(Fields.list(Fields.choice(ApiKeyScope.literals), { min: 1, max: 100 })),
  expiresAt: Fields.optional(Fields.nullable(Fields.timestamp)).pipe(Schema.fromKey("expires_at"))
})
export type ApiKeyDraft = typeof ApiKeyDraft.Type
