import {
  predefinedEntries,
  encodeMetric,
  encodePredefinedMetric,
  formulaNames,
  MetricId,
  Metrics,
  Agents,
  untrusted
} from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, it as plainly } from "vitest"
import { predefinedMetricRevisions } from "../../src/storage/sql/PredefinedMetricRevisions.js"
import { migrate } from "../../src/storage/sql/Migrations.js"
import { bound, errorsOf as anyErrors } from "../dashboards/fixtures.js"

const errorsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(anyErrors(effect), (errors): object => (typeof errors === "object" && errors !== null ? errors : {}))

const NEEDED =
  `latency_ms time_to_first_word_ms ai_interrupting_user user_interrupting_ai interruption_score interruption_rate
  stop_time_ms overlap_ratio talk_ratio words_per_minute silence_detection dead_air_ratio infrastructure_issues
  excessive_silence longest_monologue_s words_per_turn reprompts repeated_replies tool_call_success call_duration_s
  phrase_compliance expected_outcome hallucination relevancy response_consistency csat sentiment instruction_following
  topic dropoff_point voicemail_detection`.split(/\s+/)

describe("the predefined metrics", () => {
  plainly("has every metric that is promised, each under its own id, slug and name", () => {
    const slugs = predefinedEntries.map(({ slug }) => slug)
    for (const slug of NEEDED) expect(slugs).toContain(slug)
    for (const key of ["id", "slug", "name"] as const) {
      expect(new Set(predefinedEntries.map((entry) => entry[key])).size).toBe(predefinedEntries.length)
    }
  })

  plainly("has a revision for whatever it gained, so that agents that are there get it", () => {
    // Raise both together: the first is what the last revision gives out.
    expect({ metrics: predefinedEntries.length, revisions: Object.keys(predefinedMetricRevisions).length }).toEqual({
      metrics: 41,
      revisions: 2
    })
  })

  plainly("says of each its formula, unit and basis, and names a formula or a prompt", () => {
    for (const entry of predefinedEntries) {
      expect(entry.description).toMatch(/Formula: .+ Unit: .+ Basis: .+/)
      if (entry.type === "custom_code") expect(formulaNames).toContain(entry.functionName)
      else expect(entry.prompt.length).toBeGreaterThan(20)
      expect(entry.slug).toMatch(/^[a-z][a-z0-9_]{0,254}$/)
    }
  })
})

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`metrics on ${database}`, (it) => {
    const fixture = Effect.map(TestEngine.fixture, (made) => ({ ...made, as: TestEngine.as(made.actor) }))

    it.effect("lists the predefined metrics with every field of the interface", () =>
      Effect.gen(function* () {
        const { as, organization } = yield* fixture
        const metrics = yield* Metrics
        const all = (yield* as(metrics.predefined())).map((one) => encodePredefinedMetric(one))
        expect(all.length).toBeGreaterThanOrEqual(24)
        for (const one of all) {
          expect(Object.keys(one).toSorted()).toEqual(
            `audio_enabled category code configuration cost custom_code description enum_values eval_type
              evaluation_trigger evaluation_trigger_prompt function_name id name observability_enabled organization
              prompt simulation_enabled slug sub_category type`.split(/\s+/)
          )
          expect(one.cost).toMatch(/^-?\d{0,4}(?:\.\d{0,6})?$/)
          expect(one.organization).toBe(organization.id)
        }
        expect(all.find(({ slug }) => slug === "latency_ms")).toMatchObject({ cost: "0.000000", type: "custom_code" })
        expect(all.find(({ slug }) => slug === "csat")).toMatchObject({ cost: "0.050000", type: "llm_judge" })
      })
    )

    it.effect("gives every new agent the predefined metrics until they are deleted", () =>
      Effect.gen(function* () {
        const { agent, as } = yield* fixture
        const metrics = yield* Metrics
        const list = Effect.map(as(metrics.list({ agent_id: agent.id, limit: 200 })), ({ results }) => results)
        const all = yield* list
        expect(all.map(({ predefinedCode }) => predefinedCode).toSorted()).toEqual(
          predefinedEntries.map(({ slug }) => slug).toSorted()
        )
        const csat = all.find(({ slug }) => slug === "csat")
        yield* as(metrics.delete(csat!.id))
        expect((yield* list).length).toBe(all.length - 1)
        expect(yield* Effect.flip(as(metrics.read(csat!.id)))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("creates no metrics when metrics are listed", () =>
      Effect.gen(function* () {
        const { agent, as, project } = yield* fixture
        const metrics = yield* Metrics
        const sql = yield* SqlClient
        const second = yield* Effect.flatMap(Agents, (agents) =>
          as(agents.create({ project: project.id, name: "Second" }))
        )
        const rows = Effect.map(
          sql<{ readonly n: number }>`SELECT count(*) AS n FROM metrics WHERE agent_id IN (${agent.id}, ${second.id})`,
          ([row]) => Number(row?.n)
        )
        expect(yield* rows).toBe(2 * predefinedEntries.length)
        yield* as(metrics.list({ agent_id: agent.id }))
        yield* as(metrics.list({ agent_id: second.id }))
        expect(yield* rows).toBe(2 * predefinedEntries.length)
      })
    )

    it.effect("gives new predefined metrics to the agents of an older database, except those that they deleted", () =>
      Effect.gen(function* () {
        const { agent, as } = yield* fixture
        const theirs = yield* fixture
        const metrics = yield* Metrics
        const sql = yield* SqlClient
        const slugs = (of: typeof theirs) =>
          Effect.map(of.as(metrics.list({ agent_id: of.agent.id, limit: 200 })), ({ results }) =>
            results.map(({ slug }) => slug).toSorted()
          )
        const all = yield* slugs(theirs)
        // An agent from before there were any, and one from before some were added, with a metric of its own of a new name.
        yield* sql`DELETE FROM metrics WHERE agent_id = ${agent.id}`
        const theirMetrics = (yield* theirs.as(metrics.list({ agent_id: theirs.agent.id, limit: 200 }))).results
        yield* theirs.as(metrics.delete(theirMetrics.find(({ slug }) => slug === "csat")!.id))
        yield* sql`DELETE FROM metrics WHERE agent_id = ${theirs.agent.id} AND slug IN ('topic', 'sentiment')`
        const own = { agent: theirs.agent.id, name: "Topic", type: "llm_judge", eval_type: "numeric", prompt: "?" }
        const topic = yield* theirs.as(metrics.create(untrusted(own)))
        yield* sql`DELETE FROM earshot_predefined_metrics`
        yield* Layer.build(migrate)
        yield* Layer.build(migrate)
        expect(yield* slugs({ ...theirs, agent, as })).toEqual(all)
        expect(yield* slugs(theirs)).toEqual(all.filter((slug) => slug !== "csat"))
        expect((yield* theirs.as(metrics.read(topic.id))).prompt).toBe("?")
      }).pipe(Effect.scoped)
    )

    it.effect("rejects moving a predefined metric to another agent", () =>
      Effect.gen(function* () {
        const { agent, as, project } = yield* fixture
        const metrics = yield* Metrics
        const second = yield* Effect.flatMap(Agents, (agents) =>
          as(agents.create({ project: project.id, name: "Second" }))
        )
        const find = (id: typeof agent.id) =>
          Effect.map(as(metrics.list({ agent_id: id, limit: 200 })), ({ results }) =>
            results.find(({ slug }) => slug === "csat")
          )
        const [mine, theirs] = [yield* find(agent.id), yield* find(second.id)]
        // Switched off there, it leaves a place that nothing else may take.
        yield* as(metrics.delete(theirs!.id))
        expect(yield* errorsOf(as(metrics.update(mine!.id, { agent: second.id })))).toEqual({
          agent: ["A predefined metric cannot move to another agent: every agent has its own."]
        })
        expect((yield* as(metrics.update(mine!.id, { agent: agent.id, name: "Mood" }))).name).toBe("Mood")
      })
    )

    it.effect("creates, reads, updates and deletes metrics with every field of the interface", () =>
      Effect.gen(function* () {
        const { agent, as } = yield* fixture
        const metrics = yield* Metrics
        const made = yield* as(
          metrics.create({
            agent: agent.id,
            name: "Offers a call-back",
            type: "llm_judge",
            eval_type: "enum",
            prompt: "Does the agent offer a call-back?",
            enum_values: { yes: "It does", no: "It does not" },
            evaluation_trigger: "custom",
            evaluation_trigger_prompt: "Did the user have to wait?",
            configuration: { any: [1, { of: "these" }] }
          })
        )
        const wire = encodeMetric(made)
        expect(Object.keys(wire).toSorted()).toEqual(
          `agent audio_enabled configuration custom_code description display_order enum_values eval_type
            evaluation_trigger evaluation_trigger_prompt function_name id knowledge_base_files name
            observability_enabled overall_score priority_assignment_prompt prompt reviews service_defined_metric_code
            simulation_enabled slug total_score type`.split(/\s+/)
        )
        expect(wire).toMatchObject({ agent: agent.id, enum_values: { yes: "It does", no: "It does not" }, reviews: [] })
        expect(made.slug).toBe("offers_a_call_back")
        expect(yield* as(metrics.read(made.id))).toEqual(made)

        const changed = yield* as(
          metrics.update(
            made.id,
            untrusted({
              name: "Call-back",
              eval_type: "binary_workflow_adherence",
              enum_values: null,
              display_order: "3",
              unknown: 1,
              id: 99
            })
          )
        )
        expect(changed).toMatchObject({ id: made.id, name: "Call-back", evalType: "binary_workflow_adherence" })
        expect(changed).toMatchObject({ enumValues: null, displayOrder: 3, prompt: made.prompt, slug: made.slug })
        expect(yield* as(metrics.read(made.id))).toEqual(changed)
        yield* as(metrics.delete(made.id))
        expect(yield* Effect.flip(as(metrics.update(made.id, {})))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("gives every metric a unique slug", () =>
      Effect.gen(function* () {
        const { agent, as } = yield* fixture
        const metrics = yield* Metrics
        const create = (name: string) =>
          as(metrics.create({ agent: agent.id, name, type: "llm_judge", eval_type: "binary", prompt: "?" }))
        expect((yield* create("CSAT")).slug).toBe("csat_2")
        expect((yield* create("Csat!")).slug).toBe("csat_3")
        expect((yield* create("日本語")).slug).toBeNull()
      })
    )

    it.effect("reports every error at once, syntax errors of custom code included", () =>
      Effect.gen(function* () {
        const { agent, as } = yield* fixture
        const theirs = yield* fixture
        const metrics = yield* Metrics
        const errorsFor = (input: object) =>
          errorsOf(
            as(
              metrics.create({
                agent: agent.id,
                name: "m",
                type: "custom_code",
                eval_type: "binary",
                custom_code: "return true",
                ...input
              })
            )
          )
        expect(yield* errorsOf(as(metrics.create(untrusted({}))))).toMatchObject({
          name: [expect.anything()],
          type: [expect.anything()],
          eval_type: [expect.anything()]
        })
        expect(
          yield* errorsOf(as(metrics.create({ name: "m", type: "llm_judge", eval_type: "binary", prompt: "?" })))
        ).toEqual({
          agent: ["This field is required if assistant_id is not provided."],
          assistant_id: ["This field is required if agent is not provided."]
        })
        expect(yield* errorsFor({ agent: theirs.agent.id, eval_type: "enum", evaluation_trigger: "custom" })).toEqual({
          agent: [`Invalid pk "${theirs.agent.id}" - object does not exist.`],
          enum_values: ["This field is required if eval_type is enum."],
          evaluation_trigger_prompt: ["This field is required if evaluation_trigger is custom."]
        })
        expect(Object.keys(yield* errorsFor({ custom_code: "return (" }))).toEqual(["custom_code"])
        expect(Object.keys(yield* errorsFor({ custom_code: "" }))).toEqual(["custom_code"])
        expect(Object.keys(yield* errorsFor({ custom_code: "", function_name: "latency_msx" }))).toEqual([
          "function_name"
        ])
        expect(yield* errorsFor({ type: "custom_prompt", prompt: "?" })).toEqual({
          type: ['"custom_prompt" is deprecated: use llm_judge.']
        })
        expect(Object.keys(yield* errorsFor({ type: "llm_judge" }))).toEqual(["prompt"])
        for (const enum_values of [[], {}, "a", [1], ["a", "a"], [" "], 5]) {
          expect(Object.keys(yield* errorsFor({ eval_type: "enum", enum_values }))).toEqual(["enum_values"])
        }
        expect(
          Object.keys(
            yield* errorsFor({
              eval_type: "numeric",
              configuration: {
                max_silence_s: "5",
                phrases: [1],
                statistic: "p51",
                decides_success: true,
                depends_on: [{}]
              }
            })
          ).toSorted()
        ).toEqual(
          ["decides_success", "depends_on", "max_silence_s", "phrases", "statistic"].map(
            (name) => `configuration.${name}`
          )
        )
        expect(yield* errorsFor({ configuration: { required: ["yes", " !? "] } })).toEqual({
          "configuration.required": ["A phrase must contain a word."]
        })
        expect(Object.keys(yield* errorsFor({ configuration: [1] }))).toEqual(["configuration"])
        expect(Object.keys(yield* errorsFor({ name: "x".repeat(256) }))).toEqual(["name"])
        expect(Object.keys(yield* errorsFor({ custom_code: "return 1 // \0" }))).toEqual(["custom_code"])
      })
    )

    it.effect("keeps a stored deprecated type and rejects new ones", () =>
      Effect.gen(function* () {
        const { agent, as } = yield* fixture
        const metrics = yield* Metrics
        const made = yield* as(
          metrics.create({ agent: agent.id, name: "m", type: "llm_judge", eval_type: "binary", prompt: "?" })
        )
        expect(yield* errorsOf(as(metrics.update(made.id, { type: "basic" })))).toHaveProperty("type")
        yield* Effect.flatMap(
          SqlClient,
          (client) => client`UPDATE metrics SET type = 'custom_prompt' WHERE id = ${made.id}`
        )
        expect(yield* as(metrics.update(made.id, { name: "old", type: "custom_prompt" }))).toMatchObject({
          type: "custom_prompt",
          name: "old"
        })
      })
    )

    it.effect("finds metrics by the provider's id of the agent, and moves them within the project", () =>
      Effect.gen(function* () {
        const { agent, as, project } = yield* fixture
        const metrics = yield* Metrics
        const agents = yield* Agents
        const second = yield* as(agents.create({ project: project.id, name: "Second", assistant_id: "asst 2" }))
        const input = { name: "m", type: "custom_code", eval_type: "numeric", custom_code: "return 1" }
        const made = yield* as(metrics.create(untrusted({ ...input, assistant_id: "asst 2" })))
        expect(made.agentId).toBe(second.id)
        expect((yield* as(metrics.update(made.id, { agent: agent.id }))).agentId).toBe(agent.id)
        expect((yield* as(metrics.update(made.id, { assistant_id: "asst 2" }))).agentId).toBe(second.id)
        expect(yield* errorsOf(as(metrics.update(made.id, { assistant_id: "nobody" })))).toHaveProperty("assistant_id")
        yield* as(metrics.create(untrusted({ ...input, agent: agent.id })))
        expect(yield* errorsOf(as(metrics.update(made.id, { agent: agent.id })))).toEqual({
          agent: ["This agent already has a metric with this slug."]
        })
      })
    )

    it.effect("hides metrics from other organizations and from credentials with another scope", () =>
      Effect.gen(function* () {
        const { actor, agent, as } = yield* fixture
        const theirs = yield* fixture
        const metrics = yield* Metrics
        const [one] = (yield* as(metrics.list({ agent_id: agent.id }))).results
        const missing = { _tag: "NotFound" }
        expect(yield* Effect.flip(theirs.as(metrics.read(one!.id)))).toMatchObject(missing)
        expect(yield* Effect.flip(theirs.as(metrics.update(one!.id, { name: "x" })))).toMatchObject(missing)
        expect(yield* Effect.flip(theirs.as(metrics.delete(one!.id)))).toMatchObject(missing)
        expect(yield* Effect.flip(as(metrics.read(MetricId.make(1e9))))).toMatchObject(missing)
        expect(yield* errorsOf(theirs.as(metrics.list({ agent_id: agent.id })))).toHaveProperty("agent_id")
        for (const { agentId } of (yield* theirs.as(metrics.list({}))).results) expect(agentId).toBe(theirs.agent.id)
        const elsewhere = TestEngine.as({
          ...bound(actor, [{ type: "agent", id: 1e9 }]),
          credential: "dashboard_session"
        })
        expect((yield* elsewhere(metrics.list({}))).results).toEqual([])
        expect(yield* Effect.flip(elsewhere(metrics.read(one!.id)))).toMatchObject(missing)
      })
    )
  })
}
