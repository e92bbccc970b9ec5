import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import { StorageKit } from "@earshot/test-kit"
import Database from "better-sqlite3"
import type { DurationInput } from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { connect, createServer, type Server, type Socket } from "node:net"
import { describe } from "vitest"
import { StorageBusy, UnitOfWork } from "../../src/kernel/Storage.js"
import { growing } from "../../src/storage/sql/Reads.js"
import { OrganizationId } from "../../src/kernel/Ids.js"
import { storing } from "../../src/storage/sql/Storing.js"

const asList = growing("list", { organizationId: OrganizationId.make(1) })
const LIMIT = 60_000

/** A connection to the server that can be frozen: what either side sends is no longer passed on. */
interface Line {
  readonly url: string
  readonly freeze: () => void
  readonly thaw: () => void
  /** Breaks all connections; new ones are refused until `restore`. */
  readonly cut: () => void
  readonly restore: () => void
  /** Passes on requests to cancel a statement only after this time, in milliseconds. */
  readonly delayCancels: (millis: number) => void
}

/** The code of a CancelRequest, after its length. */
const isCancel = (data: Buffer): boolean => data.length === 16 && data.readInt32BE(4) === 80877102

const lineTo = (address: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ server: Server; line: Line; sockets: Set<Socket> }>((resume) => {
        const target = new URL(address)
        const sockets = new Set<Socket>()
        let isFrozen = false
        let isCut = false
        let cancelDelay = 0
        const server = createServer((near) => {
          if (isCut) {
            near.destroy()
            return
          }
          const far = connect(Number(target.port), target.hostname)
          for (const socket of [near, far]) {
            sockets.add(socket)
            socket.on("error", () => undefined)
            socket.on("close", () => {
              sockets.delete(socket)
              near.destroy()
              far.destroy()
            })
            if (isFrozen) socket.pause()
          }
          near.on("data", (data) => {
            if (isCancel(data)) setTimeout(() => far.write(data), cancelDelay)
            else far.write(data)
          })
          far.on("data", (data) => near.write(data))
          if (isFrozen) for (const socket of [near, far]) socket.pause()
        })
        server.listen(0, "127.0.0.1", () => {
          const at = server.address()
          const url = new URL(address)
          url.hostname = "127.0.0.1"
          url.port = String(typeof at === "object" && at !== null ? at.port : 0)
          resume(
            Effect.succeed({
              server,
              sockets,
              line: {
                url: url.toString(),
                freeze: () => {
                  isFrozen = true
                  for (const socket of sockets) socket.pause()
                },
                thaw: () => {
                  isFrozen = false
                  for (const socket of sockets) socket.resume()
                },
                cut: () => {
                  isCut = true
                  for (const socket of sockets) socket.destroy()
                },
                restore: () => {
                  isCut = false
                },
                delayCancels: (millis) => {
                  cancelDelay = millis
                }
              }
            })
          )
        })
      }),
      ({ server, sockets }) =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          server.close()
        })
    ),
    ({ line }) => line
  )

const onLine = <E>(
  test: (line: Line) => Effect.Effect<void, E, SqlClient | UnitOfWork>,
  queryTimeout: DurationInput = "1 second"
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const line = yield* lineTo(yield* StorageKit.emptyDatabase("postgres"))
      const storage = PostgresStorage.layer({
        url: Redacted.make(line.url),
        maxConnections: 3,
        readers: 2,
        statementTimeout: "1 second",
        queryTimeout
      })
      yield* Effect.provide(test(line), storage)
    })
  )

/** Everything that a request does with the database, each as what it answers or fails with. */
const requests = (work: UnitOfWork["Type"], sql: SqlClient) => [
  sql`SELECT 1 AS one`.pipe(storing("Test.statement")),
  work.atomically(sql`SELECT 1 AS one`.pipe(storing("Test.transaction"))),
  asList(sql`SELECT 1 AS one`).pipe(storing("Test.list"))
]

describe("a PostgreSQL server", () => {
  it.live(
    "that does not answer is a passing failure for every request, and is used again when it answers",
    () =>
      onLine((line) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const work = yield* UnitOfWork
          yield* Effect.all(requests(work, sql))
          line.freeze()
          // More than there are connections.
          const outcomes = yield* Effect.all(
            Array.from({ length: 4 }, () => requests(work, sql))
              .flat()
              .map((request) => Effect.flip(request)),
            { concurrency: "unbounded" }
          )
          for (const { _tag } of outcomes) expect(["StorageBusy", "QueryTimedOut"]).toContain(_tag)
          expect(outcomes.filter(({ _tag }) => _tag === "StorageBusy").length).toBeGreaterThanOrEqual(8)
          line.thaw()
          const again = Effect.all(requests(work, sql))
          expect(yield* Effect.retry(again, { times: 10 })).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
        })
      ),
    LIMIT
  )

  it.live(
    "that does not answer, or where a table stays locked, is a passing failure for reads that may take long",
    () =>
      onLine(
        (line) =>
          Effect.gen(function* () {
            const sql = yield* SqlClient
            yield* sql`CREATE TABLE locked (id INTEGER PRIMARY KEY)`
            const read = asList(sql`SELECT id FROM locked`).pipe(storing("Test.list"))
            // Longer than a statement of an ordinary request may take, and checked meanwhile.
            expect(yield* asList(sql`SELECT 1 AS one FROM pg_sleep(2.5)`)).toEqual([{ one: 1 }])
            const locked = yield* sql.withTransaction(
              Effect.zipRight(
                sql`LOCK TABLE locked IN ACCESS EXCLUSIVE MODE`,
                Effect.promise(() => Effect.runPromise(Effect.flip(read)))
              )
            )
            expect(locked).toEqual(new StorageBusy({ operation: "Test.list" }))
            const slow = yield* Effect.fork(Effect.flip(asList(sql`SELECT pg_sleep(25)`).pipe(storing("Test.slow"))))
            yield* Effect.sleep("100 millis")
            line.freeze()
            // One on a connection that is there, one that needs a new one.
            expect(yield* Effect.all([Fiber.join(slow), Effect.flip(read)], { concurrency: 2 })).toEqual([
              new StorageBusy({ operation: "Test.slow" }),
              new StorageBusy({ operation: "Test.list" })
            ])
            line.thaw()
            expect(yield* Effect.retry(read, { times: 10 })).toEqual([])
          }),
        "20 seconds"
      ),
    LIMIT
  )

  it.live(
    "whose connections break is a passing failure, also amid a transaction and its COMMIT",
    () =>
      onLine((line) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const work = yield* UnitOfWork
          yield* sql`CREATE TABLE kept (id INTEGER PRIMARY KEY)`
          const amid = yield* Effect.flip(
            work.atomically(
              Effect.gen(function* () {
                yield* sql`INSERT INTO kept VALUES (1)`.pipe(storing("Test.insert"))
                line.cut()
                yield* sql`INSERT INTO kept VALUES (2)`.pipe(storing("Test.insert"))
              })
            )
          )
          expect(amid).toBeInstanceOf(StorageBusy)
          for (const request of requests(work, sql)) {
            expect(yield* Effect.flip(request)).toBeInstanceOf(StorageBusy)
          }
          line.restore()
          expect(yield* sql`SELECT id FROM kept`.pipe(Effect.retry({ times: 10 }))).toEqual([])
          const commit = yield* Effect.flip(
            work.atomically(
              Effect.zipRight(
                sql`INSERT INTO kept VALUES (3)`.pipe(storing("Test.insert")),
                Effect.sync(() => {
                  line.cut()
                })
              )
            )
          )
          expect(commit).toBeInstanceOf(StorageBusy)
          line.restore()
          expect(yield* sql`SELECT id FROM kept`.pipe(Effect.retry({ times: 10 }))).toEqual([])
        })
      ),
    LIMIT
  )

  it.live(
    "where a table stays locked is a passing failure for those who need it, and nobody else",
    () =>
      onLine(() =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* sql`CREATE TABLE locked (id INTEGER PRIMARY KEY)`
          const waiting = sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`LOCK TABLE locked IN ACCESS EXCLUSIVE MODE`
              // In a fiber without the transaction, so on another connection.
              const runOutside = yield* Effect.promise(() =>
                Effect.runPromise(Effect.flip(storing("Test.locked")(sql`SELECT id FROM locked`)))
              )
              const another = yield* Effect.promise(() => Effect.runPromise(sql`SELECT 1 AS one`))
              return { runOutside, another }
            })
          )
          expect(yield* waiting).toEqual({
            runOutside: new StorageBusy({ operation: "Test.locked" }),
            another: [{ one: 1 }]
          })
        })
      ),
    LIMIT
  )
})

describe("a PostgreSQL statement", () => {
  it.live(
    "that ends before the request to cancel it arrives leaves the next statements of its connection alone",
    () =>
      onLine((line) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const work = yield* UnitOfWork
          line.delayCancels(300)
          const sleep = (seconds: number) => sql`SELECT pg_sleep(${seconds})`.pipe(storing("Test.sleep"))
          for (const request of [sleep(0.1), work.atomically(sleep(0.1)), asList(sleep(0.1))]) {
            const fiber = yield* Effect.fork(request)
            yield* Effect.sleep("50 millis")
            yield* Fiber.interrupt(fiber)
            // On all connections there are, also that of the canceled statement, until the request has arrived.
            yield* Effect.all([sleep(0.6), sleep(0.6), sleep(0.6), asList(sleep(0.6)), asList(sleep(0.6))], {
              concurrency: "unbounded"
            })
          }
        })
      ),
    LIMIT
  )

  it.live(
    "of bulk work may take longer than those of ordinary requests",
    () =>
      onLine(() =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const work = yield* UnitOfWork
          const slow = sql`SELECT 1 AS one FROM pg_sleep(1.5)`.pipe(storing("Test.slow"))
          expect(yield* Effect.flip(work.atomically(slow))).toBeInstanceOf(StorageBusy)
          expect(yield* work.atomicallyInBulk(slow)).toEqual([{ one: 1 }])
          // The connection that was used has the ordinary limit again.
          const again = Effect.flip(work.atomically(slow))
          const outcomes = yield* Effect.all([again, again, again], { concurrency: "unbounded" })
          for (const outcome of outcomes) expect(outcome).toBeInstanceOf(StorageBusy)
        })
      ),
    LIMIT
  )
})

describe("an SQLite file", () => {
  it.live(
    "that another process has locked is a passing failure for writers, while readers go on",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const filename = (yield* StorageKit.emptyDatabase("sqlite")).slice("sqlite:".length)
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient
            const work = yield* UnitOfWork
            yield* sql`CREATE TABLE kept (id INTEGER PRIMARY KEY)`
            const other = yield* Effect.acquireRelease(
              Effect.sync(() => new Database(filename)),
              (database) => Effect.sync(() => database.close())
            )
            other.exec("BEGIN IMMEDIATE")
            const insert = (id: number) => sql`INSERT INTO kept VALUES (${id})`.pipe(storing("Test.insert"))
            const writers = yield* Effect.fork(
              Effect.forEach(
                [1, 2, 3, 4],
                (id) => Effect.flip(id % 2 === 0 ? insert(id) : work.atomically(insert(id))),
                {
                  concurrency: "unbounded"
                }
              )
            )
            // Those that come later take no turn of those that wait.
            const began = performance.now()
            const later = yield* Effect.fork(
              Effect.forEach(
                Array.from({ length: 10 }),
                (_, n) =>
                  Effect.gen(function* () {
                    yield* Effect.sleep(n * 300)
                    const at = performance.now()
                    yield* Effect.flip(insert(100 + n))
                    return performance.now() - at
                  }),
                { concurrency: "unbounded" }
              )
            )
            let reads = 0
            while (writers.unsafePoll() === null) {
              expect(yield* sql`SELECT count(*) AS n FROM kept`).toEqual([{ n: 0 }])
              reads++
              yield* Effect.sleep("5 millis")
            }
            for (const error of yield* Fiber.join(writers)) expect(error).toBeInstanceOf(StorageBusy)
            expect(reads).toBeGreaterThan(10)
            // Twice the wait: nobody waits for a second turn.
            expect(performance.now() - began).toBeLessThan(10_000)
            expect(Math.max(...(yield* Fiber.join(later)))).toBeLessThan(10_000)
            const late = yield* Effect.fork(insert(5))
            yield* Effect.sleep("50 millis")
            other.exec("COMMIT")
            yield* Fiber.join(late)
            expect(yield* sql`SELECT id FROM kept`).toEqual([{ id: 5 }])
          }).pipe(Effect.provide(SqliteStorage.layer({ filename })))
        })
      ),
    LIMIT
  )

  it.live(
    "that is full fails with StorageUnusable, and works again when there is space",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const filename = (yield* StorageKit.emptyDatabase("sqlite")).slice("sqlite:".length)
          yield* Effect.gen(function* () {
            const sql = yield* SqlClient
            const work = yield* UnitOfWork
            yield* sql`CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT)`
            const [pages] = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
            yield* sql.unsafe(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 2}`)
            const insert = (id: number) =>
              sql`INSERT INTO kept VALUES (${id}, ${"x".repeat(100_000)})`.pipe(storing("Test.insert"))
            for (const write of [insert(1), work.atomically(insert(2)), work.atomically(work.atomically(insert(3)))]) {
              expect(yield* Effect.flip(write)).toMatchObject({ _tag: "StorageUnusable", reason: "full" })
            }
            yield* sql.unsafe("PRAGMA max_page_count = 100000")
            yield* work.atomically(insert(4))
            expect(yield* sql`SELECT id FROM kept`).toEqual([{ id: 4 }])
          }).pipe(Effect.provide(SqliteStorage.layer({ filename, readers: 0 })))
        })
      ),
    LIMIT
  )
})
