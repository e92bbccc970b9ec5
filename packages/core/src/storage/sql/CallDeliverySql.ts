/**
 * How deliveries are kept. Whoever waits at the same time shares a transaction (see `GroupCommit`); within it every step
 * is one statement for all. The statements are texts of their own, run on the connection: a statement built of fragments
 * costs more than SQLite needs to run it, and every ingested call comes through here.
 */
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { CallRecord } from "../../calls/CallRecord.js"
import { CallDeleted, RedactionIncomplete } from "../../calls/CallErrors.js"
import type { DeliveryOutcome } from "../../calls/CallStore.js"
import type { Delivery } from "../../calls/Delivery.js"
import { EVALUATION_ATTEMPTS, EVALUATION_JOB, evaluationJob } from "../../calls/EvaluationJob.js"
import { redactionCharge } from "../../calls/RedactionCharge.js"
import { firstEvaluationDue, firstRecord, mergeRedelivery } from "../../calls/RedeliveryRules.js"
import { AgentId, CallId } from "../../kernel/Ids.js"
import type { Json } from "../../kernel/Json.js"
import { StorageBusy, type StorageError, UnitOfWork } from "../../kernel/Storage.js"
import * as StoredTranscript from "../../transcripts/StoredTranscript.js"
import { jobColumns } from "./JobStoreSql.js"
import { makeReader } from "./CallRows.js"
import { Dialect } from "./Dialect.js"
import * as GroupCommit from "./GroupCommit.js"
import * as SqliteTransaction from "./SqliteTransaction.js"
import { storing } from "./Storing.js"

/** A delivery in the queue, its texts made beforehand so that the transaction stays short. */
interface Pending {
  readonly delivery: Delivery
  readonly transcript: string | null
  readonly metadata: string | null
  readonly dynamicVariables: string | null
}

type Outcome = Exit.Exit<DeliveryOutcome, StorageError | RedactionIncomplete | CallDeleted>

/** The most deliveries in one transaction, and the most characters of transcript and documents. */
const MOST = 64
const HEAVIEST = 8_000_000

/** Writers at work on PostgreSQL: a few keep its processes busy, more would make the groups smaller. */
const POSTGRES_WRITERS = 2

/** The metrics that were asked for, as JSON text; null is all of the agent's. */
const askedText = (asked: CallRecord["askedMetrics"]): string | null => (asked === null ? null : JSON.stringify(asked))

const documentText = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)

const pendingOf = (delivery: Delivery): Pending => ({
  delivery,
  transcript: delivery.transcript === undefined ? null : StoredTranscript.print(delivery.transcript.content),
  metadata: documentText(delivery.metadata),
  dynamicVariables: documentText(delivery.dynamicVariables)
})

const keyOf = (agentId: number, callId: string): string => `${agentId} ${callId}`

/** The columns of a call as a delivery and its agent make them, in the order of `INSERTED`. */
const INSERTED = [
  "organization_id",
  "project_id",
  "agent_id",
  "timestamp_ms",
  "duration_s",
  "is_reviewed",
  "call_id",
  "trace_id",
  "customer_number",
  "call_ended_reason",
  "feedback",
  "feedback_by_person",
  "error_message",
  "created_ms",
  "updated_ms",
  "metadata",
  "dynamic_variables",
  "asked_metrics",
  "redact_fields"
] as const

const write = (connection: Connection, text: string, params: ReadonlyArray<unknown>) =>
  connection.execute(text, params, undefined)

/** Reads what the inserts of new calls answer. */
const decodeKept = Schema.decodeUnknown(
  Schema.Array(Schema.Struct({ id: CallId, agent_id: AgentId, call_id: Schema.String }))
)

/** Splits into chunks whose lengths are powers of two, so that few statement texts serve every group. */
const chunks = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const all: Array<ReadonlyArray<A>> = []
  let from = 0
  while (from < items.length) {
    const length = 2 ** Math.floor(Math.log2(items.length - from))
    all.push(items.slice(from, from + length))
    from += length
  }
  return all
}

const placeholders = (columns: number, rows: number): string => {
  const row = `(${Array.from({ length: columns }, () => "?").join(",")})`
  return Array.from({ length: rows }, () => row).join(",")
}

/** One text a number of rows, made once. */
const perRows = (text: (rows: number) => string): ((rows: number) => string) => {
  const made = new Map<number, string>()
  return (rows) => {
    const known = made.get(rows)
    if (known !== undefined) return known
    const fresh = text(rows)
    made.set(rows, fresh)
    return fresh
  }
}

/** A delivery and its place in the group. */
interface Placed {
  readonly pending: Pending
  readonly position: number
  readonly key: string
}

const placed = (pending: Pending, position: number): Placed => ({
  pending,
  position,
  key: keyOf(pending.delivery.agent.id, pending.delivery.callId)
})

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const dialect = yield* Dialect
  const work = yield* UnitOfWork
  const reader = makeReader(sql, dialect)

  /** Deliveries of calls that are there already, in the order they came in: each is laid over what the one before made. */
  const repeat = (found: ReadonlyArray<Placed>, outcomes: Array<Outcome>) =>
    Effect.gen(function* () {
      const keys = new Map(found.map((one) => [one.key, one.pending.delivery]))
      const wanted = JSON.stringify([...keys.values()].map((delivery) => [delivery.agent.id, delivery.callId]))
      const locked = yield* sql<{ readonly id: number }>`SELECT c.id FROM calls c WHERE (c.agent_id, c.call_id) IN ${
        dialect.name === "sqlite"
          ? sql`(SELECT value ->> 0, value ->> 1 FROM json_each(${wanted}))`
          : sql`(SELECT (value ->> 0)::bigint, value ->> 1 FROM jsonb_array_elements(${wanted}::jsonb) AS value)`
      } ORDER BY c.id ${dialect.forUpdate}`
      // A second statement, since the one that waited for a lock still sees what was there before it waited.
      const existing = yield* reader.where(sql`WHERE c.id IN ${dialect.integers(locked.map((row) => row.id))}`, false)
      const records = new Map(existing.map((call) => [keyOf(call.agentId, call.callId), call]))
      const changed = new Map<string, CallRecord>()
      const newTranscripts = new Set<string>()
      const newRecordings = new Set<string>()
      const due = new Map<string, { readonly call: CallRecord; readonly again: boolean }>()
      const redacted = new Set<number>()
      /** Every state on the way, since a call is charged by the first that has a length, whoever shares the commit. */
      const steps: Array<CallRecord> = []
      for (const { key, pending, position } of found) {
        const record = records.get(key)
        const { mergeBase: laidOver } = pending.delivery
        if (record === undefined || (laidOver !== undefined && laidOver.call.id !== record.id)) {
          outcomes[position] = Exit.fail(new CallDeleted())
          continue
        }
        const laid = mergeRedelivery(record, pending.delivery)
        if (laid.missingRedaction.length > 0) {
          outcomes[position] = Exit.fail(new RedactionIncomplete({ fields: laid.missingRedaction }))
          continue
        }
        records.set(key, laid.call)
        if (laid.changed) {
          changed.set(key, laid.call)
          steps.push(laid.call)
        }
        if (laid.transcriptChanged) newTranscripts.add(key)
        if (laid.recordingChanged) newRecordings.add(key)
        if (laid.evaluationDue) {
          due.set(key, { call: laid.call, again: laid.transcriptChanged || due.get(key)?.again === true })
        }
        if (laid.redactionExtended) redacted.add(laid.call.id)
        outcomes[position] = Exit.succeed({
          call: laid.call,
          created: false,
          transcriptChanged: laid.transcriptChanged,
          released: laid.released
        })
      }
      if (changed.size > 0) yield* update(changed, steps, newTranscripts, newRecordings)
      if (redacted.size > 0) {
        const ids = dialect.integers([...redacted])
        // Explanations and quotes repeat what was said. A formula's value is a measure, and stays.
        yield* sql`DELETE FROM metric_evaluation_details WHERE call_id IN ${ids}`
        yield* sql`DELETE FROM metric_evaluations WHERE call_id IN ${ids} AND metric_id IN (
          SELECT m.id FROM metrics m WHERE m.type <> 'custom_code' OR m.custom_code <> '')`
      }
      if (due.size > 0) {
        yield* sql`INSERT INTO jobs ${sql.insert(
          [...due.values()].map(({ again, call }) =>
            jobColumns(
              evaluationJob(call.organizationId, call.id, call.askedMetrics, again),
              DateTime.toEpochMillis(call.updatedAt)
            )
          )
        )}`
      }
    })

  /** Saves what repeated deliveries changed, a statement a table. */
  const update = (
    changed: ReadonlyMap<string, CallRecord>,
    steps: ReadonlyArray<CallRecord>,
    transcripts: ReadonlySet<string>,
    recordings: ReadonlySet<string>
  ) =>
    Effect.gen(function* () {
      const rows = JSON.stringify(
        [...changed.values()].map((call) => ({
          id: call.id,
          timestamp_ms: DateTime.toEpochMillis(call.timestamp),
          duration_s: call.durationSeconds,
          trace_id: call.traceId,
          customer_number: call.customerNumber,
          call_ended_reason: call.callEndedReason,
          feedback: call.feedback,
          error_message: call.errorMessage,
          metadata: call.metadata,
          dynamic_variables: call.dynamicVariables,
          asked_metrics: askedText(call.askedMetrics),
          redact_fields: call.redactFields.join(","),
          updated_ms: DateTime.toEpochMillis(call.updatedAt)
        }))
      )
      if (dialect.name === "sqlite") {
        yield* sql`UPDATE calls SET timestamp_ms = g.value ->> 'timestamp_ms', duration_s = g.value ->> 'duration_s',
            trace_id = g.value ->> 'trace_id', customer_number = g.value ->> 'customer_number',
            call_ended_reason = g.value ->> 'call_ended_reason', feedback = g.value ->> 'feedback',
            error_message = g.value ->> 'error_message', metadata = NULLIF(g.value -> 'metadata', 'null'),
            dynamic_variables = NULLIF(g.value -> 'dynamic_variables', 'null'),
            asked_metrics = g.value ->> 'asked_metrics', redact_fields = g.value ->> 'redact_fields',
            updated_ms = g.value ->> 'updated_ms'
          FROM json_each(${rows}) AS g WHERE calls.id = g.value ->> 'id'`
      } else {
        yield* sql`UPDATE calls SET timestamp_ms = g.timestamp_ms, duration_s = g.duration_s, trace_id = g.trace_id,
            customer_number = g.customer_number, call_ended_reason = g.call_ended_reason, feedback = g.feedback,
            error_message = g.error_message, metadata = g.metadata, dynamic_variables = g.dynamic_variables,
            asked_metrics = g.asked_metrics, redact_fields = g.redact_fields, updated_ms = g.updated_ms
          FROM json_to_recordset(${rows}::json) AS g(id bigint, timestamp_ms bigint, duration_s double precision,
            trace_id text, customer_number text, call_ended_reason text, feedback text, error_message text,
            metadata jsonb, dynamic_variables jsonb, asked_metrics text, redact_fields text, updated_ms bigint)
          WHERE calls.id = g.id`
      }
      const told = [...changed].flatMap(([key, call]) =>
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
      if (told.length > 0) {
        yield* sql`INSERT INTO call_transcripts ${sql.insert(told)} ON CONFLICT (call_id)
          DO UPDATE SET transcript_type = excluded.transcript_type, transcript = excluded.transcript`
      }
      const recorded = [...changed].flatMap(([key, call]) =>
        recordings.has(key) && call.recording !== null ? [recordingRow(call.id, call.recording, call.updatedAt)] : []
      )
      if (recorded.length > 0) {
        yield* sql`INSERT INTO call_recordings ${sql.insert(recorded)} ON CONFLICT (call_id) DO UPDATE SET
          blob_key = excluded.blob_key, content_type = excluded.content_type, size_bytes = excluded.size_bytes,
          sha256 = excluded.sha256, duration_s = excluded.duration_s,
          main_agent_channel_index = excluded.main_agent_channel_index, created_ms = excluded.created_ms`
      }
      const gone = [...changed].flatMap(([key, call]) =>
        recordings.has(key) && call.recording === null ? [call.id] : []
      )
      if (gone.length > 0) yield* sql`DELETE FROM call_recordings WHERE call_id IN ${dialect.integers(gone)}`
      yield* charge(sql, steps)
    })

  const keep = dialect.name === "sqlite" ? onSqlite(sql, repeat) : onPostgres(sql, repeat, work)

  const deliver = yield* GroupCommit.make<Pending, DeliveryOutcome, StorageError | RedactionIncomplete | CallDeleted>({
    writers: dialect.name === "sqlite" ? 1 : POSTGRES_WRITERS,
    most: MOST,
    heaviest: HEAVIEST,
    weigh: (pending) =>
      (pending.transcript?.length ?? 0) + (pending.metadata?.length ?? 0) + (pending.dynamicVariables?.length ?? 0),
    commit: keep,
    isPoisoned: (error) => error._tag === "StorageFailed",
    closed: new StorageBusy({ operation: "CallStore.deliver" })
  })

  return (delivery: Delivery) => deliver(pendingOf(delivery))
})

const recordingRow = (callId: CallId, recording: NonNullable<CallRecord["recording"]>, at: DateTime.Utc) => ({
  call_id: callId,
  blob_key: recording.blobKey,
  content_type: recording.contentType,
  size_bytes: recording.sizeBytes,
  sha256: recording.sha256,
  duration_s: recording.durationSeconds,
  main_agent_channel_index: recording.mainAgentChannelIndex,
  created_ms: DateTime.toEpochMillis(at)
})

/** What a call's redaction costs, as a row of the ledger. */
const chargeRow = (call: CallRecord) => {
  const owed = redactionCharge(call)
  return owed === undefined
    ? undefined
    : {
        organization_id: call.organizationId,
        project_id: call.projectId,
        agent_id: call.agentId,
        call_id: call.id,
        reason: "redaction",
        charge_key: owed.key,
        seconds: owed.seconds,
        amount_micros: Number(owed.amount),
        created_ms: DateTime.toEpochMillis(call.updatedAt)
      }
}

/** Charges for calls that were not charged for before. */
const charge = (sql: SqlClient, calls: ReadonlyArray<CallRecord>) => {
  const rows = calls.map(chargeRow).filter((row) => row !== undefined)
  return rows.length === 0
    ? Effect.void
    : Effect.asVoid(sql`INSERT INTO credit_entries ${sql.insert(rows)} ON CONFLICT (charge_key) DO NOTHING`)
}

type Repeat = (
  found: ReadonlyArray<Placed>,
  outcomes: Array<Outcome>
) => Effect.Effect<void, SqlError | ParseResult.ParseError>

type Keep = (items: ReadonlyArray<Pending>) => Effect.Effect<ReadonlyArray<Outcome>, StorageError>

const created = (one: Placed, id: CallId): Outcome =>
  Exit.succeed({
    call: firstRecord(one.pending.delivery, id),
    created: true,
    transcriptChanged: one.pending.delivery.transcript !== undefined,
    released: []
  })

/** The first delivery of each call among these, and those that repeat one. */
const split = (found: ReadonlyArray<Placed>): readonly [ReadonlyMap<string, Placed>, Array<Placed>] => {
  const firsts = new Map<string, Placed>()
  const repeats: Array<Placed> = []
  for (const one of found) {
    if (firsts.has(one.key) || one.pending.delivery.mergeBase !== undefined) repeats.push(one)
    else firsts.set(one.key, one)
  }
  return [firsts, repeats]
}

/**
 * A transaction of SQLite with nothing around it: spans and savepoints of the client's own cost as much as the statements
 * of a call. It takes the client's one connection and the database's write lock as `UnitOfWork` does, and is not
 * interrupted: whoever waits for an outcome of a group may go, but the others still want theirs.
 */
const inTransaction = <A, E>(
  sql: SqlClient,
  steps: (connection: Connection) => Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  Effect.uninterruptible(
    Effect.scoped(
      Effect.flatMap(sql.reserve, (connection) =>
        Effect.zipRight(
          SqliteTransaction.begin(connection),
          Effect.matchCauseEffect(steps(connection), {
            onFailure: (cause) =>
              Effect.zipRight(Effect.ignore(SqliteTransaction.rollback(connection)), Effect.failCause(cause)),
            onSuccess: (answer) => Effect.as(SqliteTransaction.commit(connection), answer)
          })
        )
      )
    )
  )

/**
 * SQLite: one transaction on its one connection. Statements cost microseconds each, so each step is a plain one with
 * the values bound as they are.
 */
const onSqlite = (sql: SqlClient, repeat: Repeat): Keep => {
  const insertCalls = perRows(
    (rows) => `INSERT INTO calls (${INSERTED.join(", ")}) VALUES ${placeholders(INSERTED.length, rows)}
      ON CONFLICT (agent_id, call_id) DO NOTHING RETURNING id, agent_id, call_id`
  )
  const insertTranscripts = perRows(
    (rows) => `INSERT INTO call_transcripts (call_id, transcript_type, transcript) VALUES ${placeholders(3, rows)}`
  )

  const insertJobs = perRows(
    (rows) => `INSERT INTO jobs (organization_id, ordering_key, payload, due_ms, created_ms, updated_ms, kind, state, attempts,
      max_attempts) VALUES ${Array.from(
        { length: rows },
        () => `(?,?,?,?,?,?,'${EVALUATION_JOB}','queued',0,${EVALUATION_ATTEMPTS})`
      ).join(",")}`
  )

  return (items) =>
    inTransaction(sql, (connection) =>
      Effect.gen(function* () {
        const outcomes = new Array<Outcome>(items.length)
        const [firsts, repeats] = split(items.map(placed))
        const kept = new Map<string, CallId>()
        for (const chunk of chunks([...firsts.values()])) {
          const params: Array<unknown> = []
          for (const { pending } of chunk) {
            const received = DateTime.toEpochMillis(pending.delivery.receivedAt)
            const record = firstRecord(pending.delivery, NO_ID)
            params.push(
              record.organizationId,
              record.projectId,
              record.agentId,
              DateTime.toEpochMillis(record.timestamp),
              record.durationSeconds,
              0,
              record.callId,
              record.traceId,
              record.customerNumber,
              record.callEndedReason,
              record.feedback,
              0,
              record.errorMessage,
              received,
              received,
              pending.metadata,
              pending.dynamicVariables,
              askedText(record.askedMetrics),
              record.redactFields.join(",")
            )
          }
          const rows = yield* decodeKept(yield* write(connection, insertCalls(chunk.length), params))
          for (const row of rows) kept.set(keyOf(row.agent_id, row.call_id), row.id)
        }
        const transcripts: Array<ReadonlyArray<unknown>> = []
        const jobs: Array<ReadonlyArray<unknown>> = []
        const recordings: Array<ReturnType<typeof recordingRow>> = []
        const redacted: Array<CallRecord> = []
        for (const [key, one] of firsts) {
          const id = kept.get(key)
          if (id === undefined) {
            repeats.push(one)
            continue
          }
          const { delivery, transcript } = one.pending
          if (transcript !== null) transcripts.push([id, delivery.transcript?.type, transcript])
          if (delivery.recording !== undefined) {
            recordings.push(recordingRow(id, delivery.recording, delivery.receivedAt))
          }
          if (firstEvaluationDue(delivery)) {
            const at = DateTime.toEpochMillis(delivery.receivedAt)
            const job = evaluationJob(delivery.agent.organizationId, id, delivery.metricIds ?? null)
            jobs.push([job.organizationId, job.orderingKey, JSON.stringify(job.payload), at, at, at])
          }
          outcomes[one.position] = created(one, id)
          if (delivery.redactFields.length > 0) redacted.push(firstRecord(delivery, id))
        }
        for (const chunk of chunks(jobs)) yield* write(connection, insertJobs(chunk.length), chunk.flat())
        for (const chunk of chunks(transcripts)) {
          yield* write(connection, insertTranscripts(chunk.length), chunk.flat())
        }
        const rare = Effect.gen(function* () {
          yield* charge(sql, redacted)
          if (recordings.length > 0) yield* sql`INSERT INTO call_recordings ${sql.insert(recordings)}`
          if (repeats.length > 0) yield* repeat(inOrder(repeats), outcomes)
        })
        if (recordings.length + repeats.length + redacted.length > 0) {
          yield* Effect.provideService(rare, TransactionConnection, [connection, 0])
        }
        return outcomes
      })
    ).pipe(storing("CallStore.deliver"))
}

/** Stands for the id that the database has not given yet. */
const NO_ID = CallId.make(1)

const inOrder = (found: ReadonlyArray<Placed>): ReadonlyArray<Placed> =>
  found.toSorted((a, b) => a.position - b.position)

/**
 * PostgreSQL: one statement keeps a group's new calls with all that belongs to them, so it costs one round trip. Calls
 * that are there already need a transaction of their own, which not every group pays for.
 */
const KEEP_NEW = "SELECT id, agent_id, call_id FROM earshot_keep_calls($1)"

const onPostgres = (sql: SqlClient, repeat: Repeat, work: UnitOfWork["Type"]): Keep => {
  const givenOf = (pending: Pending) => {
    const record = firstRecord(pending.delivery, NO_ID)
    return {
      organization_id: record.organizationId,
      project_id: record.projectId,
      agent_id: record.agentId,
      timestamp_ms: DateTime.toEpochMillis(record.timestamp),
      duration_s: record.durationSeconds,
      call_id: record.callId,
      trace_id: record.traceId,
      customer_number: record.customerNumber,
      call_ended_reason: record.callEndedReason,
      feedback: record.feedback,
      error_message: record.errorMessage,
      created_ms: DateTime.toEpochMillis(record.createdAt),
      metadata: record.metadata,
      dynamic_variables: record.dynamicVariables,
      asked_metrics: askedText(record.askedMetrics),
      evaluates: firstEvaluationDue(pending.delivery),
      redact_fields: record.redactFields.join(","),
      charge_micros: chargeRow(record)?.amount_micros ?? null,
      transcript_type: record.transcriptType,
      transcript: pending.transcript,
      recording: record.recording === null ? null : recordingRow(NO_ID, record.recording, record.createdAt)
    }
  }

  /** The new calls of the group are kept by now, so a fault here is that of the repeats alone. */
  const settle = (repeats: ReadonlyArray<Placed>, outcomes: Array<Outcome>): Effect.Effect<void> =>
    work.atomically(repeat(repeats, outcomes)).pipe(
      storing("CallStore.deliver"),
      Effect.catchAll((error) =>
        repeats.length > 1 && error._tag === "StorageFailed"
          ? Effect.forEach(repeats, (one) => settle([one], outcomes), { discard: true })
          : Effect.sync(() => {
              for (const one of repeats) outcomes[one.position] = Exit.fail(error)
            })
      )
    )

  return (items) =>
    Effect.gen(function* () {
      const outcomes = new Array<Outcome>(items.length)
      const [firsts, repeats] = split(items.map(placed))
      const given = JSON.stringify([...firsts.values()].map((one) => givenOf(one.pending)))
      const answered = yield* Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) => write(connection, KEEP_NEW, [given]))
      )
      const rows = yield* decodeKept(answered)
      const kept = new Map(rows.map((row) => [keyOf(row.agent_id, row.call_id), row.id]))
      for (const [key, one] of firsts) {
        const id = kept.get(key)
        if (id === undefined) repeats.push(one)
        else outcomes[one.position] = created(one, id)
      }
      if (repeats.length > 0) yield* settle(inOrder(repeats), outcomes)
      return outcomes
    }).pipe(storing("CallStore.deliver"))
}
