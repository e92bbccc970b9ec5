/** E8. */
import { checksOf } from "../Check.js"
import {
  bodyOf,
  expectDetail,
  expectFieldErrors,
  expectFieldErrorWithin,
  expectNoBody,
  expectOnlyFieldErrors,
  expectEqual,
  expectStatus,
  expectTrue
} from "../Expect.js"
import { PATHS } from "../Fixture.js"
import { at, listAt } from "../../Documents.js"
import { capacityOf, since, deleteResults, claim, wrongIds, type Headers, holders } from "./ResultSupport.js"

export const resultDeletion = checksOf("E8", {
  "answered-204": [
    "deletes results with their runs and answers 204 without a body; others are kept",
    async (fixture) => {
      const [gone, also, stays] = [await fixture.result(2), await fixture.result(1), await fixture.result(1)]
      await deleteResults(fixture, [gone.id, also.id])
      for (const { path, runs } of [gone, also]) {
        expectDetail(await fixture.get(path), 404)
        for (const run of runs) expectDetail(await fixture.get(`${PATHS.runs}${run}/`), 404)
      }
      const listed = listAt(bodyOf(await fixture.get(`${PATHS.results}?limit=200`), 200), "results")
      const ids = listed.map((one) => at(one, "id"))
      expectEqual(
        "what is listed",
        [gone.id, also.id, stays.id].map((id) => ids.includes(id)),
        [false, false, true]
      )
      const runs = bodyOf(await fixture.get(`${PATHS.runs}?result=${gone.id}`), 200)
      expectEqual("the runs that are listed", runs.results, [])
      await deleteResults(fixture, [stays.id])
    }
  ],
  counters: [
    "releases pending demand, sessions, slots and numbers once, however often a result is deleted",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const numbered = await fixture.makeId(PATHS.numbers, { project: await fixture.project(), number: "+15550142" })
      const [one, other] = [await fixture.result(3, { phone_number: numbered }), await fixture.result(2)]
      expectEqual("what is held by five queued runs", await since(fixture, before), [0, 5, 0])
      expectTrue("the number is not held", (await capacityOf(fixture)).numbers.includes(numbered))
      await claim(fixture, one)
      await deleteResults(fixture, [one.id, one.id])
      const rest = await capacityOf(fixture)
      expectEqual("what is held by the others", rest.active + rest.pending - before.active - before.pending, 2)
      expectTrue("the number is held still", !rest.numbers.includes(numbered))
      await deleteResults(fixture, [one.id])
      expectEqual("what is held when it is deleted again", await capacityOf(fixture), rest)
      await deleteResults(fixture, [other.id])
      expectEqual("what is held when all is deleted", await since(fixture, before), [0, 0, 0])
    }
  ],
  "numbers-shared": [
    "holds a phone number while a queued or running run of any result needs it",
    async (fixture) => {
      const phone_number = await fixture.makeId(PATHS.numbers, {
        project: await fixture.project(),
        number: "+15550143"
      })
      const [one, other] = [await fixture.result(1, { phone_number }), await fixture.result(1, { phone_number })]
      await deleteResults(fixture, [one.id])
      expectTrue("the number is not held", (await capacityOf(fixture)).numbers.includes(phone_number))
      await deleteResults(fixture, [other.id])
      expectTrue("the number is held still", !(await capacityOf(fixture)).numbers.includes(phone_number))
    }
  ],
  silent: [
    "ignores unknown and deleted ids, alone and beside existing ones",
    async (fixture) => {
      const { id, path } = await fixture.result(1)
      await deleteResults(fixture, [fixture.unknownId])
      await deleteResults(fixture, [fixture.unknownId, id, id, fixture.unknownId])
      expectDetail(await fixture.get(path), 404)
      await deleteResults(fixture, [id])
    }
  ],
  "other-organization": [
    "ignores another organization's results",
    async (fixture) => {
      const { other } = fixture
      const { id, path, runs } = await fixture.result(1)
      const before = await capacityOf(fixture)
      expectNoBody(await other.ask("POST", PATHS.bulkDelete, { json: { result_ids: [id] } }), 204)
      expectDetail(await other.ask("POST", `${path}delete_runs/`, { json: { run_ids: runs } }), 404)
      expectDetail(await other.ask("GET", path), 404)
      expectDetail(await other.ask("POST", `${path}cancel/`), 404)
      expectDetail(await other.ask("GET", `${PATHS.runs}${runs[0] ?? 0}/`), 404)
      expectStatus(await fixture.get(path), 200)
      expectEqual("what is held", await capacityOf(fixture), before)
      await deleteResults(fixture, [id])
    }
  ],
  "not-granted": [
    "answers 403 to a session or link without the permission to delete, and ignores results out of its scope",
    async (fixture) => {
      const { agent, project } = await fixture.otherProject()
      const [near, far] = [await fixture.result(1), await fixture.result(2, { agent_id: agent })]
      const remove = (ids: ReadonlyArray<number>, headers: Headers) =>
        fixture.post(PATHS.bulkDelete, { result_ids: ids }, { key: null, headers })
      for (const headers of await holders(fixture, { type: "project", id: project }, ["results:read"])) {
        expectDetail(await remove([far.id], headers), 403)
      }
      expectStatus(await fixture.get(far.path), 200)
      for (const headers of await holders(fixture, { type: "project", id: project }, ["results:delete"])) {
        expectNoBody(await remove([near.id], headers), 204)
        expectStatus(await fixture.get(near.path), 200)
      }
      for (const headers of await holders(fixture, { type: "result", id: far.id }, ["results:delete"])) {
        expectNoBody(await remove([near.id, far.id], headers), 204)
        expectStatus(await fixture.get(near.path), 200)
        expectDetail(await fixture.get(far.path), 404)
      }
      await deleteResults(fixture, [near.id])
    }
  ],
  limits: [
    "accepts 1 to 100 ids",
    async (fixture) => {
      const unknown = (count: number) => Array.from({ length: count }, (_, at) => fixture.unknownId - at)
      await deleteResults(fixture, unknown(1))
      await deleteResults(fixture, unknown(100))
      for (const result_ids of [[], unknown(101)]) {
        expectOnlyFieldErrors(await fixture.post(PATHS.bulkDelete, { result_ids }), "result_ids")
      }
    }
  ],
  "wrong-values": [
    "requires result_ids, a list of ids; deletes nothing with an invalid one",
    async (fixture) => {
      for (const result_ids of wrongIds) {
        expectFieldErrorWithin(await fixture.post(PATHS.bulkDelete, { result_ids }), "result_ids")
      }
      const { id, path } = await fixture.result(1)
      expectFieldErrors(
        await fixture.post(PATHS.bulkDelete, { result_ids: [id, "x", -5] }),
        "result_ids[1]",
        "result_ids[2]"
      )
      expectStatus(await fixture.get(path), 200)
      await deleteResults(fixture, [id])
    }
  ],
  encodings: [
    "accepts form and multipart bodies like JSON, and a repeated field as a list",
    async (fixture) => {
      const repeated = (encoding: "form" | "multipart", ids: ReadonlyArray<number>) => {
        const fields = encoding === "form" ? new URLSearchParams() : new FormData()
        for (const id of ids) fields.append("result_ids", String(id))
        return fields
      }
      for (const encoding of ["form", "multipart"] as const) {
        const [first, second] = [await fixture.result(1), await fixture.result(1)]
        const body = repeated(encoding, [first.id, second.id])
        expectNoBody(await fixture.ask("POST", PATHS.bulkDelete, { body }), 204)
        for (const { path } of [first, second]) expectDetail(await fixture.get(path), 404)
        const [one, other] = [await fixture.result(1), await fixture.result(1)]
        expectNoBody(
          await fixture.ask("POST", PATHS.bulkDelete, { [encoding]: { result_ids: [one.id, other.id] } }),
          204
        )
        for (const { path } of [one, other]) expectDetail(await fixture.get(path), 404)
      }
    }
  ]
})
