import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { NotFound } from "../access/AccessErrors.js"
import { inScopeOrNotFound } from "../access/OrNotFound.js"
import { type Permit, isInScope } from "../access/Permit.js"
import { RESEALED_AT_A_TIME, type SealedRow, type SealedSource } from "../access/Resealing.js"
import { SecretBox } from "../access/SecretBox.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { decodeInput, fieldError, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Fields from "../kernel/Fields.js"
import { type AgentId, ProjectId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import {
  Agent,
  AgentDraft,
  type AgentEndpoints,
  AgentPatch,
  type OpenChatEndpoint,
  type OpenVoiceEndpoint,
  SealedValue
} from "./Agent.js"
import type { AssistantIdTaken } from "./AgentErrors.js"
import { AgentDirectory } from "./AgentDirectory.js"
import { type AgentReference, referencedAgent } from "./AgentReference.js"
import { AgentStore } from "./AgentStore.js"
import {
  type EndpointsInput,
  endpointsOf,
  mapSecrets,
  openChatEndpoint,
  openSecret,
  openVoiceEndpoint,
  sealSecret,
  secretsOf
} from "./EndpointRules.js"
import { Projects } from "./Projects.js"

/** Agents of the caller's organization. Inputs are untrusted and validated here. */
export class Agents extends Context.Tag("@earshot/core/catalog/Agents")<
  Agents,
  {
    readonly create: UseCase<"agents.create", [input: Input<typeof AgentDraft>], Agent, ValidationFailed | StorageError>
    /** `{project?, cursor?, limit?}` */
    readonly list: UseCase<
      "agents.list",
      [query: Input<typeof AgentQuery>],
      Pages.Page<Agent>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"agents.read", [id: AgentId], Agent, NotFound | StorageError>
    readonly update: UseCase<
      "agents.update",
      [id: AgentId, input: Input<typeof AgentPatch>],
      Agent,
      ValidationFailed | NotFound | StorageError
    >
    /** Soft-deletes the agent; its calls are retained. */
    readonly delete: UseCase<"agents.delete", [id: AgentId], void, NotFound | StorageError>
    /** An agent for other use cases, if it is within the permit's scope. */
    readonly find: (permit: Permit, id: AgentId) => Effect.Effect<Agent, NotFound | StorageError>
    /** As `find`, and locks the row until the transaction ends. */
    readonly findForUpdate: (permit: Permit, id: AgentId) => Effect.Effect<Agent, NotFound | StorageError>
    /**
     * The agent that an input names by `agent`, `assistant_id` or both (interface, E10). Naming none, an unknown one, or
     * two different ones is an error of these fields. May be stale by `CacheTtl` (see `AgentDirectory`).
     */
    readonly resolve: (permit: Permit, name: AgentReference) => Effect.Effect<Agent, ValidationFailed | StorageError>
    /** The agent's chat endpoint with its headers opened; none if it has none, or if the key that sealed them is missing. */
    readonly openChatEndpoint: (agent: Agent) => Option.Option<OpenChatEndpoint>
    /** As `openChatEndpoint`, with the voice endpoint's headers and token. */
    readonly openVoiceEndpoint: (agent: Agent) => Option.Option<OpenVoiceEndpoint>
    /** The secrets of every agent's endpoints, to be sealed anew. */
    readonly sealed: SealedSource
  }
>() {}

/** The query of a list. */
export const AgentQuery = Fields.object({ ...Pages.PageQuery.fields, project: Fields.optional(Fields.id(ProjectId)) })

const NO_ENDPOINTS: AgentEndpoints = { chatEndpoint: null, voiceEndpoint: null }

const taken = (_: AssistantIdTaken) =>
  new ValidationFailed({ errors: fieldError("assistant_id", "This field must be unique.") })

const inScope = inScopeOrNotFound<Agent>("Agent", (agent) => ({ project: agent.projectId, agent: agent.id }))

export const layer = Layer.effect(
  Agents,
  Effect.gen(function* () {
    const store = yield* AgentStore
    const directory = yield* AgentDirectory
    const projects = yield* Projects
    const work = yield* UnitOfWork

    const box = yield* SecretBox

    const endpoints = ({ organizationId }: Permit, input: EndpointsInput, kept: AgentEndpoints) =>
      Either.mapLeft(
        endpointsOf(
          input,
          kept,
          Option.map(box, (sealing) => sealSecret(sealing, organizationId))
        ),
        (errors) => new ValidationFailed({ errors })
      )

    const sealed: SealedSource = {
      kind: "agent",
      list: (after) =>
        Effect.map(store.listSealed(Number(after?.id ?? 0), RESEALED_AT_A_TIME), (found) =>
          found.map(({ id, organizationId, ...kept }): SealedRow => {
            const secrets = secretsOf(kept, organizationId)
            return {
              id,
              secrets,
              replace: (anew) => {
                const replaced = new Map(
                  secrets.map(({ sealed: old }, position) => [old, SealedValue.make(anew[position] ?? old)])
                )
                return store.reseal(
                  id,
                  kept,
                  mapSecrets(kept, (old) => replaced.get(old) ?? old)
                )
              }
            }
          })
        )
    }

    const find = (permit: Permit, id: AgentId) => inScope(permit, store.find(permit, id))
    const findForUpdate = (permit: Permit, id: AgentId) => inScope(permit, store.findForUpdate(permit, id))

    const resolve = (permit: Permit, name: AgentReference) => {
      const id = name.agent ?? null
      const assistantId = name.assistantId ?? null
      const names = { ids: id === null ? [] : [id], assistantIds: assistantId === null ? [] : [assistantId] }
      return Effect.flatMap(directory.findAll(permit, names), (agents) => {
        const reached = agents.filter((one) => isInScope(permit, { project: one.projectId, agent: one.id }))
        return Either.mapLeft(referencedAgent(reached, id, assistantId), (errors) => new ValidationFailed({ errors }))
      })
    }

    return Agents.of({
      find,
      findForUpdate,
      openChatEndpoint: ({ chatEndpoint, organizationId }) =>
        chatEndpoint === null ? Option.none() : openChatEndpoint(openSecret(box, organizationId), chatEndpoint),
      openVoiceEndpoint: ({ organizationId, voiceEndpoint }) =>
        voiceEndpoint === null ? Option.none() : openVoiceEndpoint(openSecret(box, organizationId), voiceEndpoint),
      sealed,
      resolve,
      create: useCase("agents.create")((permit, input) =>
        work.atomically(
          Effect.gen(function* () {
            const draft = yield* decodeInput(AgentDraft, input)
            const { chatEndpoint, voiceEndpoint } = yield* endpoints(permit, draft, NO_ENDPOINTS)
            const project = yield* projects.findNamedForUpdate(permit, "project", draft.project)
            return yield* store.insert(
              permit,
              {
                projectId: project.id,
                name: draft.name,
                description: draft.description,
                assistantId: draft.assistant_id,
                provider: draft.provider,
                supportedChannels: [...new Set(draft.supported_channels)],
                chatEndpoint,
                voiceEndpoint
              },
              yield* DateTime.now
            )
          }).pipe(Effect.catchTag("AssistantIdTaken", taken))
        )
      ),
      list: useCase("agents.list")((permit, query) =>
        Pages.paginate(AgentQuery, query, (page, { project }) =>
          Effect.flatMap(projects.findOptional(permit, "project", project), (projectId) =>
            store.list(permit, { projectId }, page)
          )
        )
      ),
      read: useCase("agents.read")(find),
      update: useCase("agents.update")((permit, id, input) =>
        work
          .atomically(
            Effect.gen(function* () {
              const agent = yield* findForUpdate(permit, id)
              const patch = yield* decodeInput(AgentPatch, input)
              const { chatEndpoint, voiceEndpoint } = yield* endpoints(permit, patch, agent)
              const changed = new Agent({
                ...agent,
                name: patch.name ?? agent.name,
                description: patch.description ?? agent.description,
                assistantId: patch.assistant_id === undefined ? agent.assistantId : patch.assistant_id,
                provider: patch.provider === undefined ? agent.provider : patch.provider,
                supportedChannels:
                  patch.supported_channels === undefined
                    ? agent.supportedChannels
                    : [...new Set(patch.supported_channels)],
                chatEndpoint,
                voiceEndpoint,
                updatedAt: yield* DateTime.now
              })
              yield* store.save(permit, changed)
              return changed
            }).pipe(Effect.catchTag("AssistantIdTaken", taken))
          )
          .pipe(Effect.zipLeft(directory.invalidate(permit)))
      ),
      delete: useCase("agents.delete")((permit, id) =>
        work
          .atomically(
            Effect.gen(function* () {
              yield* findForUpdate(permit, id)
              yield* store.remove(permit, id, yield* DateTime.now)
            })
          )
          .pipe(Effect.zipLeft(directory.invalidate(permit)))
      )
    })
  })
)
