import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { decodeInput, type ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Fields from "../kernel/Fields.js"
import { ProjectId, type ToolId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { Tool, ToolDraft, ToolPatch } from "./Tool.js"
import { ToolStore } from "./ToolStore.js"
import { Projects } from "./Projects.js"

/** The tools of the caller's organization. Inputs are untrusted and validated here. */
export class Tools extends Context.Tag("@earshot/core/catalog/Tools")<
  Tools,
  {
    /** `{project, name, description?, parameters?}` */
    readonly create: UseCase<"tools.create", [input: Input<typeof ToolDraft>], Tool, ValidationFailed | StorageError>
    /** `{project?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<
      "tools.list",
      [query: Input<typeof ToolQuery>],
      Pages.Page<Tool>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"tools.read", [id: ToolId], Tool, NotFound | StorageError>
    readonly update: UseCase<
      "tools.update",
      [id: ToolId, input: Input<typeof ToolPatch>],
      Tool,
      ValidationFailed | NotFound | StorageError
    >
    /** Soft-deletes it and removes it from the evaluators that use it. */
    readonly delete: UseCase<"tools.delete", [id: ToolId], void, NotFound | StorageError>
    /** For other use cases: the tools with these ids, within the permit's scope. */
    readonly findAll: (permit: Permit, ids: ReadonlyArray<ToolId>) => Effect.Effect<ReadonlyArray<Tool>, StorageError>
    /** The ids and names of a project's tools; the caller has checked that the project is in scope. */
    readonly namesIn: (
      permit: Permit,
      project: ProjectId
    ) => Effect.Effect<ReadonlyArray<{ readonly id: ToolId; readonly name: string }>, StorageError>
  }
>() {}

/** The query of a list. */
export const ToolQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId))
})

const inScope = inScopeOrNotFound<Tool>("Tool", (tool) => ({ project: tool.projectId }))

export const layer = Layer.effect(
  Tools,
  Effect.gen(function* () {
    const store = yield* ToolStore
    const projects = yield* Projects
    const work = yield* UnitOfWork

    const find = (permit: Permit, id: ToolId) => inScope(permit, store.find(permit, id))

    return Tools.of({
      namesIn: store.namesIn,
      findAll: (permit, ids) => (ids.length === 0 ? Effect.succeed([]) : store.findAll(permit, ids)),
      create: useCase("tools.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const { draft, project } = yield* projects.decodeDraft(permit, ToolDraft, input)
            return yield* store.insert(
              permit,
              { projectId: project.id, name: draft.name, description: draft.description, parameters: draft.parameters },
              yield* DateTime.now
            )
          })
        )
      ),
      list: useCase("tools.list")((permit, query) =>
        Pages.paginate(ToolQuery, query, (page, { project }) =>
          Effect.flatMap(projects.findOptional(permit, "project", project), (projectId) =>
            store.list(permit, { projectId }, page)
          )
        )
      ),
      read: useCase("tools.read")(find),
      update: useCase("tools.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const tool = yield* inScope(permit, store.findForUpdate(permit, id))
            const patch = yield* decodeInput(ToolPatch, input)
            const changed = new Tool({ ...tool, ...patch, updatedAt: yield* DateTime.now })
            yield* store.save(permit, changed)
            return changed
          })
        )
      ),
      delete: useCase("tools.delete")((permit, id) =>
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
