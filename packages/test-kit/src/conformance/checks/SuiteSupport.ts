/** What the checks of suites share. */
import { type Fixture, PATHS } from "../Fixture.js"
import { bodyOf, expectEqual } from "../Expect.js"

export const planOf = async (fixture: Fixture, body: object) => {
  const answer = bodyOf(await fixture.post(PATHS.validate, { agent_id: await fixture.agent(), ...body }), 200)
  expectEqual("dry_run and valid", [answer.dry_run, answer.valid], [true, true])
  return answer.plan
}
