import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { decodeInput, fieldError, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Fields from "../kernel/Fields.js"
import { ProjectId, type PhoneNumberId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { NumberTaken } from "./CatalogErrors.js"
import { PhoneNumber, PhoneNumberDraft, PhoneNumberPatch } from "./PhoneNumber.js"
import { PhoneNumberStore } from "./PhoneNumberStore.js"
import { Projects } from "./Projects.js"

/** The phone numbers of the caller's organization. Inputs are untrusted and validated here. */
export class PhoneNumbers extends Context.Tag("@earshot/core/catalog/PhoneNumbers")<
  PhoneNumbers,
  {
    /** `{project, number, name?}`; numbers are unique in an organization. */
    readonly create: UseCase<
      "phoneNumbers.create",
      [input: Input<typeof PhoneNumberDraft>],
      PhoneNumber,
      ValidationFailed | StorageError
    >
    /** `{project?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<
      "phoneNumbers.list",
      [query: Input<typeof PhoneNumberQuery>],
      Pages.Page<PhoneNumber>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"phoneNumbers.read", [id: PhoneNumberId], PhoneNumber, NotFound | StorageError>
    readonly update: UseCase<
      "phoneNumbers.update",
      [id: PhoneNumberId, input: Input<typeof PhoneNumberPatch>],
      PhoneNumber,
      ValidationFailed | NotFound | StorageError
    >
    /** Soft-deletes it and removes it from the evaluators that use it. */
    readonly delete: UseCase<"phoneNumbers.delete", [id: PhoneNumberId], void, NotFound | StorageError>
    /** A phone number for other use cases, if it is within the permit's scope. */
    readonly find: (permit: Permit, id: PhoneNumberId) => Effect.Effect<PhoneNumber, NotFound | StorageError>
    /** As `find`, by the number. */
    readonly findNumber: (permit: Permit, number: string) => Effect.Effect<PhoneNumber, NotFound | StorageError>
  }
>() {}

/** The query of a list. */
export const PhoneNumberQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId))
})

const taken = (_: NumberTaken) => new ValidationFailed({ errors: fieldError("number", "This field must be unique.") })

const inScope = inScopeOrNotFound<PhoneNumber>("PhoneNumber", (phoneNumber) => ({ project: phoneNumber.projectId }))

export const layer = Layer.effect(
  PhoneNumbers,
  Effect.gen(function* () {
    const store = yield* PhoneNumberStore
    const projects = yield* Projects
    const work = yield* UnitOfWork

    const find = (permit: Permit, id: PhoneNumberId) => inScope(permit, store.find(permit, id))

    return PhoneNumbers.of({
      find,
      findNumber: (permit, number) => inScope(permit, store.findNumber(permit, number)),
      create: useCase("phoneNumbers.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const { draft, project } = yield* projects.decodeDraft(permit, PhoneNumberDraft, input)
            return yield* store.insert(
              permit,
              { projectId: project.id, number: draft.number, name: draft.name },
              yield* DateTime.now
            )
          }).pipe(Effect.catchTag("NumberTaken", taken))
        )
      ),
      list: useCase("phoneNumbers.list")((permit, query) =>
        Pages.paginate(PhoneNumberQuery, query, (page, { project }) =>
          Effect.flatMap(projects.findOptional(permit, "project", project), (projectId) =>
            store.list(permit, { projectId }, page)
          )
        )
      ),
      read: useCase("phoneNumbers.read")(find),
      update: useCase("phoneNumbers.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const phoneNumber = yield* inScope(permit, store.findForUpdate(permit, id))
            const patch = yield* decodeInput(PhoneNumberPatch, input)
            const changed = new PhoneNumber({ ...phoneNumber, ...patch, updatedAt: yield* DateTime.now })
            yield* store.save(permit, changed)
            return changed
          }).pipe(Effect.catchTag("NumberTaken", taken))
        )
      ),
      delete: useCase("phoneNumbers.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* inScope(permit, store.findForUpdate(permit, id))
            yield* store.remove(permit, id, yield* DateTime.now)
          })
        )
      )
    })
  })
)
