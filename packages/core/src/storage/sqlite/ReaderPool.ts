import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { createRequire } from "node:module"
import { limitOf, type Read, type Snapshots } from "../sql/Reads.js"
import * as ReadTurns from "../sql/ReadTurns.js"
import { NotNow, ReadLimitExceeded } from "../sql/Storing.js"
import * as ReaderProcess from "./ReaderProcess.js"
import { installed } from "../../kernel/InstalledModule.js"
import type { ReaderRequest, ReaderSettings } from "./readerProgram.js"

export interface ReaderPoolConfig {
  /** An absolute path. */
  readonly filename: string
  /** How many reads run at a time, at least 1. */
  readonly readers: number
  readonly queryTimeoutMillis: number
}

export interface ReaderPool {
  /** The connection for the statements of a read. */
  readonly connectionOf: (read: Read) => Connection
  readonly snapshots: Context.Tag.Service<Snapshots>
  /** Whether readers have the function that tests a text with a pattern. */
  readonly hasPatterns: boolean
}

/** A reader that has nothing to do for this long is stopped: it takes about 70 MB. In milliseconds. */
const IDLE = 60_000

/**
 * How long a statement may go on whose caller has gone, in milliseconds. Most have ended by then, and starting a new process
 * takes longer: so it may go on for longer where a reader of the organization was ended recently.
 */
const GRACE = 50
const GRACE_AGAIN = 500

/**
 * A statement that runs for this long, in milliseconds, has another reader started, so that the next read finds one that is
 * ready. Most statements end before.
 */
const START_ANOTHER_AFTER = 50

/**
 * For how long the end of a reader is recent, in milliseconds. Meanwhile its organization takes no reader that another one has
 * used, if a process can be started for it: clients that abandon one costly read after the other cause as many readers to be
 * ended, and all organizations would wait for new ones.
 */
const RECENT = 10_000

/** How long a reader process may take to start, in milliseconds: 135 to 465 were measured. */
const START_LIMIT = 10_000

/** The driver as it is found from here, or as the package finds it that depends on it. */
const driver = (): string | null => {
  const wrapper = installed("@effect/sql-sqlite-node/SqliteClient")
  return installed("better-sqlite3") ?? (wrapper === null ? null : installed("better-sqlite3", createRequire(wrapper)))
}

/**
 * Processes that read one SQLite file. They are started when a read needs one and stopped when there has been none for a
 * while. A statement that runs longer than its read may, or whose caller has gone, is ended with its process. No process
 * outlives the scope.
 */
export const make = (config: ReaderPoolConfig): Effect.Effect<ReaderPool | undefined, never, Scope.Scope> =>
  Effect.gen(function* () {
    const file = driver()
    if (file === null) return undefined
    const settings: ReaderSettings = { filename: config.filename, driver: file, re2: installed("re2js") }
    const turns = ReadTurns.make(config.readers)
    const alive = new Set<ReaderProcess.ReaderProcess>()
    const idle = new Map<ReaderProcess.ReaderProcess, NodeJS.Timeout>()
    /** The organization that used a reader last. */
    const usedBy = new WeakMap<ReaderProcess.ReaderProcess, number>()
    /** When a reader of an organization was ended. */
    const endedAt = new Map<number, number>()

    const started = (): ReaderProcess.ReaderProcess => {
      const reader = ReaderProcess.start(settings)
      alive.add(reader)
      return reader
    }
    const hasRecentEnd = (organizationId: number): boolean => {
      const at = endedAt.get(organizationId)
      if (at === undefined || performance.now() - at < RECENT) return at !== undefined
      endedAt.delete(organizationId)
      return false
    }
    const take = ({ organizationId }: Read): ReaderProcess.ReaderProcess => {
      const mayStart = alive.size < config.readers
      // The one that was used last, so that those that are not needed are stopped.
      for (const [reader, timer] of [...idle].reverse()) {
        const user = usedBy.get(reader)
        if (mayStart && user !== undefined && user !== organizationId && hasRecentEnd(organizationId)) continue
        clearTimeout(timer)
        idle.delete(reader)
        usedBy.set(reader, organizationId)
        if (!reader.hasEnded()) return reader
        alive.delete(reader)
      }
      const reader = started()
      usedBy.set(reader, organizationId)
      return reader
    }
    /** Ends a reader amid its statement. */
    const end = (reader: ReaderProcess.ReaderProcess, { organizationId }: Read): void => {
      endedAt.set(organizationId, performance.now())
      stop(reader)
    }
    const stop = (reader: ReaderProcess.ReaderProcess): void => {
      clearTimeout(idle.get(reader))
      idle.delete(reader)
      alive.delete(reader)
      reader.kill()
    }
    const giveBack = (reader: ReaderProcess.ReaderProcess): void => {
      if (reader.hasEnded()) {
        stop(reader)
        return
      }
      const timer = setTimeout(() => stop(reader), IDLE)
      timer.unref()
      idle.set(reader, timer)
    }
    const startAnother = (): void => {
      if (idle.size === 0 && alive.size < config.readers) giveBack(started())
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => [...alive].forEach(stop)))

    /** A statement on a reader. `onAnswer` is called when the reader can be used again, which it cannot after a failure. */
    const answered = (
      reader: ReaderProcess.ReaderProcess,
      read: Read,
      request: ReaderRequest,
      onAnswer: (reader: ReaderProcess.ReaderProcess) => void
    ): Effect.Effect<ReadonlyArray<object>, SqlError> =>
      Effect.async((resume) => {
        let startedAt: number | undefined
        let timer: NodeJS.Timeout | undefined
        let whileRunning: NodeJS.Timeout | undefined
        let isDone = false
        let onDone = (): void => undefined
        const finish = () => {
          isDone = true
          clearTimeout(timer)
          clearTimeout(whileRunning)
          if (startedAt !== undefined) read.spentMillis += performance.now() - startedAt
          onDone()
        }
        const failAfter = (millis: number, cause: ReadLimitExceeded | NotNow) => {
          clearTimeout(timer)
          timer = setTimeout(
            () => {
              // An answer that came in time is read first: this process may have been busy when it came.
              setImmediate(() => {
                if (isDone) return
                finish()
                end(reader, read)
                resume(new SqlError({ cause, message: "The reader was ended" }))
              })
            },
            Math.max(1, millis)
          )
        }
        failAfter(START_LIMIT, new NotNow({ message: "No reader process has started in time." }))
        reader.run(
          request,
          () => {
            startedAt = performance.now()
            whileRunning = setTimeout(startAnother, START_ANOTHER_AFTER)
            const limitMillis = limitOf(config.queryTimeoutMillis, read.kind)
            read.limitMillis = limitMillis
            failAfter(limitMillis - read.spentMillis, new ReadLimitExceeded({ limitMillis }))
          },
          (answer) => {
            finish()
            onAnswer(reader)
            resume(Either.mapLeft(answer, (cause) => new SqlError({ cause, message: "Failed to execute statement" })))
          }
        )
        // The place is free again when the statement has ended.
        return Effect.async((resumeInterrupted: (ended: Effect.Effect<void>) => void) => {
          if (isDone) {
            resumeInterrupted(Effect.void)
            return
          }
          const grace = setTimeout(
            () => {
              onDone = () => undefined
              finish()
              end(reader, read)
              resumeInterrupted(Effect.void)
            },
            hasRecentEnd(read.organizationId) ? GRACE_AGAIN : GRACE
          )
          onDone = () => {
            clearTimeout(grace)
            resumeInterrupted(Effect.void)
          }
        })
      })

    /** A reader in a transaction, which is at its snapshot from the first statement that reads. */
    const begun = (read: Read) =>
      Effect.suspend(() => {
        const reader = take(read)
        return Effect.as(
          Effect.onExit(
            answered(reader, read, statement("BEGIN"), () => undefined),
            (exit) => Effect.sync(() => (Exit.isFailure(exit) ? stop(reader) : undefined))
          ),
          reader
        )
      })
    const ended = (reader: ReaderProcess.ReaderProcess, read: Read) =>
      reader.hasEnded()
        ? Effect.sync(() => stop(reader))
        : // With the time of a new read: this one may have none left.
          answered(reader, { ...read, spentMillis: 0 }, statement("COMMIT"), giveBack).pipe(
            Effect.catchAll(() => Effect.sync(() => stop(reader)))
          )

    return {
      hasPatterns: settings.re2 !== null,
      connectionOf: (read) =>
        connection((request) =>
          turns.inTurn(
            read,
            Effect.suspend(() => answered(take(read), read, request, giveBack))
          )
        ),
      snapshots: {
        within: (read, use) =>
          turns.inTurn(
            read,
            Effect.acquireUseRelease(
              Effect.interruptible(begun(read)),
              (reader) => use(connection((request) => answered(reader, read, request, () => undefined))),
              (reader) => ended(reader, read)
            )
          )
      }
    }
  })

const statement = (sql: string): ReaderRequest => ({ sql, params: [], asLists: false })

/** A connection of the client's kind. `run` runs a statement. */
const connection = (run: (request: ReaderRequest) => Effect.Effect<ReadonlyArray<object>, SqlError>): Connection => {
  const execute: Connection["execute"] = (sql, params, transformRows) => {
    const rows = run({ sql, params, asLists: false })
    return transformRows === undefined ? rows : Effect.map(rows, transformRows)
  }
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) => run({ sql, params, asLists: false }),
    executeValues: (sql, params) =>
      Effect.map(run({ sql, params, asLists: true }), (rows) => rows.filter(Array.isArray)),
    executeStream: () => Effect.dieMessage("Streams of rows are not supported")
  }
}
