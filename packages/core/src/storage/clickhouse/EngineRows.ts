import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ColumnStoreUnavailable } from "../../analytics/Projection.js"

/** Reads rows by their schema; other rows are a failure of the store. */
export const decodeRows = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(Schema.Array(row))
  return (operation: string, rows: ReadonlyArray<object>): Effect.Effect<ReadonlyArray<A>, ColumnStoreUnavailable> =>
    Effect.mapError(decode(rows), (cause) => new ColumnStoreUnavailable({ reason: "failed", operation, cause }))
}
