import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Agent, AgentEndpoints, Channel } from "./Agent.js"
import type { AssistantIdTaken } from "./AgentErrors.js"

/** What is stored of a new agent. */
export interface NewAgent extends AgentEndpoints {
  readonly projectId: ProjectId
  readonly name: string
  readonly description: string
  readonly assistantId: string | null
  readonly provider: string | null
  readonly supportedChannels: ReadonlyArray<Channel>
}

/** An agent's endpoints with sealed secrets. */
export interface SealedEndpoints extends AgentEndpoints {
  readonly id: AgentId
  readonly organizationId: OrganizationId
}

/** Which agents to find: those in either list, each once. */
export interface AgentNames {
  readonly ids: ReadonlyArray<AgentId>
  readonly assistantIds: ReadonlyArray<string>
}

/**
 * Storage of agents, limited to the permit's organization; soft-deleted agents, and those of deleted
 * projects, are not found. No two agents of an organization share an assistant id.
 */
export class AgentStore extends Context.Tag("@earshot/core/catalog/AgentStore")<
  AgentStore,
  {
    /** Inserts an agent with the predefined metrics, which every agent has until they are deleted. */
    readonly insert: (
      permit: Permit<"catalog:write">,
      agent: NewAgent,
      now: DateTime.Utc
    ) => Effect.Effect<Agent, AssistantIdTaken | StorageError>
    readonly find: (permit: Permit, id: AgentId) => Effect.Effect<Option.Option<Agent>, StorageError>
    /** As `find`, and locks the row until the transaction ends. */
    readonly findForUpdate: (permit: Permit, id: AgentId) => Effect.Effect<Option.Option<Agent>, StorageError>
    /** The agents with these ids and assistant ids, in one statement and in no order. */
    readonly findAll: (permit: Permit, names: AgentNames) => Effect.Effect<ReadonlyArray<Agent>, StorageError>
    /** Newest first, of one project or of all; within the permit's scope; up to one row more than the page holds. */
    readonly list: (
      permit: Permit<"catalog:read">,
      of: { readonly projectId: ProjectId | null },
      page: PageRequest
    ) => Effect.Effect<Found<Agent>, StorageError>
    /** Saves all of its fields. */
    readonly save: (
      permit: Permit<"catalog:write">,
      agent: Agent
    ) => Effect.Effect<void, AssistantIdTaken | StorageError>
    /** Soft-deletes the agent; its assistant id can be used again. */
    readonly remove: (
      permit: Permit<"catalog:delete">,
      id: AgentId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /**
     * The endpoints of all organizations' agents that have one, ordered by agent id, after an id; deleted agents included.
     */
    readonly listSealed: (after: number, limit: number) => Effect.Effect<ReadonlyArray<SealedEndpoints>, StorageError>
    /** Replaces an agent's endpoints by the same ones sealed with another key, unless one has changed since. */
    readonly reseal: (id: AgentId, from: AgentEndpoints, to: AgentEndpoints) => Effect.Effect<void, StorageError>
  }
>() {}
