import { Agents, AgentWire, MASKED, encodeAgent, encodeProject, Project, Projects, untrusted } from "@earshot/core"
import { codePoint, CatalogKit, TestEngine } from "@earshot/test-kit"
import { expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"

const { CatalogArbitraries } = CatalogKit

it("encodes every field of a project", () => {
  fc.assert(
    fc.property(CatalogArbitraries.project, (project) => {
      expect(Schema.decodeUnknownSync(Project)(JSON.parse(JSON.stringify(encodeProject(project))))).toEqual(project)
    })
  )
})

it("encodes every field of an agent except header values", () => {
  fc.assert(
    fc.property(CatalogArbitraries.agent, (agent) => {
      const wire = JSON.parse(JSON.stringify(encodeAgent(agent)))
      expect(Schema.is(AgentWire)(wire)).toBe(true)
      expect(wire).toMatchObject({ id: agent.id, agent_name: agent.name, description: agent.description })
      for (const [shown, endpoint] of [
        [wire.chat_endpoint, agent.chatEndpoint],
        [wire.voice_endpoint, agent.voiceEndpoint]
      ] as const) {
        const headers = shown?.headers ?? {}
        expect(Object.keys(headers)).toEqual(Object.keys(endpoint?.headers ?? {}))
        expect(new Set(Object.values(headers))).toEqual(new Set(Object.keys(headers).length === 0 ? [] : [MASKED]))
      }
      expect(wire.voice_endpoint?.auth_token ?? null).toBe((agent.voiceEndpoint?.authToken ?? null) && MASKED)
    })
  )
})

/** Anything that a client may send, and inputs that are nearly right. */
const hostile = fc.oneof(
  fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withSparseArray: true, withMap: true }),
  fc.jsonValue(),
  fc.record(
    {
      project: fc.anything(),
      name: fc.oneof(fc.string({ unit: codePoint, maxLength: 300 }), fc.anything()),
      description: fc.constantFrom("\0", "\ud800", 7, null, undefined, "fine"),
      assistant_id: fc.anything(),
      supported_channels: fc.oneof(fc.array(fc.constantFrom("voice", "fax", "__proto__")), fc.anything()),
      chat_endpoint: fc.oneof(
        fc.record({
          url: fc.constantFrom("https://bot.example", "javascript:1", "http://a:b@c", "//", "http://[", 5),
          kind: fc.constantFrom("webhook", "constructor", null),
          headers: fc.oneof(
            fc.constant(JSON.parse('{"__proto__": "x"}') as unknown),
            fc.dictionary(fc.string(), fc.anything())
          )
        }),
        fc.anything()
      ),
      voice_endpoint: fc.oneof(
        fc.record({
          url: fc.constantFrom("wss://bot.example", "ws://a:b@c", "https://bot.example", "wss://[", "wss://a#b"),
          headers: fc.dictionary(fc.string(), fc.anything()),
          auth_token: fc.oneof(fc.constantFrom("********", "\ud800", "\0", "", null), fc.anything())
        }),
        fc.anything()
      )
    },
    { requiredKeys: [] }
  )
)

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`any input at all on ${database}`, (it) => {
    it.effect.prop(
      "is accepted or rejected with field errors, and never fails otherwise",
      [hostile],
      ([input]) =>
        Effect.gen(function* () {
          const projects = yield* Projects
          const agents = yield* Agents
          const { actor, agent, project } = yield* TestEngine.fixture
          const withProject = typeof input === "object" ? { ...input, project: project.id } : input
          for (const useCase of [
            Effect.asVoid(projects.create(untrusted(input))),
            Effect.asVoid(projects.list(untrusted(input))),
            Effect.asVoid(projects.update(project.id, untrusted(input))),
            Effect.asVoid(agents.create(untrusted(input))),
            Effect.asVoid(agents.create(untrusted(withProject))),
            Effect.asVoid(agents.list(untrusted(input))),
            Effect.asVoid(agents.update(agent.id, untrusted(input)))
          ]) {
            const failed = yield* Effect.flip(Effect.flip(useCase)).pipe(
              Effect.catchTag("ValidationFailed", (failed) => Effect.succeed(failed)),
              TestEngine.as(actor)
            )
            if (failed !== undefined) expect(Object.keys(failed.errors).length).toBeGreaterThan(0)
          }
          for (const header of Object.values(
            (yield* agents.read(agent.id).pipe(TestEngine.as(actor))).chatEndpoint?.headers ?? {}
          )) {
            expect(typeof header).toBe("string")
          }
        }),
      { fastCheck: { numRuns: database === "sqlite" ? 100 : 20 } }
    )
  })
}
