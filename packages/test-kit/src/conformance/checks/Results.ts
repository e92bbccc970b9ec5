/** E8, E9, results, runs and what they hold. */
import { at, listAt } from "../../Documents.js"
import { type Check, checksOf } from "../Check.js"
import {
  any,
  bodyOf,
  bool,
  expectDetail,
  expectFaults,
  expectFaultWithin,
  expectNoBody,
  expectOnlyFaults,
  expectSame,
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
import { PATHS, type StartedResult, suiteOf, type Fixture } from "../Fixture.js"

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

const capacityOf = async (fixture: Fixture) => {
  const held = bodyOf(await fixture.get(PATHS.capacity), 200)
  expectShape("the capacity", held, {
    active_sessions: int,
    pending_demand: int,
    slots_in_use: int,
    phone_numbers_held: list
  })
  return {
    active: Number(held.active_sessions),
    pending: Number(held.pending_demand),
    slots: Number(held.slots_in_use),
    numbers: listAt(held, "phone_numbers_held")
  }
}
type Held = Awaited<ReturnType<typeof capacityOf>>

/** How far the counters are from where they were. */
const since = async (fixture: Fixture, before: Held) => {
  const now = await capacityOf(fixture)
  return [now.active - before.active, now.pending - before.pending, now.slots - before.slots]
}

const deleteResults = async (fixture: Fixture, ids: ReadonlyArray<number>): Promise<void> =>
  expectNoBody(await fixture.post(PATHS.bulkDelete, { result_ids: ids }), 204)

const deleteRuns = async (fixture: Fixture, { path }: StartedResult, runs: ReadonlyArray<number>): Promise<void> =>
  expectNoBody(await fixture.post(`${path}delete_runs/`, { run_ids: runs }), 204)

const read = async (fixture: Fixture, { path }: StartedResult) => bodyOf(await fixture.get(path), 200)

/** Takes up what is queued, as a worker does: the leases by run. */
const claim = async (fixture: Fixture, { runs }: StartedResult): Promise<ReadonlyMap<number, string>> => {
  const claimed = bodyOf(await fixture.post(`${PATHS.runs}claim/`, { channel: "voice", limit: 100 }), 200)
  const leases = listAt(claimed, "results").map(
    (one) => [Number(at(one, "run", "id")), String(at(one, "lease"))] as const
  )
  return new Map(leases.filter(([run]) => runs.includes(run)))
}

const report = (fixture: Fixture, run: number, how: "complete" | "fail" | "heartbeat", json: object) =>
  fixture.post(`${PATHS.runs}${run}/${how}/`, json)

/** What is no list of ids, and under what it is a fault. */
const wrongIds = [undefined, null, "x", 5.5, [], ["x"], [null], [1.5], [-1], [[1]], {}]

type Headers = Readonly<Record<string, string>>

/** An embedded session and a link with this bound and these permissions. */
const holders = async (
  fixture: Fixture,
  bound: object,
  permissions: ReadonlyArray<string>
): Promise<Array<Headers>> => {
  const granted = { bounds: [bound], permissions }
  const session = bodyOf(await fixture.post(PATHS.tokens, { kind: "embedded_session", ...granted }), 201)
  const link = await fixture.make(PATHS.links, { name: "Brief", ...granted })
  return [{ authorization: `Bearer ${String(session.token)}` }, { "x-shareable-link": String(link.token) }]
}

const bulkDelete = checksOf("E8", {
  "answered-204": [
    "results go with their runs: 204 without a body, neither is there afterwards, and others stay",
    async (fixture) => {
      const [gone, also, stays] = [await fixture.result(2), await fixture.result(1), await fixture.result(1)]
      await deleteResults(fixture, [gone.id, also.id])
      for (const { path, runs } of [gone, also]) {
        expectDetail(await fixture.get(path), 404)
        for (const run of runs) expectDetail(await fixture.get(`${PATHS.runs}${run}/`), 404)
      }
      const listed = listAt(bodyOf(await fixture.get(`${PATHS.results}?limit=200`), 200), "results")
      const ids = listed.map((one) => at(one, "id"))
      expectSame(
        "what is listed",
        [gone.id, also.id, stays.id].map((id) => ids.includes(id)),
        [false, false, true]
      )
      const runs = bodyOf(await fixture.get(`${PATHS.runs}?result=${gone.id}`), 200)
      expectSame("the runs that are listed", runs.results, [])
      await deleteResults(fixture, [stays.id])
    }
  ],
  counters: [
    "pending demand, sessions, slots and numbers are given back once, however often the same is deleted",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const numbered = await fixture.makeId(PATHS.numbers, { project: await fixture.project(), number: "+15550142" })
      const [one, other] = [await fixture.result(3, { phone_number: numbered }), await fixture.result(2)]
      expectSame("what is held by five queued runs", await since(fixture, before), [0, 5, 0])
      expectTrue("the number is not held", (await capacityOf(fixture)).numbers.includes(numbered))
      await claim(fixture, one)
      await deleteResults(fixture, [one.id, one.id])
      const rest = await capacityOf(fixture)
      expectSame("what is held by the others", rest.active + rest.pending - before.active - before.pending, 2)
      expectTrue("the number is held still", !rest.numbers.includes(numbered))
      await deleteResults(fixture, [one.id])
      expectSame("what is held when it is deleted again", await capacityOf(fixture), rest)
      await deleteResults(fixture, [other.id])
      expectSame("what is held when all is deleted", await since(fixture, before), [0, 0, 0])
    }
  ],
  "numbers-shared": [
    "a phone number is held as long as a queued or running run of any result needs it",
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
    "what is unknown or deleted is passed over, alone and beside what is there",
    async (fixture) => {
      const { id, path } = await fixture.result(1)
      await deleteResults(fixture, [fixture.nobody])
      await deleteResults(fixture, [fixture.nobody, id, id, fixture.nobody])
      expectDetail(await fixture.get(path), 404)
      await deleteResults(fixture, [id])
    }
  ],
  "other-organization": [
    "another organisation's results are passed over, and stay",
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
      expectSame("what is held", await capacityOf(fixture), before)
      await deleteResults(fixture, [id])
    }
  ],
  "not-granted": [
    "a session or link that is granted no deletion is 403, and what it is not bound to is passed over, and stays",
    async (fixture) => {
      const { agent, project } = await fixture.elsewhere()
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
    "1 to 100 ids",
    async (fixture) => {
      const unknown = (count: number) => Array.from({ length: count }, (_, at) => fixture.nobody - at)
      await deleteResults(fixture, unknown(1))
      await deleteResults(fixture, unknown(100))
      for (const result_ids of [[], unknown(101)]) {
        expectOnlyFaults(await fixture.post(PATHS.bulkDelete, { result_ids }), "result_ids")
      }
    }
  ],
  "wrong-values": [
    "result_ids is required and a list of ids; with one that is none nothing is deleted",
    async (fixture) => {
      for (const result_ids of wrongIds) {
        expectFaultWithin(await fixture.post(PATHS.bulkDelete, { result_ids }), "result_ids")
      }
      const { id, path } = await fixture.result(1)
      expectFaults(
        await fixture.post(PATHS.bulkDelete, { result_ids: [id, "x", -5] }),
        "result_ids[1]",
        "result_ids[2]"
      )
      expectStatus(await fixture.get(path), 200)
      await deleteResults(fixture, [id])
    }
  ],
  encodings: [
    "a form and a multipart body are taken like JSON, and a field that they repeat is a list",
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

const runDeletion = checksOf("E9", {
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

const reading = checksOf("results", {
  read: [
    "a result that was started is read and listed with its runs, by project, agent, result and status",
    async (fixture) => {
      const result = await fixture.result(2)
      expectShape("the result", result.body, resultShape)
      expectSame("the result", await read(fixture, result), result.body)
      expectSame("its runs", [result.body.total_runs, result.body.status, result.runs.length], [2, "queued", 2])
      const listed = async (query: string) => {
        const page = bodyOf(await fixture.get(`${PATHS.results}?limit=200&${query}`), 200)
        return listAt(page, "results").map((one) => at(one, "id"))
      }
      const [project, agent] = [await fixture.project(), await fixture.agent()]
      for (const query of [`project=${project}`, `agent=${agent}`, `project=${project}&agent=${agent}`]) {
        expectSame(`the newest of ${query}`, (await listed(query))[0], result.id)
      }
      expectSame("what an agent that nobody has has", await listed(`agent=${fixture.nobody}`), [])
      const runs = async (status: string) => {
        const page = bodyOf(await fixture.get(`${PATHS.runs}?result=${result.id}&status=${status}`), 200)
        return listAt(page, "results").map((one) => at(one, "id"))
      }
      expectSame("the queued runs", await runs("queued"), [...result.runs].reverse())
      expectSame("the completed runs", await runs("completed"), [])
      const run = bodyOf(await fixture.get(`${PATHS.runs}${result.runs[0] ?? 0}/`), 200)
      expectShape("the run", run, { ...runShape, transcript: text, transcript_object: any, metrics: list })
      expectSame("the run's result", [run.result, run.status, run.scenario_key], [result.id, "queued", "a"])
      await deleteResults(fixture, [result.id])
    }
  ],
  missing: [
    "what nothing has is 404, and a query that is none a fault",
    async (fixture) => {
      for (const path of [PATHS.results, PATHS.runs]) expectDetail(await fixture.get(`${path}${fixture.nobody}/`), 404)
      expectDetail(await fixture.post(`${PATHS.results}${fixture.nobody}/cancel/`, {}), 404)
      expectFaults(await fixture.get(`${PATHS.runs}?status=lost`), "status")
      for (const query of ["project=x", "agent=-1"]) expectStatus(await fixture.get(`${PATHS.results}?${query}`), 400)
    }
  ],
  lease: [
    "a run is its worker's under its lease alone, and what is over stays so",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const result = await fixture.result(1)
      const [run = 0] = result.runs
      const lease = (await claim(fixture, result)).get(run) ?? ""
      expectTrue("the run was not claimed", lease !== "")
      expectSame("what is held", await since(fixture, before), [1, 0, 1])
      expectSame("runs that are claimed again", (await claim(fixture, result)).size, 0)
      expectStatus(await report(fixture, run, "heartbeat", { lease }), 200)
      for (const how of ["heartbeat", "complete", "fail"] as const) {
        expectOnlyFaults(await report(fixture, run, how, { lease: "another", error: "x" }), "lease")
      }
      expectStatus(await report(fixture, run, "complete", { lease, success: true }), 200)
      expectSame("what is held", await since(fixture, before), [0, 0, 0])
      expectOnlyFaults(await report(fixture, run, "complete", { lease }), "lease")
      expectDetail(await fixture.post(`${PATHS.runs}${run}/cancel/`, {}), 409)
      const done = await read(fixture, result)
      expectSame("the result", [done.status, done.success_rate, done.success], ["completed", 1, true])
      await deleteResults(fixture, [result.id])
      expectSame("what is held", await since(fixture, before), [0, 0, 0])
    }
  ],
  cancel: [
    "cancelling ends what is not over, gives back what it holds, and is no fault twice",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const result = await fixture.result(3)
      const [first = 0] = result.runs
      const one = bodyOf(await fixture.post(`${PATHS.runs}${first}/cancel/`, {}), 200)
      expectSame("the run", one.status, "cancelled")
      expectSame("what is held", await since(fixture, before), [0, 2, 0])
      for (const _ of ["once", "twice"]) {
        const cancelled = bodyOf(await fixture.post(`${result.path}cancel/`, {}), 200)
        expectSame(
          "the result",
          [cancelled.status, at(cancelled, "runs_by_status", "cancelled"), cancelled.success_rate],
          ["completed", 3, null]
        )
        expectSame("what is held", await since(fixture, before), [0, 0, 0])
      }
      await deleteResults(fixture, [result.id])
    }
  ],
  "run-refused": [
    "a suite that is not valid is not run: every fault is told, and nothing is made",
    async (fixture) => {
      const before = await capacityOf(fixture)
      const reply = await fixture.post(PATHS.run, { agent_id: await fixture.agent(), spec: {}, channel: "fax" })
      expectFaults(reply, "channel", "version", "scenarios")
      expectFaults(await fixture.post(PATHS.run, {}), "spec", "file")
      expectSame("what is held", await capacityOf(fixture), before)
    }
  ]
})

export const results: ReadonlyArray<Check> = [...bulkDelete, ...runDeletion, ...reading]
