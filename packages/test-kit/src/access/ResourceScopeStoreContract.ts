import {
  AgentStore,
  type ResourceScope,
  ResourceScopeStore,
  DashboardStore,
  type OrganizationStore,
  ProjectStore
} from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { organizationWithAgent } from "../catalog/NewAgent.js"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

/** An organization with a project, an agent and a dashboard in it. */
const newOrganization = Effect.gen(function* () {
  const { agent, id, project } = yield* organizationWithAgent
  const dashboard = yield* (yield* DashboardStore).insert(
    permit(id, "dashboards.create"),
    { projectId: project.id, name: "D", filters: { given: null, filter: null } },
    at(0)
  )
  const bounds: ReadonlyArray<ResourceScope> = [
    { type: "project", id: project.id },
    { type: "agent", id: agent.id },
    { type: "dashboard", id: dashboard.id }
  ]
  return { id, project, agent, bounds, toIssue: permit(id, "access.issueToken") }
})

const ordered = (bounds: ReadonlyArray<ResourceScope>): ReadonlyArray<string> =>
  bounds.map(({ id, type }) => `${type} ${id}`).toSorted()

/** What every `BoundStore` has to do. */
export const resourceScopeStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<ResourceScopeStore | OrganizationStore | ProjectStore | AgentStore | DashboardStore, E>
): void => {
  layer(stores)(`resources of scopes in ${subject}`, (it) => {
    it.effect("exist until they are deleted, for their own organization, each once", () =>
      Effect.gen(function* () {
        const store = yield* ResourceScopeStore
        const mine = yield* newOrganization
        const theirs = yield* newOrganization
        const nowhere: ReadonlyArray<ResourceScope> = [
          { type: "result", id: 1_000_000 },
          { type: "agent", id: Number.MAX_SAFE_INTEGER }
        ]
        const present = (bounds: ReadonlyArray<ResourceScope>) =>
          Effect.map(store.present(mine.toIssue, bounds), ordered)
        expect(yield* present([])).toEqual([])
        expect(yield* present(nowhere)).toEqual([])
        expect(yield* present([...mine.bounds, ...nowhere, ...theirs.bounds, ...mine.bounds])).toEqual(
          ordered(mine.bounds)
        )
        yield* (yield* AgentStore).remove(permit(mine.id, "agents.delete"), mine.agent.id, at(1))
        expect(yield* present(mine.bounds)).toEqual(ordered(mine.bounds.filter(({ type }) => type !== "agent")))
        yield* (yield* ProjectStore).remove(permit(mine.id, "projects.delete"), mine.project.id, at(2))
        expect(yield* present(mine.bounds)).toEqual([])
        expect(yield* Effect.map(store.present(theirs.toIssue, theirs.bounds), ordered)).toEqual(ordered(theirs.bounds))
      })
    )
  })
}
