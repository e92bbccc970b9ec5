import type * as Effect from "effect/Effect"
import type { ColumnStoreUnavailable } from "../../analytics/Projection.js"
import type { Statement } from "./Statement.js"

/** Runs statements on an engine that speaks ClickHouse's dialect: a server, or one in a process beside this one. */
export interface ClickHouseEngine {
  /** The rows of a statement, which is ended when it exceeds the engine's time limit or is interrupted. */
  readonly rows: (
    operation: string,
    statement: Statement
  ) => Effect.Effect<ReadonlyArray<object>, ColumnStoreUnavailable>
  /** Inserts rows, each a JSON object as text, as one block. */
  readonly insert: (table: string, rows: ReadonlyArray<string>) => Effect.Effect<void, ColumnStoreUnavailable>
  /** Runs a statement without rows: definitions and mutations, which may take minutes. */
  readonly run: (operation: string, statement: Statement) => Effect.Effect<void, ColumnStoreUnavailable>
}
