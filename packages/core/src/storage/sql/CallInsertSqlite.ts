/**
 * Inserts new calls on SQLite: one transaction on its one connection. Statements cost microseconds each, so each step is
 * a plain one with the values bound as they are.
 */
import type { Connection } from "@effect/sql/SqlConnection"
import { type SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { CallRecord } from "../../calls/CallRecord.js"
import { evaluationJob } from "../../calls/EvaluationJob.js"
import { firstEvaluationDue, firstRecord } from "../../calls/RedeliveryRules.js"
import { type CallId, OrganizationId } from "../../kernel/Ids.js"
import type { Json } from "../../kernel/Json.js"
import { INSERTED, isJson, recordingRow, TRANSCRIPT, valueOf } from "./CallColumns.js"
import {
  created,
  decodeInserted,
  execute,
  inOrder,
  keyOf,
  NO_ID,
  type Outcome,
  type PendingDelivery,
  type Redeliver,
  splitGroup,
  type WriteGroup
} from "./CallDelivery.js"
import { chargeCalls } from "./CallRedeliverySql.js"
import type { DialectFragments } from "./Dialect.js"
import { jobColumns } from "./JobStoreSql.js"
import * as SqliteTransaction from "./SqliteTransaction.js"
import { storing } from "./Storing.js"

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

/** An INSERT of so many rows; each text is made once. */
const insertOf = (table: string, columns: ReadonlyArray<string>, tail = ""): ((rows: number) => string) => {
  const texts = new Map<number, string>()
  const row = `(${columns.map(() => "?").join(",")})`
  return (rows) => {
    const known = texts.get(rows)
    if (known !== undefined) return known
    const text = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${Array.from({ length: rows }, () => row).join(",")} ${tail}`
    texts.set(rows, text)
    return text
  }
}

/**
 * A transaction of SQLite with nothing around it: spans and savepoints of the client's own cost as much as the statements
 * of a call. `reserve` gives the client's one connection with the database's write lock, in a transaction that was begun.
 * It is not interrupted: one caller of a group may be, but the others still wait for their outcomes.
 */
const inTransaction = <A, E>(
  sql: SqlClient,
  steps: (connection: Connection) => Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  Effect.uninterruptible(
    Effect.scoped(
      Effect.flatMap(sql.reserve, (connection) =>
        Effect.matchCauseEffect(steps(connection), {
          onFailure: (cause) => Effect.zipRight(SqliteTransaction.rollback(connection), Effect.failCause(cause)),
          onSuccess: (answer) => Effect.as(SqliteTransaction.commit(connection), answer)
        })
      )
    )
  )

/** The columns of a job that is enqueued. */
const JOB = Object.keys(jobColumns({ organizationId: OrganizationId.make(1), kind: "", payload: null }, 0))

/** The values of a new call, its documents as the text that was made beforehand. */
const insertedValues = (pending: PendingDelivery): ReadonlyArray<Json> => {
  const record = firstRecord(pending.delivery, NO_ID)
  return INSERTED.map((name) =>
    isJson(name) ? (name === "metadata" ? pending.metadata : pending.dynamicVariables) : valueOf(record, name)
  )
}

export const writeOnSqlite = (
  sql: SqlClient,
  { nameOf, tables }: DialectFragments,
  redeliver: Redeliver
): WriteGroup => {
  const insertCalls = insertOf(
    nameOf("calls"),
    INSERTED,
    "ON CONFLICT (agent_id, call_id) DO NOTHING RETURNING id, agent_id, call_id"
  )
  const insertTranscripts = insertOf(nameOf("call_transcripts"), ["call_id", ...TRANSCRIPT])
  const insertJobs = insertOf(nameOf("jobs"), JOB)

  return (items) =>
    inTransaction(sql, (connection) =>
      Effect.gen(function* () {
        const outcomes = new Array<Outcome>(items.length)
        const [firsts, redeliveries] = splitGroup(items)
        const inserted = new Map<string, CallId>()
        for (const chunk of chunks([...firsts.values()])) {
          const params = chunk.flatMap(({ pending }) => insertedValues(pending))
          const rows = yield* decodeInserted(yield* execute(connection, insertCalls(chunk.length), params))
          for (const row of rows) inserted.set(keyOf(row.agent_id, row.call_id), row.id)
        }
        const transcripts: Array<ReadonlyArray<unknown>> = []
        const jobs: Array<ReadonlyArray<unknown>> = []
        const recordings: Array<ReturnType<typeof recordingRow>> = []
        const redacted: Array<CallRecord> = []
        for (const [key, one] of firsts) {
          const id = inserted.get(key)
          if (id === undefined) {
            redeliveries.push(one)
            continue
          }
          const { delivery, transcript } = one.pending
          if (transcript !== null) transcripts.push([id, delivery.transcript?.type, transcript])
          if (delivery.recording !== undefined) {
            recordings.push(recordingRow(id, delivery.recording, delivery.receivedAt))
          }
          if (firstEvaluationDue(delivery)) {
            const job = evaluationJob(delivery.agent.organizationId, id, delivery.metricIds ?? null)
            jobs.push(Object.values(jobColumns(job, DateTime.toEpochMillis(delivery.receivedAt))))
          }
          outcomes[one.position] = created(one, id)
          if (delivery.redactFields.length > 0) redacted.push(firstRecord(delivery, id))
        }
        for (const chunk of chunks(jobs)) yield* execute(connection, insertJobs(chunk.length), chunk.flat())
        for (const chunk of chunks(transcripts)) {
          yield* execute(connection, insertTranscripts(chunk.length), chunk.flat())
        }
        const rare = Effect.gen(function* () {
          yield* chargeCalls(sql, tables, redacted)
          if (recordings.length > 0) yield* sql`INSERT INTO ${tables.call_recordings} ${sql.insert(recordings)}`
          if (redeliveries.length > 0) yield* redeliver(inOrder(redeliveries), outcomes)
        })
        if (recordings.length + redeliveries.length + redacted.length > 0) {
          yield* Effect.provideService(rare, TransactionConnection, [connection, 0])
        }
        return outcomes
      })
    ).pipe(storing("CallStore.deliver"))
}
