import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { NotFound } from "../access/AccessErrors.js"
import { type Permit, isInScope } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import {
  decode,
  decodeInput,
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  Messages,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { ProjectId } from "../kernel/Ids.js"
import { inputReader } from "../kernel/InputReader.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { AgentDirectory } from "./AgentDirectory.js"
import { Project, ProjectDraft, ProjectPatch } from "./Project.js"
import { ProjectStore } from "./ProjectStore.js"

/** Projects of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Projects extends Context.Tag("@earshot/core/catalog/Projects")<
  Projects,
  {
    readonly create: UseCase<"projects.create", [input: unknown], Project, ValidationFailed | StorageError>
    readonly list: UseCase<"projects.list", [query: unknown], Pages.Page<Project>, ValidationFailed | StorageError>
    readonly read: UseCase<"projects.read", [id: ProjectId], Project, NotFound | StorageError>
    readonly update: UseCase<
      "projects.update",
      [id: ProjectId, input: unknown],
      Project,
      ValidationFailed | NotFound | StorageError
    >
    /** Takes the project out of sight; what lies in it can no longer be reached. */
    readonly delete: UseCase<"projects.delete", [id: ProjectId], void, NotFound | StorageError>
    /** A project that another use case was given the id of, when it is within the permit's reach. */
    readonly find: (permit: Permit, id: ProjectId) => Effect.Effect<Project, NotFound | StorageError>
    /** The project that an input's field names; one that is not there is a fault of that field. */
    readonly named: (
      permit: Permit,
      field: string,
      id: ProjectId
    ) => Effect.Effect<Project, ValidationFailed | StorageError>
    /**
     * The project that a new thing is put into, as an input's field names it: one that is not there is a fault of that
     * field. It stays there until the transaction ends.
     */
    readonly hold: (
      permit: Permit,
      field: string,
      id: ProjectId
    ) => Effect.Effect<Project, ValidationFailed | StorageError>
    /**
     * A draft of a new thing, and the project that its field `project` names, held as `hold` does. What is wrong with
     * either is told at once; `more` are faults that the caller has found itself.
     */
    readonly decodeDraft: <A, I>(
      permit: Permit,
      draft: Schema.Schema<A, I>,
      input: unknown,
      more?: FieldErrors
    ) => Effect.Effect<{ readonly draft: A; readonly project: Project }, ValidationFailed | StorageError>
  }
>() {}

const unknownId = (field: string, id: ProjectId) => () =>
  new ValidationFailed({ errors: fieldError(field, Messages.unknownId(id)) })

export const layer = Layer.effect(
  Projects,
  Effect.gen(function* () {
    const store = yield* ProjectStore
    const directory = yield* AgentDirectory
    const work = yield* UnitOfWork

    const within = (permit: Permit, found: Effect.Effect<Option.Option<Project>, StorageError>) =>
      found.pipe(
        Effect.flatten,
        Effect.filterOrFail((project) => isInScope(permit, { project: project.id })),
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "Project" }))
      )
    const find = (permit: Permit, id: ProjectId) => within(permit, store.find(permit, id))
    const hold = (permit: Permit, id: ProjectId) => within(permit, store.hold(permit, id))

    return Projects.of({
      find,
      named: (permit, field, id) => find(permit, id).pipe(Effect.catchTag("NotFound", unknownId(field, id))),
      hold: (permit, field, id) => hold(permit, id).pipe(Effect.catchTag("NotFound", unknownId(field, id))),
      decodeDraft: (permit, schema, input, more = noFieldErrors) =>
        Effect.gen(function* () {
          const draft = decode(schema)(input)
          const id = inputReader(input).optional("project", Fields.id(ProjectId))
          const project =
            id === undefined ? null : yield* Effect.catchTag(hold(permit, id), "NotFound", () => Effect.succeed(null))
          const faults = mergeFieldErrors(
            Either.isLeft(draft) ? draft.left : noFieldErrors,
            id !== undefined && project === null ? fieldError("project", Messages.unknownId(id)) : noFieldErrors,
            more
          )
          return Either.isLeft(draft) || project === null || hasFieldErrors(faults)
            ? yield* new ValidationFailed({ errors: faults })
            : { draft: draft.right, project }
        }),
      create: useCase("projects.create")((permit, input) =>
        Effect.gen(function* () {
          const draft = yield* decodeInput(ProjectDraft, input)
          return yield* store.insert(permit, draft, yield* DateTime.now)
        })
      ),
      list: useCase("projects.list")((permit, query) =>
        Effect.gen(function* () {
          const page = yield* Pages.decodeRequest(query)
          const found = yield* store.list(permit, page)
          return Pages.pageOf(page, found, (project) => project.id)
        })
      ),
      read: useCase("projects.read")(find),
      update: useCase("projects.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const project = yield* hold(permit, id)
            const patch = yield* decodeInput(ProjectPatch, input)
            const changed = new Project({ ...project, ...patch, updatedAt: yield* DateTime.now })
            yield* store.save(permit, changed)
            return changed
          })
        )
      ),
      delete: useCase("projects.delete")((permit, id) =>
        work
          .atomically(
            Effect.gen(function* () {
              yield* hold(permit, id)
              yield* store.remove(permit, id, yield* DateTime.now)
            })
          )
          .pipe(Effect.zipLeft(directory.forget(permit)))
      )
    })
  })
)
