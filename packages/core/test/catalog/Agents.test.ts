import { Agents, encodeAgent, OrganizationId, Organizations, Projects } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`Agents on ${database}`, (it) => {
    it.effect("creates, reads, updates and deletes agents with the interface's field names", () =>
      Effect.gen(function* () {
        const { actor, project } = yield* TestEngine.fixture
        const agents = yield* Agents
        const as = TestEngine.as(actor)
        const made = yield* agents
          .create({
            project: project.id,
            name: "Desk",
            description: "Answers for {{company}}",
            assistant_id: "asst_1",
            provider: "provider_a",
            supported_channels: ["voice", "text", "voice"],
            chat_endpoint: { url: "https://bot.example/chat", kind: "webhook", headers: { Authorization: "Bearer x" } }
          })
          .pipe(as)
        const read = yield* agents.read(made.id).pipe(as)
        expect(read).toEqual(made)
        expect(Option.getOrThrow(agents.openChatEndpoint(read)).headers).toEqual({
          Authorization: Redacted.make("Bearer x")
        })
        expect(encodeAgent(read)).toMatchObject({
          id: made.id,
          project: project.id,
          agent_name: "Desk",
          supported_channels: ["voice", "text"],
          chat_endpoint: { headers: { Authorization: "********" } }
        })
        const changed = yield* agents.update(made.id, { name: "Front desk", assistant_id: null }).pipe(as)
        expect(changed).toMatchObject({ name: "Front desk", assistantId: null, description: made.description })
        expect((yield* agents.list({ project: project.id }).pipe(as)).results.map((agent) => agent.id)).toContain(
          made.id
        )
        yield* agents.delete(made.id).pipe(as)
        expect(yield* Effect.flip(agents.read(made.id).pipe(as))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("rejects an assistant id that another agent of the organization has", () =>
      Effect.gen(function* () {
        const { actor, project } = yield* TestEngine.fixture
        const other = yield* TestEngine.fixture
        const agents = yield* Agents
        const draft = { project: project.id, name: "One", assistant_id: "asst" }
        const one = yield* agents.create(draft).pipe(TestEngine.as(actor))
        expect(yield* Effect.flip(agents.create(draft).pipe(TestEngine.as(actor)))).toMatchObject({
          errors: { assistant_id: ["This field must be unique."] }
        })
        yield* agents.create({ ...draft, project: other.project.id }).pipe(TestEngine.as(other.actor))
        const two = yield* agents.create({ ...draft, assistant_id: null }).pipe(TestEngine.as(actor))
        expect(
          yield* Effect.flip(agents.update(two.id, { assistant_id: "asst" }).pipe(TestEngine.as(actor)))
        ).toMatchObject({ errors: { assistant_id: ["This field must be unique."] } })
        yield* agents.delete(one.id).pipe(TestEngine.as(actor))
        yield* agents.update(two.id, { assistant_id: "asst" }).pipe(TestEngine.as(actor))
      })
    )

    it.effect("deletes agents with their project", () =>
      Effect.gen(function* () {
        const { actor } = yield* TestEngine.fixture
        const projects = yield* Projects
        const agents = yield* Agents
        const as = TestEngine.as(actor)
        const project = yield* projects.create({ name: "Short-lived" }).pipe(as)
        const agent = yield* agents.create({ project: project.id, name: "One", assistant_id: "gone" }).pipe(as)
        yield* projects.delete(project.id).pipe(as)
        expect(yield* Effect.flip(agents.read(agent.id).pipe(as))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(agents.create({ project: project.id, name: "Two" }).pipe(as))).toMatchObject({
          errors: { project: [`Invalid pk "${project.id}" - object does not exist.`] }
        })
      })
    )
  })

  layer(TestEngine.layer(database))(`organizations on ${database}`, (it) => {
    it.effect("creates an organization with a project, an agent and an API key", () =>
      Effect.gen(function* () {
        const organizations = yield* Organizations
        const founded = yield* organizations.create({ name: "Acme" })
        expect(founded.agent.projectId).toBe(founded.project.id)
        expect(founded.apiKey.key.organizationId).toBe(founded.organization.id)
        expect(Redacted.value(founded.apiKey.secret)).toMatch(/^ear_[0-9A-Za-z]{49}$/)
        expect((yield* organizations.list({})).results).toContainEqual(founded.organization)
        expect(yield* organizations.read(founded.organization.id)).toEqual(founded.organization)
        expect(yield* Effect.flip(organizations.read(OrganizationId.make(4711)))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(organizations.create({ name: " " }))).toMatchObject({
          errors: { name: ["This field may not be blank."] }
        })
      })
    )
  })
}
