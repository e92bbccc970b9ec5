import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"

/** The names of resources of one kind, by id. */
export type NamesById = ReadonlyMap<number, string>

/**
 * Port: names of an organization's agents and metrics as they are now, including those that are deleted but still have
 * calls. A column store does not keep them.
 */
export class ResourceNames extends Context.Tag("@earshot/core/analytics/ResourceNames")<
  ResourceNames,
  {
    readonly agents: (organizationId: OrganizationId) => Effect.Effect<NamesById, StorageError>
    readonly metrics: (organizationId: OrganizationId) => Effect.Effect<NamesById, StorageError>
  }
>() {}
