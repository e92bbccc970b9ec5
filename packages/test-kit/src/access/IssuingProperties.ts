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
import { type Property, property, expectEqual } from "../Property.js"
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
  property("a credential without bounds has all of its organization in scope", [place], (there) => {
    expectEqual("isInScope(null, there)", isInScope(null, there), true)
  }),
  property(
    "a credential with bounds has in scope what lies in one of them, and nothing else",
    [fc.array(resourceScope, { maxLength: 4 }), place],
    (held, there) => {
      expectEqual(
        "isInScope(held, there)",
        isInScope(held, there),
        held.some(({ id, type }) => there[type] === id)
      )
    }
  ),
  property(
    "a credential with bounds never has the organization itself in scope, even if the list is empty",
    [fc.array(resourceScope, { maxLength: 4 })],
    (held) => {
      expectEqual("isInScope(held, {})", isInScope(held, {}), false)
    }
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
      expectEqual(
        "permissionErrors(issuer, field, wanted)",
        Object.keys(permissionErrors(issuer, field, wanted)).sort(),
        mayAll ? [] : [field]
      )
    }
  ),
  property(
    "an issuer that is bound to nothing may bind to anything",
    [actor(organization), bounds],
    (issuer, wanted) => {
      expectEqual(
        "scopeErrors({ ...issuer, bounds: null }, wanted)",
        Object.keys(scopeErrors({ ...issuer, bounds: null }, wanted)).sort(),
        []
      )
    }
  ),
  property(
    "a bound issuer may not leave bounds away",
    [actor(organization), fc.array(resourceScope, { maxLength: 4 })],
    (issuer, held) => {
      expectEqual(
        "scopeErrors({ ...issuer, bounds: held }, null)",
        Object.keys(scopeErrors({ ...issuer, bounds: held }, null)).sort(),
        ["bounds"]
      )
    }
  ),
  property(
    "each bound that a bound issuer does not have itself is a fault of its own, and no other is",
    [actor(organization), fc.array(resourceScope, { maxLength: 4 }), fc.array(resourceScope, { maxLength: 4 })],
    (issuer, held, wanted) => {
      expectEqual(
        "scopeErrors({ ...issuer, bounds: held }, wanted)",
        Object.keys(scopeErrors({ ...issuer, bounds: held }, wanted)).sort(),
        wanted.flatMap(({ id, type }, position) =>
          held.some((own) => own.id === id && own.type === type) ? [] : [`bounds[${position}]`]
        )
      )
    }
  ),
  property("an end lies after now", [twoMoments], ({ end, now }) => {
    expectEqual(
      'expiryErrors("expires_at", at(end), at(now))',
      Object.keys(expiryErrors("expires_at", at(end), at(now))).sort(),
      end > now ? [] : ["expires_at"]
    )
  }),
  property("nothing has to end", [twoMoments], ({ now }) => {
    expectEqual(
      'expiryErrors("expires_at", null, at(now))',
      Object.keys(expiryErrors("expires_at", null, at(now))).sort(),
      []
    )
  })
]

/** Whether what expires and can be revoked holds at `now`, in epoch milliseconds. */
export const inForceProperties = (
  isInForce: (
    it: { readonly expiresAt: DateTime.Utc | null; readonly revokedAt: DateTime.Utc | null },
    now: number
  ) => boolean
): ReadonlyArray<Property> => [
  property("an end is the first instant at which a credential does not hold", [twoMoments], ({ end, now }) => {
    expectEqual(
      "isInForce({ expiresAt: at(end), revokedAt: null }, now)",
      isInForce({ expiresAt: at(end), revokedAt: null }, now),
      now < end
    )
  }),
  property("a credential without an end holds until it is revoked", [twoMoments], ({ now }) => {
    expectEqual(
      "isInForce({ expiresAt: null, revokedAt: null }, now)",
      isInForce({ expiresAt: null, revokedAt: null }, now),
      true
    )
  }),
  property(
    "a credential that was revoked does not hold, whenever it ends",
    [twoMoments, fc.boolean()],
    ({ end, now }, ends) => {
      expectEqual(
        "isInForce({ expiresAt: ends ? at(end) : null, revokedAt: at(Math.min(now, end)) }, now)",
        isInForce({ expiresAt: ends ? at(end) : null, revokedAt: at(Math.min(now, end)) }, now),
        false
      )
    }
  )
]
