/**
 * A bulk update of 5,000 evaluators (20 metrics added, 20 removed, tools, folder and appended instruction) compared with
 * hand-written set-based SQL: better-sqlite3 in one transaction, and `pg`. The SQL validates nothing and reads nothing back.
 * Each side has a database of its own with the same rows and schema, and flushes every commit.
 *
 * Environment: `EARSHOT_BENCH_EVALUATORS` (default: 5,000), `EARSHOT_BENCH_ROUNDS` (default: 11), `EARSHOT_BENCH_DATABASE`
 * (sqlite or postgres; default: both).
 */
import { copyFile, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CurrentActor, Engine, Evaluators, hostActor, OrganizationId, Organizations } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import { createDatabase } from "@earshot/test-kit/postgres"
import { SqlClient } from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import pg from "pg"
import { benchmark, type Environment, numberFrom } from "./Benchmark.js"
import { compare, type Comparison, format } from "./measure.js"

interface Size {
  readonly evaluators: number
  readonly rounds: number
}

const TARGET = 1.5

const METRICS = 40
const TOOLS = 4
const APPEND = " Speak slowly and clearly."

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at + 1)

/** Inserts the rows. Ids start at 1 in a new database. The first half of the metrics and tools is attached. */
const rows = (evaluators: number, series: (count: number) => string): ReadonlyArray<string> => [
  `INSERT INTO metrics (organization_id, project_id, agent_id, name, type, eval_type, created_ms, updated_ms)
   SELECT 1, 1, 1, 'Metric ' || i, 'llm_judge', 'binary', 0, 0 FROM ${series(METRICS)}`,
  `INSERT INTO tools (organization_id, project_id, name, description, parameters, created_ms, updated_ms)
   SELECT 1, 1, 'Tool ' || i, '', '{}', 0, 0 FROM ${series(TOOLS)}`,
  `INSERT INTO folders (organization_id, project_id, path, created_ms, updated_ms)
   SELECT 1, 1, 'folder ' || i, 0, 0 FROM ${series(2)}`,
  `INSERT INTO evaluators (organization_id, project_id, agent_id, name, scenario_type, instructions, search_text,
     expected_outcome_prompt, first_message, folder_id, created_ms, updated_ms)
   SELECT 1, 1, 1, 'Evaluator ' || i, 'instruction', 'Ask for a table for two on Friday, and mind the time. ' || i,
     'evaluator ' || i || ' ask for a table for two on friday, and mind the time. ' || i, 'A table is booked.', 'Hello',
     1, 0, 0 FROM ${series(evaluators)}`,
  `INSERT INTO evaluator_metrics (evaluator_id, metric_id)
   SELECT e.id, m.id FROM evaluators e CROSS JOIN metrics m WHERE m.id <= ${METRICS / 2}`,
  `INSERT INTO evaluator_tools (evaluator_id, tool_id)
   SELECT e.id, t.id FROM evaluators e CROSS JOIN tools t WHERE t.id <= ${TOOLS / 2}`
]

/** The change of a round. Every other round reverts it, so that all rounds do the same work. */
const changeOf = (evaluators: number, round: number) => {
  const [here, there] = round % 2 === 0 ? [0, 1] : [1, 0]
  const half = (count: number, which: number) => upTo(count / 2).map((id) => id + (which * count) / 2)
  return {
    scenarios: upTo(evaluators),
    metricsToAdd: half(METRICS, there),
    metricsToRemove: half(METRICS, here),
    toolsToAdd: half(TOOLS, there),
    toolsToRemove: half(TOOLS, here),
    folder: there + 1
  }
}

const SQLITE_STATEMENTS = [
  `DELETE FROM evaluator_metrics WHERE evaluator_id IN (SELECT value FROM json_each(:scenarios))
     AND metric_id IN (SELECT value FROM json_each(:metricsToRemove))`,
  `INSERT OR IGNORE INTO evaluator_metrics
   SELECT e.value, m.value FROM json_each(:scenarios) e CROSS JOIN json_each(:metricsToAdd) m`,
  `DELETE FROM evaluator_tools WHERE evaluator_id IN (SELECT value FROM json_each(:scenarios))
     AND tool_id IN (SELECT value FROM json_each(:toolsToRemove))`,
  `INSERT OR IGNORE INTO evaluator_tools
   SELECT e.value, t.value FROM json_each(:scenarios) e CROSS JOIN json_each(:toolsToAdd) t`,
  `UPDATE evaluators SET folder_id = :folder, instructions = instructions || :append,
     search_text = search_text || lower(:append), updated_ms = :now
   WHERE id IN (SELECT value FROM json_each(:scenarios))`
]

const ours = (size: Size, evaluators: Effect.Effect.Success<typeof Evaluators>) => {
  let round = 0
  return Effect.suspend(() => {
    const change = changeOf(size.evaluators, round++)
    return evaluators.bulkUpdate({
      scenarios: change.scenarios,
      project: 1,
      metric_ids_to_add: change.metricsToAdd,
      metric_ids_to_remove: change.metricsToRemove,
      tool_ids_to_add: change.toolsToAdd,
      tool_ids_to_remove: change.toolsToRemove,
      folder_path: `folder ${change.folder}`,
      append_instruction: APPEND
    })
  }).pipe(Effect.provideService(CurrentActor, hostActor(OrganizationId.make(1))))
}

const seed = (size: Size, series: (count: number) => string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* (yield* Organizations).create({ name: "Bench" })
    yield* sql.withTransaction(Effect.forEach(rows(size.evaluators, series), (statement) => sql.unsafe(statement)))
  })

const engine = <E>(storage: Layer.Layer<Engine.Storage, E>) => Engine.layer.pipe(Layer.provideMerge(storage))

const line = (database: string, comparison: Comparison): string =>
  `  ${database.padEnd(10)} engine vs SQL: ${format(comparison)} (target: at most ${TARGET})`

const onSqlite = async (size: Size, { print }: Environment): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-bench-"))
  try {
    const file = join(folder, "ours.db")
    const series = (count: number) =>
      `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`
    await Effect.runPromise(seed(size, series).pipe(Effect.provide(engine(SqliteStorage.layer({ filename: file })))))
    await copyFile(file, join(folder, "theirs.db"))
    const sqlite = new Sqlite(join(folder, "theirs.db"))
    for (const pragma of [
      "journal_mode = WAL",
      "synchronous = FULL",
      "foreign_keys = ON",
      "wal_autocheckpoint = 10000"
    ]) {
      sqlite.pragma(pragma)
    }
    const statements = SQLITE_STATEMENTS.map((statement) => sqlite.prepare(statement))
    let round = 0
    const theirs = Effect.sync(() => {
      const change = changeOf(size.evaluators, round++)
      const bound = {
        ...Object.fromEntries(Object.entries(change).map(([key, value]) => [key, JSON.stringify(value)])),
        folder: change.folder,
        append: APPEND,
        now: Date.now()
      }
      sqlite
        .transaction(() => {
          for (const statement of statements) statement.run(bound)
        })
        .immediate()
    })
    await Effect.runPromise(
      Effect.gen(function* () {
        print(line("SQLite", yield* compare(size.rounds, ours(size, yield* Evaluators), theirs)))
      }).pipe(Effect.provide(engine(SqliteStorage.layer({ filename: file }))))
    )
    sqlite.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The statements with their parameters. */
const POSTGRES_STATEMENTS: ReadonlyArray<
  readonly [text: string, values: (change: ReturnType<typeof changeOf>) => ReadonlyArray<unknown>]
> = [
  [
    "DELETE FROM evaluator_metrics WHERE evaluator_id = ANY ($1::bigint[]) AND metric_id = ANY ($2::bigint[])",
    (change) => [change.scenarios, change.metricsToRemove]
  ],
  [
    `INSERT INTO evaluator_metrics SELECT e, m FROM unnest($1::bigint[]) e CROSS JOIN unnest($2::bigint[]) m
     ON CONFLICT DO NOTHING`,
    (change) => [change.scenarios, change.metricsToAdd]
  ],
  [
    "DELETE FROM evaluator_tools WHERE evaluator_id = ANY ($1::bigint[]) AND tool_id = ANY ($2::bigint[])",
    (change) => [change.scenarios, change.toolsToRemove]
  ],
  [
    `INSERT INTO evaluator_tools SELECT e, t FROM unnest($1::bigint[]) e CROSS JOIN unnest($2::bigint[]) t
     ON CONFLICT DO NOTHING`,
    (change) => [change.scenarios, change.toolsToAdd]
  ],
  [
    `UPDATE evaluators SET folder_id = $2, instructions = instructions || $3, search_text = search_text || lower($3),
       updated_ms = $4 WHERE id = ANY ($1::bigint[])`,
    (change) => [change.scenarios, change.folder, APPEND, Date.now()]
  ]
]

const onPostgres = async (size: Size, { print, startPostgres }: Environment): Promise<void> => {
  const server = await startPostgres({ durable: true })
  try {
    const [one, two] = [await createDatabase(server.url), await createDatabase(server.url)]
    const storage = (url: string) => PostgresStorage.layer({ url: Redacted.make(url) })
    const series = (count: number) => `generate_series(1, ${count}) AS s (i)`
    for (const { url } of [one, two]) {
      await Effect.runPromise(seed(size, series).pipe(Effect.provide(engine(storage(url)))))
    }
    const client = new pg.Client({ connectionString: two.url })
    await client.connect()
    let round = 0
    const theirs = Effect.promise(async () => {
      const change = changeOf(size.evaluators, round++)
      await client.query("BEGIN")
      for (const [text, values] of POSTGRES_STATEMENTS) await client.query(text, [...values(change)])
      await client.query("COMMIT")
    })
    await Effect.runPromise(
      Effect.gen(function* () {
        print(line("PostgreSQL", yield* compare(size.rounds, ours(size, yield* Evaluators), theirs)))
      }).pipe(Effect.provide(engine(storage(one.url))))
    )
    await client.end()
  } finally {
    await server.stop()
  }
}

export const bulkUpdateBenchmark = benchmark<Size>({
  name: "bulk-update",
  full: {
    evaluators: numberFrom("EARSHOT_BENCH_EVALUATORS", 5_000),
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 11)
  },
  tiny: { evaluators: 20, rounds: 1 },
  run: async (size, environment) => {
    environment.print(
      `bulk update of ${size.evaluators} evaluators, ${METRICS / 2} metrics added and removed, ${size.rounds} rounds`
    )
    if (environment.databases.includes("sqlite")) await onSqlite(size, environment)
    if (environment.databases.includes("postgres")) await onPostgres(size, environment)
  }
})
