import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Recordings of runs by voice. As with those of calls, a trigger makes a blob pending in the transaction that removes or replaces
 * its recording.
 */
export const runRecordings = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, name, nameOf, tables } = yield* Dialect
  const named = (what: string) => sql.literal(nameOf(what))

  yield* sql`CREATE TABLE ${tables.run_recordings} (
    run_id ${column.integer} PRIMARY KEY REFERENCES ${tables.runs} (id) ON DELETE CASCADE,
    blob_key ${column.text} NOT NULL,
    content_type ${column.text} NOT NULL,
    size_bytes ${column.integer} NOT NULL,
    sha256 ${column.text} NOT NULL,
    duration_s ${column.real},
    channels ${column.integer}
  )`
  yield* sql`CREATE INDEX ${named("run_recordings_by_blob")} ON ${tables.run_recordings} (blob_key)`
  if (name === "sqlite") {
    for (const [trigger, event, condition] of [
      ["run_recordings_removed", "DELETE", ""],
      ["run_recordings_replaced", "UPDATE OF blob_key", "WHEN OLD.blob_key <> NEW.blob_key"]
    ] as const) {
      yield* sql`CREATE TRIGGER ${named(trigger)} AFTER ${sql.literal(event)} ON ${tables.run_recordings}
        ${sql.literal(condition)} BEGIN
          INSERT INTO ${tables.pending_blobs} (blob_key, since_ms) VALUES (OLD.blob_key, 0)
          ON CONFLICT (blob_key) DO UPDATE SET since_ms = 0;
        END`
    }
    return
  }
  yield* sql`CREATE TRIGGER ${named("run_recordings_removed")} AFTER DELETE ON ${tables.run_recordings}
    FOR EACH ROW EXECUTE FUNCTION ${named("release_blob")}()`
  yield* sql`CREATE TRIGGER ${named("run_recordings_replaced")} AFTER UPDATE OF blob_key ON ${tables.run_recordings}
    FOR EACH ROW WHEN (OLD.blob_key <> NEW.blob_key) EXECUTE FUNCTION ${named("release_blob")}()`
})
