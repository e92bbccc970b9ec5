import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { PendingBlobStore } from "../../calls/PendingBlobStore.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { Flag, storing } from "./Storing.js"

const due = readRows(Schema.Struct({ blob_key: Schema.String, referred: Flag }), (row) => ({
  key: row.blob_key,
  referred: row.referred
}))
const keys = readRows(Schema.Struct({ blob_key: Schema.String }), (row) => row.blob_key)
const references = readRows(Schema.Struct({ id: Schema.Int, blob_key: Schema.String }), (row) => ({
  id: row.id,
  key: row.blob_key
}))

export const layer = Layer.effect(
  PendingBlobStore,
  Effect.zipWith(SqlClient, Dialect, (sql, { tables, texts }) =>
    PendingBlobStore.of({
      add: (key, now) =>
        sql`INSERT INTO ${tables.pending_blobs} ${sql.insert({ blob_key: key, since_ms: now })}`.pipe(
          Effect.asVoid,
          storing("PendingBlobStore.add")
        ),
      due: (before, limit) =>
        sql`SELECT p.blob_key,
            CASE WHEN EXISTS (SELECT 1 FROM ${tables.call_recordings} r WHERE r.blob_key = p.blob_key)
              OR EXISTS (SELECT 1 FROM ${tables.run_recordings} r WHERE r.blob_key = p.blob_key)
            THEN 1 ELSE 0 END AS referred
          FROM ${tables.pending_blobs} p WHERE p.since_ms <= ${before}
          ORDER BY p.since_ms, p.blob_key LIMIT ${limit}`.pipe(due.all, storing("PendingBlobStore.due")),
      remove: (removed) =>
        sql`DELETE FROM ${tables.pending_blobs} WHERE blob_key IN ${texts(removed)}`.pipe(
          Effect.asVoid,
          storing("PendingBlobStore.remove")
        ),
      inUse: (asked, since) =>
        sql`SELECT blob_key FROM ${tables.call_recordings} WHERE blob_key IN ${texts(asked)}
          UNION SELECT blob_key FROM ${tables.run_recordings} WHERE blob_key IN ${texts(asked)}
          UNION SELECT blob_key FROM ${tables.pending_blobs} WHERE blob_key IN ${texts(asked)} AND since_ms >= ${since}`.pipe(
          keys.all,
          storing("PendingBlobStore.inUse")
        ),
      referred: (by, after, limit) => {
        const table = by === "call" ? tables.call_recordings : tables.run_recordings
        const id = sql.literal(`${by}_id`)
        return sql`SELECT ${id} AS id, blob_key FROM ${table} WHERE ${id} > ${after} ORDER BY ${id} LIMIT ${limit}`.pipe(
          references.all,
          storing("PendingBlobStore.referred")
        )
      }
    })
  )
)
