import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { Quota } from "../../jobs/ClaimRules.js"
import { type Claim, DEFAULT_ATTEMPTS, Job, JobState, type NewJob } from "../../jobs/Job.js"
import { MAX_COUNTED } from "../../jobs/JobCounts.js"
import { type ClaimRef, JobStore } from "../../jobs/JobStore.js"
import { LeaseClock } from "../../jobs/LeaseClock.js"
import { JobId, OrganizationId } from "../../kernel/Ids.js"
import type { Json } from "../../kernel/Json.js"
import * as Pages from "../../kernel/Pages.js"
import { Dialect, type DialectFragments } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { growing } from "./Reads.js"
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

/** The jobs, with these numbers of attempts, of one owner. */
interface OwnClaims {
  readonly owner: string
  readonly pairs: ReadonlyArray<readonly [id: number, attempt: number]>
}

const byOwner = (claims: ReadonlyArray<ClaimRef>): ReadonlyArray<OwnClaims> => {
  const owners = new Map<string, Array<readonly [number, number]>>()
  for (const { attempt, id, owner } of claims) {
    const pairs = owners.get(owner)
    if (pairs === undefined) owners.set(owner, [[id, attempt]])
    else pairs.push([id, attempt])
  }
  return [...owners].map(([owner, pairs]) => ({ owner, pairs }))
}

/** The current time by PostgreSQL's clock, epoch milliseconds. */
export const SERVER_TIME = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

/** Reads the clock of `LeaseClock`. */
export const leaseTime = (sql: SqlClient, dialect: DialectFragments) =>
  Effect.map(LeaseClock, (clock) => {
    if (clock === "process" || dialect.name === "sqlite") return Clock.currentTimeMillis
    const times = readRows(Schema.Struct({ now_ms: Schema.Number }), (row) => row.now_ms)
    return sql`SELECT ${sql.literal(SERVER_TIME)} AS now_ms`.pipe(times.one)
  })

export const layer = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const time = yield* leaseTime(sql, dialect)
    const columns = sql.literal(
      "id, organization_id, kind, key, state, attempts, max_attempts, last_error, due_ms, created_ms, updated_ms"
    )
    const jobs = readRows(JobRow, toJob)
    const claims = readRows(ClaimRow, toClaim)
    const ids = readRows(Schema.Struct({ id: JobId }), ({ id }) => id)
    const organizations = readRows(Schema.Struct({ org: OrganizationId }), ({ org }) => org)
    const kindsOf = readRows(Schema.Struct({ kind: Schema.String }), ({ kind }) => kind)
    const counts = readRows(
      Schema.Struct({
        kind: Schema.String,
        waiting: Schema.Number,
        running: Schema.Number,
        dead: Schema.Number,
        oldest_ms: Schema.NullOr(Schema.Number)
      }),
      (row) => row
    )

    /** The rows of claims for as long as they are theirs. */
    const held = ({ owner, pairs }: OwnClaims) =>
      sql`owner = ${owner} AND state = 'running' AND (id, attempts) IN (SELECT low, high FROM ${dialect.ranges(pairs)} AS given)`

    /** Runs a statement for the claims of each owner; there is hardly ever more than one. */
    const forOwners = (
      all: ReadonlyArray<ClaimRef>,
      statement: (own: OwnClaims) => Effect.Effect<ReadonlyArray<JobId>, SqlError | ParseError>
    ) => Effect.map(Effect.forEach(byOwner(all), statement), (found) => found.flat())

    /** When a job is due that was enqueued at `now` by a clock that may be ahead of the database's. */
    const dueBy = (now: number) => Effect.map(time, (current) => Math.min(now, current))

    /** Organizations with due jobs of a kind, ids in (after, upTo]. */
    const upcoming = (kind: string, after: number, upTo: number, limit: number, now: number) =>
      // Each step of the recursion is one index entry, for the next organization that has any unfinished job of this kind.
      sql`WITH RECURSIVE upcoming (org) AS (
            SELECT (SELECT min(organization_id) FROM ${tables.jobs}
                    WHERE kind = ${kind} AND due_ms IS NOT NULL AND organization_id > ${after})
            UNION ALL
            SELECT (SELECT min(organization_id) FROM ${tables.jobs}
                    WHERE kind = ${kind} AND due_ms IS NOT NULL AND organization_id > upcoming.org)
            FROM upcoming WHERE org IS NOT NULL AND org < ${upTo}
          )
          SELECT org FROM upcoming WHERE org <= ${upTo} AND (
            SELECT min(due_ms) FROM ${tables.jobs}
            WHERE kind = ${kind} AND organization_id = org AND due_ms IS NOT NULL) <= ${now}
          LIMIT ${limit}`.pipe(organizations.all)

    const claimOf = (owner: string, kind: string, { limit, organizationId }: Quota, now: number, until: number) =>
      // The rows are locked before they are changed, so that a concurrent claim skips them; a row that changed while this
      // one waited is checked again.
      sql`WITH due (due_id) AS MATERIALIZED (
            SELECT id FROM ${tables.jobs} j
            WHERE kind = ${kind} AND organization_id = ${organizationId} AND due_ms IS NOT NULL AND due_ms <= ${now}
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
          RETURNING id, organization_id, kind, key, payload, attempts, max_attempts, owner`.pipe(claims.all)

    return JobStore.of({
      now: time.pipe(storing("JobStore.now")),
      enqueue: (job, now) =>
        Effect.gen(function* () {
          const made = yield* sql`INSERT INTO ${tables.jobs} ${sql.insert(jobColumns(job, yield* dueBy(now)))}
            ON CONFLICT DO NOTHING RETURNING id`.pipe(ids.first)
          if (Option.isSome(made)) return { id: made.value, created: true }
          const found =
            yield* sql`SELECT id FROM ${tables.jobs} WHERE kind = ${job.kind} AND key = ${job.key ?? null}`.pipe(
              ids.one
            )
          return { id: found, created: false }
        }).pipe(storing("JobStore.enqueue")),
      enqueueAll: (all, now) =>
        Effect.flatMap(dueBy(now), (due) =>
          Effect.forEach(
            Chunk.chunksOf(Chunk.fromIterable(all), BATCH),
            (some) =>
              sql`INSERT INTO ${tables.jobs} ${sql.insert(Chunk.toReadonlyArray(some).map((job) => jobColumns(job, due)))}
                  ON CONFLICT DO NOTHING`,
            { discard: true }
          )
        ).pipe(storing("JobStore.enqueueAll")),
      unfinished: (kinds) =>
        sql`SELECT asked.value AS kind FROM ${dialect.texts(kinds)} AS asked WHERE EXISTS (
              SELECT 1 FROM ${tables.jobs} WHERE kind = asked.value AND due_ms IS NOT NULL)`.pipe(
          kindsOf.all,
          storing("JobStore.unfinished")
        ),
      waiting: (kind, { after, limit }, now) =>
        Effect.gen(function* () {
          const behind = yield* upcoming(kind, after, Number.MAX_SAFE_INTEGER, limit, now)
          return after <= 0 || behind.length >= limit
            ? behind
            : [...behind, ...(yield* upcoming(kind, 0, after, limit - behind.length, now))]
        }).pipe(storing("JobStore.waiting")),
      claim: (owner, { kind, quotas }, { now, until }) =>
        Effect.forEach(quotas, (quota) => claimOf(owner, kind, quota, now, until)).pipe(
          Effect.map((claimed) => claimed.flat().toSorted((a, b) => a.id - b.id)),
          storing("JobStore.claim")
        ),
      markExhaustedDead: (kinds, now) =>
        sql`UPDATE ${tables.jobs} SET state = 'dead', owner = NULL, due_ms = NULL, updated_ms = ${now},
              last_error = 'Its process ended or stood still, and no attempt is left.'
            WHERE kind IN ${dialect.texts(kinds)} AND due_ms <= ${now} AND state = 'running'
              AND attempts >= max_attempts RETURNING id`.pipe(
          ids.all,
          Effect.map((dead) => dead.length),
          storing("JobStore.markExhaustedDead")
        ),
      extend: (all, { now, until }) =>
        forOwners(all, (own) =>
          sql`UPDATE ${tables.jobs} SET due_ms = ${until}, updated_ms = ${now} WHERE ${held(own)} RETURNING id`.pipe(
            ids.all
          )
        ).pipe(storing("JobStore.extend")),
      validLeases: (all, now) =>
        forOwners(all, (own) =>
          sql`SELECT id FROM ${tables.jobs} WHERE ${held(own)} AND due_ms > ${now} ORDER BY id ${dialect.forUpdate}`.pipe(
            ids.all
          )
        ).pipe(storing("JobStore.validLeases")),
      succeed: (all, now) =>
        forOwners(all, (own) =>
          sql`UPDATE ${tables.jobs} SET state = 'succeeded', owner = NULL, due_ms = NULL, last_error = NULL, updated_ms = ${now}
              WHERE ${held(own)} RETURNING id`.pipe(ids.all)
        ).pipe(storing("JobStore.succeed")),
      handOver: (all, kind, now) =>
        forOwners(all, (own) =>
          sql`UPDATE ${tables.jobs} SET kind = ${kind}, state = 'queued', owner = NULL, due_ms = ${now}, attempts = 0,
                updated_ms = ${now}
              WHERE ${held(own)} RETURNING id`.pipe(ids.all)
        ).pipe(storing("JobStore.handOver")),
      fail: (claim, { reason, retryAt }, now) =>
        forOwners([claim], (own) =>
          sql`UPDATE ${tables.jobs} SET state = ${retryAt === null ? "dead" : "queued"}, owner = NULL, due_ms = ${retryAt},
                last_error = ${reason.slice(0, MAX_REASON).replaceAll("\0", "").toWellFormed()}, updated_ms = ${now}
              WHERE ${held(own)} RETURNING id`.pipe(ids.all)
        ).pipe(
          Effect.map((failed) => failed.length > 0),
          storing("JobStore.fail")
        ),
      release: (all, now) =>
        forOwners(all, (own) =>
          sql`UPDATE ${tables.jobs} SET state = 'queued', owner = NULL, due_ms = ${now}, attempts = attempts - 1,
                updated_ms = ${now}
              WHERE ${held(own)} RETURNING id`.pipe(ids.all)
        ).pipe(Effect.asVoid, storing("JobStore.release")),
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
          growing("list", permit),
          storing("JobStore.list")
        ),
      requeue: (permit, id, now) =>
        sql`UPDATE ${tables.jobs} SET state = 'queued', attempts = 0, due_ms = ${now}, updated_ms = ${now}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND state = 'dead' RETURNING id`.pipe(
          ids.first,
          Effect.map(Option.isSome),
          storing("JobStore.requeue")
        ),
      prune: ({ dead, limit, succeeded }) =>
        sql`DELETE FROM ${tables.jobs} WHERE id IN (
              SELECT id FROM ${tables.jobs} WHERE due_ms IS NULL AND state = 'succeeded' AND updated_ms < ${succeeded}
              LIMIT ${limit})
            RETURNING id`.pipe(
          ids.all,
          Effect.zipWith(
            sql`DELETE FROM ${tables.jobs} WHERE id IN (
                  SELECT id FROM ${tables.jobs} WHERE due_ms IS NULL AND state = 'dead' AND updated_ms < ${dead}
                  LIMIT ${limit})
                RETURNING id`.pipe(ids.all),
            (one, other) => one.length + other.length
          ),
          storing("JobStore.prune")
        ),
      counts: (now) => {
        const count = (condition: Fragment) =>
          sql`(SELECT count(*) FROM (
                SELECT 1 FROM ${tables.jobs} WHERE kind = kinds.of AND ${condition} LIMIT ${MAX_COUNTED}) AS counted)`
        return sql`WITH RECURSIVE kinds (of) AS (
              SELECT (SELECT min(kind) FROM ${tables.jobs} WHERE state <> 'succeeded')
              UNION ALL
              SELECT (SELECT min(kind) FROM ${tables.jobs} WHERE state <> 'succeeded' AND kind > kinds.of)
              FROM kinds WHERE of IS NOT NULL
            )
            SELECT of AS kind, ${count(sql`state = 'queued'`)} AS waiting, ${count(sql`state = 'running'`)} AS running,
              ${count(sql`state = 'dead'`)} AS dead,
              (SELECT min(due_ms) FROM ${tables.jobs} WHERE kind = kinds.of AND state = 'queued') AS oldest_ms
            FROM kinds WHERE of IS NOT NULL ORDER BY of`.pipe(
          counts.all,
          Effect.map((rows) =>
            rows.map(({ oldest_ms, ...row }) => ({
              ...row,
              oldestWaitingSeconds: oldest_ms === null ? 0 : Math.max(0, (now - oldest_ms) / 1000)
            }))
          ),
          storing("JobStore.counts")
        )
      }
    })
  })
)
