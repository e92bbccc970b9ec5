/** The call logs. */
import { type Fixture, PATHS } from "../Fixture.js"
import { checksOf } from "../Check.js"
import { bodyOf, expectDetail, expectFieldErrors, expectNoBody, expectOnlyFieldErrors, expectEqual } from "../Expect.js"
import { at, listAt } from "../../Documents.js"

/** A call to review, with its path. */
const reviewable = async (fixture: Fixture) => {
  const made = await fixture.ingest({ call_id: fixture.callId(), feedback: "from the provider" })
  return { made, path: `${PATHS.calls}${String(made.id)}/` }
}

export const callLogs = checksOf("call-logs", {
  read: [
    "reads a call as it was returned, and answers 404 to an unknown one",
    async (fixture) => {
      const { made, path } = await reviewable(fixture)
      expectEqual("the call", bodyOf(await fixture.get(path), 200), made)
      expectDetail(await fixture.get(`${PATHS.calls}${fixture.unknownId}/`), 404)
      expectDetail(await fixture.get(`${PATHS.calls}word/`), 404)
    }
  ],
  review: [
    "derives status from success and is_reviewed, and keeps a person's feedback across redeliveries",
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
        expectEqual(
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
      expectEqual("what was reviewed", [again.feedback, again.status], ["from a person", "reviewed_success"])
    }
  ],
  limits: [
    "limits dropoff_point and topic to 1000 characters",
    async (fixture) => {
      const { path } = await reviewable(fixture)
      for (const field of ["dropoff_point", "topic"]) {
        bodyOf(await fixture.patch(path, { [field]: "x".repeat(1000) }), 200)
        expectOnlyFieldErrors(await fixture.patch(path, { [field]: "x".repeat(1001) }), field)
      }
    }
  ],
  listed: [
    "lists calls by project and by agent, newest first",
    async (fixture) => {
      const [here, there] = [await fixture.otherProject(), await fixture.otherProject()]
      const deliver = async ({ agent }: typeof here) => (await fixture.ingest({ call_id: fixture.callId(), agent })).id
      const ids = [await deliver(here), await deliver(there), await deliver(here)]
      const listed = async (query: string) =>
        listAt(bodyOf(await fixture.get(`${PATHS.calls}?${query}`), 200), "results").map((call) => at(call, "id"))
      for (const query of [`project=${here.project}`, `agent_id=${here.agent}`]) {
        expectEqual(`the calls of ${query}`, await listed(query), [ids[2], ids[0]])
      }
      expectEqual("the calls of another project", await listed(`project=${there.project}`), [ids[1]])
      for (const name of ["project", "agent_id"])
        expectFieldErrors(await fixture.get(`${PATHS.calls}?${name}=word`), name)
    }
  ],
  delete: [
    "deletes a call and frees its call_id",
    async (fixture) => {
      const { made, path } = await reviewable(fixture)
      expectNoBody(await fixture.ask("DELETE", path), 204)
      expectDetail(await fixture.get(path), 404)
      const again = await fixture.post(PATHS.observe, { call_id: made.call_id, agent: await fixture.agent() })
      fixture.deleteAtEnd(`${PATHS.calls}${String(bodyOf(again, 201).id)}/`)
    }
  ]
})
