/** Callers as they may be: what they may do, where, and by which credential. */
import {
  type Actor,
  allPermissions,
  type ResourceScope,
  ResourceType,
  CredentialKind,
  type OrganizationId
} from "@earshot/core"
import * as fc from "fast-check"

export const permissions: fc.Arbitrary<Actor["permissions"]> = fc
  .subarray([...allPermissions])
  .map((some) => new Set(some))

/** A resource to be bound to; ids are few, so that bounds meet what they bound. */
export const resourceScope: fc.Arbitrary<ResourceScope> = fc.record({
  type: fc.constantFrom(...ResourceType.literals),
  id: fc.integer({ min: 1, max: 5 })
})

export const bounds: fc.Arbitrary<Actor["bounds"]> = fc.option(fc.array(resourceScope, { maxLength: 4 }))

export const credentialKind: fc.Arbitrary<CredentialKind> = fc.constantFrom(...CredentialKind.literals)

/** Any caller of an organization. */
export const actor = (organizationId: OrganizationId): fc.Arbitrary<Actor> =>
  fc.record({
    organizationId: fc.constant(organizationId),
    userId: fc.constant(null),
    credential: credentialKind,
    credentialId: fc.constant("test"),
    permissions,
    bounds
  })
