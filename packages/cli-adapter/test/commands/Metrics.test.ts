import {
  Calls,
  predefinedEntries,
  CurrentActor,
  Database,
  Engine,
  hostActor,
  Metrics,
  OrganizationId
} from "@earshot/core"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { show as showCall } from "../../src/actions/Calls.js"
import { init } from "../../src/actions/Init.js"
import * as Jobs from "../../src/actions/Jobs.js"
import { run as runJobs } from "../../src/actions/RunJobs.js"
import { evaluate, list, predefined, scores, show } from "../../src/actions/Metrics.js"
import { place, type Place } from "../support/databases.js"
import { run } from "../support/inProcess.js"

const none = undefined

const transcript = [
  { role: "Main Agent", content: "Hello, how can I help you?", start_time: 0, end_time: 2 },
  { role: "Testing Agent", content: "A table for two.", start_time: 3, end_time: 5 },
  { role: "Main Agent", content: "Booked for Friday.", start_time: 5.5, end_time: 7 }
]

describe.each(["sqlite", "postgres"] as const)("metrics and jobs commands on %s", (kind) => {
  let at: Place

  const as = (json = false) => ({
    database: at.database,
    json,
    organization: 1,
    apiKey: none,
    allowedHosts: []
  })
  const page = { limit: none, cursor: none }
  const queued = { ...page, state: none, kind: none }

  /** Runs an effect on an engine of the test. */
  const onEngine = <A, E>(effect: Effect.Effect<A, E, Engine.Services | Engine.Storage | CurrentActor>) =>
    Effect.runPromise(
      effect.pipe(
        Effect.provideService(CurrentActor, hostActor(OrganizationId.make(1))),
        Effect.provide(Engine.layer.pipe(Layer.provideMerge(Database.layer(at.database))))
      )
    )

  beforeAll(async () => {
    at = await place(kind)
    await run(init({ database: at.database, json: false, organization: none }))
    await onEngine(
      Effect.flatMap(Calls, (calls) => calls.ingest({ call_id: "a", agent: 1, transcript_json: transcript }))
    )
  })
  afterAll(() => at.remove())

  it("list the predefined metrics and those of an agent", async () => {
    const all = await run(predefined(as(true)))
    expect(JSON.parse(all.out)).toHaveLength(predefinedEntries.length)
    const table = await run(predefined(as()))
    expect(table.out).toMatch(/^latency_ms +numeric +0\.000000 /m)
    expect(table.out).toMatch(/^csat +continuous_qualitative +0\.050000 /m)
    const mine = await run(list({ ...as(), ...page, agent: 1, limit: 200 }))
    expect(mine.out).toMatch(/Talk ratio +talk_ratio +custom_code +numeric +1 +yes/)
    expect(await run(list({ ...as(), ...page, agent: 9 }))).toMatchObject({ code: 1, out: "" })
    expect(JSON.parse((await run(show({ ...as(), id: 1 }))).out)).toMatchObject({ id: 1, name: "Latency" })
    expect(await run(show({ ...as(), id: 999 }))).toMatchObject({ code: 1, out: "" })
    expect(await run(show({ ...as(), id: -1 }))).toMatchObject({ code: 1, out: "" })
  })

  it("run pending evaluations, show the scores, and evaluate again", async () => {
    expect((await run(scores({ ...as(), id: 1 }))).err).toContain("This call has no scores yet")
    const waiting = await run(Jobs.list({ ...as(), ...queued }))
    expect(waiting.out).toMatch(/ 1 {2}evaluate_call +queued +0\/8/)
    expect((await run(runJobs(as()))).err).toBe("Ran 1 job.")
    expect(JSON.parse((await run(runJobs(as(true)))).out)).toEqual({ jobs: 0 })
    const scored = await run(scores({ ...as(), id: 1 }))
    expect(scored.out).toMatch(/^Latency +scored +500 +lower *$/m)
    expect(scored.out).toMatch(/^Expected outcome +skipped +No language model/m)
    expect(JSON.parse((await run(scores({ ...as(true), id: 1 }))).out)).toHaveLength(predefinedEntries.length)
    const call = await run(showCall({ ...as(), id: 1 }))
    const [facts = "", spoken = "", measured = ""] = call.out.split("\n\n")
    for (const line of facts.split("\n")) expect(line).toMatch(/^(?=.{12} \S)\S.* +\S/)
    expect(spoken).toMatch(/^\[00:00\] Main Agent: /)
    // As `calls scores` shows them: in words, and without metrics that have no value.
    const [head = "", ...rows] = scored.out
      .split("\n")
      .filter((line) => !/ (?:skipped|not_applicable|failed) /.test(line))
    const columnsOf = (line: string) => line.trim().split(/ {2,}/)
    expect(measured.split("\n").map(columnsOf)).toEqual([head, ...rows].map(columnsOf))
    expect(measured).toMatch(/^Silence detection +scored +passed/m)
    expect((await run(evaluate({ ...as(), id: 1, metrics: "1,2" }))).err).toContain("Job 2 is queued")
    const asked = await run(evaluate({ ...as(true), id: 1, metrics: none }))
    expect(JSON.parse(asked.out)).toEqual({ call: 1, metric_ids: null, job: 3 })
    expect((await run(runJobs(as()))).err).toBe("Ran 2 jobs.")
    for (const metrics of ["99", "one"]) {
      const rejected = await run(evaluate({ ...as(), id: 1, metrics }))
      expect(rejected).toMatchObject({ code: 1, out: "" })
      expect(rejected.err).toContain("metric_ids: ")
    }
    expect(await run(evaluate({ ...as(), id: 99, metrics: none }))).toMatchObject({ code: 1 })
    expect(await run(scores({ ...as(), id: 99 }))).toMatchObject({ code: 1 })
  })

  it("list dead jobs and retry them", async () => {
    await onEngine(
      Effect.gen(function* () {
        const metrics = yield* Metrics
        yield* metrics.create({
          agent: 1,
          name: "Own",
          type: "custom_code",
          eval_type: "numeric",
          custom_code: "return call.transcript_object.length"
        })
        const sql = yield* SqlClient
        yield* sql`UPDATE jobs SET state = 'dead', attempts = 8, last_error = ${"\u001b[31mgone"} WHERE id = 3`
      })
    )
    const dead = await run(Jobs.list({ ...as(), ...queued, state: "dead" }))
    expect(dead.out).toMatch(/ 3 {2}evaluate_call +dead +8\/8 .*gone/)
    expect(dead.out).not.toContain("\u001b")
    expect(await run(Jobs.list({ ...as(), ...queued, state: "dying" }))).toMatchObject({ code: 1 })
    expect(await run(Jobs.retry({ ...as(), id: 2 }))).toMatchObject({
      code: 1,
      err: "Only a dead job can be retried; this one is succeeded."
    })
    expect((await run(Jobs.retry({ ...as(), id: 3 }))).err).toBe("Job 3 is queued again.")
    expect(await run(Jobs.retry({ ...as(), id: 99 }))).toMatchObject({ code: 1 })
    expect((await run(runJobs(as()))).err).toBe("Ran 1 job.")
    expect((await run(scores({ ...as(), id: 1 }))).out).toMatch(/^Own +scored +3 *$/m)
    expect(JSON.parse((await run(Jobs.list({ ...as(true), ...queued, state: "dead" }))).out)).toMatchObject({
      results: []
    })
  })
})
