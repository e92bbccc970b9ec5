import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { OrganizationId, UserId } from "../kernel/Ids.js"
import { Forbidden, Unauthenticated } from "./AccessErrors.js"
import { type Actor, type ResourceScope, hostActor } from "./Actor.js"
import { type NeedsOf, type Operation, type OperationRule, operations } from "./Operation.js"
import type { Permission } from "./Permission.js"

/**
 * The class stays in this file, and its protected field makes the type its own: neither an object literal nor a spread
 * of somebody else's permit passes for one.
 */
class Granted<out P extends Permission> {
  declare protected readonly permission: P
  constructor(
    readonly organizationId: OrganizationId,
    readonly userId: UserId | null,
    readonly bounds: ReadonlyArray<ResourceScope> | null,
    readonly permissions: ReadonlySet<Permission>
  ) {}
}

/**
 * Proof that an actor holds a permission, and the tenant it holds it for. Stores take one instead of an organization id,
 * and only `authorize` makes one: a use case that forgets its permission check, or the tenant, has nothing to pass to a
 * store and does not compile.
 */
export type Permit<P extends Permission = Permission> = Granted<P>

/**
 * Whether an actor may call an operation. A credential kind that the operation does not list counts as no credential; the
 * host process is accepted everywhere. Operations on the organization as a whole are forbidden for a credential that is
 * limited to resource scopes.
 */
export const authorize = <O extends Operation>(
  actor: Actor,
  operation: O
): Either.Either<Permit<NeedsOf<O>>, Unauthenticated | Forbidden> => {
  const rule: OperationRule = operations[operation]
  const accepted =
    rule.accepts.includes(actor.credential) &&
    (rule.additionalCredential === undefined || rule.additionalCredential === actor.additionalCredential)
  if (actor.credential !== "host" && !accepted) {
    return Either.left(new Unauthenticated({ reason: "This credential is not accepted here." }))
  }
  if (!actor.permissions.has(rule.needs) || (rule.organizationWide === true && actor.bounds !== null)) {
    return Either.left(new Forbidden({ permission: rule.needs }))
  }
  if (rule.alsoNeeds !== undefined && !actor.permissions.has(rule.alsoNeeds)) {
    return Either.left(new Forbidden({ permission: rule.alsoNeeds }))
  }
  return Either.right(new Granted<NeedsOf<O>>(actor.organizationId, actor.userId, actor.bounds, actor.permissions))
}

/** The permit of the host process for work of its own, such as a job; it has every permission, so this cannot fail. */
export const hostPermit = <O extends Operation>(
  organizationId: OrganizationId,
  operation: O
): Effect.Effect<Permit<NeedsOf<O>>> => Effect.orDie(authorize(hostActor(organizationId), operation))

/** Whether the actor holds a further permission, for results that show more to those who may read it. */
export const mayRead = (permit: Permit, permission: Permission): boolean => permit.permissions.has(permission)

/** The resources that a thing lies in, itself included. Types that do not apply are left out. */
export type ResourcePath = { readonly [Type in ResourceScope["type"]]?: number }

/** Whether a thing is in the resource scopes of the credential; without scopes, all of its organization is. */
export const isInScope = (permit: Permit, path: ResourcePath): boolean =>
  permit.bounds === null || permit.bounds.some((bound) => path[bound.type] === bound.id)

/**
 * The resource scopes of a credential as text, which is equal for equal scopes in any order; empty for all of the
 * organization. It marks what a credential made that lies in no project.
 */
export const scopeKey = ({ bounds }: Permit): string =>
  bounds === null ? "" : [...new Set(bounds.map(({ id, type }) => `${type}:${id}`))].toSorted().join(",")
