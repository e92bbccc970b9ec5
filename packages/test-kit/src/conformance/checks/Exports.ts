/** Exports, which are the lists that they are of. */
import { type Fixture, PATHS } from "../Fixture.js"
import type { Reply } from "../Client.js"
import { expectEqual, expectStatus, expectTrue, Skipped, bodyOf, expectFieldErrors, expectDetail } from "../Expect.js"
import { checksOf } from "../Check.js"
import { at, listAt } from "../../Documents.js"
import { claim, deleteResults, report } from "./ResultSupport.js"

const linesOf = ({ text }: Reply): ReadonlyArray<unknown> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))

/** Every row of a list, page by page. */
const readAll = async (fixture: Fixture, path: string): Promise<ReadonlyArray<unknown>> => {
  const rows: Array<unknown> = []
  for (let cursor = ""; ;) {
    const page = bodyOf(await fixture.get(`${path}&limit=2${cursor}`), 200)
    rows.push(...listAt(page, "results"))
    if (typeof page.next !== "string") return rows
    cursor = `&cursor=${encodeURIComponent(page.next)}`
  }
}

export const exports = checksOf("exports", {
  calls: [
    "an export of calls has the calls of the filtered list, in its order, each as it is read by itself; CSV has a line for each",
    async (fixture) => {
      const { agent } = await fixture.otherProject()
      for (const region of ["eu", "us", "eu", "eu", "eu", "us"])
        await fixture.ingest({ call_id: fixture.callId(), agent, metadata: { region }, feedback: `=1+1, "${region}"` })
      const filter = encodeURIComponent(JSON.stringify({ field: "metadata.region", op: "eq", value: "eu" }))
      const query = `agent_id=${agent}&filters_v2=${filter}`
      const reply = await fixture.get(`${PATHS.calls}export/?${query}`)
      if (reply.status === 404 || reply.status === 405) throw new Skipped(`the server has no ${PATHS.calls}export/`)
      expectStatus(reply, 200)
      const exported = linesOf(reply)
      const ids = (await readAll(fixture, `${PATHS.calls}?${query}`)).map((call) => at(call, "id"))
      expectEqual(
        "the ids of the export",
        exported.map((call) => at(call, "id")),
        ids
      )
      expectEqual("the number of calls in the export", exported.length, 4)
      for (const call of exported)
        expectEqual(
          "a call of the export",
          call,
          bodyOf(await fixture.get(`${PATHS.calls}${String(at(call, "id"))}/`), 200)
        )
      const csv = await fixture.get(`${PATHS.calls}export/?${query}&format=csv&columns=id,feedback`)
      expectStatus(csv, 200)
      const expected = ["id,feedback", ...ids.map((id) => `${String(id)},"'=1+1, ""eu"""`), ""].join("\r\n")
      expectEqual("the export as CSV", csv.text, expected)
      expectFieldErrors(await fixture.get(`${PATHS.calls}export/?format=xml`), "format")
      expectFieldErrors(await fixture.get(`${PATHS.calls}export/?filters_v2=%7B`), "filters_v2")
    }
  ],
  runs: [
    "an export of a result has its runs, oldest first, each as it is read by itself, and none that is deleted",
    async (fixture) => {
      const result = await fixture.result(3)
      const leases = await claim(fixture, result)
      const [first = 0, second = 0] = result.runs
      const transcript_json = [{ role: "Main Agent", content: "Hello.", start_time: 0, end_time: 1 }]
      bodyOf(
        await report(fixture, first, "complete", { lease: leases.get(first), success: true, transcript_json }),
        200
      )
      bodyOf(await report(fixture, second, "fail", { lease: leases.get(second), error: "No answer" }), 200)
      const read = async () => {
        const reply = await fixture.get(`${result.path}export/`)
        if (reply.status === 404 || reply.status === 405)
          throw new Skipped(`the server has no ${PATHS.results}{id}/export/`)
        expectStatus(reply, 200)
        return linesOf(reply)
      }
      const runs = await Promise.all(
        result.runs.map(async (id) => bodyOf(await fixture.get(`${PATHS.runs}${id}/`), 200))
      )
      expectEqual("the runs of the export", await read(), runs)
      expectStatus(await fixture.post(`${result.path}delete_runs/`, { run_ids: [first] }), 204)
      expectEqual("the runs of the export after a deletion", await read(), runs.slice(1))
      await deleteResults(fixture, [result.id])
      expectDetail(await fixture.get(`${result.path}export/`), 404)
    }
  ],
  claims: [
    "a claimed run has what its suite says: the texts, tools, profile, tags and limits of its scenario",
    async (fixture) => {
      const project = await fixture.project()
      const agent = await fixture.quietAgent("Claimed")
      const name = `claimed_${fixture.run}`
      const tool = await fixture.makeId(PATHS.tools, { project, name })
      const profile = await fixture.makeId(PATHS.profiles, { project, name })
      const scenario = {
        key: "claimed",
        name: "Claimed",
        type: "instruction",
        instructions: "Ask for a table.",
        expected_outcome: "A table is booked.",
        first_message: "Hello.",
        tools: [tool],
        test_profile: profile,
        tags: ["smoke"],
        max_duration: 60
      }
      const spec = { version: "1", suite: { name: "Claims" }, scenarios: [scenario] }
      const made = bodyOf(await fixture.post(PATHS.run, { spec, agent_id: agent, channel: "voice" }), 201)
      const claimed = bodyOf(await fixture.post(`${PATHS.runs}claim/`, { channel: "voice", limit: 100 }), 200)
      const one = listAt(claimed, "results").find((found) => at(found, "run", "result") === made.id)
      expectTrue("the run of the suite is not among those that are claimed", one !== undefined)
      const { instructions, max_duration, tags, type } = scenario
      expectEqual(
        "the scenario of the claimed run",
        ["agent", "type", "instructions", "expected_outcome", "first_message", "tool_ids", "tags", "max_duration"].map(
          (field) => at(one, "scenario", field)
        ),
        [agent, type, instructions, scenario.expected_outcome, "Hello.", [tool], tags, max_duration]
      )
      expectEqual(
        "its test profile",
        [at(one, "scenario", "test_profile", "id"), at(one, "scenario", "test_profile", "name")],
        [profile, name]
      )
      expectEqual(
        "the run",
        [at(one, "run", "scenario_key"), at(one, "run", "status"), at(one, "run", "attempts")],
        ["claimed", "running", 1]
      )
      await deleteResults(fixture, [Number(made.id)])
    }
  ]
})
