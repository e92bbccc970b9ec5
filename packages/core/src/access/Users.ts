import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { decodeInput, fieldError, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Pages from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import { type UseCase, useCase } from "./UseCase.js"
import { type User, UserDraft } from "./User.js"
import { UserStore } from "./UserStore.js"

/** The users of the caller's organization. */
export class Users extends Context.Tag("@earshot/core/access/Users")<
  Users,
  {
    /** `{email, name?}`; email addresses are unique within an organization. */
    readonly create: UseCase<"users.create", [input: Input<typeof UserDraft>], User, ValidationFailed | StorageError>
    readonly list: UseCase<
      "users.list",
      [query: Input<typeof Pages.PageQuery>],
      Pages.Page<User>,
      ValidationFailed | StorageError
    >
  }
>() {}

export const layer = Layer.effect(
  Users,
  Effect.map(UserStore, (store) =>
    Users.of({
      create: useCase("users.create")((permit, input) =>
        Effect.gen(function* () {
          const draft = yield* decodeInput(UserDraft, input)
          return yield* store
            .insert(permit, { ...draft, email: draft.email.toLowerCase() }, yield* DateTime.now)
            .pipe(
              Effect.catchTag(
                "EmailTaken",
                () => new ValidationFailed({ errors: fieldError("email", "This field must be unique.") })
              )
            )
        })
      ),
      list: useCase("users.list")((permit, query) =>
        Pages.paginate(Pages.PageQuery, query, (page) => store.list(permit, page))
      )
    })
  )
)
