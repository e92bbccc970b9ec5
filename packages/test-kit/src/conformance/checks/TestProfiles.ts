/** Test profiles. */
import { checksOf } from "../Check.js"
import { PATHS } from "../Fixture.js"
import {
  bodyOf,
  expectDetail,
  expectFieldErrorWithin,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape,
  int,
  text
} from "../Expect.js"
import { profileShape } from "./EvaluatorSupport.js"

export const testProfiles = checksOf("test-profiles", {
  record: [
    "returns a test profile with the interface's fields, and updates the given fields",
    async (fixture) => {
      const [project, agent] = [await fixture.project(), await fixture.agent()]
      const information = { identity: { city: "Oslo" }, main_agent_variables: { name: "Ann", address: { zip: 150 } } }
      const made = await fixture.make(PATHS.profiles, { project, agent, name: "Ann", information })
      expectShape("the profile", made, { ...profileShape, agent: int, agent_name: text })
      const path = `${PATHS.profiles}${String(made.id)}/`
      expectEqual("the profile as it is read", bodyOf(await fixture.get(path), 200), made)
      const held = [made.name, made.project, made.agent, made.information]
      expectEqual("what was told", held, ["Ann", project, agent, information])
      const renamed = bodyOf(await fixture.patch(path, { name: "Bea", id: 7, agent_name: "x", created_at: "x" }), 200)
      expectEqual("the profile", { ...renamed, updated_at: null }, { ...made, name: "Bea", updated_at: null })
      const cleared = bodyOf(await fixture.patch(path, { agent: null, information: {} }), 200)
      expectEqual("the profile", [cleared.agent, cleared.agent_name, cleared.information], [null, null, {}])
      expectDetail(await fixture.get(`${PATHS.profiles}${fixture.unknownId}/`), 404)
    }
  ],
  errors: [
    "reports missing, unknown and invalid fields of a test profile",
    async (fixture) => {
      const project = await fixture.project()
      const foreign = (await fixture.otherProject()).agent
      expectOnlyFieldErrors(await fixture.post(PATHS.profiles, {}), "name", "project")
      const path = `${PATHS.profiles}${await fixture.makeId(PATHS.profiles, { project, name: "Ann" })}/`
      const wrong: ReadonlyArray<readonly [field: string, ...values: ReadonlyArray<unknown>]> = [
        ["name", "", " ", 5, null],
        ["agent", fixture.unknownId, foreign, "x"],
        ["information", [], "x", 5, { main_agent_variables: 5 }, { main_agent_variables: ["Ann"] }]
      ]
      for (const [field, ...values] of wrong) {
        for (const value of values) {
          expectFieldErrorWithin(await fixture.post(PATHS.profiles, { project, name: "x", [field]: value }), field)
          expectFieldErrorWithin(await fixture.patch(path, { [field]: value }), field)
        }
      }
      for (const unknown of [fixture.unknownId, "x"]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.profiles, { project: unknown, name: "x" }), "project")
      }
    }
  ]
})
