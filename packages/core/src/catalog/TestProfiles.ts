import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import {
  decode,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  Messages,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { Input } from "../kernel/Input.js"
import { AgentId, ProjectId, type TestProfileId } from "../kernel/Ids.js"
import { inputReader } from "../kernel/InputReader.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { Agents } from "./Agents.js"
import { TestProfile, TestProfileDraft, TestProfilePatch } from "./TestProfile.js"
import { TestProfileStore } from "./TestProfileStore.js"
import { Projects } from "./Projects.js"

/** The test profiles of the caller's organization. Inputs are untrusted and validated here. */
export class TestProfiles extends Context.Tag("@earshot/core/catalog/TestProfiles")<
  TestProfiles,
  {
    /** `{project, name, agent?, information?}` */
    readonly create: UseCase<
      "testProfiles.create",
      [input: Input<typeof TestProfileDraft>],
      TestProfile,
      ValidationFailed | StorageError
    >
    /** `{project?, agent?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<
      "testProfiles.list",
      [query: Input<typeof TestProfileQuery>],
      Pages.Page<TestProfile>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"testProfiles.read", [id: TestProfileId], TestProfile, NotFound | StorageError>
    readonly update: UseCase<
      "testProfiles.update",
      [id: TestProfileId, input: Input<typeof TestProfilePatch>],
      TestProfile,
      ValidationFailed | NotFound | StorageError
    >
    /** Soft-deletes it and removes it from the evaluators that use it. */
    readonly delete: UseCase<"testProfiles.delete", [id: TestProfileId], void, NotFound | StorageError>
    /** A test profile for other use cases, if it is within the permit's scope. */
    readonly find: (permit: Permit, id: TestProfileId) => Effect.Effect<TestProfile, NotFound | StorageError>
    /** The ids and names of a project's test profiles; the caller has checked that the project is in scope. */
    readonly namesIn: (
      permit: Permit,
      project: ProjectId
    ) => Effect.Effect<ReadonlyArray<{ readonly id: TestProfileId; readonly name: string }>, StorageError>
  }
>() {}

/** The query of a list. */
export const TestProfileQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId)),
  agent: Fields.optional(Fields.id(AgentId))
})

const inScope = inScopeOrNotFound<TestProfile>("TestProfile", (profile) => ({
  project: profile.projectId,
  agent: profile.agentId ?? 0
}))

export const layer = Layer.effect(
  TestProfiles,
  Effect.gen(function* () {
    const store = yield* TestProfileStore
    const projects = yield* Projects
    const agents = yield* Agents
    const work = yield* UnitOfWork

    const find = (permit: Permit, id: TestProfileId) => inScope(permit, store.find(permit, id))

    /**
     * The agent that an input names, which must be of the profile's project, with the field errors; undefined if the
     * input leaves it out.
     */
    const agentNamed = (permit: Permit, project: ProjectId | undefined, input: unknown) =>
      Effect.gen(function* () {
        const id = inputReader(input).optional("agent", Fields.nullable(Fields.id(AgentId)))
        if (id === undefined || id === null) return { agent: id, errors: noFieldErrors }
        const agent = yield* Effect.catchTag(agents.find(permit, id), "NotFound", () => Effect.succeed(null))
        return agent === null || (project !== undefined && agent.projectId !== project)
          ? { agent: null, errors: fieldError("agent", Messages.unknownId(id)) }
          : { agent, errors: noFieldErrors }
      })

    return TestProfiles.of({
      namesIn: store.namesIn,
      find,
      create: useCase("testProfiles.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const named = yield* agentNamed(permit, inputReader(input).optional("project", Fields.id(ProjectId)), input)
            const { draft, project } = yield* projects.decodeDraft(permit, TestProfileDraft, input, named.errors)
            return yield* store.insert(
              permit,
              {
                projectId: project.id,
                name: draft.name,
                agentId: named.agent?.id ?? null,
                information: draft.information
              },
              yield* DateTime.now
            )
          })
        )
      ),
      list: useCase("testProfiles.list")((permit, query) =>
        Pages.paginate(TestProfileQuery, query, (page, { agent = null, project }) =>
          Effect.flatMap(projects.findOptional(permit, "project", project), (projectId) =>
            store.list(permit, { projectId, agentId: agent }, page)
          )
        )
      ),
      read: useCase("testProfiles.read")(find),
      update: useCase("testProfiles.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const profile = yield* inScope(permit, store.findForUpdate(permit, id))
            const { agent, errors } = yield* agentNamed(permit, profile.projectId, input)
            const read = decode(TestProfilePatch)(input)
            if (Either.isLeft(read)) return yield* new ValidationFailed({ errors: mergeFieldErrors(read.left, errors) })
            if (hasFieldErrors(errors)) return yield* new ValidationFailed({ errors })
            const patch = read.right
            const changed = new TestProfile({
              ...profile,
              name: patch.name ?? profile.name,
              information: patch.information ?? profile.information,
              agentId: agent === undefined ? profile.agentId : (agent?.id ?? null),
              agentName: agent === undefined ? profile.agentName : (agent?.name ?? null),
              lastUpdatedBy: permit.userId,
              updatedAt: yield* DateTime.now
            })
            yield* store.save(permit, changed)
            return changed
          })
        )
      ),
      delete: useCase("testProfiles.delete")((permit, id) =>
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
