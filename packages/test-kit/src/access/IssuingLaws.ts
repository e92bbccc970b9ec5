/** What credentials reach, what may be passed on by them, and how long they hold. Source: interface, Authentication. */
import { type Actor, allPermissions, BoundType, type Faults, type OrganizationId, Scope } from "@earshot/core"
import type * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { type Law, law } from "../Law.js"
import { at } from "../storage/Moments.js"
import { actor, bound, bounds } from "./AccessArbitraries.js"

/** Where a thing lies, by the resources that credentials are bound to. */
export type Place = { readonly [Type in BoundType]?: number }

type BoundType = (typeof BoundType.literals)[number]

const place: fc.Arbitrary<Place> = fc.dictionary(fc.constantFrom(...BoundType.literals), fc.integer({ min: 1, max: 5 }))

/** Whether a credential reaches a thing: all of its organisation without bounds, what lies in one of them with. */
export const reachLaws = (reaches: (bounds: Actor["bounds"], place: Place) => boolean): ReadonlyArray<Law> => [
  law("a credential without bounds reaches all of its organization", [place], (there) => reaches(null, there)),
  law(
    "a bound credential reaches what lies in one of its bounds, and nothing else",
    [fc.array(bound, { maxLength: 4 }), place],
    (held, there) => reaches(held, there) === held.some(({ id, type }) => there[type] === id)
  ),
  law(
    "a bound credential never reaches the organization itself, even where it is bound to nothing at all",
    [fc.array(bound, { maxLength: 4 })],
    (held) => !reaches(held, {})
  )
]

/** The rule of passing on. Each answers faults by the path of what is at fault. */
export interface IssuingRules {
  readonly permissionFaults: (issuer: Actor, field: string, wanted: ReadonlyArray<Scope>) => Faults.Faults
  /** Faults of the field `bounds`. */
  readonly boundFaults: (issuer: Actor, wanted: Actor["bounds"]) => Faults.Faults
  readonly expiryFaults: (field: string, expiresAt: DateTime.Utc | null, now: DateTime.Utc) => Faults.Faults
}

const sameFaults = (faults: Faults.Faults, paths: ReadonlyArray<string>): boolean =>
  JSON.stringify(Object.keys(faults).sort()) === JSON.stringify([...paths].sort())

const scopes: fc.Arbitrary<ReadonlyArray<Scope>> = fc.subarray([...Scope.literals])

/** Some moment, and another that is often close to it. */
const twoMoments = fc
  .tuple(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer()))
  .map(([now, more]) => ({ now, end: now + more }))

/** What is issued holds no more than who issues it, in what it may do, what it reaches, and how long. */
export const issuingLaws = (
  { boundFaults, expiryFaults, permissionFaults }: IssuingRules,
  organization: OrganizationId
): ReadonlyArray<Law> => [
  law(
    "to grant what the issuer may not do is a fault of the field that names it, and no grant else is",
    [actor(organization), fc.constantFrom("permissions", "scopes"), scopes],
    (issuer, field, wanted) => {
      const all = wanted.flatMap((scope) => (scope === "all" ? allPermissions : [scope]))
      const mayAll = all.every((permission) => issuer.permissions.has(permission))
      return sameFaults(permissionFaults(issuer, field, wanted), mayAll ? [] : [field])
    }
  ),
  law("an issuer that is bound to nothing may bind to anything", [actor(organization), bounds], (issuer, wanted) =>
    sameFaults(boundFaults({ ...issuer, bounds: null }, wanted), [])
  ),
  law(
    "a bound issuer may not leave bounds away",
    [actor(organization), fc.array(bound, { maxLength: 4 })],
    (issuer, held) => sameFaults(boundFaults({ ...issuer, bounds: held }, null), ["bounds"])
  ),
  law(
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
  law("an end lies after now", [twoMoments], ({ end, now }) =>
    sameFaults(expiryFaults("expires_at", at(end), at(now)), end > now ? [] : ["expires_at"])
  ),
  law("nothing has to end", [twoMoments], ({ now }) => sameFaults(expiryFaults("expires_at", null, at(now)), []))
]

/** Whether what expires and can be revoked holds at `now`, in epoch milliseconds. */
export const inForceLaws = (
  isInForce: (
    it: { readonly expiresAt: DateTime.Utc | null; readonly revokedAt: DateTime.Utc | null },
    now: number
  ) => boolean
): ReadonlyArray<Law> => [
  law(
    "an end is the first instant at which a credential does not hold",
    [twoMoments],
    ({ end, now }) => isInForce({ expiresAt: at(end), revokedAt: null }, now) === now < end
  ),
  law("a credential without an end holds until it is revoked", [twoMoments], ({ now }) =>
    isInForce({ expiresAt: null, revokedAt: null }, now)
  ),
  law(
    "a credential that was revoked does not hold, whenever it ends",
    [twoMoments, fc.boolean()],
    ({ end, now }, ends) => !isInForce({ expiresAt: ends ? at(end) : null, revokedAt: at(Math.min(now, end)) }, now)
  )
]
