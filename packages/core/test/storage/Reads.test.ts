import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import { StorageKit } from "@earshot/test-kit"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { execFileSync } from "node:child_process"
import { describe } from "vitest"
import { OrganizationId } from "../../src/kernel/Ids.js"
import { QueryTimedOut, StorageBusy } from "../../src/kernel/Storage.js"
import { growing, inSnapshot, type ReadsConfig, type Snapshots } from "../../src/storage/sql/Reads.js"
import { storing } from "../../src/storage/sql/Storing.js"

const databases = ["sqlite", "postgres"] as const
type Database = (typeof databases)[number]

/** A storage on a database of its own; on SQLite in a file, since a database in memory has no readers. */
const storageOn = (database: Database, config: ReadsConfig) =>
  Layer.unwrapScoped(
    Effect.map(StorageKit.emptyDatabase(database), (address) =>
      database === "sqlite"
        ? SqliteStorage.layer({ filename: address.slice("sqlite:".length), ...config })
        : PostgresStorage.layer({ url: Redacted.make(address), ...config })
    )
  )

const onBoth = (
  title: string,
  config: ReadsConfig,
  test: (database: Database) => Effect.Effect<void, unknown, SqlClient | Snapshots>
) => {
  for (const database of databases) {
    it.live(`${title} (${database})`, () => Effect.provide(test(database), storageOn(database, config)), 60_000)
  }
}

const organization = { organizationId: OrganizationId.make(1) }
const asList = growing("list", organization)
const asDashboard = inSnapshot("dashboard", organization)

/** Runs for minutes unless it is ended. */
const endless = (sql: SqlClient, database: Database) =>
  database === "sqlite"
    ? sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS found FROM n`
    : sql`SELECT pg_sleep(600)`

/** The reader processes of this process, by their id. */
const readerProcesses = (): ReadonlyArray<number> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8", maxBuffer: 100_000_000 })
    .split("\n")
    .flatMap((line) => {
      const [pid, parent, ...args] = line.trim().split(/\s+/)
      return Number(parent) === process.pid && args.join(" ").startsWith("earshot reader") ? [Number(pid)] : []
    })

/** Statements of growing reads that PostgreSQL runs now in this database. */
const running = (sql: SqlClient) =>
  Effect.map(
    sql<{ readonly n: number }>`SELECT count(*) AS n FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`,
    ([row]) => row?.n ?? -1
  )

/** Waits until a condition holds, at most 20 seconds. */
const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    for (let left = 400; left > 0; left--) {
      if (yield* condition) return
      yield* Effect.sleep("50 millis")
    }
    expect.fail("The condition did not hold in time.")
  })

describe("reads that grow with the data", () => {
  onBoth("see what was committed before they began", {}, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE seen (id INTEGER PRIMARY KEY)`
      for (const id of [1, 2, 3]) {
        yield* sql`INSERT INTO seen VALUES (${id})`
        expect(yield* asList(sql`SELECT max(id) AS newest FROM seen`)).toEqual([{ newest: id }])
      }
    })
  )

  onBoth("cannot write on SQLite, and report the driver's error", {}, (database) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE kept (id INTEGER PRIMARY KEY)`
      const error = yield* Effect.flip(asList(sql`SELECT nothing FROM kept`))
      expect(String(error.cause)).toMatch(/nothing|\[object/)
      if (database === "sqlite") yield* Effect.flip(asList(sql`INSERT INTO kept VALUES (1) RETURNING id`))
      expect(yield* asList(sql`SELECT id FROM kept`)).toEqual([])
    })
  )

  onBoth("belong to the transaction that they are read in", {}, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE own (id INTEGER PRIMARY KEY)`
      const found = yield* sql.withTransaction(
        Effect.zipRight(sql`INSERT INTO own VALUES (7)`, asList(sql`SELECT id FROM own`))
      )
      expect(found).toEqual([{ id: 7 }])
    })
  )

  onBoth("are ended at their time limit while other statements go on", { queryTimeout: "400 millis" }, (database) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE beside (id INTEGER PRIMARY KEY)`
      const slow = yield* Effect.fork(Effect.flip(asList(endless(sql, database)).pipe(storing("Test.slow"))))
      let written = 0
      while (slow.unsafePoll() === null) {
        yield* sql`INSERT INTO beside VALUES (${++written})`
        yield* Effect.sleep("1 millis")
      }
      expect(yield* Fiber.join(slow)).toEqual(new QueryTimedOut({ operation: "Test.slow", limitSeconds: 0.4 }))
      expect(written).toBeGreaterThan(5)
      // The reader that was ended is replaced.
      expect(yield* asList(sql`SELECT count(*) AS n FROM beside`)).toEqual([{ n: written }])
    })
  )

  onBoth("have one time limit for all statements of a read", { queryTimeout: "1 second" }, (database) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* asList(sql`SELECT 1 AS one`)
      const statement =
        database === "sqlite"
          ? sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000) SELECT max(i) AS i FROM n`
          : sql`SELECT pg_sleep(0.2)`
      let statements = 0
      const many = Effect.forever(
        Effect.tap(statement, () => {
          statements++
        })
      )
      expect(yield* Effect.flip(asList(many).pipe(storing("Test.many")))).toMatchObject({ _tag: "QueryTimedOut" })
      expect(statements).toBeGreaterThan(0)
    })
  )

  onBoth("are canceled when nobody waits for them", { readers: 1 }, (database) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* asList(sql`SELECT 1 AS one`)
      const before = database === "sqlite" ? readerProcesses() : []
      const gone = yield* Effect.fork(asList(endless(sql, database)))
      if (database === "postgres") yield* until(Effect.map(running(sql), (n) => n === 1))
      else yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(gone)
      // The only reader is free again, which the statement would not have allowed.
      expect(yield* asList(sql`SELECT 2 AS two`)).toEqual([{ two: 2 }])
      if (database === "postgres") yield* until(Effect.map(running(sql), (n) => n === 0))
      else yield* until(Effect.sync(() => !readerProcesses().some((pid) => before.includes(pid))))
    })
  )

  onBoth("are bounded in number, and those beyond it are rejected", { readers: 1 }, (database) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const all = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: 150 }),
          () => Effect.either(asList(endless(sql, database)).pipe(storing("Test.many"))),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sleep("20 millis")
      const rejected = yield* Effect.flip(asList(sql`SELECT 1 AS one`).pipe(storing("Test.rejected")))
      expect(rejected).toEqual(new StorageBusy({ operation: "Test.rejected" }))
      // Another organization's read waits behind one statement, not behind all of them.
      yield* Fiber.interrupt(all)
      expect(yield* growing("list", { organizationId: OrganizationId.make(2) })(sql`SELECT 1 AS one`)).toEqual([
        { one: 1 }
      ])
    })
  )

  it.live(
    "fail as a passing failure when their reader process is killed, and the next one has a new process",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const before = readerProcesses()
        const read = yield* Effect.fork(Effect.flip(asList(endless(sql, "sqlite")).pipe(storing("Test.killed"))))
        const started = () => readerProcesses().filter((pid) => !before.includes(pid))
        yield* until(Effect.sync(() => started().length > 0))
        for (const pid of started()) process.kill(pid, "SIGKILL")
        expect(yield* Fiber.join(read)).toEqual(new StorageBusy({ operation: "Test.killed" }))
        expect(yield* asList(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
      }).pipe(Effect.provide(storageOn("sqlite", {}))),
    60_000
  )

  it.live(
    "have another reader process started while a statement runs for long",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const before = readerProcesses()
        const started = () => readerProcesses().filter((pid) => !before.includes(pid)).length
        const read = yield* Effect.fork(asList(endless(sql, "sqlite")))
        yield* until(Effect.sync(() => started() === 2))
        yield* Fiber.interrupt(read)
      }).pipe(Effect.provide(storageOn("sqlite", { readers: 2 }))),
    60_000
  )

  it.live(
    "that are left one after the other end no reader of another organization",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const before = readerProcesses()
        const started = () => readerProcesses().filter((pid) => !before.includes(pid))
        const other = growing("list", { organizationId: OrganizationId.make(2) })
        const leave = Effect.gen(function* () {
          const read = yield* Effect.fork(asList(endless(sql, "sqlite")))
          yield* Effect.sleep("20 millis")
          yield* Fiber.interrupt(read)
        })
        // The first time they may share a reader.
        yield* other(sql`SELECT 1 AS one`)
        yield* leave
        yield* other(sql`SELECT 1 AS one`)
        const own = started()
        // As often as there are readers, and once more.
        yield* Effect.repeatN(leave, 2)
        expect(started().filter((pid) => own.includes(pid))).toHaveLength(1)
      }).pipe(Effect.provide(storageOn("sqlite", { readers: 2 }))),
    60_000
  )

  it.live(
    "leave no process behind when the storage is closed",
    () =>
      Effect.gen(function* () {
        const before = readerProcesses()
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* asList(sql`SELECT 1 AS one`)
          expect(readerProcesses().length).toBeGreaterThan(before.length)
        }).pipe(Effect.provide(storageOn("sqlite", {})))
        yield* until(Effect.sync(() => readerProcesses().every((pid) => before.includes(pid))))
      }),
    60_000
  )

  it.live(
    "run on the engine's own connection of SQLite without readers",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const before = readerProcesses()
        yield* sql`CREATE TEMP TABLE only_here (id INTEGER PRIMARY KEY)`
        expect(yield* asList(sql`SELECT id FROM only_here`)).toEqual([])
        expect(readerProcesses()).toEqual(before)
      }).pipe(Effect.provide(storageOn("sqlite", { readers: 0 }))),
    60_000
  )
})

describe("reads of a snapshot", () => {
  onBoth("see the database as it was at their first statement, while others write", {}, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE seen (id INTEGER PRIMARY KEY)`
      yield* sql`INSERT INTO seen VALUES (1)`
      const newest = sql<{ readonly newest: number }>`SELECT max(id) AS newest FROM seen`
      const write = sql`INSERT INTO seen SELECT max(id) + 1 FROM seen`
      const elsewhere = yield* Effect.context<never>()
      const found = yield* asDashboard(
        Effect.gen(function* () {
          const before = yield* newest
          yield* Effect.mapInputContext(write, (_: Context.Context<never>) => elsewhere)
          // A read inside belongs to the snapshot.
          return [before, yield* newest, yield* asList(newest)]
        })
      )
      expect(found).toEqual([[{ newest: 1 }], [{ newest: 1 }], [{ newest: 1 }]])
      expect(yield* asDashboard(newest)).toEqual([{ newest: 2 }])
      expect(yield* asList(newest)).toEqual([{ newest: 2 }])
    })
  )

  onBoth("give their place back after a failure", { readers: 1 }, (database) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const error = yield* Effect.flip(asDashboard(sql`SELECT nothing`))
      expect(error).toMatchObject({ _tag: "SqlError" })
      expect(yield* Effect.flip(asDashboard(Effect.fail("ours")))).toBe("ours")
      if (database === "sqlite") yield* Effect.flip(asDashboard(sql`CREATE TABLE theirs (id INTEGER)`))
      expect(yield* asList(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    })
  )

  onBoth(
    "have three times the time of a list for all statements",
    { queryTimeout: "200 millis", readers: 1 },
    (database) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const both = Effect.zipRight(sql`SELECT 1 AS one`, endless(sql, database))
        const error = yield* Effect.flip(asDashboard(both).pipe(storing("Test.slow")))
        expect(error).toEqual(new QueryTimedOut({ operation: "Test.slow", limitSeconds: 0.6 }))
        expect(yield* asDashboard(sql`SELECT 2 AS two`)).toEqual([{ two: 2 }])
      })
  )

  onBoth("are canceled when nobody waits for them", { readers: 1 }, (database) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const gone = yield* Effect.fork(asDashboard(Effect.zipRight(sql`SELECT 1 AS one`, endless(sql, database))))
      if (database === "postgres") yield* until(Effect.map(running(sql), (n) => n === 1))
      else yield* Effect.sleep("300 millis")
      yield* Fiber.interrupt(gone)
      expect(yield* asList(sql`SELECT 2 AS two`)).toEqual([{ two: 2 }])
      if (database === "postgres") yield* until(Effect.map(running(sql), (n) => n === 0))
    })
  )

  it.live(
    "are a transaction of the engine's own connection on SQLite without readers",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TEMP TABLE only_here (id INTEGER PRIMARY KEY)`
        const written = yield* Effect.makeLatch()
        yield* Effect.fork(Effect.zipRight(sql`INSERT INTO only_here VALUES (1)`, written.open))
        yield* asDashboard(
          Effect.gen(function* () {
            const before = yield* sql`SELECT id FROM only_here`
            yield* Effect.sleep("20 millis")
            expect(yield* sql`SELECT id FROM only_here`).toEqual(before)
          })
        )
        yield* written.await
        expect(yield* asDashboard(sql`SELECT id FROM only_here`)).toEqual([{ id: 1 }])
      }).pipe(Effect.provide(storageOn("sqlite", { readers: 0 }))),
    60_000
  )
})
