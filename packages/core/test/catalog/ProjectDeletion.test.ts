import {
  Agents,
  BlobStore,
  Calls,
  Dashboards,
  type Engine,
  Evaluators,
  Folders,
  hostActor,
  JobRunner,
  Ledger,
  Personalities,
  PhoneNumbers,
  Platforms,
  Projects,
  Recordings,
  Results,
  runExecutorNone,
  ShareableLinks,
  Suites,
  TestProfiles,
  Tools,
  Tracing,
  Upload,
  Widgets,
  untrusted
} from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { CallKit, TestEngine, TraceKit } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"

/** One row of everything that may belong to a project; its results have runs that wait for workers. */
const fill = (organization: TestEngine.Fixture["organization"]["id"], name: string) =>
  Effect.gen(function* () {
    const as = TestEngine.as(hostActor(organization))
    const project = yield* Effect.flatMap(Projects, (all) => as(all.create({ name })))
    const agent = yield* Effect.flatMap(Agents, (all) => as(all.create({ project: project.id, name })))
    const inProject = { project: project.id, name }
    const personality = yield* Effect.flatMap(Personalities, (all) => as(all.create({ ...inProject, language: "en" })))
    yield* Effect.flatMap(Personalities, (all) => as(all.enable(project.id, { personalities: [personality.id] })))
    const profile = yield* Effect.flatMap(TestProfiles, (all) => as(all.create(inProject)))
    const number = yield* Effect.flatMap(PhoneNumbers, (all) =>
      as(all.create({ ...inProject, number: `+4930${String(1_000_000 + project.id)}` }))
    )
    const tool = yield* Effect.flatMap(Tools, (all) => as(all.create(inProject)))
    yield* Effect.flatMap(Folders, (all) => as(all.create({ project: project.id, path: "a/b" })))
    const evaluator = yield* Effect.flatMap(Evaluators, (all) =>
      as(
        all.create(
          untrusted({
            agent: agent.id,
            name,
            scenario_type: "instruction",
            instructions: "Ask for an appointment.",
            personality: personality.id,
            test_profile: profile.id,
            phone_number: number.id,
            folder_path: "a/b",
            tags: ["x"],
            tools: [tool.id]
          })
        )
      )
    )
    const dashboard = yield* Effect.flatMap(Dashboards, (all) => as(all.create(inProject)))
    yield* Effect.flatMap(Widgets, (all) =>
      as(all.create({ dashboard: dashboard.id, chart_type: "pie", name, field: "call_ended_reason" }))
    )
    yield* Effect.flatMap(Platforms.Integrations, (all) =>
      as(all.create({ platform: "retell", agent: agent.id, secret: "key-of-the-platform" }))
    )
    yield* Effect.flatMap(ShareableLinks, (all) =>
      as(
        all.create({
          name,
          permissions: ["dashboards:read"],
          bounds: [{ type: "dashboard", id: dashboard.id }]
        })
      )
    )
    const result = yield* Effect.flatMap(Suites, (all) =>
      as(
        all.run({
          agent_id: agent.id,
          spec: {
            version: "1",
            suite: { name },
            scenarios: [{ key: "a", name: "a", type: "instruction", instructions: "Ask for a date.", frequency: 3 }]
          }
        })
      )
    )
    yield* Effect.flatMap(Tracing.Traces, (all) =>
      as(
        all.receive(
          {
            json: TraceKit.otlpJson(
              TraceKit.spansOf("livekit", fc.sample(TraceKit.tracedCall, { numRuns: 1, seed: project.id })[0]!)
            )
          },
          { agent_id: agent.id }
        )
      )
    )
    const calls: Array<Effect.Effect.Success<ReturnType<Calls["Type"]["ingest"]>>["call"]> = []
    for (let call = 0; call < 5; call++) {
      const ingested = yield* Effect.flatMap(Calls, (all) =>
        as(
          all.ingest({
            agent: agent.id,
            call_id: `${call}`,
            transcript_type: "service",
            transcript_json: [{ role: "Main Agent", content: "Hello.", start_time: 0, end_time: 5 }],
            redact_fields: call === 0 ? ["person_name"] : [],
            ...(call < 2 ? { voice_recording: new Upload(CallKit.wav(1), "audio/wav", "a.wav") } : {})
          })
        )
      )
      calls.push(ingested.call)
    }
    return { as, agent, calls, dashboard, evaluator, project, result }
  })

/** How many rows of each table refer to a project or to its agents, for every table that the schema has now. */
const rowsOf = (project: number, agent: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = yield* sql.onDialectOrElse({
      pg: () => sql<{ readonly name: string; readonly column: string }>`
        SELECT table_name AS name, column_name AS column FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name IN ('project_id', 'agent_id')`,
      orElse: () => sql<{ readonly name: string; readonly column: string }>`
        SELECT t.name, c.name AS "column" FROM sqlite_master t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND c.name IN ('project_id', 'agent_id')`
    })
    const counts = new Map<string, number>([["projects", 0]])
    for (const { column, name } of columns) {
      const [row] = yield* sql<{ readonly n: number }>`SELECT count(*) AS n FROM ${sql(name)}
        WHERE ${sql(column)} = ${column === "project_id" ? project : agent}`
      counts.set(name, (counts.get(name) ?? 0) + (row?.n ?? 0))
    }
    const [own] = yield* sql<{ readonly n: number }>`SELECT count(*) AS n FROM projects WHERE id = ${project}`
    counts.set("projects", own?.n ?? 0)
    return counts
  })

/** Tables without a column of the project: none of their rows may refer to a row that is gone. */
const ORPHANS = [
  "SELECT 1 FROM call_transcripts WHERE call_id NOT IN (SELECT id FROM calls)",
  "SELECT 1 FROM call_recordings WHERE call_id NOT IN (SELECT id FROM calls)",
  "SELECT 1 FROM metric_evaluations WHERE call_id NOT IN (SELECT id FROM calls)",
  "SELECT 1 FROM answer_latencies WHERE call_id NOT IN (SELECT id FROM calls)",
  "SELECT 1 FROM metric_evaluation_details WHERE call_id NOT IN (SELECT id FROM calls)",
  "SELECT 1 FROM runs WHERE result_id NOT IN (SELECT id FROM results)",
  "SELECT 1 FROM result_scenarios WHERE result_id NOT IN (SELECT id FROM results)",
  "SELECT 1 FROM capacity_slots WHERE result_id NOT IN (SELECT id FROM results)",
  "SELECT 1 FROM evaluator_tags WHERE evaluator_id NOT IN (SELECT id FROM evaluators)",
  "SELECT 1 FROM widgets WHERE dashboard_id NOT IN (SELECT id FROM dashboards)"
]

/** The engine, and the memory that it stores recordings in; runs wait for workers. */
const engineOn = (database: TestEngine.DatabaseName) => {
  const memory = Layer.succeedContext(Effect.runSync(Effect.scoped(Layer.build(MemoryBlobStore.layer))))
  const ports: Engine.Ports = { blobs: memory, runExecutor: runExecutorNone }
  return Layer.merge(TestEngine.layer(database, ports), memory)
}

for (const database of TestEngine.databases) {
  describe(`a deleted project on ${database}`, () => {
    it.scoped("does not exist at once, and a job removes all that belongs to it and nothing else", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        const { organization } = yield* TestEngine.fixture
        const gone = yield* fill(organization.id, "Gone")
        const kept = yield* fill(organization.id, "Kept")
        const runner = yield* JobRunner
        // Spans become a call ten seconds after the last one.
        yield* TestClock.adjust("15 seconds")
        yield* runner.drain
        const before = yield* rowsOf(gone.project.id, gone.agent.id)
        const others = yield* rowsOf(kept.project.id, kept.agent.id)
        // The test is about every table: one that nothing was put into would be found empty for no reason.
        for (const [table, count] of before)
          if (table !== "checkout_grants") expect([table, count > 0]).toEqual([table, true])

        const { as } = gone
        const [calls, results, projects] = yield* Effect.all([Calls, Results, Projects])
        yield* as(projects.delete(gone.project.id))
        const reads = [
          as(Effect.flip(projects.read(gone.project.id))),
          as(Effect.flip(Effect.flatMap(Agents, (all) => all.read(gone.agent.id)))),
          as(Effect.flip(results.read(gone.result.id))),
          as(Effect.flip(Effect.flatMap(Dashboards, (all) => all.read(gone.dashboard.id)))),
          as(Effect.flip(Effect.flatMap(Evaluators, (all) => all.read(gone.evaluator.id)))),
          ...gone.calls.map(({ id }) => as(Effect.flip(calls.read(id))))
        ]
        for (const read of reads) expect((yield* read)._tag).toBe("NotFound")
        expect((yield* as(calls.list({ limit: 200 }))).results.map(({ projectId }) => projectId)).not.toContain(
          gone.project.id
        )
        expect((yield* as(results.list({ limit: 200 }))).results.map(({ projectId }) => projectId)).not.toContain(
          gone.project.id
        )
        const ingested = yield* Effect.flip(
          as(calls.ingest({ agent: gone.agent.id, call_id: "9", transcript_type: "service", transcript_json: [] }))
        )
        expect(ingested).toMatchObject({ _tag: "ValidationFailed", errors: { agent: [expect.any(String)] } })

        yield* TestClock.adjust("20 seconds")
        yield* runner.drain
        const after = yield* rowsOf(gone.project.id, gone.agent.id)
        const charges = after.get("credit_entries")
        expect(charges).toBe(before.get("credit_entries"))
        expect([...after].filter(([table, count]) => count > 0 && table !== "credit_entries")).toEqual([])
        expect((yield* as(Effect.flatMap(Ledger, (all) => all.list({ limit: 200 })))).results.length).toBeGreaterThan(0)
        for (const statement of ORPHANS)
          expect([statement, yield* TestEngine.execute(statement)]).toEqual([statement, []])
        expect(yield* rowsOf(kept.project.id, kept.agent.id)).toEqual(others)
        expect((yield* as(results.capacity())).pendingDemand).toBe(3)
        expect((yield* as(Effect.flatMap(ShareableLinks, (all) => all.list({})))).results).toHaveLength(1)
        // The files of the two recordings go too, and those of the other project stay.
        yield* Effect.flatMap(Recordings, (all) => all.collect)
        expect(yield* Effect.flatMap(BlobStore, (all) => all.list(undefined, 10))).toHaveLength(2)
        // A second attempt of the job finds nothing to do.
        yield* TestEngine.execute(
          "UPDATE jobs SET state = 'queued', due_ms = 0, attempts = 0 WHERE kind = 'delete_project'"
        )
        yield* runner.drain
        expect(yield* TestEngine.execute("SELECT state FROM jobs WHERE kind = 'delete_project'")).toEqual([
          { state: "succeeded" }
        ])
      }).pipe(Effect.provide(engineOn(database)))
    )
  })
}
