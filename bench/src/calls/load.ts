/**
 * Seeds many calls for benchmarks of reads, in databases with the engine's schema and in DuckDB. Rows are computed from their
 * number by the same integer arithmetic in each database.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import {
  AgentId,
  Agents,
  CallId,
  CurrentActor,
  Engine,
  hostActor,
  MetricId,
  OrganizationId,
  Organizations,
  type ProjectedCall,
  ProjectId,
  Projects
} from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import { createDatabase } from "@earshot/test-kit/postgres"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { DatabaseName, Environment } from "../Benchmark.js"
import { type ProcessorTime, timeOfPostgres, timeOfProcesses } from "../ingest/processorTime.js"

const DAY = 86_400_000

/** The calls are spread evenly over the last 90 days. */
const DAYS = 90

/** The first calls belong to a project that has no later ones. */
const QUIET = 100

const REASONS = [
  "customer_ended_call",
  "agent_ended_call",
  "transferred",
  "silence_timeout",
  "voicemail",
  "no_answer",
  "max_duration",
  "error"
]

/** Pseudo-random numbers from 0 to 2^31 - 2: Lehmer's generator, some steps from the row's number. */
const random = (step: number): string =>
  step === 0 ? "((i * 48271) % 2147483647)" : `((${random(step - 1)} * 48271) % 2147483647)`

const choice = (of: string, texts: ReadonlyArray<number | string>): string =>
  `CASE ${of} ${texts.map((text, k) => `WHEN ${k} THEN ${text}`).join(" ")} END`

/** Ids of the resources that own the calls, the same in each new database. */
export interface Owner {
  readonly organization: number
  readonly project: number
  /** Three agents. */
  readonly agents: ReadonlyArray<number>
  /** The predefined metric `latency_ms` of the first agent, with an evaluation for every call of the project. */
  readonly metric: number
  /** A project with one agent, which have the first hundred calls and no later ones. */
  readonly quietProject: number
  readonly quietAgent: number
}

/** The number of calls, and the time of the newest in epoch milliseconds. */
export interface Amount {
  readonly count: number
  readonly now: number
}

const METADATA = `'{"region":"region-' || (${random(3)} % 12) || '","tier":"gold","attempt":' || (${random(4)} % 5)
  || ',"customer":{"id":' || i || ',"plan":"enterprise","since":"2021-04-05"}}'`

/** The time of a call. */
const timeOf = ({ count, now }: Amount): string =>
  `${now - DAYS * DAY} + CAST(i * ${Math.floor((DAYS * DAY) / count)} AS BIGINT)`

/** A SELECT of calls; `json` converts a text to JSON. */
const calls = (owner: Owner, { count, now }: Amount, json: (text: string) => string): string => `
  SELECT i AS id, ${owner.organization} AS organization_id,
    CASE WHEN i <= ${QUIET} THEN ${owner.quietProject} ELSE ${owner.project} END AS project_id,
    CASE WHEN i <= ${QUIET} THEN ${owner.quietAgent} ELSE ${choice("i % 3", owner.agents)} END AS agent_id,
    ${timeOf({ count, now })} AS timestamp_ms,
    CASE WHEN ${random(1)} % 50 > 0
      THEN CAST((${random(2)} % 1000) * (${random(3)} % 1000) AS DOUBLE PRECISION) / 2000 END AS duration_s,
    CASE WHEN ${random(2)} % 20 = 0 THEN NULL WHEN ${random(2)} % 20 < 16 THEN 1 ELSE 0 END AS success,
    CASE WHEN ${random(3)} % 10 = 0 THEN 1 ELSE 0 END AS is_reviewed,
    'call-' || i AS call_id, '' AS trace_id, '+4930' || (1000000 + ${random(3)} % 100000) AS customer_number,
    ${choice(
      `${random(4)} % 8`,
      REASONS.map((reason) => `'${reason}'`)
    )} AS call_ended_reason,
    'topic ' || (${random(2)} % 40) AS topic, 0 AS feedback_by_person, ${now} AS created_ms, ${now} AS updated_ms,
    ${json(METADATA)} AS metadata
  FROM numbers`

const evaluations = (owner: Owner, amount: Amount): string => `
  SELECT i AS call_id, ${owner.metric} AS metric_id, ${timeOf(amount)} AS timestamp_ms, 'number' AS value_kind,
    CAST(200 + ${random(2)} % 3000 AS DOUBLE PRECISION) AS value_number, 0 AS created_ms
  FROM numbers WHERE i > ${owner.quietProject === owner.project ? 0 : QUIET}`

/** How many answers a call has. */
const ANSWERS = 12

/** The latency of an answer: of most calls up to three seconds, with some below. */
const latencyOf = (answer: number): string => `(200 + (${random(2)} + ${answer} * 7919) % 3000)`

/** A SELECT of the latencies of each call's answers; `list` makes a list of integers. */
const answerLatencies = (owner: Owner, amount: Amount, list: (items: ReadonlyArray<string>) => string): string => `
  SELECT i AS call_id, ${owner.metric} AS metric_id, ${timeOf(amount)} AS timestamp_ms,
    ${list(Array.from({ length: ANSWERS }, (_, answer) => latencyOf(answer)))} AS latencies
  FROM numbers WHERE i > ${owner.quietProject === owner.project ? 0 : QUIET}`

const CALL_COLUMNS = `id, organization_id, project_id, agent_id, timestamp_ms, duration_s, success, is_reviewed, call_id,
  trace_id, customer_number, call_ended_reason, topic, feedback_by_person, created_ms, updated_ms, metadata`
const EVALUATION_COLUMNS = "call_id, metric_id, timestamp_ms, value_kind, value_number, created_ms"

/** The same pseudo-random numbers as those of the statements. */
const randomOf = (i: number, step: number): number =>
  step === 0 ? (i * 48271) % 2147483647 : (randomOf(i, step - 1) * 48271) % 2147483647

/** The calls with numbers from `first` to `last`, as they are projected. */
export const projectedCalls = (
  owner: Owner,
  { count, now }: Amount,
  [first, last]: readonly [number, number]
): ReadonlyArray<ProjectedCall> =>
  Array.from({ length: last - first + 1 }, (_, index) => {
    const i = first + index
    const [r1, r2, r3, r4] = [randomOf(i, 1), randomOf(i, 2), randomOf(i, 3), randomOf(i, 4)]
    const isQuiet = i <= QUIET
    const region = `region-${r3 % 12}`
    return {
      id: CallId.make(i),
      organizationId: OrganizationId.make(owner.organization),
      projectId: ProjectId.make(isQuiet ? owner.quietProject : owner.project),
      agentId: AgentId.make(isQuiet ? owner.quietAgent : (owner.agents[i % 3] ?? 0)),
      timestampMs: now - DAYS * DAY + i * Math.floor((DAYS * DAY) / count),
      durationSeconds: r1 % 50 > 0 ? ((r2 % 1000) * (r3 % 1000)) / 2000 : null,
      success: r2 % 20 === 0 ? null : r2 % 20 < 16,
      isReviewed: r3 % 10 === 0,
      callId: `call-${i}`,
      traceId: "",
      customerNumber: `+4930${1_000_000 + (r3 % 100_000)}`,
      callEndedReason: REASONS[r4 % 8] ?? null,
      dropoffPoint: null,
      topic: `topic ${r2 % 40}`,
      feedback: null,
      metadata: `{"region":"${region}","tier":"gold","attempt":${r4 % 5},"customer":{"id":${i},"plan":"enterprise","since":"2021-04-05"}}`,
      dynamicVariables: null,
      evaluations: isQuiet
        ? []
        : [
            {
              metricId: MetricId.make(owner.metric),
              valueKind: "number",
              valueNumber: 200 + (r2 % 3000),
              valueText: null,
              answerLatenciesMs: Array.from({ length: ANSWERS }, (_, answer) => 200 + ((r2 + answer * 7919) % 3000))
            }
          ],
      version: 1
    }
  })

/** Differences between the databases. */
const DIALECTS = {
  sqlite: {
    numbers: (count: number) =>
      `WITH RECURSIVE numbers(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})`,
    ownIds: "",
    json: (text: string) => text,
    list: (items: ReadonlyArray<string>) => `json_array(${items.join(", ")})`,
    settle: ["PRAGMA wal_checkpoint(TRUNCATE)"]
  },
  postgres: {
    numbers: (count: number) => `WITH numbers AS (SELECT generate_series(1, ${count})::bigint AS i)`,
    ownIds: "OVERRIDING SYSTEM VALUE",
    json: (text: string) => `(${text})::jsonb`,
    list: (items: ReadonlyArray<string>) => `ARRAY[${items.join(", ")}]::integer[]`,
    // Autovacuum would do it in time.
    settle: ["VACUUM ANALYZE"]
  }
} as const

/** Statements that insert the calls into an empty table, in one transaction, and those that follow it. */
export const seedStatements = (database: DatabaseName, owner: Owner, amount: Amount) => {
  const { json, list, numbers, ownIds, settle } = DIALECTS[database]
  const many = numbers(amount.count)
  return {
    inserts: [
      `INSERT INTO calls (${CALL_COLUMNS}) ${ownIds} ${many} ${calls(owner, amount, json)}`,
      `INSERT INTO metric_evaluations (${EVALUATION_COLUMNS}) ${many} ${evaluations(owner, amount)}`,
      `INSERT INTO answer_latencies (call_id, metric_id, timestamp_ms, latencies)
        ${many} ${answerLatencies(owner, amount, list)}`
    ],
    settle
  }
}

type Services = Engine.Services | SqlClient | CurrentActor

/** An engine over many calls. */
export interface LoadedCalls {
  readonly owner: Owner
  /** Runs a use case as the organization's host. */
  readonly run: <A, E>(useCase: Effect.Effect<A, E, Services>) => Effect.Effect<A, E>
  /** Of this process with its readers or, on PostgreSQL, with the server's processes. */
  readonly processorTime: ProcessorTime
}

const seed = (database: DatabaseName, amount: Amount) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const created = yield* (yield* Organizations).create({ name: "Bench" })
    const actor = hostActor(created.organization.id)
    const agents = yield* Agents
    const others = yield* Effect.forEach(["Billing", "Support"], (name) =>
      agents.create({ project: created.project.id, name }).pipe(Effect.provideService(CurrentActor, actor))
    )
    const quiet = yield* Effect.flatMap(Projects, (projects) => projects.create({ name: "Quiet" })).pipe(
      Effect.bindTo("project"),
      Effect.bind("agent", ({ project }) => agents.create({ project: project.id, name: "Quiet" })),
      Effect.provideService(CurrentActor, actor)
    )
    // An agent is created with the predefined metrics.
    const [metric] = yield* sql<{ readonly id: number }>`
      SELECT id FROM metrics WHERE agent_id = ${created.agent.id} AND slug = 'latency_ms'`
    if (metric === undefined) return yield* Effect.dieMessage("The agent has no metric latency_ms")
    const owner: Owner = {
      organization: created.organization.id,
      project: created.project.id,
      agents: [created.agent.id, ...others.map(({ id }) => id)],
      metric: metric.id,
      quietProject: quiet.project.id,
      quietAgent: quiet.agent.id
    }
    const { inserts, settle } = seedStatements(database, owner, amount)
    yield* sql.withTransaction(Effect.all(inserts.map((statement) => sql.unsafe(statement))))
    for (const statement of settle) yield* sql.unsafe(statement)
    return { owner, actor }
  })

export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "earshot-bench-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** The calls are inserted by one statement, and a busy machine may need longer than usual for a chart. */
const LIMIT = "10 minutes"

const makeStorage = (database: DatabaseName, environment: Environment) =>
  Effect.gen(function* () {
    if (database === "sqlite") {
      const layer = SqliteStorage.layer({ filename: join(yield* temporaryFolder, "calls.db"), queryTimeout: LIMIT })
      return { layer, processorTime: timeOfProcesses(process.pid) }
    }
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => environment.startPostgres()),
      ({ stop }) => Effect.promise(stop)
    )
    const { url } = yield* Effect.promise(() => createDatabase(server.url))
    const layer = PostgresStorage.layer({ url: Redacted.make(url), statementTimeout: LIMIT, queryTimeout: LIMIT })
    const ofServer = yield* Effect.promise(() => timeOfPostgres(url))
    const ofProcess = timeOfProcesses(process.pid)
    const processorTime = async () => {
      const [server, own] = await Promise.all([ofServer(), ofProcess()])
      return server === undefined || own === undefined ? undefined : server + own
    }
    return { layer, processorTime }
  })

/** Creates a database with that many calls. */
export const load = (
  database: DatabaseName,
  amount: Amount,
  environment: Environment
): Effect.Effect<LoadedCalls, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const { layer, processorTime } = yield* makeStorage(database, environment)
    const context = yield* Layer.build(Engine.layer.pipe(Layer.provideMerge(layer)))
    const { actor, owner } = yield* Effect.provide(seed(database, amount), context)
    return {
      owner,
      processorTime,
      run: (useCase) => useCase.pipe(Effect.provideService(CurrentActor, actor), Effect.provide(context))
    }
  })

/** The same calls in a DuckDB file. */
export interface LoadedDuckDb {
  /** The rows of a statement as arrays of values. */
  readonly query: (sql: string) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>>
}

export const loadDuckDb = (owner: Owner, amount: Amount): Effect.Effect<LoadedDuckDb, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const connection = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const instance = await DuckDBInstance.create(join(folder, "calls.duckdb"))
        return { instance, connection: await instance.connect() }
      }),
      ({ connection, instance }) =>
        Effect.sync(() => {
          connection.closeSync()
          instance.closeSync()
        })
    )
    const numbers = `WITH numbers AS (SELECT range AS i FROM range(1, ${amount.count + 1}))`
    const statements = [
      `CREATE TABLE calls AS ${numbers} ${calls(owner, amount, (text) => `(${text})::JSON`)}`,
      `CREATE TABLE metric_evaluations AS ${numbers} ${evaluations(owner, amount)}`,
      `CREATE TABLE answer_latencies AS ${numbers} ${answerLatencies(owner, amount, (items) => `[${items.join(", ")}]`)}`,
      "CHECKPOINT"
    ]
    for (const statement of statements) yield* Effect.promise(() => connection.connection.run(statement))
    return {
      query: (sql) => Effect.promise(async () => (await connection.connection.runAndReadAll(sql)).getRowsJS())
    }
  })
