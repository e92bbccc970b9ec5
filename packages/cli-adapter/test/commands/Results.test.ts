import { readFile } from "node:fs/promises"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { CurrentActor, Database, Engine, hostActor, OrganizationId, Results, Suites } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { init } from "../../src/actions/Init.js"
import {
  cancel,
  cancelRun,
  compare,
  exportResult,
  list,
  listRuns,
  remove,
  removeRuns,
  show,
  showRun
} from "../../src/actions/Results.js"
import { place, type Place } from "../support/databases.js"
import { run } from "../support/inProcess.js"

const none = undefined

describe.each(["sqlite", "postgres"] as const)("results at the command line on %s", (kind) => {
  let at: Place
  beforeAll(async () => {
    at = await place(kind)
    await run(init({ database: at.database, json: false, organization: none }))
    await Effect.runPromise(
      Effect.gen(function* () {
        const suites = yield* Suites
        const results = yield* Results
        for (const successes of [2, 1]) {
          const spec = {
            version: "1",
            suite: { name: "Nightly \u001b[31m" },
            scenarios: [{ key: "a", name: "Books", type: "instruction", instructions: "Ask.", frequency: 3 }]
          }
          yield* suites.run({ spec, agent_id: 1 })
          const claimed = yield* results.claim({ channel: "voice", limit: 2 })
          for (const [position, one] of claimed.entries()) {
            yield* results.complete(one.run.id, {
              lease: one.lease,
              success: position < successes,
              transcript_json: [{ role: "Main Agent", content: "Hi \u001b[2J", start_time: 0, end_time: 61 }]
            })
          }
          yield* results.cancel(claimed[0]?.run.resultId ?? (yield* Effect.dieMessage("Nothing was claimed")))
        }
        yield* suites.run({
          spec: {
            version: "1",
            suite: { name: "Waits" },
            scenarios: [{ key: "a", name: "Books", type: "instruction", instructions: "Ask.", frequency: 2 }]
          },
          agent_id: 1
        })
      }).pipe(
        Effect.provideService(CurrentActor, hostActor(OrganizationId.make(1))),
        Effect.provide(Engine.layer.pipe(Layer.provide(Database.layer(at.database))))
      )
    )
  })
  afterAll(() => at.remove())

  const as = (json = false) => ({ database: at.database, json, organization: 1, apiKey: none })
  const page = { limit: none, cursor: none }

  it("are listed and shown with their runs", async () => {
    const listed = await run(list({ ...as(), ...page, project: none, agent: none }))
    expect(listed.code).toBe(0)
    expect(listed.out).toMatch(/^ID {2}NAME +AGENT +CHANNEL +STATUS +RUNS +SUCCESS/)
    expect(listed.out).toMatch(/ 2 {2}Nightly ␛\S+ +Default \S+ +voice +completed +3 +50\.0 %/)
    expect((await run(list({ ...as(), ...page, project: none, agent: 77 }))).err).toContain("No results found.")
    const shown = await run(show({ ...as(), id: 1 }))
    expect(shown.out).toMatch(/^Runs +3: 2 completed, 1 cancelled$/m)
    expect(JSON.parse((await run(show({ ...as(true), id: 1 }))).out)).toMatchObject({ id: 1, success_rate: 1 })
    const runs = await run(listRuns({ ...as(), ...page, result: 2, status: "completed" }))
    expect(runs.out.trimEnd().split("\n")).toHaveLength(3)
    expect(runs.out).toMatch(/Books +completed +no +01:01/)
    const one = await run(showRun({ ...as(), id: 1 }))
    expect(one.out).toMatch(/^Success +yes$/m)
    expect(one.out).toContain("[00:00] Main Agent: Hi ␛[2J")
    expect(await run(showRun({ ...as(), id: 999 }))).toMatchObject({
      code: 1,
      out: "",
      err: "No Run matches the given query."
    })
  })

  it("are compared", async () => {
    const compared = await run(compare({ ...as(), base: 1, id: 2, tolerance: none, failOn: undefined }))
    expect(compared.out).toMatch(/^Books +worse +100\.0 % +50\.0 %/m)
    expect(compared.out).toContain("1 worse. Success 100.0 % to 50.0 %.")
    expect(compared.code).toBe(0)
    const gated = { ...as(), base: 1, id: 2, failOn: "regression" }
    expect((await run(compare({ ...gated, tolerance: none }))).code).toBe(1)
    expect((await run(compare({ ...gated, tolerance: 0.5 }))).code).toBe(0)
    const json = await run(compare({ ...as(true), base: 1, id: 2, tolerance: 0.5, failOn: undefined }))
    expect(JSON.parse(json.out)).toMatchObject({ change: "same", base: { id: 1 } })
    expect(await run(compare({ ...as(), base: 99, id: 2, tolerance: none, failOn: undefined }))).toMatchObject({
      code: 1,
      err: 'base: Invalid pk "99" - object does not exist.'
    })
  })

  it("are exported as lines of JSON and as JUnit reports", async () => {
    const lines = (await run(exportResult({ ...as(), id: 2, junit: none }))).out.trimEnd().split("\n")
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { result: 2, success: true, transcript: "[00:00] Main Agent: Hi \u001b[2J" },
      { result: 2, success: false },
      { result: 2, status: "cancelled", transcript: "" }
    ])
    const file = path.join(at.folder, "report.xml")
    expect((await run(exportResult({ ...as(), id: 2, junit: file }))).code).toBe(0)
    const report = await readFile(file, "utf8")
    expect(report).toContain('tests="3" failures="1" errors="0" skipped="1"')
    expect((await run(exportResult({ ...as(), id: 2, junit: "-" }))).out).toBe(report)
    expect((await run(exportResult({ ...as(), id: 99, junit: none }))).code).toBe(1)
  })

  it("cancel and delete results and single runs", async () => {
    const waiting = await run(listRuns({ ...as(true), ...page, result: 3, status: none }))
    const ids: ReadonlyArray<number> = JSON.parse(waiting.out).results.map(({ id }: { id: number }) => id)
    const [newest = 0, oldest = 0] = ids
    expect(await run(cancelRun({ ...as(), id: newest }))).toMatchObject({ code: 0 })
    expect(await run(cancelRun({ ...as(), id: 1 }))).toMatchObject({
      code: 1,

      err: "Only an open run can be canceled; this run is completed."
    })
    expect((await run(removeRuns({ ...as(), id: 3, runs: [newest] }))).err).toContain(`${newest}`)
    expect(await run(removeRuns({ ...as(), id: 3, runs: [1] }))).toMatchObject({ code: 1 })
    expect((await run(cancel({ ...as(), id: 3 }))).err).toBe("Canceled: 1 of the 1 runs of result 3.")
    expect(JSON.parse((await run(showRun({ ...as(true), id: oldest }))).out)).toMatchObject({ status: "cancelled" })
    expect((await run(remove({ ...as(), ids: [3, 77, 3] }))).code).toBe(0)
    expect(await run(show({ ...as(), id: 3 }))).toMatchObject({ code: 1, out: "" })
    expect(await run(remove({ ...as(), ids: [] }))).toMatchObject({ code: 1 })
  })
})
