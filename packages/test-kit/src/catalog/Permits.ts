import { type Actor, authorize, hostActor, type Operation, type OrganizationId, type Permit } from "@earshot/core"
import type { NeedsOf } from "@earshot/core"
import * as Either from "effect/Either"

/** The permit of an organization's host for an operation, limited to a scope if one is given. */
export const permit = <O extends Operation>(
  organizationId: OrganizationId,
  operation: O,
  bounds: Actor["bounds"] = null
): Permit<NeedsOf<O>> => Either.getOrThrow(authorize({ ...hostActor(organizationId), bounds }, operation))
