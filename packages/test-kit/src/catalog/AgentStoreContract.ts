import { Agent, AgentStore, type NewAgent, OrganizationStore, ProjectStore } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { at } from "../storage/Moments.js"
import * as Arbitraries from "./CatalogArbitraries.js"
import { everyPage } from "./Pages.js"
import { newAgent } from "./NewAgent.js"
import { permit } from "./Permits.js"

const assistantIdOrNone: fc.Arbitrary<string | null> = fc.option(Arbitraries.assistantId)

/** An organization with two projects. */
const newOrganization = Effect.gen(function* () {
  const organizations = yield* OrganizationStore
  const projects = yield* ProjectStore
  const { id } = yield* organizations.insert({ name: "Contract" }, at(0))
  const toCreate = permit(id, "agents.create")
  return {
    id,
    project: yield* projects.insert(toCreate, { name: "One", description: "" }, at(0)),
    otherProject: yield* projects.insert(toCreate, { name: "Two", description: "" }, at(0)),
    toCreate,
    toRead: permit(id, "agents.read"),
    toDelete: permit(id, "agents.delete")
  }
})

/** Registers the contract tests of `AgentStore`; the database may be empty or in use. */
export const agentStoreContract = <E>(
  subject: string,
  stores: Layer.Layer<AgentStore | ProjectStore | OrganizationStore, E>
): void => {
  layer(stores)(`agents kept by ${subject}`, (it) => {
    it.effect.prop(
      "are found as inserted and as last saved, secrets included",
      [Arbitraries.newAgent, Arbitraries.newAgent, assistantIdOrNone],
      ([draft, patch, assistantId]) =>
        Effect.gen(function* () {
          const store = yield* AgentStore
          const { id: organizationId, project, toCreate, toRead } = yield* newOrganization
          const other = yield* store.insert(toCreate, newAgent({ projectId: project.id }), at(1))
          const made = yield* store.insert(toCreate, { ...draft, projectId: project.id, assistantId }, at(1))
          const expected = new Agent({
            ...draft,
            id: made.id,
            organizationId,
            projectId: project.id,
            assistantId,
            createdAt: at(1),
            updatedAt: at(1)
          })
          expect(made).toEqual(expected)
          const changed = new Agent({ ...made, ...patch, updatedAt: at(2) })
          yield* store.save(toCreate, changed)
          const found = Option.getOrThrow(yield* store.find(toRead, made.id))
          expect(found).toEqual(changed)
          expect(yield* store.findForUpdate(toRead, made.id)).toEqual(Option.some(changed))
          expect(yield* store.find(toRead, other.id)).toEqual(Option.some(other))
        }),
      { fastCheck: { numRuns: 30 } }
    )

    it.effect("never share an assistant id in an organization, and release it when deleted", () =>
      Effect.gen(function* () {
        const store = yield* AgentStore
        const projects = yield* ProjectStore
        const { otherProject, project, toCreate, toDelete, toRead } = yield* newOrganization
        const theirs = yield* newOrganization
        const named = (projectId: NewAgent["projectId"]) => newAgent({ projectId, assistantId: "asst" })
        const taken = { _tag: "AssistantIdTaken", assistantId: "asst" }
        const one = yield* store.insert(toCreate, named(project.id), at(1))
        expect(yield* Effect.flip(store.insert(toCreate, named(otherProject.id), at(1)))).toMatchObject(taken)
        yield* store.insert(theirs.toCreate, named(theirs.project.id), at(1))
        const two = yield* store.insert(toCreate, newAgent({ projectId: otherProject.id }), at(1))
        const renamed = new Agent({ ...two, assistantId: "asst" })
        expect(yield* Effect.flip(store.save(toCreate, renamed))).toMatchObject(taken)
        expect(yield* store.find(toRead, two.id)).toEqual(Option.some(two))
        yield* store.remove(toDelete, one.id, at(2))
        yield* store.save(toCreate, renamed)
        yield* projects.remove(toDelete, otherProject.id, at(3))
        expect(yield* store.find(toRead, two.id)).toEqual(Option.none())
        yield* store.insert(toCreate, named(project.id), at(4))
      })
    )

    it.effect("do not exist for another organization to read, change or delete", () =>
      Effect.gen(function* () {
        const store = yield* AgentStore
        const mine = yield* newOrganization
        const theirs = yield* newOrganization
        const agent = yield* store.insert(
          mine.toCreate,
          newAgent({ projectId: mine.project.id, assistantId: "asst" }),
          at(1)
        )
        const names = { ids: [agent.id], assistantIds: ["asst"] }
        expect(yield* store.find(theirs.toRead, agent.id)).toEqual(Option.none())
        expect(yield* store.findForUpdate(theirs.toRead, agent.id)).toEqual(Option.none())
        expect(yield* store.findAll(theirs.toRead, names)).toEqual([])
        expect((yield* store.list(theirs.toRead, { projectId: mine.project.id }, firstPage)).rows).toEqual([])
        yield* store.save(theirs.toCreate, new Agent({ ...agent, name: "Theirs" }))
        yield* store.remove(theirs.toDelete, agent.id, at(2))
        expect(yield* store.findAll(mine.toRead, names)).toEqual([agent])
      })
    )

    it.effect("are found by many ids and assistant ids at once, each agent once", () =>
      Effect.gen(function* () {
        const store = yield* AgentStore
        const { project, toCreate, toDelete, toRead } = yield* newOrganization
        const insert = (assistantId: string | null) =>
          store.insert(toCreate, newAgent({ projectId: project.id, assistantId }), at(1))
        const one = yield* insert("'1'")
        const two = yield* insert("Ä\u{1F514}")
        const three = yield* insert(null)
        const gone = yield* insert("gone")
        yield* store.remove(toDelete, gone.id, at(2))
        const idsOf = (agents: ReadonlyArray<Agent>) => agents.map(({ id }) => id).sort((a, b) => a - b)
        const all = [one.id, three.id, gone.id, one.id]
        expect(
          idsOf(yield* store.findAll(toRead, { ids: all, assistantIds: ["'1'", "Ä\u{1F514}", "gone", ""] }))
        ).toEqual(idsOf([one, two, three]))
        expect(yield* store.findAll(toRead, { ids: [], assistantIds: [] })).toEqual([])
        expect(yield* store.findAll(toRead, { ids: [], assistantIds: ["null", "'1"] })).toEqual([])
      })
    )

    it.effect("are listed for one project or all, newest first, once each, within the scope", () =>
      Effect.gen(function* () {
        const store = yield* AgentStore
        const { id, otherProject, project, toCreate, toRead } = yield* newOrganization
        const insert = (projectId: NewAgent["projectId"]) => store.insert(toCreate, newAgent({ projectId }), at(1))
        const agents = yield* Effect.forEach(
          [project.id, otherProject.id, project.id, project.id, otherProject.id],
          insert
        )
        const listed = (
          of: NewAgent["projectId"] | null,
          reading = toRead,
          between: Effect.Effect<unknown> = Effect.void
        ) =>
          everyPage((page) => store.list(reading, { projectId: of }, page), { limit: 2, between }).pipe(
            Effect.map((pages) => pages.flatMap(({ results }) => results.map((agent) => agents.indexOf(byId(agent)))))
          )
        const byId = (agent: Agent): Agent => agents.find((one) => Equal.equals(one.id, agent.id)) ?? agent
        expect(yield* listed(null)).toEqual([4, 3, 2, 1, 0])
        expect(yield* listed(project.id)).toEqual([3, 2, 0])
        const boundToProject = permit(id, "agents.list", [{ type: "project", id: otherProject.id }])
        expect(yield* listed(null, boundToProject)).toEqual([4, 1])
        expect(yield* listed(project.id, boundToProject)).toEqual([])
        const boundToAgents = permit(id, "agents.list", [
          { type: "agent", id: agents[0]?.id ?? 0 },
          { type: "agent", id: agents[4]?.id ?? 0 },
          { type: "dashboard", id: agents[2]?.id ?? 0 }
        ])
        expect(yield* listed(null, boundToAgents)).toEqual([4, 0])
        expect(yield* listed(null, toRead, Effect.orDie(insert(project.id)))).toEqual([4, 3, 2, 1, 0])
      })
    )
  })
}

const firstPage = { cursor: { at: "start" }, limit: 10 } as const
