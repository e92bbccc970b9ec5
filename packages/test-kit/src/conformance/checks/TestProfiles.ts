/** Test profiles. */
import { checksOf } from "../Check.js"
import { PATHS } from "../Fixture.js"
import {
  bodyOf,
  expectDetail,
  expectFaultWithin,
  expectOnlyFaults,
  expectSame,
  expectShape,
  int,
  text
} from "../Expect.js"
import { profileShape } from "./EvaluatorSupport.js"

export const testProfiles = checksOf("test-profiles", {
  record: [
    "a test profile is answered and read as the interface has it, and changed in what a change names",
    async (fixture) => {
      const [project, agent] = [await fixture.project(), await fixture.agent()]
      const information = { identity: { city: "Oslo" }, main_agent_variables: { name: "Ann", address: { zip: 150 } } }
      const made = await fixture.make(PATHS.profiles, { project, agent, name: "Ann", information })
      expectShape("the profile", made, { ...profileShape, agent: int, agent_name: text })
      const path = `${PATHS.profiles}${String(made.id)}/`
      expectSame("the profile as it is read", bodyOf(await fixture.get(path), 200), made)
      const held = [made.name, made.project, made.agent, made.information]
      expectSame("what was told", held, ["Ann", project, agent, information])
      const renamed = bodyOf(await fixture.patch(path, { name: "Bea", id: 7, agent_name: "x", created_at: "x" }), 200)
      expectSame("the profile", { ...renamed, updated_at: null }, { ...made, name: "Bea", updated_at: null })
      const cleared = bodyOf(await fixture.patch(path, { agent: null, information: {} }), 200)
      expectSame("the profile", [cleared.agent, cleared.agent_name, cleared.information], [null, null, {}])
      expectDetail(await fixture.get(`${PATHS.profiles}${fixture.nobody}/`), 404)
    }
  ],
  faults: [
    "what a test profile lacks, names that is not there, or has of a wrong type is a fault of its field",
    async (fixture) => {
      const project = await fixture.project()
      const foreign = (await fixture.elsewhere()).agent
      expectOnlyFaults(await fixture.post(PATHS.profiles, {}), "name", "project")
      const path = `${PATHS.profiles}${await fixture.makeId(PATHS.profiles, { project, name: "Ann" })}/`
      const wrong: ReadonlyArray<readonly [field: string, ...values: ReadonlyArray<unknown>]> = [
        ["name", "", " ", 5, null],
        ["agent", fixture.nobody, foreign, "x"],
        ["information", [], "x", 5, { main_agent_variables: 5 }, { main_agent_variables: ["Ann"] }]
      ]
      for (const [field, ...values] of wrong) {
        for (const value of values) {
          expectFaultWithin(await fixture.post(PATHS.profiles, { project, name: "x", [field]: value }), field)
          expectFaultWithin(await fixture.patch(path, { [field]: value }), field)
        }
      }
      for (const unknown of [fixture.nobody, "x"]) {
        expectOnlyFaults(await fixture.post(PATHS.profiles, { project: unknown, name: "x" }), "project")
      }
    }
  ]
})
