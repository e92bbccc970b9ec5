import type * as DateTime from "effect/DateTime"
import { type FieldErrors, fieldError, mergeFieldErrors, noFieldErrors, Messages } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { type Actor, type ResourceScope, ResourceType } from "./Actor.js"
import { permissionsOf, type ApiKeyScope } from "./ApiKey.js"
import { Permission } from "./Permission.js"

/** Bounds as an input names them: `[{type, id}]`. */
export const resourceScopesField = Fields.list(
  Fields.object({ type: Fields.choice(ResourceType.literals), id: Fields.integer({ min: 1 }) }),
  { min: 1, max: 100 }
)

/** Permissions as an input names them. */
export const permissionsField = Fields.list(Fields.choice(Permission.literals), { max: 100 })

/** What a credential that others get to see may do unless it says so: look, never change or delete. */
export const readPermissionsOf = (issuer: Actor): ReadonlyArray<Permission> =>
  Permission.literals.filter((permission) => permission.endsWith(":read") && issuer.permissions.has(permission))

/**
 * The rule of passing on: what somebody issues holds no more than they hold themselves, in what it may do and in what
 * it reaches. Faults are keyed as the drafts of keys, tokens and links name their fields.
 */
export const permissionErrors = (issuer: Actor, field: string, wanted: ReadonlyArray<ApiKeyScope>): FieldErrors => {
  const lacking = [...permissionsOf(wanted)].filter((permission: Permission) => !issuer.permissions.has(permission))
  return lacking.length === 0
    ? noFieldErrors
    : fieldError(field, `You cannot grant what you may not do yourself: ${lacking.join(", ")}.`)
}

/**
 * An issuer that is bound to some things can pass on those things alone; whether one lies within another (an agent in a
 * project) is not asked here.
 */
export const resourceScopeErrors = (issuer: Actor, wanted: ReadonlyArray<ResourceScope> | null): FieldErrors => {
  if (issuer.bounds === null) return noFieldErrors
  if (wanted === null) return fieldError("bounds", Messages.required)
  return mergeFieldErrors(
    ...wanted.map((bound, position) =>
      isHeld(issuer, bound)
        ? noFieldErrors
        : fieldError(`bounds[${position}]`, "You cannot grant what you do not reach yourself.")
    )
  )
}

const isAmong = (bounds: ReadonlyArray<ResourceScope>, { id, type }: ResourceScope): boolean =>
  bounds.some((one) => one.type === type && one.id === id)

const isHeld = ({ bounds }: Actor, bound: ResourceScope): boolean => bounds === null || isAmong(bounds, bound)

/**
 * A bound that names nothing reaches nothing, and is a slip. Of what the issuer does not reach itself nothing is said:
 * whether that is there is not for it to know.
 */
export const missingResourceErrors = (
  issuer: Actor,
  wanted: ReadonlyArray<ResourceScope>,
  present: ReadonlyArray<ResourceScope>
): FieldErrors =>
  mergeFieldErrors(
    ...wanted.map((bound, position) =>
      isHeld(issuer, bound) && !isAmong(present, bound)
        ? fieldError(`bounds[${position}].id`, Messages.unknownId(bound.id))
        : noFieldErrors
    )
  )

/** An end that has passed already is a slip, not a wish. */
export const expiryErrors = (field: string, expiresAt: DateTime.Utc | null, now: DateTime.Utc): FieldErrors =>
  expiresAt !== null && expiresAt.epochMillis <= now.epochMillis
    ? fieldError(field, "Must be in the future.")
    : noFieldErrors

/**
 * Whether something that expires and can be revoked is in force at `now` (epoch milliseconds): an end is the first
 * instant at which it is not.
 */
export const isInForce = (
  it: { readonly expiresAt: DateTime.Utc | null; readonly revokedAt: DateTime.Utc | null },
  now: number
): boolean => it.revokedAt === null && (it.expiresAt === null || now < it.expiresAt.epochMillis)
