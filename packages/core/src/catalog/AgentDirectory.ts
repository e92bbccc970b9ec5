import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import type { AgentId, OrganizationId } from "../kernel/Ids.js"
import { make as makeCache } from "../kernel/TtlCache.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Agent } from "./Agent.js"
import { type AgentNames, AgentStore } from "./AgentStore.js"

/**
 * Agents by id and assistant id, cached, so that ingesting a call does not read the same agent from storage every time
 * (docs/decisions/0012-credential-and-agent-cache.md). Changes of this process are seen at once, those of another process
 * within `CacheTtl`.
 */
export class AgentDirectory extends Context.Tag("@earshot/core/catalog/AgentDirectory")<
  AgentDirectory,
  {
    /** As `AgentStore.findAll`; agents that are not cached are read in one statement. */
    readonly findAll: (permit: Permit, names: AgentNames) => Effect.Effect<ReadonlyArray<Agent>, StorageError>
    /** Invalidates an organization's agents; call it when a change has been committed. */
    readonly invalidate: (permit: Permit) => Effect.Effect<void>
  }
>() {}

const idKey = (organizationId: OrganizationId, id: number) => `${organizationId}#${id}`
const assistantKey = (organizationId: OrganizationId, assistantId: string) => `${organizationId}@${assistantId}`

export const layer = Layer.effect(
  AgentDirectory,
  Effect.gen(function* () {
    const store = yield* AgentStore
    const cache = yield* makeCache<Agent>(10_000)

    const entriesOf = (agent: Agent) => [
      [idKey(agent.organizationId, agent.id), agent] as const,
      ...(agent.assistantId === null ? [] : [[assistantKey(agent.organizationId, agent.assistantId), agent] as const])
    ]

    return AgentDirectory.of({
      findAll: (permit, names) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const found = new Map<AgentId, Agent>()
          const isUnknown = (key: string): boolean => {
            const agent = cache.get(key, now)
            if (agent !== undefined) found.set(agent.id, agent)
            return agent === undefined
          }
          const ids = names.ids.filter((id) => isUnknown(idKey(permit.organizationId, id)))
          const assistantIds = names.assistantIds.filter((id) => isUnknown(assistantKey(permit.organizationId, id)))
          if (ids.length + assistantIds.length === 0) return Effect.succeed([...found.values()])
          const lookup = cache.load(store.findAll(permit, { ids, assistantIds }), (agents) => agents.flatMap(entriesOf))
          return Effect.map(lookup, (agents) => {
            for (const agent of agents) found.set(agent.id, agent)
            return [...found.values()]
          })
        }),
      invalidate: (permit) => cache.invalidate((agent) => agent.organizationId === permit.organizationId)
    })
  })
)
