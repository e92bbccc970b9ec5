import type * as DateTime from "effect/DateTime"
import { type FieldErrors, fieldError, mergeFieldErrors, noFieldErrors, Messages } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { type Actor, type ResourceScope, ResourceType } from "./Actor.js"
import { permissionsOf, type ApiKeyScope } from "./ApiKey.js"
import { Permission } from "./Permission.js"

/** Resource scopes in an input: `[{type, id}]`. */
export const resourceScopesField = Fields.list(
  Fields.object({ type: Fields.choice(ResourceType.literals), id: Fields.integer({ min: 1 }) }),
  { min: 1, max: 100 }
)

/** Permissions in an input. */
export const permissionsField = Fields.list(Fields.choice(Permission.literals), { max: 100 })

/** The default permissions of credentials that are shared with others: reading. */
export const readPermissionsOf = (issuer: Actor): ReadonlyArray<Permission> =>
  Permission.literals.filter((permission) => permission.endsWith(":read") && issuer.permissions.has(permission))

/**
 * A credential has no permission that its issuer lacks. Field errors are keyed as the drafts of keys, tokens and links
 * name their fields.
 */
export const permissionErrors = (issuer: Actor, field: string, wanted: ReadonlyArray<ApiKeyScope>): FieldErrors => {
  const lacking = [...permissionsOf(wanted)].filter((permission: Permission) => !issuer.permissions.has(permission))
  return lacking.length === 0
    ? noFieldErrors
    : fieldError(field, `You cannot grant permissions that you do not have: ${lacking.join(", ")}.`)
}

/**
 * An issuer with resource scopes can grant exactly those; whether one resource lies in another (an agent in a project) is
 * not considered.
 */
export const resourceScopeErrors = (issuer: Actor, wanted: ReadonlyArray<ResourceScope> | null): FieldErrors => {
  if (issuer.bounds === null) return noFieldErrors
  if (wanted === null) return fieldError("bounds", Messages.required)
  return mergeFieldErrors(
    ...wanted.map((scope, position) =>
      isHeld(issuer, scope)
        ? noFieldErrors
        : fieldError(`bounds[${position}]`, "You cannot grant access to a resource outside your own scope.")
    )
  )
}

const isAmong = (bounds: ReadonlyArray<ResourceScope>, { id, type }: ResourceScope): boolean =>
  bounds.some((one) => one.type === type && one.id === id)

const isHeld = ({ bounds }: Actor, scope: ResourceScope): boolean => bounds === null || isAmong(bounds, scope)

/**
 * A scope must name an existing resource. For resources outside the issuer's own scope there is no such error, since it
 * would disclose whether they exist.
 */
export const missingResourceErrors = (
  issuer: Actor,
  wanted: ReadonlyArray<ResourceScope>,
  present: ReadonlyArray<ResourceScope>
): FieldErrors =>
  mergeFieldErrors(
    ...wanted.map((scope, position) =>
      isHeld(issuer, scope) && !isAmong(present, scope)
        ? fieldError(`bounds[${position}].id`, Messages.unknownId(scope.id))
        : noFieldErrors
    )
  )

/** An expiry must be in the future. */
export const expiryErrors = (field: string, expiresAt: DateTime.Utc | null, now: DateTime.Utc): FieldErrors =>
  expiresAt !== null && expiresAt.epochMillis <= now.epochMillis
    ? fieldError(field, "Must be in the future.")
    : noFieldErrors

/**
 * Whether a credential is in force at `now` (epoch milliseconds): neither revoked nor expired. `expiresAt` is the first
 * instant at which it is expired.
 */
export const isInForce = (
  it: { readonly expiresAt: DateTime.Utc | null; readonly revokedAt: DateTime.Utc | null },
  now: number
): boolean => it.revokedAt === null && (it.expiresAt === null || now < it.expiresAt.epochMillis)
