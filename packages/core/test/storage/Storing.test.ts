import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { QueryTimedOut, StorageBusy, StorageFailed, StorageUnusable } from "../../src/kernel/Storage.js"
import {
  driverDefect,
  Flag,
  flag,
  isLocked,
  NotNow,
  ReadLimitExceeded,
  storing,
  whenTaken
} from "../../src/storage/sql/Storing.js"

const withCode = (code: string) => new SqlError({ cause: Object.assign(new Error("driver"), { code }) })
const withMessage = (message: string) => new SqlError({ cause: new Error(message) })

const stored = (error: unknown) => Effect.runSync(Effect.flip(storing("Test.run")(Effect.fail(error))))

/** What a failure with a driver's code becomes, where it is not unexpected. */
const EXPECTED: ReadonlyArray<readonly [code: string, tag: string, more: object]> = [
  ["SQLITE_BUSY", "StorageBusy", { undone: false }],
  ["SQLITE_BUSY_SNAPSHOT", "StorageBusy", { undone: false }],
  ["SQLITE_LOCKED_SHAREDCACHE", "StorageBusy", { undone: false }],
  ["SQLITE_FULL", "StorageUnusable", { reason: "full" }],
  ["SQLITE_READONLY_DBMOVED", "StorageUnusable", { reason: "read_only" }],
  ["SQLITE_CORRUPT_INDEX", "StorageUnusable", { reason: "damaged" }],
  ["SQLITE_NOTADB", "StorageUnusable", { reason: "damaged" }],
  ["SQLITE_IOERR_FSYNC", "StorageUnusable", { reason: "io" }],
  ["SQLITE_CANTOPEN", "StorageUnusable", { reason: "io" }],
  ["08006", "StorageBusy", { undone: false }],
  ["40001", "StorageBusy", { undone: true }],
  ["40P01", "StorageBusy", { undone: true }],
  ["53300", "StorageBusy", { undone: false }],
  ["53100", "StorageUnusable", { reason: "full" }],
  ["25006", "StorageUnusable", { reason: "read_only" }],
  ["58030", "StorageUnusable", { reason: "io" }],
  ["XX001", "StorageUnusable", { reason: "damaged" }],
  ["55P03", "StorageBusy", { undone: false }],
  ["57014", "StorageBusy", { undone: false }],
  ["57P01", "StorageBusy", { undone: false }],
  ["25P03", "StorageBusy", { undone: false }],
  ["ECONNREFUSED", "StorageBusy", { undone: false }],
  ["ENOENT", "StorageBusy", { undone: false }]
]

/** Codes of failures that do not pass: a mistake in a statement, a violated constraint, an unknown code. */
const UNEXPECTED = [
  "SQLITE_ERROR",
  "SQLITE_CONSTRAINT_UNIQUE",
  "23505",
  "42601",
  "22003",
  "40002",
  "EACCES",
  "",
  "0800"
]

describe("failures of a driver", () => {
  it.each(EXPECTED)("%s becomes %s", (code, tag, more) => {
    expect(stored(withCode(code))).toMatchObject({ _tag: tag, operation: "Test.run", ...more })
  })

  it.each(UNEXPECTED)("%j becomes StorageFailed with its cause", (code) => {
    const error = withCode(code)
    expect(stored(error)).toEqual(new StorageFailed({ operation: "Test.run", cause: error }))
  })

  it("become a storage error named by the operation, whatever they are", () => {
    const cause = fc.oneof(
      fc.anything(),
      fc.record({ code: fc.oneof(fc.string(), fc.integer(), fc.constantFrom(...EXPECTED.map(([code]) => code))) }),
      fc.string().map((message) => new Error(message))
    )
    fc.assert(
      fc.property(cause, fc.string(), (what, operation) => {
        const error = Effect.runSync(Effect.flip(storing(operation)(Effect.fail(new SqlError({ cause: what })))))
        expect([StorageBusy, StorageFailed, StorageUnusable].some((one) => error instanceof one)).toBe(true)
        expect(error).toHaveProperty("operation", operation)
      })
    )
  })

  it("pass by messages that node-postgres gives no code to", () => {
    for (const message of [
      "timeout exceeded when trying to connect",
      "Connection terminated unexpectedly",
      "Client has encountered a connection error and is not queryable",
      "Query read timeout"
    ]) {
      expect(stored(withMessage(message))).toBeInstanceOf(StorageBusy)
    }
    expect(stored(withMessage("syntax error"))).toBeInstanceOf(StorageFailed)
    // The text of a statement's own error is not the driver's.
    expect(stored(new SqlError({ cause: "connection terminated" }))).toBeInstanceOf(StorageFailed)
  })

  it("of this process's own making are a busy storage or a query over its limit", () => {
    expect(stored(new SqlError({ cause: new NotNow({ message: "Too many" }) }))).toEqual(
      new StorageBusy({ operation: "Test.run" })
    )
    expect(stored(new SqlError({ cause: new ReadLimitExceeded({ limitMillis: 1500 }) }))).toEqual(
      new QueryTimedOut({ operation: "Test.run", limitSeconds: 1.5 })
    )
  })

  it("include rows that are not what their schema says", () => {
    const invalid = Either.flip(Schema.decodeUnknownEither(Schema.Number)("x"))
    const error = Either.getOrThrow(invalid)
    expect(stored(error)).toEqual(new StorageFailed({ operation: "Test.run", cause: error }))
  })

  it("leave every other error, and every success, as it is", () => {
    fc.assert(
      fc.property(fc.anything(), (what) => {
        expect(Effect.runSync(Effect.either(storing("Test.run")(Effect.fail({ what }))))).toEqual(Either.left({ what }))
        expect(Effect.runSync(storing("Test.run")(Effect.succeed({ what })))).toEqual({ what })
      })
    )
  })

  it("are recognized as defects of a COMMIT, and nothing else is", () => {
    expect(Option.map(driverDefect("Test.commit")(withCode("40001")), Effect.runSyncExit)).toEqual(
      Option.some(Effect.runSyncExit(Effect.fail(new StorageBusy({ operation: "Test.commit", undone: true }))))
    )
    expect(driverDefect("Test.commit")(new Error("40001"))).toEqual(Option.none())
  })
})

describe("a key that is taken", () => {
  it.each(["23505", "SQLITE_CONSTRAINT_UNIQUE"])("is the error of the use case with %s", (code) => {
    expect(Effect.runSync(Effect.flip(whenTaken(() => "taken")(Effect.fail(withCode(code)))))).toBe("taken")
    expect(Effect.runSync(Effect.flip(whenTaken(undefined)(Effect.fail(withCode(code)))))).toEqual(withCode(code))
  })

  it("is not any other violation, nor another error that has the code", () => {
    for (const error of [withCode("23503"), withCode("SQLITE_CONSTRAINT_FOREIGNKEY"), { code: "23505" }]) {
      expect(Effect.runSync(Effect.flip(whenTaken(() => "taken")(Effect.fail(error))))).toBe(error)
    }
  })
})

describe("SQLite's lock", () => {
  it("is told by the code, whatever the extended code", () => {
    for (const code of ["SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_LOCKED"])
      expect(isLocked(withCode(code))).toBe(true)
    for (const code of ["XSQLITE_BUSY", "SQLITE_FULL", ""]) expect(isLocked(withCode(code))).toBe(false)
    expect(isLocked(new SqlError({ cause: undefined }))).toBe(false)
  })
})

describe("a flag", () => {
  it("is bound as 0 or 1, and read as a boolean", () => {
    expect([flag(true), flag(false)]).toEqual([1, 0])
    fc.assert(
      fc.property(fc.boolean(), (value) => {
        expect(Schema.decodeSync(Flag)(flag(value))).toBe(value)
        expect(Schema.encodeSync(Flag)(value)).toBe(flag(value))
      })
    )
  })
})
