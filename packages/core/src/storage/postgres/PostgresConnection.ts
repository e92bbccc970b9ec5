/**
 * Statements on connections of a node-postgres pool, each with a time limit that holds whatever the server does. The
 * server's own limits do not: a server that is frozen, or a network that drops packets, enforces none. A statement that
 * is interrupted or over its limit is canceled on the server, and its connection is used again only once it has ended and
 * the server has handled the request, which would cancel the next statement otherwise.
 */
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as Scope from "effect/Scope"
import type { Pool, PoolClient, QueryArrayConfig, QueryConfig, QueryResult } from "pg"
import { NotNow, type ReadLimitExceeded } from "../sql/Storing.js"
import { cancelStatement } from "./cancelStatement.js"
import { checkServer } from "./checkServer.js"
import * as StatementNames from "./StatementNames.js"

type Result = QueryResult<object>

/** How long a statement may take, and the cause of the error when it takes longer. */
export interface StatementLimit {
  /** Undefined: as long as it takes. */
  readonly millis: number | undefined
  readonly exceeded: () => NotNow | ReadLimitExceeded
  /**
   * For a statement that may take longer than others: how often to check whether the server still answers, which a slow
   * statement does not tell. It fails as a passing failure otherwise.
   */
  readonly checkMillis?: number
}

/** How long a canceled statement has to end before its connection is closed, in milliseconds. */
const CANCEL_WAIT = 1000

const failed = (cause: unknown, message = "Failed to execute statement"): SqlError => new SqlError({ cause, message })

/** Codes after which the server closes the connection. */
const isClosing = (error: Error): boolean => "code" in error && /^(?:57P0|08|25P03)/.test(String(error.code))

/** The server does not know a prepared statement, or knows another under its name: a pooler has exchanged the connection. */
const NOT_PREPARED = ["26000", "42P05"]

/**
 * The server runs a prepared statement of this connection no longer: see above, or a migration has changed what it returns,
 * whose code other errors share.
 */
const isUnprepared = (error: Error): boolean =>
  ("code" in error && NOT_PREPARED.includes(String(error.code))) ||
  ("routine" in error && error.routine === "RevalidateCachedQuery")

const unprepared = (): NotNow => new NotNow({ message: "The statement has to be prepared again." })

/** Whether the connection must not be used again after this failure. */
const isLast = (error: Error): boolean => error instanceof NotNow || isClosing(error)

const ignored = (): void => undefined

const notCanceled = (): NotNow => new NotNow({ message: "The statement could not be canceled." })

/** One statement on a connection. */
interface Running {
  /**
   * Cancels it on the server. `onEnd` is called when it has ended and the server has handled the request, so that the
   * connection can be used again; with false if that is not so within the time.
   */
  readonly cancel: (onEnd: (isUsable: boolean) => void) => void
}

const start = (
  client: PoolClient,
  query: QueryConfig | QueryArrayConfig,
  onResult: (error: Error | undefined, result: Result) => void
): Running => {
  let hasEnded = false
  let onEnd: () => void = ignored
  client.query(query, (error: Error | null | undefined, result: Result) => {
    hasEnded = true
    const failure = error ?? undefined
    onResult(failure !== undefined && isUnprepared(failure) ? unprepared() : failure, result)
    onEnd()
  })
  return {
    cancel: (ended) => {
      if (hasEnded) {
        ended(true)
        return
      }
      let isOver = false
      let isRequestHandled = false
      const finish = (isUsable: boolean) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        ended(isUsable)
      }
      const timer = setTimeout(() => finish(false), CANCEL_WAIT)
      onEnd = () => (isRequestHandled ? finish(true) : undefined)
      cancelStatement(client, (isHandled) => {
        isRequestHandled = isHandled
        if (!isHandled) finish(false)
        else if (hasEnded) finish(true)
      })
    }
  }
}

/** Calls back after a time, unless it is cleared. What has arrived by then is read first: this process may have been busy. */
const after = (millis: number | undefined, callback: () => void): (() => void) => {
  if (millis === undefined) return ignored
  let isCleared = false
  const timer = setTimeout(() => setImmediate(() => (isCleared ? undefined : callback())), Math.max(1, millis))
  return () => {
    isCleared = true
    clearTimeout(timer)
  }
}

const unanswered = (): NotNow => new NotNow({ message: "The database did not answer in time." })

/** Checks again and again whether a server answers; calls back once it does not. Returns what ends the checks. */
const watch = (client: PoolClient, millis: number | undefined, onSilence: () => void): (() => void) => {
  if (millis === undefined) return ignored
  let isEnded = false
  let clear = ignored
  const check = () => {
    clear = after(millis, () => {
      clear = checkServer(client, (answers) => {
        if (isEnded) return
        if (answers) check()
        else onSilence()
      })
    })
  }
  check()
  return () => {
    isEnded = true
    clear()
  }
}

/** A statement on a connection of its own, which the pool provides. The limit includes the wait for it. */
const onPool = (
  pool: Pool,
  query: QueryConfig | QueryArrayConfig,
  limit: StatementLimit
): Effect.Effect<Result, SqlError> =>
  Effect.async((resume) => {
    let isOver = false
    let running: Running | undefined
    let giveBack: (broken?: Error) => void = ignored
    let endWatch = ignored
    /** The caller waits no longer. */
    const abandon = () => {
      isOver = true
      clear()
      endWatch()
      running?.cancel((isUsable) => giveBack(isUsable ? undefined : notCanceled()))
    }
    const clear = after(limit.millis, () => {
      abandon()
      resume(failed(limit.exceeded()))
    })
    pool.connect((error, client, release) => {
      if (error !== undefined || client === undefined) {
        clear()
        resume(failed(error, "Failed to acquire connection"))
        return
      }
      if (isOver) {
        release()
        return
      }
      // A connection that breaks emits this besides failing its statement, and the process would end without a listener.
      client.on("error", ignored)
      giveBack = (broken) => {
        client.off("error", ignored)
        release(broken)
      }
      running = start(client, query, (failure, result) => {
        if (isOver) return
        isOver = true
        clear()
        endWatch()
        giveBack(failure !== undefined && isLast(failure) ? failure : undefined)
        resume(failure === undefined ? Effect.succeed(result) : failed(failure))
      })
      endWatch = watch(client, limit.checkMillis, () => {
        if (isOver) return
        abandon()
        resume(failed(unanswered()))
      })
    })
    return Effect.sync(() => {
      if (!isOver) abandon()
    })
  })

/** A connection that is kept for a transaction. */
interface Kept {
  readonly client: PoolClient
  /** Statements that were sent and have not ended. */
  unfinished: number
  /** Why it must not be used again. */
  broken: Error | undefined
}

/** A statement on a connection that is kept. The server runs them one after the other. */
const onKept = (
  kept: Kept,
  query: QueryConfig | QueryArrayConfig,
  limit: StatementLimit
): Effect.Effect<Result, SqlError> =>
  Effect.async((resume) => {
    let isOver = false
    kept.unfinished++
    const giveUp = (cause: NotNow | ReadLimitExceeded) => {
      abandon(ignored)
      // Nobody knows what the server made of it.
      kept.broken = new NotNow({ message: "A statement of the transaction was not answered in time." })
      resume(failed(cause))
    }
    const clear = after(limit.millis, () => giveUp(limit.exceeded()))
    const endWatch = watch(kept.client, limit.checkMillis, () => (isOver ? undefined : giveUp(unanswered())))
    const running = start(kept.client, query, (failure, result) => {
      kept.unfinished--
      if (isOver) return
      isOver = true
      clear()
      endWatch()
      if (failure !== undefined && isLast(failure)) kept.broken = failure
      resume(failure === undefined ? Effect.succeed(result) : failed(failure))
    })
    const abandon = (onEnd: (isUsable: boolean) => void) => {
      isOver = true
      clear()
      endWatch()
      running.cancel(onEnd)
    }
    // The next statement is a ROLLBACK, which is sent when it cannot be canceled in place of this one.
    const canceled: Effect.Effect<void> = Effect.async((done) => {
      if (isOver) {
        done(Effect.void)
        return
      }
      abandon((isUsable) => {
        if (!isUsable) kept.broken ??= notCanceled()
        done(Effect.void)
      })
    })
    return canceled
  })

/** A list of values, as node-postgres takes them. */
const values = (params: ReadonlyArray<unknown>): Array<unknown> => [...params]

/** Several statements in one text give several results. */
const rowsOf = (result: Result): ReadonlyArray<object> =>
  Array.isArray(result) ? result.map((one: Result) => one.rows) : result.rows

/** A connection of the client's kind. `run` runs a statement, which is prepared if `nameOf` gives it a name. */
const connection = (
  nameOf: StatementNames.StatementNames,
  run: (query: QueryConfig | QueryArrayConfig) => Effect.Effect<Result, SqlError>
): Connection => {
  const execute =
    (name: StatementNames.StatementNames): Connection["execute"] =>
    (text, params, transformRows) => {
      const rows = Effect.map(run({ name: name(text, params.length), text, values: values(params) }), rowsOf)
      return transformRows === undefined ? rows : Effect.map(rows, transformRows)
    }
  return {
    execute: execute(nameOf),
    executeUnprepared: execute(StatementNames.none),
    executeRaw: (text, params) => run({ name: nameOf(text, params.length), text, values: values(params) }),
    executeValues: (text, params) =>
      Effect.map(run({ name: nameOf(text, params.length), text, values: values(params), rowMode: "array" }), (result) =>
        rowsOf(result).filter((row) => Array.isArray(row))
      ),
    executeStream: () => Effect.dieMessage("Streams of rows are not supported")
  }
}

/** What is done around each statement. */
type Around = <A>(statement: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>

/** Statements that each run on any connection of the pool. `limit` gives the limit of the next one. */
export const pooled = (
  pool: Pool,
  nameOf: StatementNames.StatementNames,
  limit: () => StatementLimit,
  around: Around = identity
): Connection => connection(nameOf, (query) => around(Effect.suspend(() => onPool(pool, query, limit()))))

const COMMIT = "COMMIT"
const ROLLBACK = "ROLLBACK"

/**
 * A connection that the pool gives up for a transaction. `limit` gives the limit of the next statement. The connection is
 * closed if the transaction could not be ended, which rolls it back.
 */
export const reserve = (
  pool: Pool,
  nameOf: StatementNames.StatementNames,
  limit: () => StatementLimit,
  around: Around = identity
): Effect.Effect<Connection, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<Kept, SqlError>((resume) => {
        pool.connect((error, client) => {
          if (error !== undefined || client === undefined) {
            resume(failed(error, "Failed to acquire connection"))
            return
          }
          client.on("error", ignored)
          resume(Effect.succeed({ client, unfinished: 0, broken: undefined }))
        })
      }),
      ({ broken, client, unfinished }) =>
        Effect.sync(() => {
          client.off("error", ignored)
          client.release(broken ?? (unfinished > 0 ? new Error("A statement has not ended.") : undefined))
        })
    ),
    (kept) =>
      connection(nameOf, (query) =>
        Effect.suspend(() => {
          if (kept.broken !== undefined) return failed(kept.broken)
          const statement = around(onKept(kept, query, limit()))
          return query.text !== COMMIT && query.text !== ROLLBACK
            ? statement
            : Effect.tapError(statement, (error) =>
                Effect.sync(() => {
                  kept.broken ??= new Error("The transaction could not be ended.", { cause: error })
                })
              )
        })
      )
  )

const BEGIN_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"

/** A connection that sees the database as it is at the first statement. */
export const snapshot = (
  pool: Pool,
  limit: () => StatementLimit,
  around: Around
): Effect.Effect<Connection, SqlError, Scope.Scope> =>
  Effect.tap(reserve(pool, StatementNames.none, limit, around), (reserved) =>
    Effect.acquireRelease(reserved.executeUnprepared(BEGIN_SNAPSHOT, [], undefined), () => rollback(reserved))
  )

export const commit = (reserved: Connection): Effect.Effect<void, SqlError> =>
  Effect.asVoid(reserved.executeUnprepared(COMMIT, [], undefined))

/** Never fails: a connection that cannot roll back is closed, and so the server rolls back. */
export const rollback = (reserved: Connection): Effect.Effect<void> =>
  Effect.ignore(reserved.executeUnprepared(ROLLBACK, [], undefined))

/** The limit of statements of ordinary requests. */
export const ordinaryLimit = (millis: number | undefined): StatementLimit => ({
  millis,
  exceeded: unanswered
})
