import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** An unexpected database failure; the cause is for the operator's log, never for a caller. */
export class StorageFailed extends Schema.TaggedError<StorageFailed>("@earshot/core/StorageFailed")("StorageFailed", {
  operation: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `Storage failed at ${this.operation}`
  }
}

/** No database connection was available in time; the request can be retried. */
export class StorageBusy extends Schema.TaggedError<StorageBusy>("@earshot/core/StorageBusy")("StorageBusy", {
  operation: Schema.String,
  /** Whether the database rolled the transaction back to resolve a conflict: it can be retried at once. */
  undone: Schema.optionalWith(Schema.Boolean, { default: () => false })
}) {
  override get message(): string {
    return `Storage was too busy for ${this.operation}`
  }
}

export type StorageError = StorageFailed | StorageBusy

/**
 * One transaction around a use case: all of its writes are committed, or none. Nested calls join the outer transaction.
 * On SQLite it takes the write lock at once: a transaction that reads first and writes later can fail when another process
 * writes in between.
 */
export class UnitOfWork extends Context.Tag("@earshot/core/kernel/UnitOfWork")<
  UnitOfWork,
  {
    readonly atomically: <A, E, R>(steps: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
  }
>() {}
