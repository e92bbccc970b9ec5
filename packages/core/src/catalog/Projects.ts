import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { JobQueue } from "../jobs/JobQueue.js"
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
import type { Input } from "../kernel/Input.js"
import { ProjectId } from "../kernel/Ids.js"
import { inputReader } from "../kernel/InputReader.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { AgentDirectory } from "./AgentDirectory.js"
import { Project, ProjectDraft, ProjectPatch } from "./Project.js"
import { projectDeletionJob } from "./ProjectDeletion.js"
import { ProjectStore } from "./ProjectStore.js"

/** The projects of the caller's organization. Inputs are untrusted and validated here. */
export class Projects extends Context.Tag("@earshot/core/catalog/Projects")<
  Projects,
  {
    readonly create: UseCase<
      "projects.create",
      [input: Input<typeof ProjectDraft>],
      Project,
      ValidationFailed | StorageError
    >
    readonly list: UseCase<
      "projects.list",
      [query: Input<typeof Pages.PageQuery>],
      Pages.Page<Project>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"projects.read", [id: ProjectId], Project, NotFound | StorageError>
    readonly update: UseCase<
      "projects.update",
      [id: ProjectId, input: Input<typeof ProjectPatch>],
      Project,
      ValidationFailed | NotFound | StorageError
    >
    /**
     * Deletes the project: at once it is found by nobody, and a job then removes all that belongs to it. The ledger of
     * charges stays.
     */
    readonly delete: UseCase<"projects.delete", [id: ProjectId], void, NotFound | StorageError>
    /** For other use cases: a project within the permit's scope. */
    readonly find: (permit: Permit, id: ProjectId) => Effect.Effect<Project, NotFound | StorageError>
    /** The project that an input field names; a field error if it does not exist. */
    readonly findNamed: (
      permit: Permit,
      field: string,
      id: ProjectId
    ) => Effect.Effect<Project, ValidationFailed | StorageError>
    /** As `findNamed`, for the id of an optional filter: null where it is left out. */
    readonly findOptional: (
      permit: Permit,
      field: string,
      id: ProjectId | undefined
    ) => Effect.Effect<ProjectId | null, ValidationFailed | StorageError>
    /** As `findNamed`, and locks the project until the transaction ends, for what is created in it. */
    readonly findNamedForUpdate: (
      permit: Permit,
      field: string,
      id: ProjectId
    ) => Effect.Effect<Project, ValidationFailed | StorageError>
    /**
     * Decodes a draft and locks the project that its `project` field names. Field errors of both are reported together,
     * with `more`, which the caller found itself.
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

const inScope = inScopeOrNotFound<Project>("Project", ({ id }) => ({ project: id }))

export const layer = Layer.effect(
  Projects,
  Effect.gen(function* () {
    const store = yield* ProjectStore
    const directory = yield* AgentDirectory
    const work = yield* UnitOfWork
    const jobs = yield* JobQueue

    const find = (permit: Permit, id: ProjectId) => inScope(permit, store.find(permit, id))
    const findForUpdate = (permit: Permit, id: ProjectId) => inScope(permit, store.findForUpdate(permit, id))
    const findNamed = (permit: Permit, field: string, id: ProjectId) =>
      find(permit, id).pipe(Effect.catchTag("NotFound", unknownId(field, id)))

    return Projects.of({
      find,
      findNamed,
      findOptional: (permit, field, id) =>
        id === undefined ? Effect.succeed(null) : Effect.map(findNamed(permit, field, id), (project) => project.id),
      findNamedForUpdate: (permit, field, id) =>
        findForUpdate(permit, id).pipe(Effect.catchTag("NotFound", unknownId(field, id))),
      decodeDraft: (permit, schema, input, more = noFieldErrors) =>
        Effect.gen(function* () {
          const draft = decode(schema)(input)
          const id = inputReader(input).optional("project", Fields.id(ProjectId))
          const project =
            id === undefined
              ? null
              : yield* Effect.catchTag(findForUpdate(permit, id), "NotFound", () => Effect.succeed(null))
          const errors = mergeFieldErrors(
            Either.isLeft(draft) ? draft.left : noFieldErrors,
            id !== undefined && project === null ? fieldError("project", Messages.unknownId(id)) : noFieldErrors,
            more
          )
          return Either.isLeft(draft) || project === null || hasFieldErrors(errors)
            ? yield* new ValidationFailed({ errors })
            : { draft: draft.right, project }
        }),
      create: useCase("projects.create")((permit, input) =>
        Effect.gen(function* () {
          const draft = yield* decodeInput(ProjectDraft, input)
          return yield* store.insert(permit, draft, yield* DateTime.now)
        })
      ),
      list: useCase("projects.list")((permit, query) =>
        Pages.paginate(Pages.PageQuery, query, (page) => store.list(permit, page))
      ),
      read: useCase("projects.read")(find),
      update: useCase("projects.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const project = yield* findForUpdate(permit, id)
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
              yield* findForUpdate(permit, id)
              const now = yield* DateTime.now
              yield* store.remove(permit, id, now)
              yield* jobs.enqueue(projectDeletionJob(permit.organizationId, id, DateTime.toEpochMillis(now)))
            })
          )
          .pipe(Effect.zipLeft(directory.invalidate(permit)))
      )
    })
  })
)
