import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import type { StoredPeaks } from "../../calls/RecordingPeaks.js"
import { type CallRecording, RecordingStore } from "../../calls/RecordingStore.js"
import { CallId } from "../../kernel/Ids.js"
import { reserveBytes } from "../../kernel/ResponseBytes.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { runScopeColumns, runTables } from "./RunRows.js"
import { scopePredicate } from "./ScopeSql.js"
import { storing } from "./Storing.js"

const RecordingRow = {
  call_id: CallId,
  blob_key: Schema.String,
  content_type: Schema.String,
  size_bytes: Schema.Number,
  sha256: Schema.String,
  duration_s: Schema.NullOr(Schema.Number),
  channels: Schema.NullOr(Schema.Number),
  main_agent_channel_index: Schema.NullOr(Schema.Literal(0, 1))
}
const recordingColumns = Object.keys(RecordingRow).map((name) => `r.${name}`)

const toRecording = (row: Schema.Struct.Type<typeof RecordingRow>): CallRecording => ({
  callId: row.call_id,
  recording: {
    blobKey: row.blob_key,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    durationSeconds: row.duration_s,
    channels: row.channels,
    mainAgentChannelIndex: row.main_agent_channel_index
  }
})

const recordings = readRows(Schema.Struct(RecordingRow), toRecording)

const ofRuns = readRows(
  Schema.Struct({
    blob_key: Schema.String,
    content_type: Schema.String,
    size_bytes: Schema.Number,
    sha256: Schema.String
  }),
  (row) => ({ blobKey: row.blob_key, contentType: row.content_type, sizeBytes: row.size_bytes, sha256: row.sha256 })
)

/** `peaks` has a base64 text for each channel, separated by commas; null if there is no waveform, for the reason. */
const PeaksRow = Schema.Struct({
  ...RecordingRow,
  computed: Schema.NullOr(CallId),
  reason: Schema.NullOr(Schema.String),
  seconds: Schema.NullOr(Schema.Number),
  peak_channels: Schema.NullOr(Schema.Number),
  points_per_second: Schema.NullOr(Schema.Number),
  peaks: Schema.NullOr(Schema.String)
})

const toPeaks = (row: typeof PeaksRow.Type): StoredPeaks | null =>
  row.computed === null
    ? null
    : row.peaks === null
      ? { status: "unavailable", reason: row.reason ?? "" }
      : {
          status: "ready",
          peaks: {
            durationSeconds: row.seconds ?? 0,
            channels: row.peak_channels ?? 0,
            pointsPerSecond: row.points_per_second ?? 0,
            peaks: row.peaks.split(",").map((channel) => Int8Array.from(Buffer.from(channel, "base64")))
          }
        }

const withPeaks = readRows(PeaksRow, (row) => ({ ...toRecording(row), peaks: toPeaks(row) }))

const sizes = readRows(Schema.Struct({ bytes: Schema.Number }), ({ bytes }) => bytes)

const peaksColumns = (stored: StoredPeaks) =>
  stored.status === "unavailable"
    ? { reason: stored.reason, duration_s: null, channels: null, points_per_second: null, peaks: null }
    : {
        reason: null,
        duration_s: stored.peaks.durationSeconds,
        channels: stored.peaks.channels,
        points_per_second: stored.peaks.pointsPerSecond,
        peaks: stored.peaks.peaks
          .map(({ buffer, byteLength, byteOffset }) => Buffer.from(buffer, byteOffset, byteLength).toString("base64"))
          .join(",")
      }

export const layer = Layer.effect(
  RecordingStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { bytes, forUpdateOf, tables } = yield* Dialect
    const selected = sql.literal(recordingColumns.join(", "))

    /** The recording `r` of a call `c` in the scope of a permit. */
    const ofCall = (permit: Permit, call: CallId) =>
      sql`c.id = ${call} AND c.organization_id = ${permit.organizationId}
        AND ${scopePredicate(sql, permit, { project: "c.project_id", agent: "c.agent_id" })}
        AND c.project_id NOT IN (SELECT id FROM ${tables.projects} WHERE deleted_ms IS NOT NULL)`

    const joined = sql`${tables.calls} c JOIN ${tables.call_recordings} r ON r.call_id = c.id`
    // Of a recording that was replaced there may be a waveform until the next one is stored; it is not this one's.
    const peaksOf = sql`${tables.recording_peaks} p ON p.call_id = r.call_id AND p.blob_key = r.blob_key`

    const reserve = (permit: Permit, call: CallId) =>
      sql`SELECT ${bytes(sql`p.peaks`)} AS bytes FROM ${joined} JOIN ${peaksOf} WHERE ${ofCall(permit, call)}`.pipe(
        sizes.first,
        Effect.flatMap((found) => (found._tag === "None" ? Effect.void : reserveBytes(found.value)))
      )

    return RecordingStore.of({
      find: (permit, call) =>
        sql`SELECT ${selected} FROM ${joined} WHERE ${ofCall(permit, call)}`.pipe(
          recordings.first,
          storing("RecordingStore.find")
        ),
      findOfRun: (permit, run) =>
        sql`SELECT v.blob_key, v.content_type, v.size_bytes, v.sha256
            FROM ${runTables(sql, tables)} JOIN ${tables.run_recordings} v ON v.run_id = u.id
            WHERE u.id = ${run} AND u.organization_id = ${permit.organizationId} AND u.deleted_ms IS NULL
              AND t.deleted_ms IS NULL AND ${scopePredicate(sql, permit, runScopeColumns)}`.pipe(
          ofRuns.first,
          storing("RecordingStore.findOfRun")
        ),
      findWithPeaks: (permit, call) =>
        reserve(permit, call).pipe(
          Effect.zipRight(
            sql`SELECT ${selected}, p.call_id AS computed, p.reason, p.duration_s AS seconds, p.channels AS peak_channels,
                p.points_per_second, p.peaks
              FROM ${joined} LEFT JOIN ${peaksOf} WHERE ${ofCall(permit, call)}`.pipe(withPeaks.first)
          ),
          storing("RecordingStore.findWithPeaks")
        ),
      savePeaks: (permit, call, blobKey, peaks) =>
        Effect.gen(function* () {
          // The lock keeps the recording from being replaced before this is stored.
          const [current] = yield* recordings.all(
            sql`SELECT ${selected} FROM ${joined} WHERE ${ofCall(permit, call)} AND r.blob_key = ${blobKey} ${forUpdateOf("r")}`
          )
          if (current === undefined) return
          const columns = peaksColumns(peaks)
          yield* sql`INSERT INTO ${tables.recording_peaks} ${sql.insert({ call_id: call, blob_key: blobKey, ...columns })}
            ON CONFLICT (call_id) DO UPDATE SET ${sql.literal(
              ["blob_key", ...Object.keys(columns)].map((name) => `${name} = excluded.${name}`).join(", ")
            )}`
        }).pipe(storing("RecordingStore.savePeaks"))
    })
  })
)
