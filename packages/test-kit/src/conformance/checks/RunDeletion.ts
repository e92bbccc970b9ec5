/** E9. */
import { type Fixture, PATHS, type StartedResult, suiteOf } from "../Fixture.js"
import { expectDetail, expectFaultWithin, expectNoBody, expectOnlyFaults, expectSame, expectStatus } from "../Expect.js"
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
    "runs go and the others stay, counted and listed without them; what they held is given back",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const result = await fixture.result(3)
      const [first = 0, second = 0, third = 0] = result.runs
      await deleteRuns(fixture, result, [first, second])
      for (const run of [first, second]) expectDetail(await fixture.get(`${PATHS.runs}${run}/`), 404)
      expectStatus(await fixture.get(`${PATHS.runs}${third}/`), 200)
      const rest = await read(fixture, result)
      expectSame("total_runs", rest.total_runs, 1)
      expectSame("what is held", await since(fixture, before), [0, 1, 0])
      await deleteRuns(fixture, result, [third])
      const empty = await read(fixture, result)
      expectSame("the result without runs", [empty.total_runs, empty.status, empty.success_rate], [0, "empty", null])
      expectSame("what is held", await since(fixture, before), [0, 0, 0])
      await deleteResults(fixture, [result.id])
    }
  ],
  repeated: [
    "runs that are deleted already, or named twice, are passed over, and counted once",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const result = await fixture.result(2)
      const [first = 0] = result.runs
      await deleteRuns(fixture, result, [first, first])
      await deleteRuns(fixture, result, [first])
      expectSame("total_runs", (await read(fixture, result)).total_runs, 1)
      expectSame("what is held", await since(fixture, before), [0, 1, 0])
      await deleteResults(fixture, [result.id])
      expectSame("what is held", await since(fixture, before), [0, 0, 0])
    }
  ],
  "re-evaluation": [
    "the result is evaluated again by the runs that remain",
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
      expectSame("the success rate of one out of three", await rate(), 0.333333)
      await deleteRuns(fixture, result, [late])
      expectSame("the success rate of one out of two", await rate(), 0.5)
      await deleteRuns(fixture, result, [bad])
      expectSame("the success rate of one out of one", await rate(), 1)
      const rest = await read(fixture, result)
      expectSame("what is counted", [rest.total_runs, at(rest, "runs_by_status", "completed")], [2, 1])
      await deleteResults(fixture, [result.id])
    }
  ],
  "not-its-own": [
    "runs that are not the result's are a fault, and then nothing is deleted",
    async (fixture) => {
      const [result, another] = [await fixture.result(2), await fixture.result(1)]
      const [own = 0] = result.runs
      for (const strange of [another.runs[0] ?? 0, fixture.nobody]) {
        expectFaultWithin(await fixture.post(`${result.path}delete_runs/`, { run_ids: [own, strange] }), "run_ids")
      }
      expectSame("total_runs", (await read(fixture, result)).total_runs, 2)
      expectSame("total_runs of the other one", (await read(fixture, another)).total_runs, 1)
      await deleteResults(fixture, [result.id, another.id])
    }
  ],
  limits: [
    "1 to 100 ids: with one more nothing is deleted",
    async (fixture) => {
      const [first] = listAt(suiteOf(100), "scenarios")
      const [second] = listAt(suiteOf(1, { key: "b" }), "scenarios")
      const result = await fixture.result(1, { spec: { ...suiteOf(1), scenarios: [first, second] } })
      expectSame("the runs", result.runs.length, 101)
      const path = `${result.path}delete_runs/`
      for (const run_ids of [[], result.runs]) expectOnlyFaults(await fixture.post(path, { run_ids }), "run_ids")
      expectSame("total_runs", (await read(fixture, result)).total_runs, 101)
      await deleteRuns(fixture, result, result.runs.slice(1))
      expectSame("total_runs", (await read(fixture, result)).total_runs, 1)
      await deleteResults(fixture, [result.id])
    }
  ],
  "not-granted": [
    "a session or link that is granted no deletion is 403, and of a result that it is not bound to 404",
    async (fixture) => {
      const { agent, project } = await fixture.elsewhere()
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
      expectSame("total_runs", [(await read(fixture, near)).total_runs, (await read(fixture, far)).total_runs], [1, 3])
      for (const headers of await holders(fixture, bound, ["results:delete"])) {
        expectNoBody(await remove(far, headers), 204)
      }
      expectSame("total_runs", (await read(fixture, far)).total_runs, 2)
      await deleteResults(fixture, [near.id, far.id])
    }
  ],
  missing: [
    "a result that is unknown or deleted is 404 with a detail",
    async (fixture) => {
      const { id, path, runs } = await fixture.result(1)
      expectDetail(await fixture.post(`${PATHS.results}${fixture.nobody}/delete_runs/`, { run_ids: runs }), 404)
      expectDetail(await fixture.post(`${PATHS.results}x/delete_runs/`, { run_ids: runs }), 404)
      await deleteResults(fixture, [id])
      expectDetail(await fixture.post(`${path}delete_runs/`, { run_ids: runs }), 404)
    }
  ],
  "wrong-values": [
    "run_ids is required and a list of ids",
    async (fixture) => {
      const result = await fixture.result(1)
      for (const run_ids of wrongIds) {
        expectFaultWithin(await fixture.post(`${result.path}delete_runs/`, { run_ids }), "run_ids")
      }
      await deleteResults(fixture, [result.id])
    }
  ],
  encodings: [
    "a form and a multipart body are taken like JSON",
    async (fixture) => {
      for (const encoding of ["form", "multipart"] as const) {
        const result = await fixture.result(3)
        const run_ids = result.runs.slice(1)
        expectNoBody(await fixture.ask("POST", `${result.path}delete_runs/`, { [encoding]: { run_ids } }), 204)
        expectSame("total_runs", (await read(fixture, result)).total_runs, 1)
        await deleteResults(fixture, [result.id])
      }
    }
  ]
})
