import { SqlClient } from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Claim, DEFAULT_ATTEMPTS, Job, JobState, type NewJob } from "../../jobs/Job.js"
import { type ClaimRef, JobStore } from "../../jobs/JobStore.js"
import { JobId, OrganizationId } from "../../kernel/Ids.js"
import type { Json } from "../../kernel/Json.js"
import * as Pages from "../../kernel/Pages.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { Instant, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const JobRow = Schema.Struct({
  id: JobId,
  organization_id: OrganizationId,
  kind: Schema.String,
  key: Schema.NullOr(Schema.String),
  state: JobState,
  attempts: Schema.Int,
  max_attempts: Schema.Int,
  last_error: Schema.NullOr(Schema.String),
  due_ms: Schema.NullOr(Instant),
  created_ms: Instant,
  updated_ms: Instant
})

const toJob = (row: typeof JobRow.Type): Job =>
  new Job({
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    key: row.key,
    state: row.state,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    lastError: row.last_error,
    dueAt: row.due_ms,
    createdAt: row.created_ms,
    updatedAt: row.updated_ms
  })

/** A payload as it was enqueued; what the database gives back is JSON. */
const Payload: Schema.Schema<Json, string> = Schema.parseJson(Schema.declare((_value): _value is Json => true))

const ClaimRow = Schema.Struct({
  id: JobId,
  organization_id: OrganizationId,
  kind: Schema.String,
  key: Schema.NullOr(Schema.String),
  payload: Payload,
  attempts: Schema.Int,
  max_attempts: Schema.Int,
  owner: Schema.String
})

const toClaim = (row: typeof ClaimRow.Type): Claim => ({
  id: row.id,
  organizationId: row.organization_id,
  kind: row.kind,
  key: row.key,
  payload: row.payload,
  attempt: row.attempts,
  maxAttempts: row.max_attempts,
  owner: row.owner
})

/** The longest reason that is stored. */
const MAX_REASON = 1000

/** Rows in one statement: each binds eleven values, and SQLite takes 32,766. */
const BATCH = 1000

/** A job's columns as it is enqueued. */
export const jobColumns = (job: NewJob, now: number) => ({
  organization_id: job.organizationId,
  kind: job.kind,
  key: job.key ?? null,
  ordering_key: job.orderingKey ?? null,
  payload: JSON.stringify(job.payload),
  state: "queued",
  attempts: 0,
  max_attempts: job.maxAttempts ?? DEFAULT_ATTEMPTS,
  due_ms: job.notBefore ?? now,
  created_ms: now,
  updated_ms: now
})

export const layer = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const columns = sql.literal(
      "id, organization_id, kind, key, state, attempts, max_attempts, last_error, due_ms, created_ms, updated_ms"
    )
    const jobs = readRows(JobRow, toJob)
    const claims = readRows(ClaimRow, toClaim)
    const ids = readRows(Schema.Struct({ id: JobId }), ({ id }) => id)
    const some = readRows(Schema.Struct({ found: Schema.Number }), ({ found }) => found)

    /** The row of a claim for as long as it is one. */
    const held = ({ attempt, id, owner }: ClaimRef) =>
      sql`id = ${id} AND owner = ${owner} AND attempts = ${attempt} AND state = 'running'`

    return JobStore.of({
      enqueue: (job, now) =>
        Effect.gen(function* () {
          const made = yield* sql`INSERT INTO ${tables.jobs} ${sql.insert(jobColumns(job, now))}
            ON CONFLICT DO NOTHING RETURNING id`.pipe(ids.first)
          if (Option.isSome(made)) return { id: made.value, created: true }
          const found =
            yield* sql`SELECT id FROM ${tables.jobs} WHERE kind = ${job.kind} AND key = ${job.key ?? null}`.pipe(
              ids.one
            )
          return { id: found, created: false }
        }).pipe(storing("JobStore.enqueue")),
      enqueueAll: (all, now) =>
        Effect.forEach(
          Chunk.chunksOf(Chunk.fromIterable(all), BATCH),
          (some) =>
            sql`INSERT INTO ${tables.jobs} ${sql.insert(Chunk.toReadonlyArray(some).map((job) => jobColumns(job, now)))}
                ON CONFLICT DO NOTHING`,
          { discard: true }
        ).pipe(storing("JobStore.enqueueAll")),
      hasDue: (kinds, now) =>
        sql`SELECT 1 AS found WHERE EXISTS (
            SELECT 1 FROM ${tables.jobs} WHERE kind IN ${dialect.texts(kinds)} AND due_ms IS NOT NULL AND due_ms <= ${now})`.pipe(
          some.first,
          Effect.map(Option.isSome),
          storing("JobStore.hasDue")
        ),
      claim: (owner, { kind, limit }, { now, until }) =>
        // The rows are locked before they are changed, so that a concurrent claim skips them; a row that changed while this
        // one waited is checked again.
        sql`WITH due (due_id) AS MATERIALIZED (
              SELECT id FROM ${tables.jobs} j
              WHERE kind = ${kind} AND due_ms IS NOT NULL AND due_ms <= ${now}
                AND (state = 'queued' OR attempts < max_attempts)
                AND (ordering_key IS NULL OR NOT EXISTS (
                  SELECT 1 FROM ${tables.jobs} earlier
                  WHERE earlier.kind = j.kind AND earlier.ordering_key = j.ordering_key AND earlier.id < j.id
                    AND earlier.due_ms IS NOT NULL))
              ORDER BY due_ms, id LIMIT ${limit} ${dialect.skipLocked}
            )
            UPDATE ${tables.jobs} SET state = 'running', owner = ${owner}, attempts = attempts + 1, due_ms = ${until},
              updated_ms = ${now}
            FROM due WHERE id = due_id
            RETURNING id, organization_id, kind, key, payload, attempts, max_attempts, owner`.pipe(
          claims.all,
          Effect.map((claimed) => claimed.toSorted((a, b) => a.id - b.id)),
          storing("JobStore.claim")
        ),
      markExhaustedDead: (kinds, now) =>
        sql`UPDATE ${tables.jobs} SET state = 'dead', owner = NULL, due_ms = NULL, updated_ms = ${now},
              last_error = 'Its process ended or stood still, and no attempt is left.'
            WHERE kind IN ${dialect.texts(kinds)} AND due_ms IS NOT NULL AND due_ms <= ${now} AND state = 'running'
              AND attempts >= max_attempts RETURNING id`.pipe(
          ids.all,
          Effect.map((buried) => buried.length),
          storing("JobStore.markExhaustedDead")
        ),
      extend: (all, { now, until }) =>
        all.length === 0
          ? Effect.succeed([])
          : sql`UPDATE ${tables.jobs} SET due_ms = ${until}, updated_ms = ${now}
              WHERE ${sql.or(all.map((claim) => sql`(${held(claim)})`))} RETURNING id`.pipe(
              ids.all,
              storing("JobStore.extend")
            ),
      isLeaseValid: (claim, now) =>
        sql`SELECT id FROM ${tables.jobs} WHERE ${held(claim)} AND due_ms > ${now} ${dialect.forUpdate}`.pipe(
          ids.first,
          Effect.map(Option.isSome),
          storing("JobStore.isLeaseValid")
        ),
      succeed: (claim, now) =>
        sql`UPDATE ${tables.jobs} SET state = 'succeeded', owner = NULL, due_ms = NULL, last_error = NULL, updated_ms = ${now}
            WHERE ${held(claim)} RETURNING id`.pipe(ids.first, Effect.map(Option.isSome), storing("JobStore.succeed")),
      fail: (claim, { reason, retryAt }, now) =>
        sql`UPDATE ${tables.jobs} SET state = ${retryAt === null ? "dead" : "queued"}, owner = NULL, due_ms = ${retryAt},
              last_error = ${reason.slice(0, MAX_REASON).replaceAll("\0", "").toWellFormed()}, updated_ms = ${now}
            WHERE ${held(claim)} RETURNING id`.pipe(ids.first, Effect.map(Option.isSome), storing("JobStore.fail")),
      release: (all, now) =>
        all.length === 0
          ? Effect.void
          : sql`UPDATE ${tables.jobs} SET state = 'queued', owner = NULL, due_ms = ${now}, attempts = attempts - 1,
                updated_ms = ${now}
              WHERE ${sql.or(all.map((claim) => sql`(${held(claim)})`))}`.pipe(
              Effect.asVoid,
              storing("JobStore.release")
            ),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables.jobs} WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          jobs.first,
          storing("JobStore.find")
        ),
      list: (permit, { kind, state }, page) =>
        sql`SELECT ${columns} FROM ${tables.jobs}
            WHERE organization_id = ${permit.organizationId}
              AND ${state === undefined ? sql`1 = 1` : sql`state = ${state}`}
              AND ${kind === undefined ? sql`1 = 1` : sql`kind = ${kind}`}
              AND ${keyset(sql, page)}`.pipe(
          jobs.all,
          Effect.map((rows) => Pages.found(page, rows)),
          storing("JobStore.list")
        ),
      requeue: (permit, id, now) =>
        sql`UPDATE ${tables.jobs} SET state = 'queued', attempts = 0, due_ms = ${now}, updated_ms = ${now}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND state = 'dead' RETURNING id`.pipe(
          ids.first,
          Effect.map(Option.isSome),
          storing("JobStore.requeue")
        ),
      prune: ({ dead, succeeded }) =>
        sql`DELETE FROM ${tables.jobs} WHERE due_ms IS NULL
              AND ((state = 'succeeded' AND updated_ms < ${succeeded}) OR (state = 'dead' AND updated_ms < ${dead}))
            RETURNING id`.pipe(
          ids.all,
          Effect.map((pruned) => pruned.length),
          storing("JobStore.prune")
        )
    })
  })
)
