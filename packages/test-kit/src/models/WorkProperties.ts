/** Properties of runs, from their plan to the evaluation of what remains of a result, through a driver. Source: docs/runs.md. */
import * as fc from "fast-check"
import { at, isObject, listAt } from "../Documents.js"
import { asyncInvariant, type AsyncProperty, asyncProperty, expectClose, expectEqual } from "../Property.js"
import type { Driver, DriverResponse } from "./Drivers.js"
import type { Home } from "./TenantProperties.js"

/** A driver of an organization without results, and what no request can do. */
export interface WorkFixture extends Home {
  /** Does the jobs that are due. */
  readonly work: () => Promise<unknown>
}

const TESTS = "/test_framework/v1/"
const RUN_SUITE = "/test_framework/v2/scenarios/run_scenarios_json/"
/** The number of runs that a list's page or an export's read holds. */
const LARGEST_PAGE = 200

const asked = async (driver: Driver, ...request: Parameters<Driver>): Promise<unknown> => {
  const { body, errors, outcome }: DriverResponse = await driver(...request)
  if (outcome !== "done" && outcome !== "created") {
    throw new Error(`${request[0]} ${request[1]} was ${outcome} (${errors.join(", ")})`)
  }
  return body
}

const idOf = (body: unknown): number => Number(at(body, "id"))
const idsAt = (body: unknown): ReadonlyArray<number> => listAt(body, "results").map(idOf)

/** Every row of a list, page by page. */
const readList = async (
  driver: Driver,
  path: string,
  query: string,
  limit: number
): Promise<ReadonlyArray<unknown>> => {
  const rows: Array<unknown> = []
  let cursor = ""
  for (let pages = 0; pages < 50; pages++) {
    const page = await asked(driver, "GET", `${path}?limit=${limit}${query}${cursor}`)
    rows.push(...listAt(page, "results"))
    const next = at(page, "next")
    if (typeof next !== "string") break
    cursor = `&cursor=${next}`
  }
  return rows
}

const scenarioOf = (fields: object) => ({ key: "a", name: "A", type: "instruction", instructions: "Ask.", ...fields })

const start = ({ agent, driver }: Home, scenarios: ReadonlyArray<object>, fields: object = {}): Promise<unknown> =>
  asked(driver, "POST", RUN_SUITE, {
    agent_id: agent,
    spec: { version: "1", suite: { name: "Work" }, scenarios },
    ...fields
  })

const claim = async (driver: Driver, limit: number, channel = "voice") =>
  listAt(await asked(driver, "POST", `${TESTS}runs/claim/`, { channel, limit }), "results")

/** How a worker reports a run. */
interface Report {
  /** Null where the worker reports a failure. */
  readonly seconds: number | null
  readonly success: boolean | null
}

const report: fc.Arbitrary<Report> = fc.record({
  seconds: fc.constantFrom(2, 3, 7, 7, null),
  success: fc.constantFrom(true, false, null)
})

const reportRun = async (driver: Driver, claimed: unknown, { seconds, success }: Report): Promise<number> => {
  const [id, lease] = [idOf(at(claimed, "run")), at(claimed, "lease")]
  const turns = [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }]
  await (seconds === null
    ? asked(driver, "POST", `${TESTS}runs/${id}/fail/`, { lease, error: "No answer" })
    : asked(driver, "POST", `${TESTS}runs/${id}/complete/`, {
        lease,
        transcript_json: turns,
        duration: seconds,
        success
      }))
  return id
}

/** The result of these runs, as `GET /results/{id}/` shows it. */
const expectedResult = (reports: ReadonlyArray<Report>) => {
  const completed = reports.filter(({ seconds }) => seconds !== null)
  const failed = reports.length - completed.length
  const passed = completed.filter(({ success }) => success === true).length
  const decided = completed.filter(({ success }) => success !== null).length + failed
  return {
    status: reports.length === 0 ? "empty" : "completed",
    total_runs: reports.length,
    completed: completed.length,
    failed,
    success_rate: decided === 0 ? null : passed / decided,
    success: passed < decided ? false : passed > 0 ? true : null,
    scored: completed.length === 0 ? [] : [completed.length]
  }
}

const mean = (reports: ReadonlyArray<Report>): ReadonlyArray<number> => {
  const all = reports.flatMap(({ seconds }) => seconds ?? [])
  return all.length === 0 ? [] : [all.reduce((sum, one) => sum + one, 0) / all.length]
}

const shownResult = (result: unknown) => ({
  status: at(result, "status"),
  total_runs: at(result, "total_runs"),
  completed: at(result, "runs_by_status", "completed"),
  failed: at(result, "runs_by_status", "failed"),
  success_rate: at(result, "success_rate"),
  success: at(result, "success"),
  scored: listAt(result, "metrics").map((metric) => at(metric, "runs"))
})

/** A personality and a test profile: none, defined in the spec, or by id. */
const choice = fc.constantFrom("none" as const, "inline" as const, "id" as const)

/** Properties of the work on runs. Each run of a property has a fixture of its own. */
export const workProperties = (fixture: () => Promise<WorkFixture>): ReadonlyArray<AsyncProperty> => [
  asyncProperty(
    "a result is evaluated by the runs that remain after deletions, their scores included",
    [fc.array(report, { minLength: 1, maxLength: 5 }), fc.array(fc.nat({ max: 4 }), { maxLength: 4 })],
    async (reports, deleted) => {
      const of = await fixture()
      const { driver } = of
      const result = idOf(await start(of, [scenarioOf({ frequency: reports.length, metrics: ["call_duration_s"] })]))
      const runs: Array<number> = []
      for (const [position, claimed] of (await claim(driver, reports.length)).entries()) {
        runs.push(await reportRun(driver, claimed, reports[position] ?? { seconds: 1, success: null }))
      }
      await of.work()
      const path = `${TESTS}results/${result}/`
      const expectResult = async (remaining: ReadonlyArray<Report>) => {
        const shown = await asked(driver, "GET", path)
        expectEqual("the result", shownResult(shown), expectedResult(remaining))
        const averages = listAt(shown, "metrics").map((metric) => Number(at(metric, "average")))
        expectClose("the average", averages, mean(remaining))
        const { completed, failed, success_rate: rate } = expectedResult(remaining)
        const undecided = remaining.filter(({ seconds, success }) => seconds !== null && success === null).length
        const [repeats] = listAt(await asked(driver, "GET", `${path}repeats/`), "scenarios")
        // A result whose runs are all deleted has no scenarios.
        const counted = repeats === undefined ? [0, null] : [at(repeats, "decided"), at(repeats, "success_rate")]
        expectEqual("its repeats", counted, [completed + failed - undecided, rate])
      }
      await expectResult(reports)
      const gone = new Set(deleted.filter((at) => at < runs.length))
      if (gone.size === 0) return
      await asked(driver, "POST", `${path}delete_runs/`, { run_ids: [...gone].map((at) => runs[at]) })
      await expectResult(reports.filter((_, at) => !gone.has(at)))
    },
    8
  ),
  asyncProperty(
    "claimed work is what was planned, tools, profile, metadata and limits included",
    [
      fc.record({
        tools: fc.subarray(["find", "book"]),
        personality: choice,
        profile: choice,
        tags: fc.subarray(["smoke", "nightly"]),
        language: fc.constantFrom("de", null),
        first_message: fc.constantFrom("", "Hello?"),
        expected_outcome: fc.constantFrom("", "A table is booked."),
        max_duration: fc.constantFrom(1, 60, 3600),
        metric: fc.boolean(),
        asserted: fc.boolean(),
        channel: fc.constantFrom("voice", "provider_d_v2")
      })
    ],
    async ({ asserted, channel, metric, personality, profile, tools, ...plain }) => {
      const of = await fixture()
      const { agent, driver, project } = of
      await asked(driver, "PATCH", `${TESTS}agents/${agent}/`, { supported_channels: ["voice", "provider_d_v2"] })
      const make = async (kind: string, fields: object) =>
        idOf(await asked(driver, "POST", `${TESTS}${kind}/`, { project, ...fields }))
      const toolIds = [await make("tools", { name: "find" }), await make("tools", { name: "book" })]
      const personalityId = await make("personalities", { name: "Calm", language: "de" })
      await asked(driver, "POST", `/user/v1/projects/${project}/enable_personalities/`, {
        personalities: [personalityId]
      })
      const profileId = await make("test_profiles", {
        name: "Ann",
        information: { main_agent_variables: { name: "Ann" } }
      })
      const inlinePersonality = { name: "Cross", language: "en", description: "Impatient." }
      const inlineProfile = { name: "Bob", information: { main_agent_variables: { name: "Bob" } } }
      const assertions = asserted ? [{ type: "contains", text: "Booked" }] : []
      const metrics = await asked(driver, "GET", `${TESTS}metrics/?agent_id=${agent}&limit=200`)
      const duration = listAt(metrics, "results").find(
        (one) => at(one, "service_defined_metric_code") === "call_duration_s"
      )
      const providerData = channel === "voice" ? null : { room: "a" }
      await start(
        of,
        [
          scenarioOf({
            ...plain,
            tools,
            ...(metric ? { metrics: ["call_duration_s"] } : {}),
            assertions,
            ...(personality === "none"
              ? {}
              : { personality: personality === "id" ? personalityId : inlinePersonality }),
            ...(profile === "none" ? {} : { test_profile: profile === "id" ? profileId : inlineProfile })
          })
        ],
        { channel, ...(providerData === null ? {} : { provider_d_data: providerData }) }
      )
      const [claimed] = await claim(driver, 1, channel)
      const script = at(claimed, "scenario")
      const names = ["find", "book"]
      const expected = {
        agent,
        type: "instruction",
        instructions: "Ask.",
        ...plain,
        metric_ids: metric ? [at(duration, "id")] : [],
        tool_ids: tools.map((name) => toolIds[names.indexOf(name)]),
        personality:
          personality === "none"
            ? null
            : personality === "id"
              ? { mode: "id", id: personalityId, name: "Calm", language: "de", description: "" }
              : { mode: "inline", id: null, ...inlinePersonality },
        test_profile:
          profile === "none"
            ? null
            : profile === "id"
              ? { mode: "id", id: profileId, name: "Ann", information: null }
              : { mode: "inline", id: null, ...inlineProfile }
      }
      const shown = isObject(script) ? script : {}
      for (const [field, value] of Object.entries(expected)) {
        expectEqual(`${field} of the claimed run`, sortedJson(shown[field]), sortedJson(value))
      }
      expectEqual(
        "its assertions",
        listAt(script, "assertions").map((one) => at(one, "text")),
        assertions.map(({ text }) => text)
      )
      expectEqual("the platform's data", at(claimed, "provider_data"), providerData)
      expectEqual(
        "its run",
        [at(claimed, "run", "scenario_key"), at(claimed, "run", "status"), at(claimed, "run", "attempts")],
        ["a", "running", 1]
      )
    },
    8
  ),
  asyncInvariant("an export is the list, filtered or not, and longer than a page", async () => {
    const { agent, driver } = await fixture()
    const deliveries = Array.from({ length: LARGEST_PAGE + 3 }, (_, at) => ({
      call_id: `call-${at}`,
      agent,
      call_ended_reason: at % 100 === 0 ? "hangup" : "transfer"
    }))
    await Promise.all(deliveries.map((body) => asked(driver, "POST", "/observability/v1/observe/", body)))
    const logs = "/observability/v1/call-logs/"
    const hangups = `filters_v2=${encodeURIComponent(JSON.stringify({ field: "call_ended_reason", op: "eq", value: "hangup" }))}`
    for (const [query, number] of [
      [`agent_id=${agent}`, LARGEST_PAGE + 3],
      [`agent_id=${agent}&${hangups}`, 3]
    ] as const) {
      const listed = (await readList(driver, logs, `&${query}`, 90)).map(idOf)
      const exported = await asked(driver, "GET", `${logs}export/?${query}`)
      const ids = Array.isArray(exported) ? exported.map(idOf) : []
      expectEqual(`the calls of ${query}`, listed.length, number)
      expectEqual(`the exported calls of ${query}`, ids, listed)
    }
  }),
  asyncInvariant(
    "the export of a result is the list of its runs, oldest first, without deleted ones, and longer than a page",
    async () => {
      const of = await fixture()
      const { driver } = of
      const scenarios = ["a", "b", "c"].map((key) => scenarioOf({ key, frequency: 68 }))
      const result = idOf(await start(of, scenarios))
      await start(of, scenarios.slice(0, 1))
      const runs = (await readList(driver, `${TESTS}runs/`, `&result=${result}`, LARGEST_PAGE)).map(idOf)
      const [newest, , deleted] = runs
      await asked(driver, "POST", `${TESTS}results/${result}/delete_runs/`, { run_ids: [deleted] })
      const exported = await asked(driver, "GET", `${TESTS}results/${result}/export/`)
      const expected = runs.filter((run) => run !== deleted).toReversed()
      expectEqual("the number of runs", [runs.length, runs[0]], [204, newest])
      expectEqual("the exported runs", Array.isArray(exported) ? exported.map(idOf) : [], expected)
      const junit = String(await asked(driver, "GET", `${TESTS}results/${result}/junit/`))
      expectEqual("the test cases of its report", junit.match(/<testcase/g)?.length, expected.length)
    }
  ),
  ...["personality", "test_profile", "phone_number", "tool_ids", "metrics", "folder_path"].map((field) =>
    asyncInvariant(`deleting what ${field} of an evaluator refers to clears that field, and nothing else`, async () => {
      const { agent, driver, project } = await fixture()
      const make = async (kind: string, fields: object) =>
        idOf(await asked(driver, "POST", `${TESTS}${kind}/`, { project, ...fields }))
      const personality = await make("personalities", { name: "Calm", language: "en" })
      await asked(driver, "POST", `/user/v1/projects/${project}/enable_personalities/`, {
        personalities: [personality]
      })
      const named = {
        personality,
        test_profile: await make("test_profiles", { name: "Ann" }),
        phone_number: await make("phone_numbers", { number: "+15550100" }),
        tool_ids: await make("tools", { name: "find" }),
        metrics: await make("metrics", {
          agent,
          name: "Many",
          type: "llm_judge",
          eval_type: "numeric",
          prompt: "Many?"
        }),
        folder_path: await make("folders", { path: "smoke" })
      }
      const other = { tool_ids: await make("tools", { name: "book" }) }
      const evaluator = await asked(driver, "POST", `${TESTS}scenarios/`, {
        agent,
        name: "Refers",
        scenario_type: "instruction",
        instructions: "Ask.",
        personality: named.personality,
        test_profile: named.test_profile,
        phone_number: named.phone_number,
        tool_ids: [named.tool_ids, other.tool_ids],
        metrics: [named.metrics],
        folder_path: "smoke"
      })
      const kinds: Readonly<Record<string, string>> = {
        personality: "personalities",
        test_profile: "test_profiles",
        phone_number: "phone_numbers",
        tool_ids: "tools",
        metrics: "metrics",
        folder_path: "folders"
      }
      const shown = (body: unknown) =>
        Object.fromEntries(
          Object.keys(kinds).map((name) => [name, name === "metrics" ? listAt(body, "metric_names") : at(body, name)])
        )
      const before = shown(evaluator)
      await asked(
        driver,
        "DELETE",
        `${TESTS}${kinds[field] ?? ""}/${Object.entries(named).find(([name]) => name === field)?.[1] ?? 0}/`
      )
      const empty: Readonly<Record<string, unknown>> = { tool_ids: [other.tool_ids], metrics: [], folder_path: "" }
      const cleared = field === "phone_number" ? [null, ""] : [Object.hasOwn(empty, field) ? empty[field] : null]
      const after = shown(await asked(driver, "GET", `${TESTS}scenarios/${idOf(evaluator)}/`))
      const value = cleared.find((one) => JSON.stringify(one) === JSON.stringify(after[field])) ?? cleared[0]
      expectEqual("the evaluator", after, { ...before, [field]: value })
    })
  ),
  asyncInvariant("deleting an agent deletes its evaluators, and leaves those of other agents", async () => {
    const { agent, driver, project } = await fixture()
    const other = idOf(await asked(driver, "POST", `${TESTS}agents/`, { project, name: "Other" }))
    const evaluator = { name: "x", scenario_type: "instruction", instructions: "Ask." }
    const make = async (of: number) =>
      idOf(await asked(driver, "POST", `${TESTS}scenarios/`, { agent: of, ...evaluator }))
    const [mine, others] = [await make(agent), await make(other)]
    await asked(driver, "DELETE", `${TESTS}agents/${agent}/`)
    const outcomes = await Promise.all([mine, others].map((id) => driver("GET", `${TESTS}scenarios/${id}/`)))
    expectEqual(
      "the evaluators",
      outcomes.map(({ outcome }) => outcome),
      ["missing", "done"]
    )
    expectEqual("the listed evaluators", idsAt(await asked(driver, "GET", `${TESTS}scenarios/?limit=200`)), [others])
  })
]

/** JSON with its keys in order: databases reorder the keys of documents. */
const sortedJson = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sortedJson)
    : isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, one]) => [key, sortedJson(one)])
        )
      : value
