import { readFile, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { Agents, AgentId, CurrentActor, Database, Engine, hostActor, OrganizationId, Results } from "@earshot/core"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { init } from "../../src/actions/Init.js"
import { run as runSuite } from "../../src/actions/RunSuite.js"
import { place, type Place } from "../support/databases.js"
import { run } from "../support/inProcess.js"
import { booking } from "../support/suites.js"

const none = undefined

const suite = (end: string) => ({
  version: "1",
  suite: { name: "Smoke" },
  agent_id: 1,
  defaults: { metrics: ["talk_ratio"] },
  scenarios: [booking(end)]
})

describe.each(["sqlite", "postgres"] as const)("running suites at the command line on %s", (kind) => {
  let at: Place
  let agent: Server
  let status = 200
  /** Milliseconds until the agent answers. */
  let delay = 0
  beforeAll(async () => {
    at = await place(kind)
    await run(init({ database: at.database, json: false, organization: none }))
    agent = createServer((request, response) => {
      request.resume()
      request.on("end", () => {
        response.statusCode = status
        setTimeout(() => response.end(JSON.stringify({ message: "For which date?" })), delay)
      })
    })
    await new Promise<void>((resolve) => agent.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`
    await Effect.runPromise(
      Effect.flatMap(Agents, (agents) =>
        agents.update(AgentId.make(1), { chat_endpoint: { url, kind: "webhook" } })
      ).pipe(
        Effect.provideService(CurrentActor, hostActor(OrganizationId.make(1))),
        Effect.provide(Engine.layer.pipe(Layer.provide(Database.layer(at.database))))
      )
    )
  })
  afterAll(async () => {
    agent.closeAllConnections()
    agent.close()
    await at.remove()
  })

  const options = async (spec: object, more: object = {}) => {
    const file = path.join(at.folder, "suite.json")
    await writeFile(file, JSON.stringify(spec))
    return {
      ...{ database: at.database, json: false, organization: none, apiKey: none },
      ...{ file, agent: none, channel: "text", name: none, junit: none },
      ...{
        scenarios: [],
        tags: [],
        allowedHosts: ["127.0.0.1"],
        phoneNumber: none,
        noWait: false,
        live: false,
        timeout: none
      },
      ...{ failOn: "failure", base: none, minPassRate: none, allowUnjudged: false },
      ...more
    }
  }

  it("executes text runs, prints progress and every run, and exits with 0", async () => {
    status = 200
    const junit = path.join(at.folder, "report.xml")
    const more = { junit, allowUnjudged: true }
    const ran = await run(runSuite(await options(suite("Friday. <endcall />"), more)), 120)
    expect(ran.code).toBe(0)
    const nothing =
      "The success of the run is unknown: it has no assertions, no expected outcome and no metric that decides success."
    expect(ran.err.split("\n").at(-1)).toBe("2 of 2 runs finished, 0 running, 0 evaluating.")
    expect(ran.out.split("\n")).toEqual([
      expect.stringMatching(/^RUN {2}SCENARIO\s+STATUS\s+SUCCESS\s+LENGTH\s+REASON$/),
      expect.stringMatching(/^ +\d+ {2}Books a table {2}completed\s+\d\d:\d\d {2}The success of the run is unknown/),
      expect.stringMatching(/^ +\d+ {2}Books a table {2}completed\s+\d\d:\d\d {2}The success of the run is unknown/),
      "",
      expect.stringMatching(new RegExp(`^Runs \\d+, \\d+: ${nothing}$`)),
      "",
      "SCENARIO       RUNS  PASSED  RATE",
      "Books a table     2  0 of 0",
      "",
      expect.stringMatching(/^Result \d+ \(Smoke\): 2 completed; no success rate\.$/)
    ])
    const report = await readFile(junit, "utf8")
    expect(report).toContain('<testsuite name="Smoke" tests="2" failures="0" errors="0" skipped="2"')
    expect(report).toContain(`<skipped message="${nothing}"`)
  })

  it("prints each turn while a run is played, where that is asked for", async () => {
    status = 200
    delay = 1500
    const ran = await run(
      runSuite(await options(suite("Friday. <endcall />"), { allowUnjudged: true, live: true })),
      120
    )
    delay = 0
    expect(ran.code).toBe(0)
    const turns = ran.err.split("\n").filter((line) => line.startsWith("["))
    expect(turns.filter((line) => line.includes("Main Agent: For which date?"))).toHaveLength(2)
    expect(
      turns.filter((line) => /^\[\d+ Books a table \d\d:\d\d\] Testing Agent: \S/.test(line)).length
    ).toBeGreaterThanOrEqual(2)
  })

  it("exits with 1 if nothing decides whether a run succeeded, and says why", async () => {
    status = 200
    const junit = path.join(at.folder, "undecided.xml")
    const spec = suite("Friday. <endcall />")
    const undecided = {
      ...spec,
      scenarios: spec.scenarios.map((one) => ({ ...one, frequency: 1, expected_outcome: "A table is booked." }))
    }
    const ran = await run(runSuite(await options(undecided, { junit: junit })), 200)
    expect(ran.code).toBe(1)
    expect(ran.err).toContain("The success of 1 of 1 run is unknown. Add assertions,")
    expect(ran.out).toMatch(/Not decided: Expected outcome \(No language model is configured\.\)$/m)
    expect(await readFile(junit, "utf8")).toMatch(
      /errors="1"[^]*<error message="Not decided: Expected outcome \(No language model is configured\.\)"/
    )
  })

  const asserting = (...assertions: ReadonlyArray<object>) => {
    const spec = suite("Friday. <endcall />")
    return { ...spec, defaults: { ...spec.defaults, assertions } }
  }
  const asks = { type: "contains", text: "for which date" }
  const ended = (speaker: string) => ({ type: "ended_by", speaker })

  it("decides success by assertions, without a language model, and prints the reliability of scenarios", async () => {
    status = 200
    const passed = await run(runSuite(await options(asserting(asks, ended("testing_agent")))))
    expect([passed.code, passed.out]).toEqual([0, expect.stringContaining("2 completed; 100.0 % success.")])
    expect(passed.out).toMatch(/^Books a table +2 +2 of 2 +100\.0 %$/m)
    expect(passed.out).toMatch(/^pass\^1 100\.0 %, pass\^2 100\.0 %$/m)
    const failed = await run(runSuite(await options(asserting(asks, ended("main_agent")), { json: true })))
    expect(failed.code).toBe(1)
    expect(JSON.parse(failed.out)).toMatchObject({
      runs: [{ error: expect.stringMatching(/Not met: Main Agent hangs up \(/) }, {}],
      repeats: { scenarios: [{ decided: 2, passed: 0, success_rate: 0 }], pass_all: [0, 0] },
      failures: ["2 of 2 runs did not succeed."]
    })
  })

  it("accepts failures down to --min-pass-rate, and with --fail-on regression those of the result before", async () => {
    status = 200
    const failing = asserting(ended("main_agent"))
    const rate = await run(runSuite(await options(failing, { minPassRate: 0.5 })))
    expect([rate.code, rate.err]).toEqual([1, expect.stringContaining("0.000 is below the minimum 0.5.")])
    expect((await run(runSuite(await options(failing, { minPassRate: 0 })))).code).toBe(0)
    const regression = { failOn: "regression" }
    expect((await run(runSuite(await options(failing, { ...regression, name: "Alone" })))).err).toContain(
      "There is no earlier result of Alone to compare with; every run has to succeed."
    )
    expect((await run(runSuite(await options(failing, regression)))).code).toBe(0)
    const good = await run(runSuite(await options(asserting(asks), { ...regression, json: true })))
    const worse = await run(runSuite(await options(failing, { ...regression, json: true })))
    expect([good.code, worse.code]).toEqual([0, 1])
    const { result } = JSON.parse(good.out)
    expect(JSON.parse(worse.out).failures).toEqual([`Worse than result ${result.id}: books.`])
    expect(await run(runSuite(await options(failing, { base: result.id })))).toMatchObject({
      code: 2,
      err: "--base needs --fail-on regression."
    })
    expect(await run(runSuite(await options(failing, { minPassRate: 90 })))).toMatchObject({ code: 2 })
    expect(await run(runSuite(await options(failing, { ...regression, base: 9_999 })))).toMatchObject({ code: 1 })
  })

  it("runs only the scenarios that --scenario and --tag select", async () => {
    status = 200
    const none = await run(runSuite(await options(asserting(asks), { scenarios: ["book"] })))
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringMatching(/--scenario: No scenario has the key "book"; did you mean "books"\?/)
    ])
    const tagged = await run(runSuite(await options(asserting(asks), { scenarios: ["books"], tags: ["nightly"] })))
    expect([tagged.code, tagged.err]).toEqual([
      1,
      expect.stringContaining("--tag: No selected scenario has one of these tags.")
    ])
    expect((await run(runSuite(await options(asserting(asks), { scenarios: ["books"] })))).code).toBe(0)
  })

  it("exits with 1 if a run failed, and prints all runs as JSON", async () => {
    status = 500
    const ran = await run(runSuite(await options(suite("Friday."), { json: true })))
    expect([ran.code, ran.err]).toEqual([1, ""])
    expect(JSON.parse(ran.out)).toMatchObject({
      result: { status: "completed", success: false, success_rate: 0 },
      runs: [
        { status: "failed", error: "The agent's server answered HTTP 500." },
        { status: "failed", error: "The agent's server answered HTTP 500." }
      ]
    })
    const narrow = await run(runSuite(await options(suite("Friday."))), 70)
    expect(narrow.out).toMatch(/…$/m)
    expect(narrow.out).toMatch(/^Runs \d+, \d+: The agent's server answered HTTP 500\.$/m)
  })

  it("exits with 1 if its runs are canceled in the meantime", async () => {
    const waiting = run(runSuite(await options(suite("Bye."), { channel: "voice", json: true })), 120)
    const canceled = Effect.gen(function* () {
      const results = yield* Results
      const [open] = (yield* results.list({})).results.filter(({ status }) => status === "queued")
      return open === undefined ? yield* Effect.fail("not yet") : yield* results.cancel(open.id)
    }).pipe(Effect.retry({ times: 200, schedule: Schedule.spaced("50 millis") }))
    await Effect.runPromise(
      canceled.pipe(
        Effect.provideService(CurrentActor, hostActor(OrganizationId.make(1))),
        Effect.provide(Engine.layer.pipe(Layer.provide(Database.layer(at.database))))
      )
    )
    const ran = await waiting
    expect(ran.code).toBe(1)

    expect(JSON.parse(ran.out)).toMatchObject({ result: { success: null, runs_by_status: { cancelled: 2 } } })
  })

  it("prints the errors of a suite with their places, and creates nothing", async () => {
    const ran = await run(runSuite(await options({ ...suite("Bye."), defaults: { metrics: ["nope"] } })))
    expect([ran.code, ran.out]).toEqual([1, ""])
    expect(ran.err).toMatch(/suite\.json:1:\d+: defaults\.metrics\[0\]: No metric with slug "nope"/)
  })

  it("waits for outside workers no longer than --timeout, and not at all with --no-wait", async () => {
    const voice = { channel: "voice" }
    const waited = await run(runSuite(await options(suite("Bye."), { ...voice, timeout: 1 })))
    expect(waited.code).toBe(1)
    expect(waited.err).toMatch(
      /wait for a process with EARSHOT_SPEECH_URL .*, or a worker that claims voice runs \(POST \/test_framework\/v1\/runs\/claim\//
    )
    expect(waited.err).toMatch(/Result \d+ has not finished after 1 seconds\. .*`earshot results show \d+`/)
    const left = await run(runSuite(await options(suite("Bye."), { ...voice, noWait: true })))
    expect(left.code).toBe(0)
    expect(left.err).toMatch(/wait for a process/)
    const queued = await run(runSuite(await options(suite("Bye."), { noWait: true, json: true })))
    expect(JSON.parse(queued.out)).toMatchObject({ status: "queued", total_runs: 2 })
  })
})
