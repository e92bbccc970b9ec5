/** E4 and evaluators. */
import { at, listAt } from "../../Documents.js"
import { type Check, checksOf } from "../Check.js"
import {
  any,
  bodyOf,
  expectDetail,
  expectFaults,
  expectFaultWithin,
  expectOnlyFaults,
  expectSame,
  expectShape,
  expectStatus,
  instant,
  int,
  type Kind,
  list,
  oneOf,
  orNull,
  shortText,
  text
} from "../Expect.js"
import { LANGUAGES } from "../Interface.js"
import { PATHS, type World } from "../World.js"

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
  test_profile_data: any,
  dynamic_variable_values: any,
  folder_path: text,
  created_at: instant,
  updated_at: instant,
  created_by: orNull(int),
  last_updated_by: orNull(int)
}

const read = async (world: World, id: number) => bodyOf(await world.get(`${PATHS.evaluators}${id}/`), 200)

const bulk = async (world: World, fields: object, query = "") => world.post(`${PATHS.bulkUpdate}${query}`, fields)

/** Two evaluators, and what names them in a bulk update. */
const pair = async (world: World) => {
  const ids = [await world.evaluator(), await world.evaluator()]
  return { ids, request: { scenarios: ids, project: await world.project() } }
}

const update = checksOf("E4", {
  "answered-200": [
    "the first evaluator is answered, and with many=true all of them in the order given",
    async (world) => {
      const { ids, request } = await pair(world)
      const one = bodyOf(await bulk(world, { ...request, first_message: "Hi" }), 200)
      expectShape("the evaluator", one, evaluatorShape)
      expectSame("the evaluator", [one.id, one.first_message], [ids[0], "Hi"])
      const many = await bulk(world, { ...request, scenarios: [...ids].reverse() }, "?many=true")
      expectSame(
        "the evaluators",
        listAt(many.json).map((each) => at(each, "id")),
        [...ids].reverse()
      )
    }
  ],
  "agent-or-project": [
    "either agent or project is required, and scenarios are",
    async (world) => {
      const { ids } = await pair(world)
      expectOnlyFaults(await bulk(world, { scenarios: ids }), "agent", "project")
      expectFaults(await bulk(world, {}), "scenarios")
      bodyOf(await bulk(world, { scenarios: ids, agent: await world.agent() }), 200)
      expectFaults(await bulk(world, { scenarios: ids, project: world.nobody }), "project")
      expectFaults(await bulk(world, { scenarios: ids, agent: world.nobody }), "agent")
      expectFaults(await bulk(world, { scenarios: [], project: await world.project() }), "scenarios")
    }
  ],
  "agent-overrides": [
    "agent overrides each evaluator's agent",
    async (world) => {
      const { ids } = await pair(world)
      const agent = await world.makeId(PATHS.agents, { project: await world.project(), name: "Another" })
      bodyOf(await bulk(world, { scenarios: ids, agent }), 200)
      for (const id of ids) expectSame("agent", (await read(world, id)).agent, agent)
    }
  ],
  "all-or-nothing": [
    "where one evaluator or any field is at fault, nothing is changed",
    async (world) => {
      const { ids, request } = await pair(world)
      const before = await Promise.all(ids.map((id) => read(world, id)))
      const change = { append_instruction: "!", first_message: "changed" }
      expectFaults(await bulk(world, { ...request, ...change, scenarios: [...ids, world.nobody] }), "scenarios")
      expectFaults(await bulk(world, { ...request, ...change, folder_path: "no.such" }), "folder_path")
      expectFaults(await bulk(world, { ...request, ...change, personality: world.nobody }), "personality")
      expectOnlyFaults(
        await bulk(world, { ...request, ...change, max_duration: 0, tool_ids_to_add: [world.nobody] }),
        "max_duration",
        "tool_ids_to_add"
      )
      expectSame("the evaluators", await Promise.all(ids.map((id) => read(world, id))), before)
    }
  ],
  append: [
    "append_instruction is joined as it is, again on every call",
    async (world) => {
      const { ids, request } = await pair(world)
      for (let n = 0; n < 2; n++) bodyOf(await bulk(world, { ...request, append_instruction: " Be brief." }), 200)
      for (const id of ids) {
        expectSame("instructions", (await read(world, id)).instructions, "Say hello. Be brief. Be brief.")
      }
    }
  ],
  "append-structured": [
    "append_instruction to conditional actions is a fault, since their instructions are JSON",
    async (world) => {
      const id = await world.evaluator({
        scenario_type: "conditional_actions",
        instructions: undefined,
        conditional_actions: {
          role: "x",
          conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: "Hi", type: "standard", fixed_message: false }]
        }
      })
      const request = { scenarios: [id], project: await world.project(), append_instruction: "!" }
      expectFaults(await bulk(world, request), "append_instruction")
    }
  ],
  attachments: [
    "metrics and tools are added and removed; adding twice and removing what is not there is no fault",
    async (world) => {
      const { ids, request } = await pair(world)
      const project = await world.project()
      const metric = await world.numericMetric()
      const tool = await world.makeId(PATHS.tools, { project, name: "keypad" })
      for (let n = 0; n < 2; n++) {
        bodyOf(await bulk(world, { ...request, metric_ids_to_add: [metric], tool_ids_to_add: [tool] }), 200)
      }
      const held = await read(world, ids[1] ?? 0)
      expectSame(
        "what is attached",
        [held.metrics, held.metric_names, held.tool_ids],
        [[metric], ["Conformance"], [tool]]
      )
      for (let n = 0; n < 2; n++) {
        bodyOf(await bulk(world, { ...request, metric_ids_to_remove: [metric], tool_ids_to_remove: [tool] }), 200)
      }
      const bare = await read(world, ids[1] ?? 0)
      expectSame("what is attached", [bare.metrics, bare.tool_ids], [[], []])
      expectFaults(
        await bulk(world, { ...request, metric_ids_to_add: [metric], metric_ids_to_remove: [metric] }),
        "metric_ids_to_remove"
      )
      expectFaults(await bulk(world, { ...request, metric_ids_to_add: [world.nobody] }), "metric_ids_to_add")
    }
  ],
  replaced: [
    "personality, test_profile, phone numbers, first_message and max_duration replace each evaluator's",
    async (world) => {
      const { ids, request } = await pair(world)
      const project = await world.project()
      const personality = await world.makeId(PATHS.personalities, { project, name: "Calm", language: "en" })
      expectStatus(
        await world.post(`${PATHS.projects}${project}/enable_personalities/`, { personalities: personality }),
        200
      )
      const test_profile = await world.makeId(PATHS.profiles, { project, name: "Ann" })
      const number = `+1555${String(Date.now()).slice(-7)}`
      const phone_number = await world.makeId(PATHS.numbers, { project, number })
      const fields = { personality, test_profile, phone_number, first_message: "Good day", max_duration: 120 }
      bodyOf(await bulk(world, { ...request, ...fields }), 200)
      for (const id of ids) {
        const held = await read(world, id)
        expectSame(
          "the evaluator",
          [held.personality, held.personality_name, held.test_profile, held.first_message, held.max_duration],
          [personality, "Calm", test_profile, "Good day", 120]
        )
        expectSame("the numbers", [held.phone_number, held.inbound_phone_number], [number, phone_number])
      }
      const another = await world.makeId(PATHS.numbers, { project, number: `${number}9` })
      expectFaults(
        await bulk(world, { ...request, phone_number, inbound_phone_number: another }),
        "inbound_phone_number"
      )
      for (const max_duration of [0, -1, 0.5, "long"]) {
        expectFaults(await bulk(world, { ...request, max_duration }), "max_duration")
      }
    }
  ],
  folders: [
    "folder_path moves every evaluator there, and folders are not made on the way",
    async (world) => {
      const { ids, request } = await pair(world)
      const project = await world.project()
      const folder = `f${world.callId().replaceAll("-", "_")}`
      expectFaults(await bulk(world, { ...request, folder_path: folder }), "folder_path")
      await world.make(PATHS.folders, { project, path: folder })
      expectFaults(await bulk(world, { ...request, folder_path: `${folder}.deeper` }), "folder_path")
      await world.make(PATHS.folders, { project, path: `${folder}.deeper` })
      for (const folder_path of [`${folder}.deeper`, folder, ""]) {
        bodyOf(await bulk(world, { ...request, folder_path }), 200)
        for (const id of ids) expectSame("folder_path", (await read(world, id)).folder_path, folder_path)
      }
    }
  ],
  "removed-field": [
    "any write to dynamic_variable_values is a fault",
    async (world) => {
      const { request } = await pair(world)
      for (const value of [{ name: "Ann" }, {}, null, ""]) {
        expectFaults(await bulk(world, { ...request, dynamic_variable_values: value }), "dynamic_variable_values")
      }
    }
  ],
  "json-only": [
    "forms are answered with 415",
    async (world) => {
      const { request } = await pair(world)
      for (const body of [{ form: request }, { multipart: request }]) {
        expectDetail(await world.ask("POST", PATHS.bulkUpdate, body), 415)
      }
    }
  ]
})

const evaluator = checksOf("evaluators", {
  "name-limit": [
    "an evaluator's name has at most 80 characters",
    async (world) => {
      const id = await world.evaluator({ name: "x".repeat(80) })
      const path = `${PATHS.evaluators}${id}/`
      bodyOf(await world.patch(path, { name: "😀".repeat(80) }), 200)
      for (const name of ["x".repeat(81), "😀".repeat(81), "", null]) {
        expectOnlyFaults(await world.patch(path, { name }), "name")
      }
    }
  ],
  "removed-field": [
    "no write of an evaluator takes dynamic_variable_values",
    async (world) => {
      const id = await world.evaluator()
      const path = `${PATHS.evaluators}${id}/`
      expectOnlyFaults(await world.patch(path, { dynamic_variable_values: {} }), "dynamic_variable_values")
      expectFaults(
        await world.post(PATHS.evaluators, {
          agent: await world.agent(),
          name: "x",
          scenario_type: "instruction",
          instructions: "x",
          dynamic_variable_values: { a: 1 }
        }),
        "dynamic_variable_values"
      )
    }
  ],
  "conditional-actions": [
    "conditional actions have ids in order, the first message first, references without circles and well-formed markers",
    async (world) => {
      const item = (id: number, condition: unknown, action: string) => ({
        id,
        condition,
        action,
        type: "standard",
        fixed_message: false
      })
      const agent = await world.agent()
      const fields = (conditions: ReadonlyArray<unknown>) => ({
        agent,
        name: "x",
        scenario_type: "conditional_actions",
        conditional_actions: { role: "A caller", conditions }
      })
      const first = item(0, "FIRST_MESSAGE", "Hello")
      const right = [
        first,
        item(1, "asks for a name", 'Wait <silence time="2" /> [laughter] <endcall />'),
        item(2, 1, "Bye")
      ]
      await world.make(PATHS.evaluators, fields(right))
      const wrong = [
        [],
        [item(0, "asks", "Hello")],
        [first, item(2, "asks", "x")],
        [first, item(1, 9, "x")],
        [first, item(1, 2, "x"), item(2, 1, "x")],
        [first, item(1, "asks", '<silence time="-2" />')],
        [first, item(1, "asks", "<shout />")],
        [first, { ...item(1, "asks", "x"), type: "other" }]
      ]
      for (const conditions of wrong) {
        const reply = await world.post(PATHS.evaluators, fields(conditions))
        expectFaultWithin(reply, "conditional_actions")
      }
    }
  ],
  languages: [
    "scenario_language is one of the interface's codes or null",
    async (world) => {
      const path = `${PATHS.evaluators}${await world.evaluator()}/`
      for (const scenario_language of [...LANGUAGES, null]) bodyOf(await world.patch(path, { scenario_language }), 200)
      for (const scenario_language of ["xx", "EN", 5]) {
        expectOnlyFaults(await world.patch(path, { scenario_language }), "scenario_language")
      }
    }
  ]
})

export const evaluators: ReadonlyArray<Check> = [...update, ...evaluator]
