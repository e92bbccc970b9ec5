import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { decodeInput, fieldError, hasFieldErrors, noFieldErrors, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Fields from "../kernel/Fields.js"
import { type FolderId, ProjectId } from "../kernel/Ids.js"
import { inputReader } from "../kernel/InputReader.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { FolderTaken } from "./CatalogErrors.js"
import { Folder, FolderDraft, FolderPatch } from "./Folder.js"
import { missingPathErrors, validateMove, parentPath, validatePath, pathAndAncestors } from "./FolderPathRules.js"
import { FolderStore } from "./FolderStore.js"
import { Projects } from "./Projects.js"

/** The folders of the caller's organization. Inputs are untrusted and validated here. */
export class Folders extends Context.Tag("@earshot/core/catalog/Folders")<
  Folders,
  {
    /** `{project, path}`: one level under an existing folder. */
    readonly create: UseCase<
      "folders.create",
      [input: Input<typeof FolderDraft>],
      Folder,
      ValidationFailed | StorageError
    >
    /** `{project?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<
      "folders.list",
      [query: Input<typeof FolderQuery>],
      Pages.Page<Folder>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"folders.read", [id: FolderId], Folder, NotFound | StorageError>
    /** `{path?}`: renames or moves the folder with the folders and evaluators in it. */
    readonly update: UseCase<
      "folders.update",
      [id: FolderId, input: Input<typeof FolderPatch>],
      Folder,
      ValidationFailed | NotFound | StorageError
    >
    /** Deletes the folder and the folders in it; the evaluators in them move to its parent, or to the root. */
    readonly delete: UseCase<"folders.delete", [id: FolderId], void, NotFound | StorageError>
    /**
     * The folder that an input field names by path; null for the root. An invalid path, or one with a missing level, is an
     * error of that field. Locks the folder until the transaction ends.
     */
    readonly findAtPath: (
      permit: Permit,
      field: string,
      project: ProjectId,
      path: string
    ) => Effect.Effect<Folder | null, ValidationFailed | StorageError>
  }
>() {}

/** The query of a list. */
export const FolderQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId))
})

const taken = (_: FolderTaken) => new ValidationFailed({ errors: fieldError("path", "This field must be unique.") })

const inScope = inScopeOrNotFound<Folder>("Folder", (folder) => ({ project: folder.projectId }))

export const layer = Layer.effect(
  Folders,
  Effect.gen(function* () {
    const store = yield* FolderStore
    const projects = yield* Projects
    const work = yield* UnitOfWork

    const find = (permit: Permit, id: FolderId) => inScope(permit, store.find(permit, id))

    const named = (permit: Permit, field: string, project: ProjectId, path: string) =>
      Effect.gen(function* () {
        const malformed = validatePath(field, path, "root allowed")
        if (hasFieldErrors(malformed)) return yield* new ValidationFailed({ errors: malformed })
        const paths = pathAndAncestors(path)
        if (paths.length === 0) return null
        const held = yield* store.findPathsForUpdate(permit, project, paths)
        const missing = missingPathErrors(field, path, new Set(held.map((folder) => folder.path)))
        if (hasFieldErrors(missing)) return yield* new ValidationFailed({ errors: missing })
        return held.find((folder) => folder.path === path) ?? null
      })

    return Folders.of({
      findAtPath: named,
      create: useCase("folders.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const given = inputReader(input).optional("path", Fields.text())
            const malformed = given === undefined ? noFieldErrors : validatePath("path", given, "no root")
            const { draft, project } = yield* projects.decodeDraft(permit, FolderDraft, input, malformed)
            yield* named(permit, "path", project.id, parentPath(draft.path))
            return yield* store.insert(permit, { projectId: project.id, path: draft.path }, yield* DateTime.now)
          }).pipe(Effect.catchTag("FolderTaken", taken))
        )
      ),
      list: useCase("folders.list")((permit, query) =>
        Pages.paginate(FolderQuery, query, (page, { project }) =>
          Effect.flatMap(projects.findOptional(permit, "project", project), (projectId) =>
            store.list(permit, { projectId }, page)
          )
        )
      ),
      read: useCase("folders.read")(find),
      update: useCase("folders.update")((permit, id, input) =>
        work.atomicallyInBulk(
          Effect.gen(function* () {
            const seen = yield* find(permit, id)
            // Locks the project: a move depends on the paths of other folders.
            yield* projects.findNamedForUpdate(permit, "project", seen.projectId)
            const folder = yield* find(permit, id)
            const { path = folder.path } = yield* decodeInput(FolderPatch, input)
            if (path === folder.path) return folder
            const descendants = yield* store.pathsIn(permit, folder)
            const errors = validateMove("path", { from: folder.path, to: path, descendants })
            if (hasFieldErrors(errors)) return yield* new ValidationFailed({ errors })
            yield* named(permit, "path", folder.projectId, parentPath(path))
            const now = yield* DateTime.now
            yield* store.move(permit, folder, path, now)
            return new Folder({ ...folder, path, updatedAt: now })
          }).pipe(Effect.catchTag("FolderTaken", taken))
        )
      ),
      delete: useCase("folders.delete")((permit, id) =>
        work.atomicallyInBulk(
          Effect.gen(function* () {
            const seen = yield* find(permit, id)
            yield* projects
              .findNamedForUpdate(permit, "project", seen.projectId)
              .pipe(Effect.catchTag("ValidationFailed", () => new NotFound({ resource: "Folder" })))
            yield* store.remove(permit, yield* find(permit, id))
          })
        )
      )
    })
  })
)
