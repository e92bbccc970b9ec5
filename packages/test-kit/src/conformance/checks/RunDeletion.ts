/** E9. */
import { type Fixture, PATHS, type StartedResult, suiteOf } from "../Fixture.js"
import {
  expectDetail,
  expectFieldErrorWithin,
  expectNoBody,
  expectOnlyFieldErrors,
  expectEqual,
  expectStatus
} from "../Expect.js"
import { checksOf } from "../Check.js"
import { at, listAt } from "../../Documents.js"
import {
  capacityOf,
  since,
  deleteResults,
  read,
  claim,
  report,
  wrongIds,
  type Headers,
  holders
} from "./ResultSupport.js"

const deleteRuns = async (fixture: Fixture, { path }: StartedResult, runs: ReadonlyArray<number>): Promise<void> =>
  expectNoBody(await fixture.post(`${path}delete_runs/`, { run_ids: runs }), 204)

export const runDeletion = checksOf("E9", {
  "answered-204": [
    "deletes runs and keeps the others, which are counted and listed without them; releases their capacity",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const result = await fixture.result(3)
      const [first = 0, second = 0, third = 0] = result.runs
      await deleteRuns(fixture, result, [first, second])
      for (const run of [first, second]) expectDetail(await fixture.get(`${PATHS.runs}${run}/`), 404)
      expectStatus(await fixture.get(`${PATHS.runs}${third}/`), 200)
      const rest = await read(fixture, result)
      expectEqual("total_runs", rest.total_runs, 1)
      expectEqual("what is held", await since(fixture, before), [0, 1, 0])
      await deleteRuns(fixture, result, [third])
      const empty = await read(fixture, result)
      expectEqual("the result without runs", [empty.total_runs, empty.status, empty.success_rate], [0, "empty", null])
      expectEqual("what is held", await since(fixture, before), [0, 0, 0])
      await deleteResults(fixture, [result.id])
    }
  ],
  repeated: [
    "ignores deleted and repeated ids, and counts each once",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const result = await fixture.result(2)
      const [first = 0] = result.runs
      await deleteRuns(fixture, result, [first, first])
      await deleteRuns(fixture, result, [first])
      expectEqual("total_runs", (await read(fixture, result)).total_runs, 1)
      expectEqual("what is held", await since(fixture, before), [0, 1, 0])
      await deleteResults(fixture, [result.id])
      expectEqual("what is held", await since(fixture, before), [0, 0, 0])
    }
  ],
  "re-evaluation": [
    "re-evaluates the result by its remaining runs",
    async (fixture) => {
      const result = await fixture.result(4)
      const leases = await claim(fixture, result)
      const [good = 0, bad = 0, late = 0] = result.runs
      const lease = (run: number) => leases.get(run) ?? ""
      const done = async (run: number, success: boolean) =>
        expectStatus(await report(fixture, run, "complete", { lease: lease(run), success }), 200)
      await done(good, true)
      await done(bad, false)
      expectStatus(await report(fixture, late, "fail", { lease: lease(late), error: "No answer." }), 200)
      const rate = async () => {
        const { success_rate } = await read(fixture, result)
        return Math.round(Number(success_rate) * 1e6) / 1e6
      }
      expectEqual("the success rate of one out of three", await rate(), 0.333333)
      await deleteRuns(fixture, result, [late])
      expectEqual("the success rate of one out of two", await rate(), 0.5)
      await deleteRuns(fixture, result, [bad])
      expectEqual("the success rate of one out of one", await rate(), 1)
      const rest = await read(fixture, result)
      expectEqual("what is counted", [rest.total_runs, at(rest, "runs_by_status", "completed")], [2, 1])
      await deleteResults(fixture, [result.id])
    }
  ],
  "not-its-own": [
    "rejects runs of another result and deletes nothing then",
    async (fixture) => {
      const [result, another] = [await fixture.result(2), await fixture.result(1)]
      const [own = 0] = result.runs
      for (const strange of [another.runs[0] ?? 0, fixture.unknownId]) {
        expectFieldErrorWithin(await fixture.post(`${result.path}delete_runs/`, { run_ids: [own, strange] }), "run_ids")
      }
      expectEqual("total_runs", (await read(fixture, result)).total_runs, 2)
      expectEqual("total_runs of the other one", (await read(fixture, another)).total_runs, 1)
      await deleteResults(fixture, [result.id, another.id])
    }
  ],
  limits: [
    "accepts 1 to 100 ids, and deletes nothing with more",
    async (fixture) => {
      const [first] = listAt(suiteOf(100), "scenarios")
      const [second] = listAt(suiteOf(1, { key: "b" }), "scenarios")
      const result = await fixture.result(1, { spec: { ...suiteOf(1), scenarios: [first, second] } })
      expectEqual("the runs", result.runs.length, 101)
      const path = `${result.path}delete_runs/`
      for (const run_ids of [[], result.runs]) expectOnlyFieldErrors(await fixture.post(path, { run_ids }), "run_ids")
      expectEqual("total_runs", (await read(fixture, result)).total_runs, 101)
      await deleteRuns(fixture, result, result.runs.slice(1))
      expectEqual("total_runs", (await read(fixture, result)).total_runs, 1)
      await deleteResults(fixture, [result.id])
    }
  ],
  "not-granted": [
    "answers 403 to a session or link without the permission to delete, and 404 for a result out of its scope",
    async (fixture) => {
      const { agent, project } = await fixture.otherProject()
      const [near, far] = [await fixture.result(1), await fixture.result(3, { agent_id: agent })]
      const bound = { type: "project", id: project }
      const remove = ({ path, runs }: StartedResult, headers: Headers) =>
        fixture.post(`${path}delete_runs/`, { run_ids: runs.slice(0, 1) }, { key: null, headers })
      for (const headers of await holders(fixture, bound, ["results:read"])) {
        expectDetail(await remove(far, headers), 403)
      }
      for (const headers of await holders(fixture, bound, ["results:delete"])) {
        expectDetail(await remove(near, headers), 404)
      }
      expectEqual("total_runs", [(await read(fixture, near)).total_runs, (await read(fixture, far)).total_runs], [1, 3])
      for (const headers of await holders(fixture, bound, ["results:delete"])) {
        expectNoBody(await remove(far, headers), 204)
      }
      expectEqual("total_runs", (await read(fixture, far)).total_runs, 2)
      await deleteResults(fixture, [near.id, far.id])
    }
  ],
  missing: [
    "answers 404 with a detail for an unknown or deleted result",
    async (fixture) => {
      const { id, path, runs } = await fixture.result(1)
      expectDetail(await fixture.post(`${PATHS.results}${fixture.unknownId}/delete_runs/`, { run_ids: runs }), 404)
      expectDetail(await fixture.post(`${PATHS.results}x/delete_runs/`, { run_ids: runs }), 404)
      await deleteResults(fixture, [id])
      expectDetail(await fixture.post(`${path}delete_runs/`, { run_ids: runs }), 404)
    }
  ],
  "wrong-values": [
    "requires run_ids, a list of ids",
    async (fixture) => {
      const result = await fixture.result(1)
      for (const run_ids of wrongIds) {
        expectFieldErrorWithin(await fixture.post(`${result.path}delete_runs/`, { run_ids }), "run_ids")
      }
      await deleteResults(fixture, [result.id])
    }
  ],
  encodings: [
    "accepts form and multipart bodies like JSON",
    async (fixture) => {
      for (const encoding of ["form", "multipart"] as const) {
        const result = await fixture.result(3)
        const run_ids = result.runs.slice(1)
        expectNoBody(await fixture.ask("POST", `${result.path}delete_runs/`, { [encoding]: { run_ids } }), 204)
        expectEqual("total_runs", (await read(fixture, result)).total_runs, 1)
        await deleteResults(fixture, [result.id])
      }
    }
  ]
})
