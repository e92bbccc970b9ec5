import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NotFound } from "../access/AccessErrors.js"
import { type Permit, reaches } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { decodeInput, type ValidationFailed } from "../kernel/Faults.js"
import { ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { Project, ProjectDraft, ProjectPatch } from "./Project.js"
import { ProjectStore } from "./ProjectStore.js"

/** Projects of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Projects extends Context.Tag("@earshot/core/catalog/Projects")<
  Projects,
  {
    readonly create: UseCase<"projects.create", [input: unknown], Project, ValidationFailed | StorageFault>
    readonly list: UseCase<"projects.list", [query: unknown], Pages.Page<Project>, ValidationFailed | StorageFault>
    readonly read: UseCase<"projects.read", [id: ProjectId], Project, NotFound | StorageFault>
    readonly update: UseCase<
      "projects.update",
      [id: ProjectId, input: unknown],
      Project,
      ValidationFailed | NotFound | StorageFault
    >
    /** Takes the project out of sight; what lies in it can no longer be reached. */
    readonly delete: UseCase<"projects.delete", [id: ProjectId], void, NotFound | StorageFault>
    /** A project that another use case was given the id of, when it is within the permit's reach. */
    readonly find: (permit: Permit, id: ProjectId) => Effect.Effect<Project, NotFound | StorageFault>
  }
>() {}

export const layer = Layer.effect(
  Projects,
  Effect.gen(function* () {
    const store = yield* ProjectStore
    const work = yield* UnitOfWork

    const find = (permit: Permit, id: ProjectId) =>
      store.find(permit, id).pipe(
        Effect.flatten,
        Effect.filterOrFail((project) => reaches(permit, { project: project.id })),
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "Project" }))
      )

    return Projects.of({
      find,
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
            const project = yield* find(permit, id)
            const patch = yield* decodeInput(ProjectPatch, input)
            const changed = new Project({ ...project, ...patch, updatedAt: yield* DateTime.now })
            yield* store.save(permit, changed)
            return changed
          })
        )
      ),
      delete: useCase("projects.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* find(permit, id)
            yield* store.remove(permit, id, yield* DateTime.now)
          })
        )
      )
    })
  })
)
