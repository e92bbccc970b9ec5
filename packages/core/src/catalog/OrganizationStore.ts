import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Organization, OrganizationDraft } from "./Organization.js"

/**
 * Storage of organizations. Takes no permit, since a permit belongs to an organization; for the operator only.
 */
export class OrganizationStore extends Context.Tag("@earshot/core/catalog/OrganizationStore")<
  OrganizationStore,
  {
    readonly insert: (draft: OrganizationDraft, now: DateTime.Utc) => Effect.Effect<Organization, StorageError>
    readonly find: (id: OrganizationId) => Effect.Effect<Option.Option<Organization>, StorageError>
    /** Newest first; up to one row more than the page holds. */
    readonly list: (page: PageRequest) => Effect.Effect<Found<Organization>, StorageError>
  }
>() {}
