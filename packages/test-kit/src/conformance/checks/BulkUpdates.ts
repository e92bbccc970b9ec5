/** E4. */
import {
  any,
  bodyOf,
  expectDetail,
  expectFieldErrors,
  expectFieldErrorWithin,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape,
  expectStatus,
  instant,
  int,
  type Kind,
  list,
  object,
  oneOf,
  orNull,
  shortText,
  text
} from "../Expect.js"
import { LANGUAGES } from "../Interface.js"
import { type Fixture, PATHS } from "../Fixture.js"
import { checksOf } from "../Check.js"
import { at, listAt } from "../../Documents.js"
import { read } from "./EvaluatorSupport.js"

/** Source: interface, Evaluator. */
const evaluatorShape: Readonly<Record<string, Kind>> = {
  id: int,
  name: shortText(80),
  instructions: text,
  agent: int,
  agent_name: text,
  personality: orNull(int),
  personality_name: orNull(text),
  phone_number: orNull(text),
  inbound_phone_number: orNull(int),
  inbound_phone_number_data: orNull(text),
  expected_outcome_prompt: text,
  scenario_language: orNull(oneOf(...LANGUAGES)),
  scenario_type: oneOf("instruction", "real_world_smart", "real_world_fixed", "conditional_actions"),
  tags: list,
  metrics: list,
  metric_names: list,
  first_message: text,
  tool_ids: list,
  test_profile: orNull(int),
  test_profile_data: orNull(object),
  dynamic_variable_values: any,
  folder_path: text,
  created_at: instant,
  updated_at: instant,
  created_by: orNull(int),
  last_updated_by: orNull(int)
}

const bulk = async (fixture: Fixture, fields: object, query = "") => fixture.post(`${PATHS.bulkUpdate}${query}`, fields)

/** Two evaluators, and what names them in a bulk update. */
const pair = async (fixture: Fixture) => {
  const ids = [await fixture.evaluator(), await fixture.evaluator()]
  return { ids, request: { scenarios: ids, project: await fixture.project() } }
}

/** A number that no other run has. */
const freshNumber = ({ callId }: Fixture): string => `+1555${String(Date.now()).slice(-7)}${callId().split("-").at(-1)}`

export const bulkUpdates = checksOf("E4", {
  "answered-200": [
    "answers with the first evaluator, or with many=true with all of them in order",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const one = bodyOf(await bulk(fixture, { ...request, first_message: "Hi" }), 200)
      expectShape("the evaluator", one, evaluatorShape)
      expectEqual("the evaluator", [one.id, one.first_message], [ids[0], "Hi"])
      const many = await bulk(fixture, { ...request, scenarios: [...ids].reverse() }, "?many=true")
      expectEqual(
        "the evaluators",
        listAt(many.json).map((each) => at(each, "id")),
        [...ids].reverse()
      )
    }
  ],
  "agent-or-project": [
    "requires scenarios, and agent or project",
    async (fixture) => {
      const { ids } = await pair(fixture)
      expectOnlyFieldErrors(await bulk(fixture, { scenarios: ids }), "agent", "project")
      expectFieldErrors(await bulk(fixture, {}), "scenarios")
      bodyOf(await bulk(fixture, { scenarios: ids, agent: await fixture.agent() }), 200)
      expectFieldErrors(await bulk(fixture, { scenarios: ids, project: fixture.unknownId }), "project")
      expectFieldErrors(await bulk(fixture, { scenarios: ids, agent: fixture.unknownId }), "agent")
      expectFieldErrors(await bulk(fixture, { scenarios: [], project: await fixture.project() }), "scenarios")
    }
  ],
  "agent-overrides": [
    "agent replaces each evaluator's agent",
    async (fixture) => {
      const { ids } = await pair(fixture)
      const agent = await fixture.makeId(PATHS.agents, { project: await fixture.project(), name: "Another" })
      bodyOf(await bulk(fixture, { scenarios: ids, agent }), 200)
      for (const id of ids) expectEqual("agent", (await read(fixture, id)).agent, agent)
    }
  ],
  "all-or-nothing": [
    "changes nothing where one evaluator or field is invalid",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const before = await Promise.all(ids.map((id) => read(fixture, id)))
      const change = { append_instruction: "!", first_message: "changed" }
      expectFieldErrors(
        await bulk(fixture, { ...request, ...change, scenarios: [...ids, fixture.unknownId] }),
        "scenarios"
      )
      expectFieldErrors(await bulk(fixture, { ...request, ...change, folder_path: "no.such" }), "folder_path")
      expectFieldErrors(await bulk(fixture, { ...request, ...change, personality: fixture.unknownId }), "personality")
      expectOnlyFieldErrors(
        await bulk(fixture, { ...request, ...change, max_duration: 0, tool_ids_to_add: [fixture.unknownId] }),
        "max_duration",
        "tool_ids_to_add"
      )
      expectEqual("the evaluators", await Promise.all(ids.map((id) => read(fixture, id))), before)
    }
  ],
  append: [
    "append_instruction is appended unchanged, on every request",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      for (let n = 0; n < 2; n++) bodyOf(await bulk(fixture, { ...request, append_instruction: " Be brief." }), 200)
      for (const id of ids) {
        expectEqual("instructions", (await read(fixture, id)).instructions, "Say hello. Be brief. Be brief.")
      }
    }
  ],
  "append-structured": [
    "append_instruction is rejected for conditional_actions evaluators, whose instructions are JSON",
    async (fixture) => {
      const id = await fixture.evaluator({
        scenario_type: "conditional_actions",
        instructions: undefined,
        conditional_actions: {
          role: "x",
          conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: "Hi", type: "standard", fixed_message: false }]
        }
      })
      const request = { scenarios: [id], project: await fixture.project(), append_instruction: "!" }
      expectFieldErrors(await bulk(fixture, request), "append_instruction")
    }
  ],
  attachments: [
    "adds and removes metrics and tools idempotently; an id in both lists is rejected",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const project = await fixture.project()
      const metric = await fixture.numericMetric()
      const tool = await fixture.makeId(PATHS.tools, { project, name: "keypad" })
      for (let n = 0; n < 2; n++) {
        bodyOf(await bulk(fixture, { ...request, metric_ids_to_add: [metric], tool_ids_to_add: [tool] }), 200)
      }
      const held = await read(fixture, ids[1] ?? 0)
      expectEqual(
        "what is attached",
        [held.metrics, held.metric_names, held.tool_ids],
        [[metric], ["Conformance"], [tool]]
      )
      for (let n = 0; n < 2; n++) {
        bodyOf(await bulk(fixture, { ...request, metric_ids_to_remove: [metric], tool_ids_to_remove: [tool] }), 200)
      }
      const bare = await read(fixture, ids[1] ?? 0)
      expectEqual("what is attached", [bare.metrics, bare.tool_ids], [[], []])
      expectFieldErrors(
        await bulk(fixture, { ...request, metric_ids_to_add: [metric], metric_ids_to_remove: [metric] }),
        "metric_ids_to_remove"
      )
      expectOnlyFieldErrors(
        await bulk(fixture, { ...request, tool_ids_to_add: [tool], tool_ids_to_remove: [tool] }),
        "tool_ids_to_remove"
      )
    }
  ],
  replaced: [
    "replaces personality, test_profile, phone numbers, first_message and max_duration",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const project = await fixture.project()
      const personality = await fixture.makeId(PATHS.personalities, { project, name: "Calm", language: "en" })
      expectStatus(
        await fixture.post(`${PATHS.projects}${project}/enable_personalities/`, { personalities: personality }),
        200
      )
      const test_profile = await fixture.makeId(PATHS.profiles, { project, name: "Ann" })
      const number = freshNumber(fixture)
      const phone_number = await fixture.makeId(PATHS.numbers, { project, number })
      const fields = { personality, test_profile, phone_number, first_message: "Good day", max_duration: 120 }
      bodyOf(await bulk(fixture, { ...request, ...fields }), 200)
      for (const id of ids) {
        const held = await read(fixture, id)
        expectEqual(
          "the evaluator",
          [held.personality, held.personality_name, held.test_profile, held.first_message, held.max_duration],
          [personality, "Calm", test_profile, "Good day", 120]
        )
        expectEqual("the numbers", [held.phone_number, held.inbound_phone_number], [number, phone_number])
      }
      const another = await fixture.makeId(PATHS.numbers, { project, number: freshNumber(fixture) })
      expectFieldErrors(
        await bulk(fixture, { ...request, phone_number, inbound_phone_number: another }),
        "inbound_phone_number"
      )
      // A day at most. Source: docs/evaluators.md, Fields.
      bodyOf(await bulk(fixture, { ...request, max_duration: 86_400 }), 200)
      for (const max_duration of [0, -1, 0.5, "long", 86_401]) {
        expectOnlyFieldErrors(await bulk(fixture, { ...request, max_duration }), "max_duration")
      }
    }
  ],
  "numbers-in-sync": [
    "inbound_phone_number alone replaces phone_number too",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const number = freshNumber(fixture)
      const inbound_phone_number = await fixture.makeId(PATHS.numbers, { project: await fixture.project(), number })
      bodyOf(await bulk(fixture, { ...request, inbound_phone_number }), 200)
      for (const id of ids) {
        const held = await read(fixture, id)
        expectEqual("the numbers", [held.phone_number, held.inbound_phone_number], [number, inbound_phone_number])
      }
    }
  ],
  "project-scope": [
    "rejects evaluators and references of another project under their field",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const before = await Promise.all(ids.map((id) => read(fixture, id)))
      const { agent, project } = await fixture.otherProject()
      const foreign = await fixture.evaluator({ agent })
      expectOnlyFieldErrors(await bulk(fixture, { scenarios: ids, project, first_message: "x" }), "scenarios")
      expectOnlyFieldErrors(await bulk(fixture, { scenarios: ids, agent, first_message: "x" }), "scenarios")
      expectOnlyFieldErrors(
        await bulk(fixture, { ...request, scenarios: [...ids, foreign], first_message: "x" }),
        "scenarios"
      )
      expectFieldErrors(await bulk(fixture, { ...request, agent }), "agent")
      const things: Readonly<Record<string, unknown>> = {
        test_profile: await fixture.makeId(PATHS.profiles, { project, name: "Ann" }),
        phone_number: await fixture.makeId(PATHS.numbers, { project, number: freshNumber(fixture) }),
        inbound_phone_number: await fixture.makeId(PATHS.numbers, { project, number: freshNumber(fixture) }),
        tool_ids_to_add: [await fixture.makeId(PATHS.tools, { project, name: "keypad" })],
        metric_ids_to_add: [
          await fixture.makeId(PATHS.metrics, {
            agent,
            name: "x",
            type: "llm_judge",
            eval_type: "binary",
            prompt: "Is it?"
          })
        ]
      }
      for (const [field, value] of Object.entries(things)) {
        expectFieldErrors(await bulk(fixture, { ...request, [field]: value, first_message: "x" }), field)
      }
      expectEqual("the evaluators", await Promise.all(ids.map((id) => read(fixture, id))), before)
    }
  ],
  "unknown-things": [
    "rejects unknown personalities, profiles, numbers, tools and metrics, and a repeated evaluator",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const unknown = fixture.unknownId
      const fields: Readonly<Record<string, unknown>> = {
        personality: unknown,
        test_profile: unknown,
        phone_number: unknown,
        inbound_phone_number: unknown,
        metric_ids_to_add: [unknown],
        metric_ids_to_remove: [unknown],
        tool_ids_to_add: [unknown],
        tool_ids_to_remove: [unknown]
      }
      for (const [field, value] of Object.entries(fields)) {
        expectOnlyFieldErrors(await bulk(fixture, { ...request, [field]: value }), field)
      }
      const [id] = ids
      expectOnlyFieldErrors(await bulk(fixture, { ...request, scenarios: [id, id] }), "scenarios")
    }
  ],
  "not-enabled": [
    "rejects a personality until it is enabled for the project",
    async (fixture) => {
      const { request } = await pair(fixture)
      const project = await fixture.project()
      const personality = await fixture.makeId(PATHS.personalities, { project, name: "Hasty", language: "en" })
      expectOnlyFieldErrors(await bulk(fixture, { ...request, personality }), "personality")
      const enabling = { personalities: [personality] }
      expectStatus(await fixture.post(`${PATHS.projects}${project}/enable_personalities/`, enabling), 200)
      expectEqual("personality", bodyOf(await bulk(fixture, { ...request, personality }), 200).personality, personality)
    }
  ],
  types: [
    "reports every value of a wrong type at once",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const before = await Promise.all(ids.map((id) => read(fixture, id)))
      const wrong: Readonly<Record<string, ReadonlyArray<unknown>>> = {
        scenarios: ["x", 5, {}, [1, "x"], [[1]], [1.5]],
        agent: ["x", [1], 1.5],
        project: ["x", {}],
        metric_ids_to_add: ["x", ["x"]],
        metric_ids_to_remove: [{}, [1.5]],
        tool_ids_to_add: ["x", ["x"]],
        tool_ids_to_remove: [{}, [{}]],
        personality: ["x", [1]],
        test_profile: ["x", {}],
        append_instruction: [5, ["x"]],
        first_message: [5, {}],
        phone_number: ["+1 555 x", 1.5],
        inbound_phone_number: ["x", {}],
        folder_path: [5, ["x"]],
        max_duration: ["x", [1]]
      }
      for (const [field, values] of Object.entries(wrong)) {
        for (const value of values) expectFieldErrorWithin(await bulk(fixture, { ...request, [field]: value }), field)
      }
      expectOnlyFieldErrors(
        await bulk(fixture, {
          ...request,
          first_message: 5,
          folder_path: 5,
          max_duration: "x",
          append_instruction: []
        }),
        "append_instruction",
        "first_message",
        "folder_path",
        "max_duration"
      )
      expectEqual("the evaluators", await Promise.all(ids.map((id) => read(fixture, id))), before)
    }
  ],
  "read-only-ignored": [
    "ignores read-only and unknown fields",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const before = await read(fixture, ids[0] ?? 0)
      const fields = { id: 7, name: "x", agent_name: "x", personality_name: "x", created_at: "x", color: 1 }
      const answer = bodyOf(await bulk(fixture, { ...request, ...fields, first_message: "Hi" }), 200)
      const names = ["id", "name", "agent_name", "personality_name", "created_at"]
      expectEqual(
        "what cannot be written",
        names.map((name) => answer[name]),
        names.map((name) => before[name])
      )
      expectEqual("first_message", answer.first_message, "Hi")
    }
  ],
  scope: [
    "answers 403 with a detail to a key without evaluators:write, and changes nothing",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const scopes = ["calls:read", "calls:write", "evaluators:read", "catalog:read", "catalog:write"]
      const made = await fixture.make(PATHS.keys, { name: `Conformance ${fixture.run}`, scopes })
      const key = String(made.api_key)
      expectStatus(await fixture.get(`${PATHS.evaluators}${String(ids[0])}/`, { key }), 200)
      expectDetail(await fixture.post(PATHS.bulkUpdate, { ...request, first_message: "x" }, { key }), 403)
      expectEqual("first_message", (await read(fixture, ids[0] ?? 0)).first_message, "")
    }
  ],
  folders: [
    "folder_path moves every evaluator to an existing folder and creates none",
    async (fixture) => {
      const { ids, request } = await pair(fixture)
      const project = await fixture.project()
      const folder = `f${fixture.callId().replaceAll("-", "_")}`
      expectFieldErrors(await bulk(fixture, { ...request, folder_path: folder }), "folder_path")
      await fixture.make(PATHS.folders, { project, path: folder })
      expectFieldErrors(await bulk(fixture, { ...request, folder_path: `${folder}.deeper` }), "folder_path")
      await fixture.make(PATHS.folders, { project, path: `${folder}.deeper` })
      for (const folder_path of [`${folder}.deeper`, folder, ""]) {
        bodyOf(await bulk(fixture, { ...request, folder_path }), 200)
        for (const id of ids) expectEqual("folder_path", (await read(fixture, id)).folder_path, folder_path)
      }
    }
  ],
  "removed-field": [
    "rejects any write to dynamic_variable_values",
    async (fixture) => {
      const { request } = await pair(fixture)
      for (const value of [{ name: "Ann" }, {}, null, ""]) {
        expectFieldErrors(
          await bulk(fixture, { ...request, dynamic_variable_values: value }),
          "dynamic_variable_values"
        )
      }
    }
  ],
  "json-only": [
    "answers 415 to forms",
    async (fixture) => {
      const { request } = await pair(fixture)
      for (const body of [{ form: request }, { multipart: request }]) {
        expectDetail(await fixture.ask("POST", PATHS.bulkUpdate, body), 415)
      }
    }
  ]
})
