import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { UserId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { EmailTaken } from "./AccessErrors.js"
import type { Permit } from "./Permit.js"
import type { User, UserDraft } from "./User.js"

/** Stores users. A permit's organization limits every answer. */
export class UserStore extends Context.Tag("@earshot/core/access/UserStore")<
  UserStore,
  {
    readonly insert: (
      permit: Permit<"keys:manage">,
      draft: UserDraft,
      now: DateTime.Utc
    ) => Effect.Effect<User, EmailTaken | StorageError>
    readonly find: (permit: Permit, id: UserId) => Effect.Effect<Option.Option<User>, StorageError>
    /** Newest first; a page ends early at `PageBytes`. */
    readonly list: (permit: Permit<"keys:manage">, page: PageRequest) => Effect.Effect<Found<User>, StorageError>
  }
>() {}
