import * as Either from "effect/Either"
import { Forbidden, Unauthenticated } from "./AccessErrors.js"
import type { Actor } from "./Actor.js"
import { type NeedsOf, type Operation, type OperationRule, operations } from "./Operation.js"
import type { Permit } from "./Permit.js"

/**
 * Whether an actor may call an operation. A credential kind that the operation does not list counts as none at all; the
 * host process is accepted everywhere.
 */
export const authorize = <O extends Operation>(
  actor: Actor,
  operation: O
): Either.Either<Permit<NeedsOf<O>>, Unauthenticated | Forbidden> => {
  const rule: OperationRule = operations[operation]
  if (actor.credential !== "host" && !rule.accepts.includes(actor.credential)) {
    return Either.left(new Unauthenticated({ reason: "This credential is not accepted here." }))
  }
  if (!actor.permissions.has(rule.needs)) return Either.left(new Forbidden({ permission: rule.needs }))
  // The one place that makes a permit: the brand exists in the type alone.
  return Either.right({
    organizationId: actor.organizationId,
    userId: actor.userId,
    bounds: actor.bounds
  } as Permit<NeedsOf<O>>)
}
