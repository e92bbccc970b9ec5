/** Writes deliveries of calls that are there already: each changes the record that the one before made. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ParseError } from "effect/ParseResult"
import type { CallRecord } from "../../calls/CallRecord.js"
import { CallDeleted, RedactionIncomplete } from "../../calls/CallErrors.js"
import { evaluationJob } from "../../calls/EvaluationJob.js"
import { mergeRedelivery } from "../../calls/RedeliveryRules.js"
import * as StoredTranscript from "../../transcripts/StoredTranscript.js"
import {
  type CallColumn,
  chargeRow,
  columnsOf,
  declared,
  isJson,
  RECORDING,
  recordingRow,
  REDELIVERED,
  TRANSCRIPT
} from "./CallColumns.js"
import { keyOf, type Redeliver } from "./CallDelivery.js"
import { makeReader } from "./CallRows.js"
import type { DialectFragments } from "./Dialect.js"
import { jobColumns } from "./JobStoreSql.js"
import type { Tables } from "./Tables.js"

/** Charges for calls that were not charged for before. */
export const chargeCalls = (sql: SqlClient, tables: Tables, calls: ReadonlyArray<CallRecord>) => {
  const rows = calls.map(chargeRow).filter((row) => row !== undefined)
  return rows.length === 0
    ? Effect.void
    : Effect.asVoid(sql`INSERT INTO ${tables.credit_entries} ${sql.insert(rows)} ON CONFLICT (charge_key) DO NOTHING`)
}

/** What of the calls of a group changed, by their keys. */
interface Changes {
  readonly calls: Map<string, CallRecord>
  readonly transcripts: Set<string>
  readonly recordings: Set<string>
  /** The ids of calls whose time changed. */
  readonly moved: Set<number>
  /** Every intermediate state, since a call is charged by the first that has a duration, even within one commit. */
  readonly steps: Array<CallRecord>
}

/** `column = excluded.column` for each. */
const excluded = (columns: ReadonlyArray<string>): string =>
  columns.map((name) => `${name} = excluded.${name}`).join(", ")

/** @param time reads the clock by which jobs are due */
export const makeRedeliver = (
  sql: SqlClient,
  dialect: DialectFragments,
  time: Effect.Effect<number, SqlError | ParseError>
): Redeliver => {
  const { tables } = dialect
  const reader = makeReader(sql, dialect)

  const setOnSqlite = (name: CallColumn): string =>
    isJson(name) ? `${name} = NULLIF(g.value -> '${name}', 'null')` : `${name} = g.value ->> '${name}'`
  const update =
    dialect.name === "sqlite"
      ? {
          set: sql.literal(REDELIVERED.map(setOnSqlite).join(", ")),
          from: (rows: string) => sql`json_each(${rows}) AS g WHERE c.id = g.value ->> 'id'`
        }
      : {
          set: sql.literal(REDELIVERED.map((name) => `${name} = g.${name}`).join(", ")),
          from: (rows: string) =>
            sql`json_to_recordset(${rows}::json) AS g(${sql.literal(declared(["id", ...REDELIVERED]))}) WHERE c.id = g.id`
        }

  /** Saves what redeliveries changed, a statement a table. */
  const save = ({ calls, moved, recordings, steps, transcripts }: Changes) =>
    Effect.gen(function* () {
      const rows = JSON.stringify([...calls.values()].map((call) => columnsOf(call, ["id", ...REDELIVERED])))
      yield* sql`UPDATE ${tables.calls} AS c SET ${update.set} FROM ${update.from(rows)}`
      if (moved.size > 0) {
        for (const table of [tables.metric_evaluations, tables.answer_latencies])
          yield* sql`UPDATE ${table} AS e
            SET timestamp_ms = (SELECT c.timestamp_ms FROM ${tables.calls} c WHERE c.id = e.call_id)
            WHERE ${dialect.isOneOf("e.call_id", [...moved])}`
      }
      const transcriptRows = [...calls].flatMap(([key, call]) =>
        transcripts.has(key) && call.transcript !== null
          ? [
              {
                call_id: call.id,
                transcript_type: call.transcriptType,
                transcript: StoredTranscript.print(call.transcript)
              }
            ]
          : []
      )
      if (transcriptRows.length > 0) {
        yield* sql`INSERT INTO ${tables.call_transcripts} ${sql.insert(transcriptRows)}
          ON CONFLICT (call_id) DO UPDATE SET ${sql.literal(excluded(TRANSCRIPT))}`
      }
      const recordingRows = [...calls].flatMap(([key, call]) =>
        recordings.has(key) && call.recording !== null ? [recordingRow(call.id, call.recording, call.updatedAt)] : []
      )
      if (recordingRows.length > 0) {
        yield* sql`INSERT INTO ${tables.call_recordings} ${sql.insert(recordingRows)}
          ON CONFLICT (call_id) DO UPDATE SET ${sql.literal(excluded(RECORDING))}`
        // Their waveforms are those of the recordings that they replace.
        const replaced = dialect.integers(recordingRows.map((row) => row.call_id))
        yield* sql`DELETE FROM ${tables.recording_peaks} WHERE call_id IN ${replaced}`
      }
      const dropped = [...calls].flatMap(([key, call]) =>
        recordings.has(key) && call.recording === null ? [call.id] : []
      )
      if (dropped.length > 0) {
        yield* sql`DELETE FROM ${tables.call_recordings} WHERE ${dialect.isOneOf("call_id", dropped)}`
      }
      yield* chargeCalls(sql, tables, steps)
    })

  return (found, outcomes) =>
    Effect.gen(function* () {
      const keys = new Map(found.map((one) => [one.key, one.pending.delivery]))
      const wanted = JSON.stringify([...keys.values()].map((delivery) => [delivery.agent.id, delivery.callId]))
      const locked = yield* sql<{
        readonly id: number
      }>`SELECT c.id FROM ${tables.calls} c WHERE (c.agent_id, c.call_id) IN ${
        dialect.name === "sqlite"
          ? sql`(SELECT value ->> 0, value ->> 1 FROM json_each(${wanted}))`
          : sql`(SELECT (value ->> 0)::bigint, value ->> 1 FROM jsonb_array_elements(${wanted}::jsonb) AS value)`
      } ORDER BY c.id ${dialect.forUpdate}`
      // A second statement, since the one that waited for a lock still sees what was there before it waited.
      const existing = yield* reader.where(
        sql`WHERE ${dialect.isOneOf(
          "c.id",
          locked.map((row) => row.id)
        )}`
      )
      const records = new Map(existing.map((call) => [keyOf(call.agentId, call.callId), call]))
      const changes: Changes = {
        calls: new Map(),
        transcripts: new Set(),
        recordings: new Set(),
        moved: new Set(),
        steps: []
      }
      const due = new Map<string, { readonly call: CallRecord; readonly again: boolean }>()
      const redacted = new Set<number>()
      for (const { key, pending, position } of found) {
        const record = records.get(key)
        const { mergeBase } = pending.delivery
        if (record === undefined || (mergeBase !== undefined && mergeBase.call.id !== record.id)) {
          outcomes[position] = Exit.fail(new CallDeleted())
          continue
        }
        const merged = mergeRedelivery(record, pending.delivery)
        if (merged.missingRedaction.length > 0) {
          outcomes[position] = Exit.fail(new RedactionIncomplete({ fields: merged.missingRedaction }))
          continue
        }
        records.set(key, merged.call)
        if (merged.changed) {
          changes.calls.set(key, merged.call)
          changes.steps.push(merged.call)
          if (!DateTime.Equivalence(merged.call.timestamp, record.timestamp)) changes.moved.add(merged.call.id)
        }
        if (merged.transcriptChanged) changes.transcripts.add(key)
        if (merged.recordingChanged) changes.recordings.add(key)
        if (merged.evaluationDue) {
          due.set(key, { call: merged.call, again: merged.transcriptChanged || due.get(key)?.again === true })
        }
        if (merged.redactionExtended) redacted.add(merged.call.id)
        outcomes[position] = Exit.succeed({
          call: merged.call,
          created: false,
          transcriptChanged: merged.transcriptChanged,
          released: merged.released
        })
      }
      if (changes.calls.size > 0) yield* save(changes)
      if (redacted.size > 0) {
        const isListed = (column: string) => dialect.isOneOf(column, [...redacted])
        // Explanations and quotes repeat the transcript. The values of formulas are measurements, and stay.
        yield* sql`DELETE FROM ${tables.metric_evaluation_details} WHERE ${isListed("call_id")}`
        yield* sql`DELETE FROM ${tables.metric_evaluations} WHERE ${isListed("call_id")} AND metric_id IN (
          SELECT m.id FROM ${tables.metrics} m WHERE m.type <> 'custom_code' OR m.custom_code <> '')`
      }
      if (due.size > 0) {
        const now = yield* time
        yield* sql`INSERT INTO ${tables.jobs} ${sql.insert(
          [...due.values()].map(({ again, call }) =>
            jobColumns(
              evaluationJob(call.organizationId, call.id, call.requestedMetrics, again),
              Math.min(DateTime.toEpochMillis(call.updatedAt), now)
            )
          )
        )}`
      }
    })
}
