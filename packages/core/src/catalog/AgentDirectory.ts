import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import type { OrganizationId } from "../kernel/Ids.js"
import { make as makeMemory } from "../kernel/ShortMemory.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Agent } from "./Agent.js"
import { type AgentNames, AgentStore } from "./AgentStore.js"

/**
 * Which agents go by which names, remembered for a few seconds, so that taking in a call does not ask storage for the
 * same agent every time (docs/decisions/0012-agents-remembered.md). What this process changes is seen at once; what
 * another process changes, within `Staleness`.
 */
export class AgentDirectory extends Context.Tag("@earshot/core/catalog/AgentDirectory")<
  AgentDirectory,
  {
    /** As `AgentStore.findAll`; only names that are not remembered cost a statement, one for all of them. */
    readonly findAll: (permit: Permit, names: AgentNames) => Effect.Effect<ReadonlyArray<Agent>, StorageFault>
    /** Forgets an organisation's agents; to be called when a change of them has been committed. */
    readonly forget: (permit: Permit) => Effect.Effect<void>
  }
>() {}

const idKey = (organizationId: OrganizationId, id: number) => `${organizationId}#${id}`
const assistantKey = (organizationId: OrganizationId, assistantId: string) => `${organizationId}@${assistantId}`

export const layer = Layer.effect(
  AgentDirectory,
  Effect.gen(function* () {
    const store = yield* AgentStore
    const memory = yield* makeMemory<Agent>(10_000)

    const recallAll = <Name>(names: ReadonlyArray<Name>, keyOf: (name: Name) => string) =>
      Effect.partition(names, (name) =>
        Effect.flatMap(memory.recall(keyOf(name)), (agent) =>
          agent === undefined ? Effect.fail(name) : Effect.succeed(agent)
        )
      )

    return AgentDirectory.of({
      findAll: (permit, names) =>
        Effect.gen(function* () {
          const { organizationId } = permit
          const [ids, byId] = yield* recallAll(names.ids, (id) => idKey(organizationId, id))
          const [assistantIds, byAssistant] = yield* recallAll(names.assistantIds, (id) =>
            assistantKey(organizationId, id)
          )
          const remembered = [...byId, ...byAssistant]
          const found =
            ids.length + assistantIds.length === 0
              ? remembered
              : [
                  ...remembered,
                  ...(yield* memory.learn(store.findAll(permit, { ids, assistantIds }), (agents) =>
                    agents.flatMap((agent) => [
                      [idKey(organizationId, agent.id), agent] as const,
                      ...(agent.assistantId === null
                        ? []
                        : [[assistantKey(organizationId, agent.assistantId), agent] as const])
                    ])
                  ))
                ]
          return [...new Map(found.map((agent) => [agent.id, agent])).values()]
        }),
      forget: (permit) => memory.forget((agent) => agent.organizationId === permit.organizationId)
    })
  })
)
