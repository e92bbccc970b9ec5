import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Organization, OrganizationDraft } from "./Organization.js"

/**
 * What storage promises about organisations. It asks for no permit: organisations are what permits are for, and only
 * the operator, who holds the database, gets to use it.
 */
export class OrganizationStore extends Context.Tag("@earshot/core/catalog/OrganizationStore")<
  OrganizationStore,
  {
    readonly insert: (draft: OrganizationDraft, now: DateTime.Utc) => Effect.Effect<Organization, StorageError>
    readonly find: (id: OrganizationId) => Effect.Effect<Option.Option<Organization>, StorageError>
    /** Newest first; up to one more than the page holds. */
    readonly list: (page: PageRequest) => Effect.Effect<ReadonlyArray<Organization>, StorageError>
  }
>() {}
