import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NotFound } from "../access/AccessErrors.js"
import { orNotFound } from "../access/OrNotFound.js"
import { CurrentActor, hostActor } from "../access/Actor.js"
import type { IssuedApiKey } from "../access/ApiKey.js"
import { ApiKeys } from "../access/ApiKeys.js"
import { decodeInput, type ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import type { OrganizationId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { Agent } from "./Agent.js"
import { Agents } from "./Agents.js"
import { type Organization, OrganizationDraft } from "./Organization.js"
import { OrganizationStore } from "./OrganizationStore.js"
import type { Project } from "./Project.js"
import { Projects } from "./Projects.js"

/** A new organization, ready to use. */
export interface CreatedOrganization {
  readonly organization: Organization
  readonly project: Project
  readonly agent: Agent
  /** A key with every scope; its secret is not shown again. */
  readonly apiKey: IssuedApiKey
}

/**
 * The organizations of this database, for its operator. No actor is checked, since actors belong to an organization;
 * adapters must not expose these functions.
 */
export class Organizations extends Context.Tag("@earshot/core/catalog/Organizations")<
  Organizations,
  {
    /** Creates an organization from `{name}` with a project, an agent and an API key, in one transaction. */
    readonly create: (
      input: Input<typeof OrganizationDraft>
    ) => Effect.Effect<CreatedOrganization, ValidationFailed | StorageError>
    readonly read: (id: OrganizationId) => Effect.Effect<Organization, NotFound | StorageError>
    /** Newest first: `{cursor?, limit?}` */
    readonly list: (
      query: Input<typeof Pages.PageQuery>
    ) => Effect.Effect<Pages.Page<Organization>, ValidationFailed | StorageError>
  }
>() {}

export const layer = Layer.effect(
  Organizations,
  Effect.gen(function* () {
    const store = yield* OrganizationStore
    const projects = yield* Projects
    const agents = yield* Agents
    const keys = yield* ApiKeys
    const work = yield* UnitOfWork

    return Organizations.of({
      create: Effect.fn("Organizations.create")((input) =>
        work.atomically(
          Effect.gen(function* () {
            const draft = yield* decodeInput(OrganizationDraft, input)
            const organization = yield* store.insert(draft, yield* DateTime.now)
            return yield* Effect.gen(function* () {
              const project = yield* projects.create({ name: "Default project" })
              const agent = yield* agents.create({ project: project.id, name: "Default agent" })
              const apiKey = yield* keys.create({ name: "First key" })
              return { organization, project, agent, apiKey }
            }).pipe(
              Effect.provideService(CurrentActor, hostActor(organization.id)),
              // The host has every permission, so none of them can occur.
              Effect.catchTags({ Forbidden: Effect.die, ResultWithheld: Effect.die, Unauthenticated: Effect.die })
            )
          })
        )
      ),
      read: Effect.fn("Organizations.read")(function* (id) {
        return yield* orNotFound("Organization")(store.find(id))
      }),
      list: Effect.fn("Organizations.list")((query) => Pages.paginate(Pages.PageQuery, query, store.list))
    })
  })
)
