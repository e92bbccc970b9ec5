/** What credentials reach, what may be passed on by them, and how long they hold. Source: interface, Authentication. */
import {
  type Actor,
  allPermissions,
  ResourceType,
  type FieldErrors,
  type OrganizationId,
  ApiKeyScope
} from "@earshot/core"
import type * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { type Property, property } from "../Property.js"
import { at } from "../storage/Moments.js"
import { actor, resourceScope, bounds } from "./AccessArbitraries.js"

/** Where a thing lies, by the resources that credentials are bound to. */
export type Place = { readonly [Type in ResourceType]?: number }

type ResourceType = (typeof ResourceType.literals)[number]

const place: fc.Arbitrary<Place> = fc.dictionary(
  fc.constantFrom(...ResourceType.literals),
  fc.integer({ min: 1, max: 5 })
)

/** Whether a thing is in a credential's scope: all of the organization without bounds, else what lies in one of them. */
export const resourceScopeProperties = (
  isInScope: (bounds: Actor["bounds"], place: Place) => boolean
): ReadonlyArray<Property> => [
  property("a credential without bounds has all of its organization in scope", [place], (there) =>
    isInScope(null, there)
  ),
  property(
    "a credential with bounds has in scope what lies in one of them, and nothing else",
    [fc.array(resourceScope, { maxLength: 4 }), place],
    (held, there) => isInScope(held, there) === held.some(({ id, type }) => there[type] === id)
  ),
  property(
    "a credential with bounds never has the organization itself in scope, even if the list is empty",
    [fc.array(resourceScope, { maxLength: 4 })],
    (held) => !isInScope(held, {})
  )
]

/** The rules of granting. Each returns field errors. */
export interface IssuingRules {
  readonly permissionErrors: (
    issuer: Actor,
    field: string,
    wanted: ReadonlyArray<ApiKeyScope>
  ) => FieldErrors.FieldErrors
  /** Errors of the field `bounds`. */
  readonly resourceScopeErrors: (issuer: Actor, wanted: Actor["bounds"]) => FieldErrors.FieldErrors
  readonly expiryErrors: (field: string, expiresAt: DateTime.Utc | null, now: DateTime.Utc) => FieldErrors.FieldErrors
}

const hasErrorsAt = (errors: FieldErrors.FieldErrors, paths: ReadonlyArray<string>): boolean =>
  JSON.stringify(Object.keys(errors).sort()) === JSON.stringify([...paths].sort())

const scopes: fc.Arbitrary<ReadonlyArray<ApiKeyScope>> = fc.subarray([...ApiKeyScope.literals])

/** Some moment, and another that is often close to it. */
const twoMoments = fc
  .tuple(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer()))
  .map(([now, more]) => ({ now, end: now + more }))

/** What is issued holds no more than who issues it, in what it may do, what it reaches, and how long. */
export const issuingProperties = (
  { resourceScopeErrors: scopeErrors, expiryErrors, permissionErrors }: IssuingRules,
  organization: OrganizationId
): ReadonlyArray<Property> => [
  property(
    "to grant what the issuer may not do is a fault of the field that names it, and no grant else is",
    [actor(organization), fc.constantFrom("permissions", "scopes"), scopes],
    (issuer, field, wanted) => {
      const all = wanted.flatMap((scope) => (scope === "all" ? allPermissions : [scope]))
      const mayAll = all.every((permission) => issuer.permissions.has(permission))
      return hasErrorsAt(permissionErrors(issuer, field, wanted), mayAll ? [] : [field])
    }
  ),
  property("an issuer that is bound to nothing may bind to anything", [actor(organization), bounds], (issuer, wanted) =>
    hasErrorsAt(scopeErrors({ ...issuer, bounds: null }, wanted), [])
  ),
  property(
    "a bound issuer may not leave bounds away",
    [actor(organization), fc.array(resourceScope, { maxLength: 4 })],
    (issuer, held) => hasErrorsAt(scopeErrors({ ...issuer, bounds: held }, null), ["bounds"])
  ),
  property(
    "each bound that a bound issuer does not have itself is a fault of its own, and no other is",
    [actor(organization), fc.array(resourceScope, { maxLength: 4 }), fc.array(resourceScope, { maxLength: 4 })],
    (issuer, held, wanted) =>
      hasErrorsAt(
        scopeErrors({ ...issuer, bounds: held }, wanted),
        wanted.flatMap(({ id, type }, position) =>
          held.some((own) => own.id === id && own.type === type) ? [] : [`bounds[${position}]`]
        )
      )
  ),
  property("an end lies after now", [twoMoments], ({ end, now }) =>
    hasErrorsAt(expiryErrors("expires_at", at(end), at(now)), end > now ? [] : ["expires_at"])
  ),
  property("nothing has to end", [twoMoments], ({ now }) => hasErrorsAt(expiryErrors("expires_at", null, at(now)), []))
]

/** Whether what expires and can be revoked holds at `now`, in epoch milliseconds. */
export const inForceProperties = (
  isInForce: (
    it: { readonly expiresAt: DateTime.Utc | null; readonly revokedAt: DateTime.Utc | null },
    now: number
  ) => boolean
): ReadonlyArray<Property> => [
  property(
    "an end is the first instant at which a credential does not hold",
    [twoMoments],
    ({ end, now }) => isInForce({ expiresAt: at(end), revokedAt: null }, now) === now < end
  ),
  property("a credential without an end holds until it is revoked", [twoMoments], ({ now }) =>
    isInForce({ expiresAt: null, revokedAt: null }, now)
  ),
  property(
    "a credential that was revoked does not hold, whenever it ends",
    [twoMoments, fc.boolean()],
    ({ end, now }, ends) => !isInForce({ expiresAt: ends ? at(end) : null, revokedAt: at(Math.min(now, end)) }, now)
  )
]
