import type { OrganizationId, UserId } from "../kernel/Ids.js"
import type { Bound } from "./Actor.js"
import type { Permission } from "./Permission.js"

declare const PermitBrand: unique symbol

/**
 * Proof that an actor was found to hold a permission, and the tenant it holds it for. Stores ask for one instead of an
 * organisation id, and only `authorize` makes one: a use case that forgets its permission check, or the tenant, has
 * nothing to hand to a store and does not compile.
 */
export interface Permit<out P extends Permission = Permission> {
  readonly [PermitBrand]: P
  readonly organizationId: OrganizationId
  readonly userId: UserId | null
  readonly bounds: ReadonlyArray<Bound> | null
}

/** Where a thing lies, from the outside in; what is left out does not apply to it. */
export type Lineage = { readonly [Type in Bound["type"]]?: number }

/** Whether a thing lies within what the credential is bound to; an unbound one reaches all of its organisation. */
export const reaches = (permit: Permit, lineage: Lineage): boolean =>
  permit.bounds === null || permit.bounds.some((bound) => lineage[bound.type] === bound.id)
