/**
 * The order of docs/operations.md: the dump, then the recordings; restored the other way round. The dump is made by `pg_dump`
 * (`EARSHOT_TEST_PG_DUMP`, or the one on the PATH) where it is not older than the server, which it refuses otherwise, and by
 * queries of the rows in one snapshot where there is none. The title says which.
 */
import { Calls, Engine, Recordings, Upload } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import { CallKit, TestEngine } from "@earshot/test-kit"
import { createDatabase, type FreshDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { execFile } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"

/** Tables whose rows nothing changes in this test once they are there. */
const GROWING = ["organizations", "projects", "agents", "call_transcripts", "call_recordings", "earshot_migrations"]

const run = promisify(execFile)

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "earshot-dump-"))),
  (name) => Effect.promise(() => rm(name, { recursive: true }))
)

const database = Effect.acquireRelease(
  Effect.promise(async () => createDatabase(await postgresUrl())),
  (fresh) => Effect.promise(() => fresh.drop())
)

const engineOn = ({ url }: FreshDatabase, recordings: string) =>
  Layer.build(
    Layer.fresh(
      Engine.layerWith({ blobs: FileBlobStore.layer({ directory: recordings }) }).pipe(
        Layer.provideMerge(PostgresStorage.layer({ url: Redacted.make(url) }))
      )
    )
  )

const connected = async <A>({ url }: FreshDatabase, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

interface Dump {
  /** Each table's columns and its rows as JSON text. */
  readonly tables: ReadonlyMap<string, { readonly columns: string; readonly rows: string }>
  /** The last number of each sequence that has given one. */
  readonly sequences: ReadonlyMap<string, string>
}

/** All rows as they are at one moment. */
const readDump = (source: FreshDatabase): Promise<Dump> =>
  connected(source, async (client) => {
    const rowsOf = async (query: string) => (await client.query<{ name: string; value: string }>(query)).rows
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
    const tables = new Map<string, { columns: string; rows: string }>()
    for (const { name, value: columns } of await rowsOf(
      `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) AS value
       FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER' GROUP BY table_name ORDER BY 1`
    )) {
      const [read] = await rowsOf(
        `SELECT '' AS name, COALESCE(json_agg(one ORDER BY one::text), '[]')::text AS value
         FROM (SELECT row_to_json(t) AS one FROM ${pg.escapeIdentifier(name)} AS t) AS listed`
      )
      tables.set(name, { columns, rows: read?.value ?? "[]" })
    }
    const sequences = await rowsOf(
      "SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE last_value IS NOT NULL ORDER BY 1"
    )
    await client.query("COMMIT")
    return { tables, sequences: new Map(sequences.map(({ name, value }) => [name, value])) }
  })

/** Writes a dump over whatever a migrated database holds. */
const writeDump = (target: FreshDatabase, { sequences, tables }: Dump): Promise<void> =>
  connected(target, async (client) => {
    // No triggers and no checks of references: the rows have passed them.
    await client.query("SET session_replication_role = replica")
    await client.query("BEGIN")
    await client.query(`TRUNCATE ${[...tables.keys()].map((name) => pg.escapeIdentifier(name)).join(", ")}`)
    for (const [name, { columns, rows }] of tables) {
      const table = pg.escapeIdentifier(name)
      await client.query(
        `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
         SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
        [rows]
      )
    }
    for (const [name, value] of sequences) await client.query("SELECT setval($1::regclass, $2)", [`"${name}"`, value])
    await client.query("COMMIT")
  })

/** How a database is copied: `dump` returns what writes the copy. */
interface Method {
  readonly title: string
  readonly dump: (source: FreshDatabase, root: string) => Promise<(target: FreshDatabase) => Promise<void>>
}

const byRows: Method = {
  title: "rows in one snapshot, without a pg_dump of the server's version",
  dump: async (source, root) => {
    const dumped = await readDump(source)
    return async (target) => {
      // The schema, with what migrations insert.
      await Effect.runPromise(Effect.scoped(engineOn(target, join(root, "none"))))
      await writeDump(target, dumped)
    }
  }
}

const byTool = (tool: string, major: number): Method => ({
  title: `pg_dump and pg_restore ${major}`,
  dump: async (source, root) => {
    const file = join(root, "earshot.dump")
    await run(tool, ["--format=custom", `--file=${file}`, source.url])
    // Installed together: next to the file, or both on the PATH.
    const restore = tool === basename(tool) ? "pg_restore" : join(dirname(tool), "pg_restore")
    return async (target) => {
      await run(restore, [`--dbname=${target.url}`, "--no-owner", file])
    }
  }
})

const methodOf = async (): Promise<Method> => {
  const named = process.env.EARSHOT_TEST_PG_DUMP
  const tool = named ?? "pg_dump"
  const printed = await run(tool, ["--version"]).then(
    ({ stdout }) => stdout,
    () => ""
  )
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(printed)?.[1] ?? 0)
  const client = new pg.Client({ connectionString: await postgresUrl() })
  await client.connect()
  const { rows } = await client.query<{ server_version_num: string }>("SHOW server_version_num")
  await client.end()
  const server = Math.floor(Number(rows[0]?.server_version_num) / 10_000)
  if (major >= server) return byTool(tool, major)
  if (named !== undefined) throw new Error(`EARSHOT_TEST_PG_DUMP has version ${major}; the server has ${server}.`)
  return byRows
}

const method = await methodOf()

describe(`a copy of a PostgreSQL database by ${method.title}`, () => {
  it.scopedLive(
    "made before its recordings while calls are ingested is whole, and goes on where it was restored",
    () =>
      Effect.gen(function* () {
        const root = yield* folder
        const recordings = join(root, "recordings")
        const source = yield* database
        const engine = yield* engineOn(source, recordings)
        const { actor, agent } = yield* Effect.provide(TestEngine.fixture, engine)
        const deliverTo = (to: typeof engine, id: number) =>
          Effect.flatMap(Calls, (calls) =>
            calls.ingest({
              agent: agent.id,
              call_id: `${id}`,
              transcript_type: "service",
              transcript_json: [],
              voice_recording: new Upload(CallKit.wav(0.1 + id / 1000), "audio/wav", "a.wav")
            })
          ).pipe(TestEngine.as(actor), Effect.provide(to))
        for (let id = 0; id < 10; id++) yield* deliverTo(engine, id)
        const delivering = yield* Effect.fork(
          Effect.forEach(
            Array.from({ length: 60 }, (_, id) => 10 + id),
            (id) => deliverTo(engine, id),
            { concurrency: 4 }
          )
        )
        const write = yield* Effect.promise(() => method.dump(source, root))
        const copied = join(root, "copied")
        yield* Effect.promise(() =>
          cp(recordings, copied, { recursive: true, filter: (name) => basename(name) !== "unfinished" })
        )
        yield* Fiber.join(delivering)

        const target = yield* database
        yield* Effect.promise(() => write(target))
        const before = yield* Effect.promise(() => readDump(target))
        const restored = yield* engineOn(target, copied)
        const calls = yield* Effect.flatMap(Calls, (all) => all.list({ limit: 200 })).pipe(
          TestEngine.as(actor),
          Effect.provide(restored)
        )
        expect(calls.results.length).toBeGreaterThanOrEqual(10)
        const report = yield* Effect.flatMap(Recordings, (all) => all.check({ remove: false })).pipe(
          Effect.provide(restored)
        )
        expect(report.missing).toEqual([])
        expect(report.stored).toBeGreaterThanOrEqual(calls.results.length)
        // The source has gone on meanwhile, and still has the rows of the copy.
        const after = yield* Effect.promise(() => readDump(source))
        for (const name of GROWING) {
          const kept = rowTexts(before, name)
          expect(kept.length, name).toBeGreaterThan(0)
          expect(rowTexts(after, name), name).toEqual(expect.arrayContaining([...kept]))
        }
        // Ids go on after the largest one.
        const next = yield* deliverTo(restored, 1_000)
        expect(Math.max(...calls.results.map(({ id }) => id))).toBeLessThan(next.call.id)
      }),
    60_000
  )
})

const rowTexts = ({ tables }: Dump, name: string): ReadonlyArray<string> => {
  const rows: unknown = JSON.parse(tables.get(name)?.rows ?? "[]")
  return Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)) : []
}
