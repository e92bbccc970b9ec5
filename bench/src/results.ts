/**
 * What grows with runs and jobs, and should not: reading a result and a page of results, claiming a run where results have
 * concurrency limits, claiming jobs, and claims while jobs come and go at full rate.
 *
 * Environment: `EARSHOT_BENCH_ROUNDS` (default: 15), `EARSHOT_BENCH_DATABASE` (sqlite or postgres; default: both).
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Actor,
  type AgentId,
  CurrentActor,
  Database,
  Engine,
  hostActor,
  JobStore,
  type OrganizationId,
  Organizations,
  type ResultId,
  Results,
  Suites
} from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { createDatabase } from "@earshot/test-kit/postgres"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { benchmark, type DatabaseName, type Environment, numberFrom } from "./Benchmark.js"
import { compare, type Comparison, format, median, type Sample, timed } from "./measure.js"

interface Size {
  /** Runs of a small and of a large result, and results on a page. */
  readonly few: number
  readonly many: number
  readonly page: number
  /** Queued runs, in one result and in so many, half of which have reached their limit. */
  readonly queued: number
  readonly results: number
  /** Waiting and finished jobs. */
  readonly jobs: number
  readonly finished: number
  /** Jobs that are enqueued, claimed and finished one claim after another, beside those. */
  readonly cycled: number
  readonly rounds: number
}

/** Loading takes longer than the statements of requests. */
const LOADING = { statementTimeout: "10 minutes" } as const

const READS_PER_ROUND = 20
const METRICS = 5
const READ_TARGET = 1.5
const CLAIM_TARGET = 5
const JOBS_PER_CLAIM = 64

const spec = (limit: number | null) => ({
  version: "1",
  suite: { name: "Nightly" },
  ...(limit === null ? {} : { defaults: { concurrency_limit: limit } }),
  scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask." }]
})

const numbers = (count: number) =>
  Effect.map(SqlClient, (sql) =>
    sql.onDialectOrElse({
      pg: () => sql`generate_series(1, ${count}) AS n (value)`,
      orElse: () => sql`(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${count})
        SELECT value FROM n) AS n`
    })
  )

/** What PostgreSQL does by itself within a minute of such a load. */
const tidy = Effect.flatMap(SqlClient, (sql) =>
  Effect.asVoid(sql.onDialectOrElse({ pg: () => sql`VACUUM ANALYZE`, orElse: () => sql`SELECT 1` }))
)

/** More runs of a result, copies of its first one. */
const addRuns = (result: ResultId, count: number, status: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    if (count === 0) return
    yield* sql`INSERT INTO runs (organization_id, result_id, scenario_position, channel, status, attempts, success, created_ms,
        updated_ms)
      SELECT organization_id, result_id, scenario_position, channel, ${status}, attempts, ${status === "completed" ? 1 : null},
        created_ms, updated_ms
      FROM (SELECT * FROM runs WHERE result_id = ${result} ORDER BY id LIMIT 1) AS first, ${yield* numbers(count)}`
  })

/** Scores of all runs of these results by some metrics, as they are stored run by run. */
const addScores = (agent: AgentId, first: ResultId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO run_evaluations (run_id, metric_id, status, value_kind, value_number, created_ms)
      SELECT u.id, m.id, 'scored', 'number', u.id % 100, 0 FROM runs u,
        (SELECT id FROM metrics WHERE agent_id = ${agent} ORDER BY id LIMIT ${METRICS}) AS m
      WHERE u.result_id >= ${first}`
    yield* sql`INSERT INTO result_metrics (result_id, metric_id, runs, numbers, total)
      SELECT u.result_id, x.metric_id, count(*), count(*), sum(x.value_number)
      FROM runs u JOIN run_evaluations x ON x.run_id = u.id WHERE u.result_id >= ${first} GROUP BY u.result_id, x.metric_id`
  })

const actingAs =
  (actor: Actor) =>
  <A, E, R>(steps: Effect.Effect<A, E, R>) =>
    Effect.provideService(steps, CurrentActor, actor)

type Print = Environment["print"]

/** Two organizations, one with results of few runs and one with results of many. */
const measureReads = (size: Size, print: Print) =>
  Effect.gen(function* () {
    const results = yield* Results
    const suites = yield* Suites
    const filled = (runs: number) =>
      Effect.gen(function* () {
        const { agent, organization } = yield* (yield* Organizations).create({ name: "Bench" })
        const as = actingAs(hostActor(organization.id))
        const made = yield* Effect.forEach(Array.from({ length: size.page }), () =>
          as(suites.run({ spec: spec(null), agent_id: agent.id }))
        )
        for (const { id } of made) yield* addRuns(id, runs - 1, "completed")
        const [first] = made
        if (first === undefined) return yield* Effect.dieMessage("There is no result")
        yield* addScores(agent.id, first.id)
        const shown = yield* as(results.read(first.id))
        if (shown.totalRuns !== runs || shown.metrics.some((metric) => metric.runs !== runs)) {
          return yield* Effect.dieMessage("The result does not show its runs")
        }
        return {
          read: Effect.asVoid(Effect.repeatN(as(results.read(first.id)), READS_PER_ROUND - 1)),
          list: Effect.asVoid(Effect.repeatN(as(results.list({ limit: size.page })), READS_PER_ROUND - 1))
        }
      })
    const few = yield* filled(size.few)
    const many = yield* filled(size.many)
    const show = (title: string, comparison: Comparison) => {
      const sides = format(comparison, READS_PER_ROUND)
      print(`  ${title} of ${size.many} vs ${size.few} runs: ${sides} (target: at most ${READ_TARGET})`)
    }
    show("a result", yield* compare(size.rounds, many.read, few.read))
    show(`a page of ${size.page} results`, yield* compare(size.rounds, many.list, few.list))
  })

const milliseconds = (samples: ReadonlyArray<Sample>): string => {
  const times = samples.map(({ ms }) => ms)
  return `median ${median(times).toFixed(2)} ms, most ${Math.max(...times).toFixed(2)} ms (CPU ${median(samples.map(({ cpuMs }) => cpuMs)).toFixed(2)})`
}

/** Claims of a run in an organization with so many results, the oldest of which have reached their limit of one run. */
const measureRunClaims = (size: Size, resultCount: number, limited: number, print: Print) =>
  Effect.gen(function* () {
    const results = yield* Results
    const suites = yield* Suites
    const { agent, organization } = yield* (yield* Organizations).create({ name: "Bench" })
    const as = actingAs(hostActor(organization.id))
    const each = Math.floor(size.queued / resultCount)
    for (let n = 0; n < resultCount; n++) {
      const made = yield* as(suites.run({ spec: spec(1), agent_id: agent.id }))
      yield* addRuns(made.id, each - 1, "queued")
    }
    const sql = yield* SqlClient
    yield* sql`UPDATE capacity SET pending_demand = ${each * resultCount} WHERE organization_id = ${organization.id}`
    for (let n = 0; n < limited; n += 100) {
      yield* as(results.claim({ channel: "voice", limit: Math.min(100, limited - n), lease_seconds: 3600 }))
    }
    yield* tidy
    const samples: Array<Sample> = []
    for (let round = 0; round <= size.rounds; round++) {
      let claimed: Effect.Effect.Success<ReturnType<typeof results.claim>> = []
      const sample = yield* timed(
        Effect.map(as(results.claim({ channel: "voice", limit: 1, lease_seconds: 3600 })), (runs) => {
          claimed = runs
        })
      )
      const [one] = claimed
      if (one === undefined) return yield* Effect.dieMessage("Nothing was claimed")
      yield* as(results.fail(one.run.id, { lease: one.lease, error: "Bench" }))
      if (round > 0) samples.push(sample)
    }
    print(
      `  claim of a run, ${each * resultCount} queued in ${resultCount} results, ${limited} of them at their limit: ${milliseconds(samples)} (target: at most ${CLAIM_TARGET})`
    )
  })

/** Jobs of a kind that no process runs, some waiting and most finished. */
const addJobs = (organization: OrganizationId, count: number, state: "queued" | "succeeded", began: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const now = sql`CAST(${began} AS BIGINT)`
    const due = state === "queued" ? sql`${now} - 100000 + n.value` : sql`NULL`
    yield* sql`INSERT INTO jobs (organization_id, kind, ordering_key, payload, state, attempts, max_attempts, due_ms, created_ms,
        updated_ms)
      SELECT ${organization}, 'bench', CAST(n.value AS TEXT), '{}', ${state}, 0, 3, ${due}, ${now}, ${now}
      FROM ${yield* numbers(count)}`
  })

/** Claims jobs as a worker does, with the time that it takes, and finishes them. */
const claimJobs = (kind: string, organizationId: OrganizationId) =>
  Effect.gen(function* () {
    const jobs = yield* JobStore
    const now = yield* jobs.now
    const lease = { now, until: now + 8000 }
    const quotas = [{ organizationId, limit: JOBS_PER_CLAIM }]
    let claims: Effect.Effect.Success<ReturnType<typeof jobs.claim>> = []
    const sample = yield* timed(
      Effect.gen(function* () {
        yield* jobs.waiting(kind, { after: 0, limit: 10 }, now)
        claims = yield* jobs.claim("bench", { kind, quotas }, lease)
      })
    )
    if (claims.length !== JOBS_PER_CLAIM) return yield* Effect.dieMessage("Not as many jobs were claimed as are due")
    yield* jobs.succeed(claims, now)
    return sample
  })

const measureJobClaims = (size: Size, print: Print) =>
  Effect.gen(function* () {
    const { organization } = yield* (yield* Organizations).create({ name: "Bench" })
    const began = yield* Clock.currentTimeMillis
    yield* addJobs(organization.id, size.finished, "succeeded", began)
    yield* addJobs(organization.id, size.jobs, "queued", began)
    yield* tidy
    const samples: Array<Sample> = []
    for (let round = 0; round <= size.rounds; round++) {
      const sample = yield* claimJobs("bench", organization.id)
      if (round > 0) samples.push(sample)
    }
    print(
      `  claim of ${JOBS_PER_CLAIM} jobs, ${size.jobs} waiting, ${size.finished} finished: ${milliseconds(samples)} (target: at most ${CLAIM_TARGET})`
    )
  })

/** The first and the last claims while jobs are enqueued, claimed and finished at full rate: what finished ones leave behind. */
const measureJobCycles = (size: Size, print: Print) =>
  Effect.gen(function* () {
    const jobs = yield* JobStore
    const { organization } = yield* (yield* Organizations).create({ name: "Bench" })
    const kind = "bench-cycle"
    const batch = Array.from({ length: JOBS_PER_CLAIM }, () => ({ organizationId: organization.id, kind, payload: {} }))
    const samples: Array<Sample> = []
    for (let enqueued = 0; enqueued < size.cycled; enqueued += JOBS_PER_CLAIM) {
      yield* jobs.enqueueAll(batch, yield* jobs.now)
      samples.push(yield* claimJobs(kind, organization.id))
    }
    const tenth = Math.max(1, Math.floor(samples.length / 10))
    print(`  first tenth of the claims of ${size.cycled} jobs at full rate: ${milliseconds(samples.slice(0, tenth))}`)
    print(`  last tenth: ${milliseconds(samples.slice(-tenth))} (target: at most ${CLAIM_TARGET})`)
  })

const measure = (database: DatabaseName, address: string, size: Size, print: Print) =>
  Effect.gen(function* () {
    print(`results, runs and jobs on ${database}, ${size.rounds} rounds`)
    yield* measureReads(size, print)
    yield* measureRunClaims(size, 1, 0, print)
    yield* measureRunClaims(size, size.results, size.results / 2, print)
    yield* measureJobClaims(size, print)
    yield* measureJobCycles(size, print)
  }).pipe(
    Effect.provide(Layer.provideMerge(Layer.merge(Engine.layer, Engine.stores), Database.layer(address, LOADING))),
    Effect.scoped
  )

export const resultsBenchmark = benchmark<Size>({
  name: "results",
  full: {
    few: 10,
    many: 10_000,
    page: 20,
    queued: 100_000,
    results: 1000,
    jobs: 100_000,
    finished: 1_000_000,
    cycled: 200_000,
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 15)
  },
  tiny: { few: 2, many: 20, page: 3, queued: 40, results: 4, jobs: 200, finished: 100, cycled: 128, rounds: 1 },
  run: async (size, { databases, print, startPostgres }) => {
    if (databases.includes("sqlite")) {
      const folder = await mkdtemp(join(tmpdir(), "earshot-bench-results-"))
      try {
        await Effect.runPromise(measure("sqlite", `sqlite:${join(folder, "results.db")}`, size, print))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    }
    if (databases.includes("postgres")) {
      const server = await startPostgres({ durable: true })
      try {
        const database = await createDatabase(server.url)
        await Effect.runPromise(measure("postgres", database.url, size, print))
        await database.drop()
      } finally {
        await server.stop()
      }
    }
  }
})
