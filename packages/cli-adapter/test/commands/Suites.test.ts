import { readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { init } from "../../src/actions/Init.js"
import { validate } from "../../src/actions/Suites.js"
import { place, type Place } from "../support/databases.js"
import { run } from "../support/inProcess.js"

const none = undefined

const good = `{
  "version": "1",
  "suite": { "name": "Smoke" },
  "agent_id": 1,
  "scenarios": [
    { "key": "books", "name": "Books a \\u001b[31mtable", "type": "instruction", "instructions": "Ask.",
      "frequency": 3, "metrics": ["latency_ms"] },
    { "key": "ends", "name": "Ends", "type": "instruction", "instructions": "Hang up." }
  ]
}`

describe.each(["sqlite", "postgres"] as const)("suites at the command line on %s", (kind) => {
  let at: Place
  let folder: string
  beforeAll(async () => {
    at = await place(kind)
    folder = at.folder
    await run(init({ database: at.database, json: false, organization: none }))
  })
  afterAll(() => at.remove())

  const written = async (text: string): Promise<string> => {
    const file = path.join(folder, "suite.json")
    await writeFile(file, text)
    return file
  }
  const options = (file: string, more: object = {}) => ({
    ...{ database: at.database, json: false, organization: none, apiKey: none },
    ...{ file, agent: none, channel: none, name: none, junit: none, scenarios: [], tags: [] },
    ...more
  })

  it("are shown as a table with their runs and their price", async () => {
    const junit = path.join(folder, "report.xml")
    const ran = await run(validate(options(await written(good), { junit: junit })))
    expect(ran).toMatchObject({ code: 0, err: "" })
    expect(ran.out.split("\n")).toEqual([
      "KEY    NAME                TYPE         RUNS  METRICS  PERSONALITY  CREDITS",
      "books  Books a ␛[31mtable  instruction     3        1                    75",
      "ends   Ends                instruction     1        0                    25",
      "",
      "Smoke: 2 scenarios, 4 runs by voice, about 100 credits. Earshot does not execute these runs: Text to speech and a transcriber are not configured. Workers can claim the runs."
    ])
    const report = await readFile(junit, "utf8")
    expect(report).toContain('<testsuite name="Smoke" tests="3" failures="0"')
    expect(report).toContain('<testcase name="books"')
  })

  it("are printed as JSON, for the channel and the name that were asked for", async () => {
    const more = { json: true, channel: "text", name: "Tonight" }
    const ran = await run(validate(options(await written(good), more)))
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.out)).toMatchObject({
      dry_run: true,
      valid: true,
      plan: { suite_name: "Tonight", channel: "text", total_runs: 4, estimated_cost: "40.000000" }
    })
  })

  it("report errors with line and column, and exit with 1", async () => {
    const bad = good.replace('"latency_ms"', '"latencyms"').replace('"name": "Ends", ', "")
    const file = await written(bad)
    const junit = path.join(folder, "report.xml")
    const ran = await run(validate(options(file, { junit: junit })))
    expect(ran).toMatchObject({ code: 1, out: "" })
    expect(ran.err.split("\n")).toEqual([
      `${file}:7:35: scenarios[0].metrics[0]: No metric with slug "latencyms"; did you mean "latency_ms"?`,
      `${file}:8:5: scenarios[1].name: This field is required.`
    ])
    const report = await readFile(junit, "utf8")
    expect(report).toContain('tests="3" failures="2"')
    expect(report).toContain("did you mean &quot;latency_ms&quot;?")
    const asJson = await run(validate(options(file, { json: true })))
    expect(JSON.parse(asJson.err)).toMatchObject({
      valid: false,
      errors: [
        { path: "scenarios[0].metrics[0]", line: 7, column: 35 },
        { path: "scenarios[1].name", line: 8, column: 5 }
      ]
    })
  })

  it("reject files that are missing or cannot be parsed", async () => {
    const file = await written('{"suite" "Smoke"}')
    expect(await run(validate(options(file)))).toMatchObject({
      code: 1,
      err: `${file}:1:10: This is not valid JSON (line 1, column 10).`
    })
    const broken = await run(validate(options(await written('{\r\n  "version": "1",\r\n}'), { json: true })))
    expect(JSON.parse(broken.err)).toMatchObject({ errors: [{ path: "file", line: 3, column: 1 }] })
    const missing = path.join(folder, "missing.json")
    expect(await run(validate(options(missing)))).toMatchObject({ code: 1, err: `${missing}: There is no such file.` })
  })

  it("may begin with a byte order mark, and reports errors of options apart from those of the file", async () => {
    const junit = path.join(folder, "report.xml")
    const file = await written(`\u{feff}${good}`)
    expect(await run(validate(options(file, { junit: junit })))).toMatchObject({ code: 0 })
    expect(await readFile(junit, "utf8")).toContain('<testcase name="books"')
    expect(await run(validate(options(file, { agent: 99 })))).toMatchObject({
      code: 1,
      err: `${file}: --agent: Invalid pk "99" - object does not exist.`
    })
    const nobodys = await written(good.replace(/"agent_id": *1,/, ""))
    expect(await run(validate(options(nobodys)))).toMatchObject({
      code: 1,
      err: `${nobodys}: agent_id (--agent): This field is required.`
    })
  })
})
