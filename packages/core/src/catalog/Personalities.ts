import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import {
  decodeInput,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  Messages,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { Input } from "../kernel/Input.js"
import { ProjectId, type PersonalityId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type EnableInput, parseEnableRequest } from "./EnableRules.js"
import { LanguageCode } from "./LanguageCode.js"
import { Personality, PersonalityDraft, PersonalityPatch, type PersonalityAvailability } from "./Personality.js"
import { PersonalityStore } from "./PersonalityStore.js"
import { Projects } from "./Projects.js"

/** The personalities of the caller's organization. Inputs are untrusted and validated here. */
export class Personalities extends Context.Tag("@earshot/core/catalog/Personalities")<
  Personalities,
  {
    /** `{project, name, language, description?}`; not enabled in any project until `enable`. */
    readonly create: UseCase<
      "personalities.create",
      [input: Input<typeof PersonalityDraft>],
      Personality,
      ValidationFailed | StorageError
    >
    /** `{project?, enabled_in?, language?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<
      "personalities.list",
      [query: Input<typeof PersonalityQuery>],
      Pages.Page<Personality>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"personalities.read", [id: PersonalityId], Personality, NotFound | StorageError>
    readonly update: UseCase<
      "personalities.update",
      [id: PersonalityId, input: Input<typeof PersonalityPatch>],
      Personality,
      ValidationFailed | NotFound | StorageError
    >
    /** Soft-deletes it and removes it from the evaluators that use it. */
    readonly delete: UseCase<"personalities.delete", [id: PersonalityId], void, NotFound | StorageError>
    /**
     * `{personalities, language?}`: enables personalities in the project and returns all enabled ones, oldest first.
     * Source: interface, E7; see `EnableRules` for the forms of `personalities`.
     */
    readonly enable: UseCase<
      "personalities.enable",
      [project: ProjectId, input: Input<typeof EnableInput>],
      ReadonlyArray<Personality>,
      ValidationFailed | NotFound | StorageError
    >
    /**
     * Whether a project's evaluators and suites may use a personality: only if it is `enabled`. Without a project, since the
     * input names no existing one, it is enough that the personality exists.
     */
    readonly availability: (
      permit: Permit,
      project: ProjectId | null,
      id: PersonalityId
    ) => Effect.Effect<PersonalityAvailability, StorageError>
    /** All that the project has enabled, oldest first; the caller has checked that the project is in scope. */
    readonly enabledIn: (permit: Permit, project: ProjectId) => Effect.Effect<ReadonlyArray<Personality>, StorageError>
    /** Which of these exist, within the permit's scope. */
    readonly existingIds: (
      permit: Permit,
      ids: ReadonlyArray<PersonalityId>
    ) => Effect.Effect<ReadonlySet<PersonalityId>, StorageError>
  }
>() {}

/** The query of a list. */
export const PersonalityQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId)),
  /** Those enabled in this project. */
  enabled_in: Fields.optional(Fields.id(ProjectId)),
  language: Fields.optional(Fields.choice(LanguageCode.literals))
})

const inScope = inScopeOrNotFound<Personality>("Personality", (personality) => ({ project: personality.projectId }))

export const layer = Layer.effect(
  Personalities,
  Effect.gen(function* () {
    const store = yield* PersonalityStore
    const projects = yield* Projects
    const work = yield* UnitOfWork

    const find = (permit: Permit, id: PersonalityId) => inScope(permit, store.find(permit, id))

    return Personalities.of({
      enabledIn: store.enabledIn,
      existingIds: (permit, ids) => (ids.length === 0 ? Effect.succeed(new Set()) : store.existingIds(permit, ids)),
      availability: (permit, project, id) =>
        Effect.gen(function* () {
          // A personality of another project that is enabled here is in the scope of this project.
          if (project !== null && (yield* store.isEnabled(permit, project, id))) return "enabled"
          const exists = yield* find(permit, id).pipe(
            Effect.as(true),
            Effect.catchTag("NotFound", () => Effect.succeed(false))
          )
          return exists ? (project === null ? "enabled" : "not enabled") : "unknown"
        }),
      create: useCase("personalities.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const { draft, project } = yield* projects.decodeDraft(permit, PersonalityDraft, input)
            return yield* store.insert(
              permit,
              {
                projectId: project.id,
                name: draft.name,
                language: draft.language,
                description: draft.description,
                voiceBehavior: draft.voice_behavior
              },
              yield* DateTime.now
            )
          })
        )
      ),
      list: useCase("personalities.list")((permit, query) =>
        Pages.paginate(PersonalityQuery, query, (page, { enabled_in, language = null, project }) =>
          Effect.gen(function* () {
            const projectId = yield* projects.findOptional(permit, "project", project)
            const enabledIn = yield* projects.findOptional(permit, "enabled_in", enabled_in)
            return yield* store.list(permit, { projectId, enabledIn, language }, page)
          })
        )
      ),
      read: useCase("personalities.read")(find),
      update: useCase("personalities.update")((permit, id, input) =>
        work.atomically(
          Effect.gen(function* () {
            const personality = yield* inScope(permit, store.findForUpdate(permit, id))
            const { voice_behavior: behavior, ...patch } = yield* decodeInput(PersonalityPatch, input)
            const changed = new Personality({
              ...personality,
              ...patch,
              voiceBehavior: behavior === undefined ? personality.voiceBehavior : behavior,
              updatedAt: yield* DateTime.now
            })
            yield* store.save(permit, changed)
            return changed
          })
        )
      ),
      delete: useCase("personalities.delete")((permit, id) =>
        work.atomically(
          Effect.gen(function* () {
            yield* inScope(permit, store.findForUpdate(permit, id))
            yield* store.remove(permit, id, yield* DateTime.now)
          })
        )
      ),
      enable: useCase("personalities.enable")((permit, projectId, input) =>
        work.atomically(
          Effect.gen(function* () {
            const project = yield* projects.find(permit, projectId)
            // Locked, so that it is not deleted meanwhile.
            yield* projects.findNamedForUpdate(permit, "project", project.id)
            const { errors, request } = parseEnableRequest(input)
            const named = request.personalities === "all" ? [] : request.personalities
            const known = yield* store.existingIds(permit, named)
            const unknown = named.filter((id) => !known.has(id)).map(Messages.unknownId)
            const all = mergeFieldErrors(
              errors,
              unknown.length === 0 ? noFieldErrors : fieldError("personalities", ...unknown)
            )
            if (hasFieldErrors(all)) return yield* new ValidationFailed({ errors: all })
            yield* store.enable(permit, project.id, request)
            return yield* store.enabledIn(permit, project.id)
          })
        )
      )
    })
  })
)
