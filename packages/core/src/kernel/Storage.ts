import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The database failed at something that should have worked; the cause is for the operator's log, never for a caller. */
export class StorageFailed extends Schema.TaggedError<StorageFailed>("@earshot/core/StorageFailed")("StorageFailed", {
  operation: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `Storage failed at ${this.operation}`
  }
}

/** No database connection came free in time; the same request may work a moment later. */
export class StorageBusy extends Schema.TaggedError<StorageBusy>("@earshot/core/StorageBusy")("StorageBusy", {
  operation: Schema.String,
  /** Whether the database undid the transaction to let another one finish: the same steps may be taken again at once. */
  undone: Schema.optionalWith(Schema.Boolean, { default: () => false })
}) {
  override get message(): string {
    return `Storage was too busy for ${this.operation}`
  }
}

export type StorageError = StorageFailed | StorageBusy

/**
 * One transaction around the steps of a use case: all of its writes are kept, or none. Nested calls join the outer one.
 * On SQLite it takes the write lock at once, since a transaction that reads first and writes later would lose against
 * another process.
 */
export class UnitOfWork extends Context.Tag("@earshot/core/kernel/UnitOfWork")<
  UnitOfWork,
  {
    readonly atomically: <A, E, R>(steps: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
  }
>() {}
