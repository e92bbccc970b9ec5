import { type Actor, Agents, type CurrentActor, Projects } from "@earshot/core"
import { CatalogKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

const notFound = { _tag: "NotFound" }
const unknown = (id: number | string) => [`Invalid pk "${id}" - object does not exist.`]

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`catalog scope on ${database}`, (it) => {
    it.effect("hides the catalog of another organization", () =>
      Effect.gen(function* () {
        const projects = yield* Projects
        const agents = yield* Agents
        const mine = yield* TestEngine.fixture
        const theirs = yield* TestEngine.fixture
        const as = TestEngine.as(theirs.actor)
        const refusal = (useCase: Effect.Effect<unknown, unknown, CurrentActor>) => Effect.flip(as(useCase))
        const { agent, project } = mine
        for (const attempt of [
          projects.read(project.id),
          projects.update(project.id, { name: "Theirs" }),
          projects.delete(project.id),
          agents.read(agent.id),
          agents.update(agent.id, { name: "Theirs" }),
          agents.delete(agent.id)
        ]) {
          expect(yield* refusal(attempt)).toMatchObject(notFound)
        }
        for (const attempt of [
          agents.create({ project: project.id, name: "x" }),
          agents.list({ project: project.id })
        ]) {
          expect(yield* refusal(attempt)).toMatchObject({ errors: { project: unknown(project.id) } })
        }
        expect((yield* as(projects.list({}))).results.map(({ id }) => id)).toEqual([theirs.project.id])
        expect((yield* as(agents.list({}))).results.map(({ id }) => id)).toEqual([theirs.agent.id])
        expect(yield* projects.read(project.id).pipe(TestEngine.as(mine.actor))).toEqual(project)
        expect(yield* agents.read(agent.id).pipe(TestEngine.as(mine.actor))).toEqual(agent)
      })
    )

    it.effect("hides what is outside a credential's scope", () =>
      Effect.gen(function* () {
        const projects = yield* Projects
        const agents = yield* Agents
        const { actor, agent, project } = yield* TestEngine.fixture
        const host = TestEngine.as(actor)
        const elsewhere = yield* host(projects.create({ name: "Elsewhere" }))
        const stranger = yield* host(agents.create({ project: elsewhere.id, name: "Stranger" }))
        const sibling = yield* host(agents.create({ project: project.id, name: "Sibling" }))
        const session = (bounds: Actor["bounds"]) =>
          TestEngine.as({ ...actor, credential: "dashboard_session", bounds })

        const inProject = session([{ type: "project", id: project.id }])
        expect((yield* inProject(projects.list({}))).results).toEqual([project])
        expect((yield* inProject(agents.list({}))).results).toEqual([sibling, agent])
        yield* inProject(agents.create({ project: project.id, name: "Fine" }))
        expect(yield* Effect.flip(inProject(projects.read(elsewhere.id)))).toMatchObject(notFound)
        expect(yield* Effect.flip(inProject(agents.read(stranger.id)))).toMatchObject(notFound)
        expect(yield* Effect.flip(inProject(agents.create({ project: elsewhere.id, name: "x" })))).toMatchObject({
          errors: { project: unknown(elsewhere.id) }
        })
        expect(yield* Effect.flip(inProject(projects.create({ name: "x" })))).toMatchObject({ _tag: "Forbidden" })

        const ofAgent = session([{ type: "agent", id: agent.id }])
        expect((yield* ofAgent(projects.list({}))).results).toEqual([])
        expect((yield* ofAgent(agents.list({}))).results).toEqual([agent])
        expect(yield* ofAgent(agents.read(agent.id))).toEqual(agent)
        expect(yield* Effect.flip(ofAgent(agents.update(sibling.id, {})))).toMatchObject(notFound)
        expect(yield* Effect.flip(ofAgent(agents.create({ project: project.id, name: "x" })))).toMatchObject({
          errors: { project: unknown(project.id) }
        })
      })
    )

    it.effect("keeps both of two concurrent changes", () =>
      Effect.gen(function* () {
        const projects = yield* Projects
        const agents = yield* Agents
        const { actor, agent, project } = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        for (let round = 0; round < 5; round++) {
          const text = `round ${round}`
          yield* Effect.all(
            [
              projects.update(project.id, { name: text }),
              projects.update(project.id, { description: text }),
              agents.update(agent.id, { name: text }),
              agents.update(agent.id, { description: text })
            ],
            { concurrency: "unbounded" }
          ).pipe(as)
          expect(yield* as(projects.read(project.id))).toMatchObject({ name: text, description: text })
          expect(yield* as(agents.read(agent.id))).toMatchObject({ name: text, description: text })
        }
      })
    )

    it.effect("creates no agent in a project that is deleted at the same time", () =>
      Effect.gen(function* () {
        const projects = yield* Projects
        const agents = yield* Agents
        const { actor, agent } = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        for (let round = 0; round < 5; round++) {
          const project = yield* as(projects.create({ name: "Short-lived" }))
          yield* Effect.all(
            [
              Effect.either(agents.create({ project: project.id, name: "One" })),
              projects.delete(project.id),
              Effect.either(agents.create({ project: project.id, name: "Two" }))
            ],
            { concurrency: "unbounded" }
          ).pipe(as)
          expect((yield* as(agents.list({}))).results.map(({ id }) => id)).toEqual([agent.id])
        }
      })
    )

    it.effect("finds the agent that a call names by id, by assistant id or by both", () =>
      Effect.gen(function* () {
        const agents = yield* Agents
        const { actor, agent, organization, project } = yield* TestEngine.fixture
        const theirs = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        const other = yield* as(agents.create({ project: project.id, name: "Other", assistant_id: "asst" }))
        const permit = CatalogKit.permit(organization.id, "calls.ingest")
        const resolve = (name: Parameters<typeof agents.resolve>[1]) => Effect.either(agents.resolve(permit, name))
        for (const _ of ["asked", "remembered"]) {
          expect(yield* resolve({ agent: agent.id })).toEqual(Either.right(agent))
          expect(yield* resolve({ agent: agent.id, assistantId: null })).toEqual(Either.right(agent))
          expect(yield* resolve({ assistantId: "asst" })).toEqual(Either.right(other))
          expect(yield* resolve({ agent: other.id, assistantId: "asst" })).toEqual(Either.right(other))
          expect(yield* resolve({ agent: agent.id, assistantId: "asst" })).toMatchObject({
            left: { errors: { assistant_id: ["This assistant is another agent's."] } }
          })
          expect(yield* resolve({})).toMatchObject({
            left: {
              errors: {
                agent: ["This field is required if assistant_id is not provided."],
                assistant_id: ["This field is required if agent is not provided."]
              }
            }
          })
          expect(yield* resolve({ agent: theirs.agent.id, assistantId: "nobody" })).toMatchObject({
            left: { errors: { agent: unknown(theirs.agent.id), assistant_id: unknown("nobody") } }
          })
          const bound = CatalogKit.permit(organization.id, "calls.ingest", [{ type: "agent", id: agent.id }])
          expect(yield* Effect.flip(agents.resolve(bound, { assistantId: "asst" }))).toMatchObject({
            errors: { assistant_id: unknown("asst") }
          })
        }
      })
    )

    it.effect("sees a change of a cached agent by the same process at once", () =>
      Effect.gen(function* () {
        const agents = yield* Agents
        const projects = yield* Projects
        const { actor, organization } = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        const permit = CatalogKit.permit(organization.id, "calls.ingest")
        const project = yield* as(projects.create({ name: "Short-lived" }))
        const make = (assistant_id: string) => as(agents.create({ project: project.id, name: "One", assistant_id }))
        const one = yield* make("asst")
        expect(yield* agents.resolve(permit, { assistantId: "asst" })).toEqual(one)
        const changed = yield* as(agents.update(one.id, { assistant_id: "renamed" }))
        expect(yield* Effect.flip(agents.resolve(permit, { assistantId: "asst" }))).toMatchObject({
          errors: { assistant_id: unknown("asst") }
        })
        expect(yield* agents.resolve(permit, { assistantId: "renamed" })).toEqual(changed)
        yield* as(agents.delete(one.id))
        expect(yield* Effect.flip(agents.resolve(permit, { agent: one.id }))).toMatchObject({
          errors: { agent: unknown(one.id) }
        })
        const two = yield* make("asst")
        yield* agents.resolve(permit, { agent: two.id })
        yield* as(projects.delete(project.id))
        expect(yield* Effect.flip(agents.resolve(permit, { agent: two.id }))).toMatchObject({
          errors: { agent: unknown(two.id) }
        })
      })
    )
  })
}
