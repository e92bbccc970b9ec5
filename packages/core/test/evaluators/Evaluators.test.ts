import {
  Agents,
  encodeEvaluator,
  EvaluatorId,
  Evaluators,
  EvaluatorWire,
  Projects,
  TestProfiles,
  untrusted
} from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { actions, seededProject, engine, errorsOf, makeMetrics, unknown } from "./fixtures.js"

for (const database of TestEngine.databases) {
  layer(engine(database), { timeout: "2 minutes" })(`evaluators on ${database}`, (it) => {
    it.effect("are encoded with every field of the interface", () =>
      Effect.gen(function* () {
        const { agent, folder, inner, make, metrics, number, personality, profile, project, toolIds } =
          yield* seededProject
        const made = yield* make({
          personality: personality.id,
          phone_number: number.id,
          expected_outcome_prompt: "A table is booked",
          scenario_language: "zh",
          tags: ["nightly", "a'; drop table evaluators; --", "nightly"],
          metrics: [metrics[2], metrics[0]],
          first_message: "Hi",
          tool_ids: [toolIds[1], toolIds[0]],
          test_profile: profile.id,
          folder_path: inner.path,
          max_duration: 90,
          id: 12345,
          created_by: 99,
          agent_name: "ignored"
        })
        const wire = encodeEvaluator(made)
        expect(wire).toMatchObject({
          name: "Books a table",
          instructions: "Ask for a table for two.",
          agent: agent.id,
          agent_name: agent.name,
          project: project.id,
          personality: personality.id,
          personality_name: "Patient",
          phone_number: "+15550100",
          inbound_phone_number: number.id,
          inbound_phone_number_data: "+15550100 (Front desk)",
          expected_outcome_prompt: "A table is booked",
          scenario_language: "zh",
          scenario_type: "instruction",
          tags: ["nightly", "a'; drop table evaluators; --"],
          metrics: [metrics[0], metrics[2]],
          metric_names: ["Metric 0", "Metric 2"],
          first_message: "Hi",
          tool_ids: [toolIds[0], toolIds[1]],
          test_profile: profile.id,
          test_profile_data: { id: profile.id, information: { main_agent_variables: { name: "Ann" } } },
          dynamic_variable_values: null,
          folder_path: "smoke.nightly",
          max_duration: 90,
          created_by: null,
          last_updated_by: null,
          conditional_actions: null
        })
        expect(made.id).not.toBe(12345)
        expect(Schema.is(EvaluatorWire)(wire)).toBe(true)
        expect(folder.path).toBe("smoke")
      })
    )

    it.effect("can be sent back as they were returned", () =>
      Effect.gen(function* () {
        const evaluators = yield* Evaluators
        const { as, make, metrics, number, personality, profile, toolIds } = yield* seededProject
        for (const input of [
          {},
          { personality: personality.id, phone_number: number.id, test_profile: profile.id, tags: ["b", "a"] },
          { metrics, tool_ids: toolIds, folder_path: "smoke", max_duration: 1 },
          { scenario_type: "conditional_actions", instructions: undefined, conditional_actions: actions }
        ]) {
          const made = yield* make(input)
          const { dynamic_variable_values: _, ...sent } = encodeEvaluator(made)
          const again = yield* as(evaluators.update(made.id, sent))
          expect({ ...again, updatedAt: null }).toEqual({ ...made, updatedAt: null })
        }
      })
    )

    it.effect("are updated in the given fields only", () =>
      Effect.gen(function* () {
        const evaluators = yield* Evaluators
        const { as, make, metrics, number, personality } = yield* seededProject
        const made = yield* make({ personality: personality.id, metrics, tags: ["a"], phone_number: number.number })
        const renamed = yield* as(evaluators.update(made.id, { name: "n".repeat(80) }))
        expect({ ...renamed, updatedAt: null }).toEqual({ ...made, name: "n".repeat(80), updatedAt: null })
        const cleared = yield* as(
          evaluators.update(made.id, { personality: null, phone_number: null, metrics: [], tags: [] })
        )
        expect(cleared).toMatchObject({
          name: "n".repeat(80),
          personalityId: null,
          personalityName: null,
          phoneNumber: null,
          phoneNumberId: null,
          metricIds: [],
          tags: []
        })
        yield* as(evaluators.delete(made.id))
        expect(yield* Effect.flip(as(evaluators.read(made.id)))).toMatchObject({ _tag: "NotFound" })
        expect(yield* Effect.flip(as(evaluators.delete(made.id)))).toMatchObject({ _tag: "NotFound" })
      })
    )

    it.effect("are rejected with every error at once, including any value of dynamic_variable_values", () =>
      Effect.gen(function* () {
        const { as, disabled } = yield* seededProject
        const other = yield* seededProject
        const evaluators = yield* Evaluators
        const removed = ["This field was removed. Put values into test_profile.information.main_agent_variables."]
        expect(yield* errorsOf(as(evaluators.create(untrusted({}))))).toEqual({
          agent: ["This field is required."],
          name: ["This field is required."],
          scenario_type: ["This field is required."],
          instructions: ["This field is required."]
        })
        expect(
          yield* errorsOf(
            as(
              evaluators.create(
                untrusted({
                  agent: other.agent.id,
                  name: "n".repeat(81),
                  scenario_type: "dance",
                  instructions: " ",
                  personality: disabled.id,
                  test_profile: other.profile.id,
                  phone_number: 999_999,
                  scenario_language: "xx",
                  tags: ["t".repeat(65)],
                  metrics: [other.metrics[0], 999_998, 999_998],
                  tool_ids: [other.toolIds[0]],
                  max_duration: -1,
                  first_message: 7,
                  dynamic_variable_values: null
                })
              )
            )
          )
        ).toEqual({
          agent: unknown(other.agent.id),
          name: ["Ensure this field has no more than 80 characters."],
          scenario_type: [expect.stringContaining('"dance" is not a valid choice. Choose from ')],
          instructions: ["This field may not be blank."],
          test_profile: unknown(other.profile.id),
          phone_number: unknown(999_999),
          scenario_language: [expect.stringContaining('"xx" is not a valid choice. Choose from ')],
          "tags[0]": ["Ensure this field has no more than 64 characters."],
          metrics: ["The id 999998 is given more than once.", ...unknown(other.metrics[0] ?? 0, 999_998)],
          tool_ids: unknown(other.toolIds[0] ?? 0),
          max_duration: ["Ensure this value is greater than or equal to 1."],
          first_message: ["Not a valid string."],
          dynamic_variable_values: removed
        })
        const { make } = yield* seededProject
        for (const value of [null, {}, [], "", 0, false, { a: 1 }]) {
          expect(yield* errorsOf(make({ dynamic_variable_values: value }))).toEqual({
            dynamic_variable_values: removed
          })
          const made = yield* other.make()
          expect(
            yield* errorsOf(
              other.as(evaluators.update(made.id, untrusted({ dynamic_variable_values: value, name: "x" })))
            )
          ).toEqual({ dynamic_variable_values: removed })
          expect(yield* other.as(evaluators.read(made.id))).toEqual(made)
        }
      })
    )

    it.effect("refer to entities of their project and to personalities that it has enabled", () =>
      Effect.gen(function* () {
        const { as, disabled, make, organization } = yield* seededProject
        const elsewhere = yield* anotherProject(organization.id, as)
        expect(yield* errorsOf(make({ personality: disabled.id }))).toEqual({
          personality: [`The personality ${disabled.id} is not enabled for this project.`]
        })
        const evaluators = yield* Evaluators
        const made = yield* make()
        expect(
          yield* errorsOf(
            as(
              evaluators.update(made.id, {
                agent: elsewhere.agent.id,
                test_profile: elsewhere.profile.id,
                metrics: elsewhere.metrics,
                folder_path: "nowhere"
              })
            )
          )
        ).toEqual({
          agent: [`The id ${elsewhere.agent.id} is of another project.`],
          test_profile: [`The id ${elsewhere.profile.id} is of another project.`],
          metrics: elsewhere.metrics.map((id) => `The id ${id} is of another project.`),
          folder_path: ['Folder "nowhere" does not exist.']
        })
      })
    )

    it.effect("with conditional actions store the JSON and return the structure", () =>
      Effect.gen(function* () {
        const evaluators = yield* Evaluators
        const { as, make } = yield* seededProject
        const conditional = { scenario_type: "conditional_actions", instructions: undefined }
        const structured = yield* make({ ...conditional, conditional_actions: actions })
        expect(structured.instructions).toBe(JSON.stringify(actions))
        const textual = yield* make({ ...conditional, instructions: JSON.stringify(actions, null, 2) })
        expect(textual.instructions).toBe(JSON.stringify(actions, null, 2))
        expect(encodeEvaluator(structured).conditional_actions).toEqual(actions)
        expect(encodeEvaluator(textual).conditional_actions).toEqual(actions)
        expect(yield* errorsOf(make({ ...conditional, instructions: "be nice" }))).toEqual({
          instructions: ["Instructions of conditional actions must be valid JSON."]
        })
        expect(yield* errorsOf(make({ ...conditional, conditional_actions: { role: "x", conditions: [] } }))).toEqual({
          "conditional_actions.conditions": ["Ensure this field has at least 1 elements."]
        })
        expect(
          yield* errorsOf(
            make({
              ...conditional,
              instructions: JSON.stringify({ ...actions, role: 7 }),
              conditional_actions: actions
            })
          )
        ).toEqual({ "instructions.role": ["Not a valid string."] })
        expect(
          yield* errorsOf(
            make({
              ...conditional,
              instructions: JSON.stringify({ ...actions, role: "?" }),
              conditional_actions: actions
            })
          )
        ).toEqual({ conditional_actions: ["Differs from instructions; leave one of the two out."] })
        expect(yield* errorsOf(make({ conditional_actions: actions }))).toEqual({
          conditional_actions: ["Only evaluators of the type conditional_actions have these."]
        })
        const plain = yield* make()
        expect(yield* errorsOf(as(evaluators.update(plain.id, { scenario_type: "conditional_actions" })))).toEqual({
          instructions: ["Instructions of conditional actions must be valid JSON."]
        })
      })
    )

    it.effect("are filtered by project, agent, folder, tag and case-insensitive text", () =>
      Effect.gen(function* () {
        const evaluators = yield* Evaluators
        const { agent, as, make, organization, project } = yield* seededProject
        const elsewhere = yield* anotherProject(organization.id, as)
        const one = yield* make({ name: "ΟΔΟΣ 100%", folder_path: "smoke", tags: ["Nightly"] })
        const two = yield* make({ name: "b_c", instructions: "Zoë asks\nfor ΑΣ", tags: ["nightly", "x"] })
        const three = yield* make({ agent: elsewhere.agent.id, name: "Other" })
        const found = (query: object) =>
          Effect.map(as(evaluators.list(query)), ({ results }) => results.map(({ id }) => id))
        expect(yield* found({})).toEqual([three.id, two.id, one.id])
        expect(yield* found({ project: project.id })).toEqual([two.id, one.id])
        expect(yield* found({ agent: elsewhere.agent.id })).toEqual([three.id])
        expect(yield* found({ folder_path: "smoke" })).toEqual([one.id])
        expect(yield* found({ folder_path: "", agent: agent.id })).toEqual([two.id])
        expect(yield* found({ tag: "nightly" })).toEqual([two.id])
        expect(yield* found({ search: "οδος 100%" })).toEqual([one.id])
        expect(yield* found({ search: "%" })).toEqual([one.id])
        expect(yield* found({ search: "_C" })).toEqual([two.id])
        expect(yield* found({ search: "zoë" })).toEqual([two.id])
        expect(yield* found({ search: "ας" })).toEqual([two.id])
        expect(yield* found({ search: "", limit: 1 })).toEqual([three.id])
      })
    )

    it.effect("return the legacy values of a row, which cannot be written", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const evaluators = yield* Evaluators
        const { as, make } = yield* seededProject
        const made = yield* make()
        const values = JSON.stringify({ name: "Ann", plan: ["gold"] })
        yield* sql`UPDATE evaluators SET dynamic_variable_values = ${values} WHERE id = ${made.id}`
        const changed = yield* as(evaluators.update(made.id, { name: "Renamed" }))
        expect(changed.dynamicVariableValues).toEqual({ name: "Ann", plan: ["gold"] })
        expect(yield* as(evaluators.read(made.id))).toEqual(changed)
      })
    )

    it.effect("are kept without references to deleted entities", () =>
      Effect.gen(function* () {
        const evaluators = yield* Evaluators
        const { as, make, profile } = yield* seededProject
        const made = yield* make({ test_profile: profile.id })
        yield* as((yield* TestProfiles).delete(profile.id))
        expect(yield* as(evaluators.read(made.id))).toMatchObject({ testProfileId: null, testProfile: null })
      })
    )

    it.effect("do not exist for another organization", () =>
      Effect.gen(function* () {
        const evaluators = yield* Evaluators
        const mine = yield* seededProject
        const theirs = yield* seededProject
        const made = yield* mine.make()
        for (const rejected of [
          evaluators.read(made.id),
          evaluators.update(made.id, { name: "Theirs" }),
          evaluators.delete(made.id),
          evaluators.read(EvaluatorId.make(Number.MAX_SAFE_INTEGER))
        ]) {
          expect(yield* Effect.flip(theirs.as(rejected))).toMatchObject({ _tag: "NotFound" })
        }
        expect((yield* theirs.as(evaluators.list({ project: mine.project.id }))).results).toEqual([])
        expect(yield* mine.as(evaluators.read(made.id))).toEqual(made)
      })
    )
  })
}

const anotherProject = (
  organization: Effect.Effect.Success<typeof seededProject>["organization"]["id"],
  as: Effect.Effect.Success<typeof seededProject>["as"]
) =>
  Effect.gen(function* () {
    const project = yield* as((yield* Projects).create({ name: "Elsewhere" }))
    const agent = yield* as((yield* Agents).create({ project: project.id, name: "Stranger" }))
    const profile = yield* as((yield* TestProfiles).create({ project: project.id, name: "Bob" }))
    const metrics = yield* makeMetrics({ organization, project: project.id, agent: agent.id }, 2)
    return { project, agent, profile, metrics }
  })
