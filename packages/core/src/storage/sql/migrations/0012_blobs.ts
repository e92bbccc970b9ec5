import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { Dialect } from "../Dialect.js"

/**
 * Blobs that are being stored, and blobs that nothing refers to any longer. A row is inserted before the first byte of a
 * blob, and by a trigger in the transaction that removes or replaces a recording, by whatever statement: so every blob
 * that no recording refers to has a row here.
 */
export const blobs = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { column, keyOnly, name, nameOf, tables } = yield* Dialect
  const named = (what: string) => sql.literal(nameOf(what))

  yield* sql`CREATE TABLE ${tables.pending_blobs} (
    blob_key ${column.text} NOT NULL PRIMARY KEY,
    since_ms ${column.integer} NOT NULL
  ) ${keyOnly}`
  yield* sql`CREATE INDEX ${named("pending_blobs_by_time")} ON ${tables.pending_blobs} (since_ms)`
  yield* sql`CREATE INDEX ${named("call_recordings_by_blob")} ON ${tables.call_recordings} (blob_key)`
  // Since 0: what is released is due at once.
  if (name === "sqlite") {
    for (const [trigger, event, condition] of [
      ["call_recordings_removed", "DELETE", ""],
      ["call_recordings_replaced", "UPDATE OF blob_key", "WHEN OLD.blob_key <> NEW.blob_key"]
    ] as const) {
      yield* sql`CREATE TRIGGER ${named(trigger)} AFTER ${sql.literal(event)} ON ${tables.call_recordings}
        ${sql.literal(condition)} BEGIN
          INSERT INTO ${tables.pending_blobs} (blob_key, since_ms) VALUES (OLD.blob_key, 0)
          ON CONFLICT (blob_key) DO UPDATE SET since_ms = 0;
        END`
    }
    return
  }
  yield* sql`CREATE FUNCTION ${named("release_blob")}() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO ${tables.pending_blobs} (blob_key, since_ms) VALUES (OLD.blob_key, 0)
      ON CONFLICT (blob_key) DO UPDATE SET since_ms = 0;
      RETURN NULL;
    END $body$`
  yield* sql`CREATE TRIGGER ${named("call_recordings_removed")} AFTER DELETE ON ${tables.call_recordings}
    FOR EACH ROW EXECUTE FUNCTION ${named("release_blob")}()`
  yield* sql`CREATE TRIGGER ${named("call_recordings_replaced")} AFTER UPDATE OF blob_key ON ${tables.call_recordings}
    FOR EACH ROW WHEN (OLD.blob_key <> NEW.blob_key) EXECUTE FUNCTION ${named("release_blob")}()`
})
