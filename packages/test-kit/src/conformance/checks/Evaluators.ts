/** Evaluators. */
import { checksOf } from "../Check.js"
import { PATHS } from "../Fixture.js"
import {
  bodyOf,
  expectFieldErrors,
  expectFieldErrorWithin,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape
} from "../Expect.js"
import { at } from "../../Documents.js"
import { LANGUAGES } from "../Interface.js"
import { profileShape, read } from "./EvaluatorSupport.js"

export const evaluators = checksOf("evaluators", {
  "name-limit": [
    "limits an evaluator's name to 80 characters",
    async (fixture) => {
      const id = await fixture.evaluator({ name: "x".repeat(80) })
      const path = `${PATHS.evaluators}${id}/`
      bodyOf(await fixture.patch(path, { name: "😀".repeat(80) }), 200)
      for (const name of ["x".repeat(81), "😀".repeat(81), "", null]) {
        expectOnlyFieldErrors(await fixture.patch(path, { name }), "name")
      }
    }
  ],
  "removed-field": [
    "rejects any write to dynamic_variable_values",
    async (fixture) => {
      const id = await fixture.evaluator()
      const path = `${PATHS.evaluators}${id}/`
      expectOnlyFieldErrors(await fixture.patch(path, { dynamic_variable_values: {} }), "dynamic_variable_values")
      expectFieldErrors(
        await fixture.post(PATHS.evaluators, {
          agent: await fixture.agent(),
          name: "x",
          scenario_type: "instruction",
          instructions: "x",
          dynamic_variable_values: { a: 1 }
        }),
        "dynamic_variable_values"
      )
    }
  ],
  "scenario-types": [
    "requires one of the interface's scenario types",
    async (fixture) => {
      const fields = { agent: await fixture.agent(), name: "x", instructions: "Say hello." }
      for (const scenario_type of ["instruction", "real_world_smart", "real_world_fixed"]) {
        const made = await fixture.make(PATHS.evaluators, { ...fields, scenario_type })
        expectEqual("what was made", [made.scenario_type, made.instructions], [scenario_type, fields.instructions])
      }
      for (const scenario_type of ["real_world", "INSTRUCTION", "", 5, null, undefined]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.evaluators, { ...fields, scenario_type }), "scenario_type")
      }
    }
  ],
  "read-only": [
    "ignores read-only fields; a response can be sent back without the removed field",
    async (fixture) => {
      const project = await fixture.project()
      const test_profile = await fixture.makeId(PATHS.profiles, { project, name: "Ann" })
      const id = await fixture.evaluator({ test_profile, tags: ["smoke"] })
      const path = `${PATHS.evaluators}${id}/`
      const before = await read(fixture, id)
      const unchanged = async (body: unknown) => {
        const after = bodyOf(await fixture.patch(path, body), 200)
        // When it was changed last is all that may change.
        expectEqual("the evaluator", { ...after, updated_at: null }, { ...before, updated_at: null })
      }
      await unchanged({ id: id + 1, agent_name: "x", personality_name: "x", color: 1 })
      const back = Object.entries(before).filter(([name]) => name !== "dynamic_variable_values")
      await unchanged(Object.fromEntries(back))
    }
  ],
  "test-profile-data": [
    "test_profile_data is the test profile as its own endpoint returns it, or null",
    async (fixture) => {
      const information = { identity: { city: "Oslo" }, main_agent_variables: { name: "Ann", visits: 3 } }
      const project = await fixture.project()
      const test_profile = await fixture.makeId(PATHS.profiles, { project, name: "Ann", information })
      const id = await fixture.evaluator({ test_profile })
      const held = await read(fixture, id)
      expectShape("test_profile_data", held.test_profile_data, profileShape)
      expectEqual("test_profile_data.information", at(held.test_profile_data, "information"), information)
      const profile = bodyOf(await fixture.get(`${PATHS.profiles}${test_profile}/`), 200)
      expectEqual("test_profile_data", held.test_profile_data, profile)
      const without = bodyOf(await fixture.patch(`${PATHS.evaluators}${id}/`, { test_profile: null }), 200)
      expectEqual("the profile", [without.test_profile, without.test_profile_data], [null, null])
    }
  ],
  "instructions-json": [
    "accepts the instructions of conditional actions as valid JSON text",
    async (fixture) => {
      const item = { id: 0, condition: "FIRST_MESSAGE", action: "Hello", type: "standard", fixed_message: true }
      const actions = { role: "A caller", conditions: [item] }
      const fields = { agent: await fixture.agent(), name: "x", scenario_type: "conditional_actions" }
      const made = await fixture.make(PATHS.evaluators, { ...fields, instructions: JSON.stringify(actions) })
      expectEqual("instructions", JSON.parse(String(made.instructions)), actions)
      for (const instructions of [
        "Say hello.",
        "[]",
        "{}",
        JSON.stringify({ ...actions, conditions: [{ ...item, condition: "asks" }] }),
        JSON.stringify({ ...actions, conditions: [{ ...item, action: '<hold time="x" />' }] })
      ]) {
        expectFieldErrorWithin(await fixture.post(PATHS.evaluators, { ...fields, instructions }), "instructions")
      }
    }
  ],
  "conditional-actions": [
    "conditional actions have a role, ids in order, FIRST_MESSAGE first, acyclic references, well-formed markers and known types",
    async (fixture) => {
      const item = (id: number, condition: unknown, action: string) => ({
        id,
        condition,
        action,
        type: "standard",
        fixed_message: false
      })
      const agent = await fixture.agent()
      const fields = (conditions: unknown) => ({
        agent,
        name: "x",
        scenario_type: "conditional_actions",
        conditional_actions: { role: "A caller", conditions }
      })
      const first = item(0, "FIRST_MESSAGE", "Hello")
      const right = [
        first,
        item(1, "asks for a name", 'Wait <silence time="2" /> [laughter] <endcall />'),
        { ...item(2, 1, 'One moment <hold time="1.5" />'), type: "action_followup", fixed_message: true }
      ]
      const made = await fixture.make(PATHS.evaluators, fields(right))
      const kept: unknown = JSON.parse(String(made.instructions))
      expectEqual("instructions", kept, { role: "A caller", conditions: right })
      const wrong = [
        [],
        [item(0, "asks", "Hello")],
        [first, item(2, "asks", "x")],
        [first, item(1, 9, "x")],
        [first, item(1, 2, "x"), item(2, 1, "x")],
        [first, item(1, "asks", '<silence time="-2" />')],
        [first, item(1, "asks", "<shout />")],
        [first, item(1, "asks", '<hold time="0" />')],
        [first, item(1, "asks", "<hold />")],
        [first, item(1, "asks", '<hold time="long" />')],
        [first, { ...item(1, "asks", "x"), type: "other" }],
        [first, { ...item(1, "asks", "x"), type: "ACTION_FOLLOWUP" }],
        [{ ...first, fixed_message: "yes" }],
        [{ ...first, fixed_message: 1 }],
        [{ ...first, condition: true }],
        [{ ...first, action: 5 }],
        ["FIRST_MESSAGE"],
        "FIRST_MESSAGE",
        undefined
      ]
      for (const conditions of wrong) {
        const reply = await fixture.post(PATHS.evaluators, fields(conditions))
        expectFieldErrorWithin(reply, "conditional_actions")
      }
      for (const role of [5, ["A caller"], null, undefined]) {
        const reply = await fixture.post(PATHS.evaluators, {
          ...fields([]),
          conditional_actions: { role, conditions: right }
        })
        expectFieldErrorWithin(reply, "conditional_actions")
      }
    }
  ],
  languages: [
    "scenario_language is one of the interface's codes or null",
    async (fixture) => {
      const path = `${PATHS.evaluators}${await fixture.evaluator()}/`
      for (const scenario_language of [...LANGUAGES, null])
        bodyOf(await fixture.patch(path, { scenario_language }), 200)
      for (const scenario_language of ["xx", "EN", 5]) {
        expectOnlyFieldErrors(await fixture.patch(path, { scenario_language }), "scenario_language")
      }
    }
  ]
})
