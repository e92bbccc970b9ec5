import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ResponseBytesExceeded } from "./ResponseBytes.js"

/** An unexpected database failure; the cause is for the operator's log, never for a caller. */
export class StorageFailed extends Schema.TaggedError<StorageFailed>("@earshot/core/StorageFailed")("StorageFailed", {
  operation: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `Storage failed at ${this.operation}`
  }
}

/**
 * The database did not answer in time, could not be reached, or had no connection or reader to spare: it may pass, and the
 * request can be retried.
 */
export class StorageBusy extends Schema.TaggedError<StorageBusy>("@earshot/core/StorageBusy")("StorageBusy", {
  operation: Schema.String,
  /** Whether the database rolled the transaction back to resolve a conflict: it can be retried at once. */
  undone: Schema.optionalWith(Schema.Boolean, { default: () => false })
}) {
  override get message(): string {
    return `Storage was too busy for ${this.operation}`
  }
}

/** What keeps the database from working, whatever the request. */
export type StorageDefect = "full" | "read_only" | "damaged" | "io"

const DEFECTS: Readonly<Record<StorageDefect, string>> = {
  full: "The database has no space left: its disk is full.",
  read_only: "The database can be read only: its file, disk or server does not accept writes.",
  damaged: "The database is damaged: its file cannot be read as a database.",
  io: "The database's disk failed to read or write."
}

/**
 * The database's disk, file or server does not work, so that no request of this kind can succeed until an operator has
 * acted. The message says what is wrong; the cause is for the log.
 */
export class StorageUnusable extends Schema.TaggedError<StorageUnusable>("@earshot/core/StorageUnusable")(
  "StorageUnusable",
  {
    operation: Schema.String,
    reason: Schema.Literal("full", "read_only", "damaged", "io"),
    cause: Schema.Defect
  }
) {
  override get message(): string {
    return DEFECTS[this.reason]
  }
}

/**
 * A list, chart or export ran longer than such a query may, and was ended. Asked again it would run as long: it is no
 * failure that passes.
 */
export class QueryTimedOut extends Schema.TaggedError<QueryTimedOut>("@earshot/core/QueryTimedOut")("QueryTimedOut", {
  operation: Schema.String,
  /** The limit that it exceeded, in seconds. */
  limitSeconds: Schema.Number
}) {
  override get message(): string {
    const limit = `${this.limitSeconds} second${this.limitSeconds === 1 ? "" : "s"}`
    return `The query took longer than ${limit} and was ended. Use a shorter period of time or a simpler filter.`
  }
}

export type StorageError = StorageFailed | StorageBusy | StorageUnusable | QueryTimedOut | ResponseBytesExceeded

/**
 * One transaction around a use case: all of its writes are committed, or none. Nested calls join the outer transaction.
 * On SQLite it takes the write lock at once: a transaction that reads first and writes later can fail when another process
 * writes in between.
 */
export class UnitOfWork extends Context.Tag("@earshot/core/kernel/UnitOfWork")<
  UnitOfWork,
  {
    readonly atomically: <A, E, R>(steps: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /**
     * The same for a use case that changes thousands of rows at once: each statement may take ten times as long as one of
     * an ordinary request. Inside another transaction its statements have the limit of that one.
     */
    readonly atomicallyInBulk: <A, E, R>(steps: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
  }
>() {}
