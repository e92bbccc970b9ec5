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
import { actor, bound, bounds } from "./AccessArbitraries.js"

/** Where a thing lies, by the resources that credentials are bound to. */
export type Place = { readonly [Type in ResourceType]?: number }

type ResourceType = (typeof ResourceType.literals)[number]

const place: fc.Arbitrary<Place> = fc.dictionary(
  fc.constantFrom(...ResourceType.literals),
  fc.integer({ min: 1, max: 5 })
)

/** Whether a credential reaches a thing: all of its organisation without bounds, what lies in one of them with. */
export const reachProperties = (
  reaches: (bounds: Actor["bounds"], place: Place) => boolean
): ReadonlyArray<Property> => [
  property("a credential without bounds reaches all of its organization", [place], (there) => reaches(null, there)),
  property(
    "a bound credential reaches what lies in one of its bounds, and nothing else",
    [fc.array(bound, { maxLength: 4 }), place],
    (held, there) => reaches(held, there) === held.some(({ id, type }) => there[type] === id)
  ),
  property(
    "a bound credential never reaches the organization itself, even where it is bound to nothing at all",
    [fc.array(bound, { maxLength: 4 })],
    (held) => !reaches(held, {})
  )
]

/** The rule of passing on. Each answers faults by the path of what is at fault. */
export interface IssuingRules {
  readonly permissionFaults: (
    issuer: Actor,
    field: string,
    wanted: ReadonlyArray<ApiKeyScope>
  ) => FieldErrors.FieldErrors
  /** Faults of the field `bounds`. */
  readonly boundFaults: (issuer: Actor, wanted: Actor["bounds"]) => FieldErrors.FieldErrors
  readonly expiryFaults: (field: string, expiresAt: DateTime.Utc | null, now: DateTime.Utc) => FieldErrors.FieldErrors
}

const sameFaults = (faults: FieldErrors.FieldErrors, paths: ReadonlyArray<string>): boolean =>
  JSON.stringify(Object.keys(faults).sort()) === JSON.stringify([...paths].sort())

const scopes: fc.Arbitrary<ReadonlyArray<ApiKeyScope>> = fc.subarray([...ApiKeyScope.literals])

/** Some moment, and another that is often close to it. */
const twoMoments = fc
  .tuple(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer()))
  .map(([now, more]) => ({ now, end: now + more }))

/** What is issued holds no more than who issues it, in what it may do, what it reaches, and how long. */
export const issuingProperties = (
  { boundFaults, expiryFaults, permissionFaults }: IssuingRules,
  organization: OrganizationId
): ReadonlyArray<Property> => [
  property(
    "to grant what the issuer may not do is a fault of the field that names it, and no grant else is",
    [actor(organization), fc.constantFrom("permissions", "scopes"), scopes],
    (issuer, field, wanted) => {
      const all = wanted.flatMap((scope) => (scope === "all" ? allPermissions : [scope]))
      const mayAll = all.every((permission) => issuer.permissions.has(permission))
      return sameFaults(permissionFaults(issuer, field, wanted), mayAll ? [] : [field])
    }
  ),
  property("an issuer that is bound to nothing may bind to anything", [actor(organization), bounds], (issuer, wanted) =>
    sameFaults(boundFaults({ ...issuer, bounds: null }, wanted), [])
  ),
  property(
    "a bound issuer may not leave bounds away",
    [actor(organization), fc.array(bound, { maxLength: 4 })],
    (issuer, held) => sameFaults(boundFaults({ ...issuer, bounds: held }, null), ["bounds"])
  ),
  property(
    "each bound that a bound issuer does not have itself is a fault of its own, and no other is",
    [actor(organization), fc.array(bound, { maxLength: 4 }), fc.array(bound, { maxLength: 4 })],
    (issuer, held, wanted) =>
      sameFaults(
        boundFaults({ ...issuer, bounds: held }, wanted),
        wanted.flatMap(({ id, type }, position) =>
          held.some((own) => own.id === id && own.type === type) ? [] : [`bounds[${position}]`]
        )
      )
  ),
  property("an end lies after now", [twoMoments], ({ end, now }) =>
    sameFaults(expiryFaults("expires_at", at(end), at(now)), end > now ? [] : ["expires_at"])
  ),
  property("nothing has to end", [twoMoments], ({ now }) => sameFaults(expiryFaults("expires_at", null, at(now)), []))
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
