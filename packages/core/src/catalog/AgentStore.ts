import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Agent, Channel, ChatEndpoint } from "./Agent.js"
import type { AssistantIdTaken } from "./AgentErrors.js"

/** What is kept of a new agent. */
export interface NewAgent {
  readonly projectId: ProjectId
  readonly name: string
  readonly description: string
  readonly assistantId: string | null
  readonly provider: string | null
  readonly supportedChannels: ReadonlyArray<Channel>
  readonly chatEndpoint: ChatEndpoint | null
}

/** A chat endpoint with sealed headers, and the agent whose it is. */
export interface SealedChatEndpoint {
  readonly id: AgentId
  readonly organizationId: OrganizationId
  readonly chatEndpoint: ChatEndpoint
}

/** Which agents are looked for; an agent that answers to either list is found, once. */
export interface AgentNames {
  readonly ids: ReadonlyArray<AgentId>
  readonly assistantIds: ReadonlyArray<string>
}

/**
 * What storage promises about agents. A permit's organisation bounds every answer; deleted agents, and those of deleted
 * projects, are not there. No two agents of an organisation that are there share an assistant id.
 */
export class AgentStore extends Context.Tag("@earshot/core/catalog/AgentStore")<
  AgentStore,
  {
    /** Keeps a new agent, and with it the predefined metrics: every agent has them until they are switched off. */
    readonly insert: (
      permit: Permit<"catalog:write">,
      agent: NewAgent,
      now: DateTime.Utc
    ) => Effect.Effect<Agent, AssistantIdTaken | StorageError>
    readonly find: (permit: Permit, id: AgentId) => Effect.Effect<Option.Option<Agent>, StorageError>
    /** As `find`, and nobody changes or deletes the agent until the transaction ends: for what changes it. */
    readonly findForUpdate: (permit: Permit, id: AgentId) => Effect.Effect<Option.Option<Agent>, StorageError>
    /** All agents that go by these names, in one statement and in no order. */
    readonly findAll: (permit: Permit, names: AgentNames) => Effect.Effect<ReadonlyArray<Agent>, StorageError>
    /** Newest first, of one project or of all; within the permit's reach; up to one more than the page holds. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null },
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<Agent>, StorageError>
    /** Saves the changed agent as a whole. */
    readonly save: (
      permit: Permit<"catalog:write">,
      agent: Agent
    ) => Effect.Effect<void, AssistantIdTaken | StorageError>
    /** Takes the agent out of sight; its assistant id is free again. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: AgentId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** The chat endpoints of all organizations, ordered by agent id, after an id; deleted agents included. */
    readonly listSealed: (
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SealedChatEndpoint>, StorageError>
    /** Replaces a chat endpoint by the same one sealed with another key, unless it has changed since. */
    readonly reseal: (id: AgentId, from: ChatEndpoint, to: ChatEndpoint) => Effect.Effect<void, StorageError>
  }
>() {}
