/** Results and runs. */
import {
  any,
  bodyOf,
  bool,
  expectDetail,
  expectFieldErrors,
  expectOnlyFieldErrors,
  expectEqual,
  expectShape,
  expectStatus,
  expectTrue,
  instant,
  int,
  type Kind,
  list,
  object,
  oneOf,
  orNull,
  text
} from "../Expect.js"
import { checksOf } from "../Check.js"
import { PATHS } from "../Fixture.js"
import { at, listAt } from "../../Documents.js"
import { capacityOf, since, deleteResults, read, claim, report } from "./ResultSupport.js"

const number: Kind = ["a number", (value) => typeof value === "number"]

const resultShape: Readonly<Record<string, Kind>> = {
  id: int,
  name: text,
  project: int,
  agent: int,
  channel: text,
  status: oneOf("empty", "queued", "running", "completed"),
  total_runs: int,
  runs_by_status: object,
  success_rate: orNull(number),
  success: orNull(bool),
  metrics: list,
  created_at: instant,
  updated_at: instant
}

const STATUSES = ["queued", "running", "evaluating", "completed", "failed", "timeout", "cancelled"]

const runShape: Readonly<Record<string, Kind>> = {
  id: int,
  result: int,
  scenario_key: text,
  channel: text,
  status: oneOf(...STATUSES),
  attempts: int,
  success: orNull(bool),
  duration: orNull(number),
  error: orNull(text),
  started_at: orNull(instant),
  ended_at: orNull(instant),
  created_at: instant
}

export const results = checksOf("results", {
  read: [
    "reads and lists a started result and its runs, by project, agent, result and status",
    async (fixture) => {
      const result = await fixture.result(2)
      expectShape("the result", result.body, resultShape)
      expectEqual("the result", await read(fixture, result), result.body)
      expectEqual("its runs", [result.body.total_runs, result.body.status, result.runs.length], [2, "queued", 2])
      const listed = async (query: string) => {
        const page = bodyOf(await fixture.get(`${PATHS.results}?limit=200&${query}`), 200)
        return listAt(page, "results").map((one) => at(one, "id"))
      }
      const [project, agent] = [await fixture.project(), await fixture.agent()]
      for (const query of [`project=${project}`, `agent=${agent}`, `project=${project}&agent=${agent}`]) {
        expectEqual(`the newest of ${query}`, (await listed(query))[0], result.id)
      }
      expectEqual("what an agent that nobody has has", await listed(`agent=${fixture.unknownId}`), [])
      const runs = async (status: string) => {
        const page = bodyOf(await fixture.get(`${PATHS.runs}?result=${result.id}&status=${status}`), 200)
        return listAt(page, "results").map((one) => at(one, "id"))
      }
      expectEqual("the queued runs", await runs("queued"), [...result.runs].reverse())
      expectEqual("the completed runs", await runs("completed"), [])
      const run = bodyOf(await fixture.get(`${PATHS.runs}${result.runs[0] ?? 0}/`), 200)
      expectShape("the run", run, { ...runShape, transcript: text, transcript_object: any, metrics: list })
      expectEqual("the run's result", [run.result, run.status, run.scenario_key], [result.id, "queued", "a"])
      await deleteResults(fixture, [result.id])
    }
  ],
  missing: [
    "answers 404 to unknown ids and 400 to invalid queries",
    async (fixture) => {
      for (const path of [PATHS.results, PATHS.runs])
        expectDetail(await fixture.get(`${path}${fixture.unknownId}/`), 404)
      expectDetail(await fixture.post(`${PATHS.results}${fixture.unknownId}/cancel/`, {}), 404)
      expectFieldErrors(await fixture.get(`${PATHS.runs}?status=lost`), "status")
      for (const query of ["project=x", "agent=-1"]) expectStatus(await fixture.get(`${PATHS.results}?${query}`), 400)
    }
  ],
  lease: [
    "accepts reports on a run only under its current lease, and none after it has ended",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const result = await fixture.result(1)
      const [run = 0] = result.runs
      const lease = (await claim(fixture, result)).get(run) ?? ""
      expectTrue("the run was not claimed", lease !== "")
      expectEqual("what is held", await since(fixture, before), [1, 0, 1])
      expectEqual("runs that are claimed again", (await claim(fixture, result)).size, 0)
      expectStatus(await report(fixture, run, "heartbeat", { lease }), 200)
      for (const how of ["heartbeat", "complete", "fail"] as const) {
        expectOnlyFieldErrors(await report(fixture, run, how, { lease: "another", error: "x" }), "lease")
      }
      expectStatus(await report(fixture, run, "complete", { lease, success: true }), 200)
      expectEqual("what is held", await since(fixture, before), [0, 0, 0])
      expectOnlyFieldErrors(await report(fixture, run, "complete", { lease }), "lease")
      expectDetail(await fixture.post(`${PATHS.runs}${run}/cancel/`, {}), 409)
      const done = await read(fixture, result)
      expectEqual("the result", [done.status, done.success_rate, done.success], ["completed", 1, true])
      await deleteResults(fixture, [result.id])
      expectEqual("what is held", await since(fixture, before), [0, 0, 0])
    }
  ],
  cancel: [
    "cancels open runs, releases their capacity, and can be repeated",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const result = await fixture.result(3)
      const [first = 0] = result.runs
      const one = bodyOf(await fixture.post(`${PATHS.runs}${first}/cancel/`, {}), 200)
      expectEqual("the run", one.status, "cancelled")
      expectEqual("what is held", await since(fixture, before), [0, 2, 0])
      for (const _ of ["once", "twice"]) {
        const canceled = bodyOf(await fixture.post(`${result.path}cancel/`, {}), 200)
        expectEqual(
          "the result",
          [canceled.status, at(canceled, "runs_by_status", "cancelled"), canceled.success_rate],
          ["completed", 3, null]
        )
        expectEqual("what is held", await since(fixture, before), [0, 0, 0])
      }
      await deleteResults(fixture, [result.id])
    }
  ],
  "run-refused": [
    "reports every error of an invalid suite and creates nothing",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const reply = await fixture.post(PATHS.run, { agent_id: await fixture.agent(), spec: {}, channel: "fax" })
      expectFieldErrors(reply, "channel", "version", "scenarios")
      expectFieldErrors(await fixture.post(PATHS.run, {}), "spec", "file")
      expectEqual("what is held", await capacityOf(fixture), before)
    }
  ]
})
