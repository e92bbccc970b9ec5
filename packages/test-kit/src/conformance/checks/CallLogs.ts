/** The call logs. */
import { type Fixture, PATHS } from "../Fixture.js"
import { checksOf } from "../Check.js"
import { bodyOf, expectDetail, expectFaults, expectNoBody, expectOnlyFaults, expectSame } from "../Expect.js"
import { at, listAt } from "../../Documents.js"

/** A call to review, with its path. */
const reviewable = async (fixture: Fixture) => {
  const made = await fixture.ingest({ call_id: fixture.callId(), feedback: "from the provider" })
  return { made, path: `${PATHS.calls}${String(made.id)}/` }
}

export const callLogs = checksOf("call-logs", {
  read: [
    "a call is read as it was answered, and an unknown one is 404",
    async (fixture) => {
      const { made, path } = await reviewable(fixture)
      expectSame("the call", bodyOf(await fixture.get(path), 200), made)
      expectDetail(await fixture.get(`${PATHS.calls}${fixture.nobody}/`), 404)
      expectDetail(await fixture.get(`${PATHS.calls}word/`), 404)
    }
  ],
  review: [
    "status follows success and is_reviewed, and a person's feedback outlives deliveries",
    async (fixture) => {
      const { made, path } = await reviewable(fixture)
      const statuses: ReadonlyArray<readonly [object, unknown]> = [
        [{ success: true }, "success"],
        [{ is_reviewed: true }, "reviewed_success"],
        [{ success: false }, "reviewed_failure"],
        [{ is_reviewed: false }, "failure"],
        [{ status: "reviewed_success" }, "reviewed_success"],
        [{ success: null }, null]
      ]
      for (const [change, status] of statuses) {
        expectSame(
          `status after ${JSON.stringify(change)}`,
          bodyOf(await fixture.patch(path, change), 200).status,
          status
        )
      }
      bodyOf(await fixture.patch(path, { feedback: "from a person", success: true, is_reviewed: true }), 200)
      const again = bodyOf(
        await fixture.post(PATHS.observe, { call_id: made.call_id, agent: await fixture.agent(), feedback: "another" }),
        200
      )
      expectSame("what was reviewed", [again.feedback, again.status], ["from a person", "reviewed_success"])
    }
  ],
  limits: [
    "dropoff_point and topic have at most 1000 characters",
    async (fixture) => {
      const { path } = await reviewable(fixture)
      for (const field of ["dropoff_point", "topic"]) {
        bodyOf(await fixture.patch(path, { [field]: "x".repeat(1000) }), 200)
        expectOnlyFaults(await fixture.patch(path, { [field]: "x".repeat(1001) }), field)
      }
    }
  ],
  listed: [
    "calls are listed by project and by agent, newest first, and no others",
    async (fixture) => {
      const [here, there] = [await fixture.elsewhere(), await fixture.elsewhere()]
      const deliver = async ({ agent }: typeof here) => (await fixture.ingest({ call_id: fixture.callId(), agent })).id
      const ids = [await deliver(here), await deliver(there), await deliver(here)]
      const listed = async (query: string) =>
        listAt(bodyOf(await fixture.get(`${PATHS.calls}?${query}`), 200), "results").map((call) => at(call, "id"))
      for (const query of [`project=${here.project}`, `agent_id=${here.agent}`]) {
        expectSame(`the calls of ${query}`, await listed(query), [ids[2], ids[0]])
      }
      expectSame("the calls of another project", await listed(`project=${there.project}`), [ids[1]])
      for (const name of ["project", "agent_id"]) expectFaults(await fixture.get(`${PATHS.calls}?${name}=word`), name)
    }
  ],
  delete: [
    "a deleted call is gone, and its name is free again",
    async (fixture) => {
      const { made, path } = await reviewable(fixture)
      expectNoBody(await fixture.ask("DELETE", path), 204)
      expectDetail(await fixture.get(path), 404)
      const again = await fixture.post(PATHS.observe, { call_id: made.call_id, agent: await fixture.agent() })
      fixture.owes(`${PATHS.calls}${String(bodyOf(again, 201).id)}/`)
    }
  ]
})
