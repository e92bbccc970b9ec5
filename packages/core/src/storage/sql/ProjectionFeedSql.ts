import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import type { ProjectedEvaluation } from "../../analytics/Projection.js"
import { type ProjectionBatch, ProjectionFeed } from "../../analytics/ProjectionFeed.js"
import { stateIn } from "../../analytics/ProjectionRules.js"
import type { ProjectionStatus } from "../../analytics/ProjectionStatus.js"
import { AgentId, CallId, MetricId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { groupsWithin } from "../../kernel/Pages.js"
import { UnitOfWork } from "../../kernel/Storage.js"
import { sizeOf, sizes } from "./BoundedPage.js"
import { Dialect } from "./Dialect.js"
import { leaseTime } from "./JobStoreSql.js"
import * as ProjectionTriggers from "./ProjectionTriggers.js"
import { growing } from "./Reads.js"
import { readRows } from "./Rows.js"
import { Flag, storing } from "./Storing.js"

const NullableInt = Schema.NullOr(Schema.Int)
const NullableText = Schema.NullOr(Schema.String)

const StateRow = Schema.Struct({
  installation: NullableText,
  triggers: NullableText,
  generation: NullableText,
  rebuilt_to: Schema.Int,
  rebuild_to: NullableInt,
  version: Schema.Int,
  lease: NullableText,
  lease_until_ms: Schema.Int,
  active_ms: Schema.Int,
  erase_first_ms: NullableInt,
  erase_last_ms: NullableInt,
  source_database: NullableText
})
type StateRow = typeof StateRow.Type

const pairOf = (first: number | null, last: number | null) => (first === null || last === null ? null : { first, last })

const toStatus = (
  row: StateRow & {
    readonly first_change: number | null
    readonly last_change: number | null
    readonly database: string
  },
  now: number
): ProjectionStatus => ({
  ...stateIn(row.database, row, row.source_database),
  recording: row.triggers !== null,
  rebuild: row.rebuild_to === null ? null : { done: row.rebuilt_to, of: row.rebuild_to },
  pending: pairOf(row.first_change, row.last_change),
  activeAt: row.active_ms,
  leased: row.lease !== null && row.lease_until_ms > now,
  unerased: pairOf(row.erase_first_ms, row.erase_last_ms),
  now
})

const ChangeRow = Schema.Struct({ id: Schema.Int, call_id: CallId, erases: Flag })

/** `[metric, kind, number, text, latencies of answers]` of each evaluation. */
const Evaluations = Schema.parseJson(
  Schema.Array(
    Schema.Tuple(
      MetricId,
      Schema.Literal("number", "boolean", "text", "null"),
      Schema.NullOr(Schema.Number),
      Schema.NullOr(Schema.String),
      Schema.NullOr(Schema.Array(Schema.Number))
    )
  )
)

const CallRow = Schema.Struct({
  id: CallId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  agent_id: AgentId,
  timestamp_ms: Schema.Number,
  duration_s: Schema.NullOr(Schema.Number),
  success: Schema.NullOr(Flag),
  is_reviewed: Flag,
  call_id: Schema.String,
  trace_id: Schema.String,
  customer_number: NullableText,
  call_ended_reason: NullableText,
  dropoff_point: NullableText,
  topic: NullableText,
  feedback: NullableText,
  metadata: NullableText,
  dynamic_variables: NullableText,
  evaluations: Schema.NullOr(Evaluations)
})

const toEvaluation = ([
  metricId,
  valueKind,
  valueNumber,
  valueText,
  latencies
]: (typeof Evaluations.Type)[number]): ProjectedEvaluation => ({
  metricId,
  valueKind,
  valueNumber,
  valueText,
  answerLatenciesMs: latencies ?? []
})

/** Bytes of documents that are loaded and applied at once. */
const MAX_PART_BYTES = 16_000_000

/** Reads that belong to no organization take turns as if they were one's of their own. */
const NOBODY = { organizationId: OrganizationId.make(Number.MAX_SAFE_INTEGER) }

export const layer = Layer.effect(
  ProjectionFeed,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const work = yield* UnitOfWork
    const { forUpdate, isOneOf, tables } = dialect
    const time = yield* leaseTime(sql, dialect)
    const triggers = ProjectionTriggers.make(sql, dialect)
    const columns = sql.literal(Object.keys(StateRow.fields).join(", "))
    // A copy of SQLite's file is the same; `SqliteBackup` changes the installation in it.
    const database = sql.literal(
      dialect.name === "sqlite"
        ? "''"
        : `(SELECT system_identifier FROM pg_control_system()) || '/' || tableoid ||
            '/' || (SELECT timeline_id FROM pg_control_checkpoint())`
    )
    const states = readRows(StateRow, (row) => row)
    const held = readRows(Schema.Struct({ ...StateRow.fields, database: Schema.String }), (row) => row)
    const shown = readRows(
      Schema.Struct({
        ...StateRow.fields,
        first_change: NullableInt,
        last_change: NullableInt,
        database: Schema.String
      }),
      (row) => row
    )
    const changes = readRows(ChangeRow, (row) => row)
    const ids = readRows(Schema.Struct({ id: CallId }), ({ id }) => id)
    const highest = readRows(Schema.Struct({ id: NullableInt }), ({ id }) => id ?? 0)
    const changed = readRows(Schema.Struct({ call_id: Schema.Int }), ({ call_id: id }) => id)

    const set = (values: Readonly<Record<string, string | number | null>>) =>
      sql`UPDATE ${tables.analytics_projection} SET ${sql.update(values)} WHERE id = 1`

    const locked = held.one(
      sql`SELECT ${columns}, ${database} AS database FROM ${tables.analytics_projection} WHERE id = 1 ${forUpdate}`
    )

    /** Runs steps in a transaction if the owner has the lease; undefined without it. */
    const holding = <A, E>(owner: string, steps: (state: StateRow, now: number) => Effect.Effect<A, E>) =>
      work.atomically(
        Effect.gen(function* () {
          const state = yield* locked
          // Read after the wait for the lock.
          const now = yield* time
          return state.lease === owner && state.lease_until_ms > now ? yield* steps(state, now) : undefined
        })
      )

    const idsAfter = (after: number, limit: number) =>
      ids.all(sql`SELECT id FROM ${tables.calls} WHERE id > ${after} ORDER BY id LIMIT ${limit}`)

    const list = sql.literal(
      dialect.name === "sqlite"
        ? "json_group_array(json_array(e.metric_id, e.value_kind, e.value_number, e.value_text, json(l.latencies)))"
        : "json_agg(json_build_array(e.metric_id, e.value_kind, e.value_number, e.value_text, l.latencies))::text"
    )
    /** A document as its text. */
    const text = (name: string) => sql.literal(dialect.name === "sqlite" ? `c.${name}` : `c.${name}::text AS ${name}`)

    return ProjectionFeed.of({
      status: Effect.gen(function* () {
        const row = yield* shown.one(sql`SELECT ${columns}, ${database} AS database,
            (SELECT min(id) FROM ${tables.analytics_changes}) AS first_change,
            (SELECT max(id) FROM ${tables.analytics_changes}) AS last_change
          FROM ${tables.analytics_projection} WHERE id = 1`)
        return toStatus(row, yield* time)
      }).pipe(storing("ProjectionFeed.status")),

      acquire: (owner, { active, millis }) =>
        work
          .atomically(
            Effect.gen(function* () {
              const state = yield* locked
              const now = yield* time
              if (state.lease !== null && state.lease !== owner && state.lease_until_ms > now) return false
              const { generation, installation } = stateIn(state.database, state, state.source_database)
              yield* set({
                installation: installation ?? randomUUID(),
                generation,
                source_database: state.database,
                lease: owner,
                lease_until_ms: now + millis,
                ...(active ? { active_ms: now } : {})
              })
              return true
            })
          )
          .pipe(storing("ProjectionFeed.acquire")),

      release: (owner) =>
        sql`UPDATE ${tables.analytics_projection} SET lease = NULL WHERE id = 1 AND lease = ${owner}`.pipe(
          Effect.asVoid,
          storing("ProjectionFeed.release")
        ),

      begin: (owner, generation) =>
        holding(owner, (state, now) =>
          Effect.gen(function* () {
            if (state.triggers !== triggers.hash) yield* triggers.create
            // What was committed before the triggers were there is in the calls that are read now.
            const last = yield* highest.one(sql`SELECT max(id) AS id FROM ${tables.calls}`)
            yield* set({
              triggers: triggers.hash,
              generation,
              rebuilt_to: 0,
              rebuild_to: last,
              active_ms: now,
              erase_first_ms: null,
              erase_last_ms: null
            })
            return true
          })
        ).pipe(
          Effect.map((begun) => begun === true),
          storing("ProjectionFeed.begin")
        ),

      requestRebuild: Effect.asVoid(set({ generation: null })).pipe(storing("ProjectionFeed.requestRebuild")),

      stopUnused: (since) =>
        Effect.gen(function* () {
          const unused = yield* states.all(sql`SELECT ${columns} FROM ${tables.analytics_projection}
            WHERE id = 1 AND triggers IS NOT NULL AND active_ms < ${since}`)
          if (unused.length === 0) return false
          return yield* work.atomically(
            Effect.gen(function* () {
              const state = yield* locked
              if (state.triggers === null || state.active_ms >= since) return false
              yield* triggers.drop
              yield* sql`DELETE FROM ${tables.analytics_changes}`
              yield* set({ triggers: null, generation: null, rebuild_to: null })
              return true
            })
          )
        }).pipe(storing("ProjectionFeed.stopUnused")),

      take: (owner, limit) =>
        holding(owner, (state, now) =>
          Effect.gen(function* () {
            const found = yield* changes.all(
              sql`SELECT id, call_id, erases FROM ${tables.analytics_changes} ORDER BY id LIMIT ${limit}`
            )
            const copied = state.rebuild_to === null ? [] : yield* idsAfter(state.rebuilt_to, limit)
            if (found.length === 0 && state.rebuild_to === null) return null
            // Later than any of this database's, also if it was restored to an earlier state.
            const version = Math.max(state.version + 1, now)
            const last = found.at(-1)
            yield* set({ version, ...(last === undefined ? {} : { loaded: last.id }) })
            return {
              version,
              calls: [...new Set([...found.map(({ call_id: id }) => id), ...copied])],
              changes: found.map(({ id }) => id),
              rebuiltTo:
                state.rebuild_to === null ? null : copied.length < limit ? state.rebuild_to : (copied.at(-1) ?? 0),
              erases: found.some(({ erases }) => erases)
            } satisfies ProjectionBatch
          })
        ).pipe(
          Effect.map((batch) => batch ?? null),
          storing("ProjectionFeed.take")
        ),

      parts: (calls) =>
        sizes
          .all(
            sql`SELECT c.id, ${sizeOf(sql, dialect, [sql`c.metadata`, sql`c.dynamic_variables`])} AS bytes
              FROM ${tables.calls} c WHERE ${isOneOf("c.id", calls)}`
          )
          .pipe(
            Effect.map((rows) => {
              const bytes = new Map(rows.map((row) => [row.id, row.bytes]))
              return groupsWithin(calls, (id) => bytes.get(id) ?? 0, MAX_PART_BYTES)
            }),
            growing("list", NOBODY),
            storing("ProjectionFeed.parts")
          ),

      load: (calls, version) =>
        readRows(CallRow, (row) => ({
          id: row.id,
          organizationId: row.organization_id,
          projectId: row.project_id,
          agentId: row.agent_id,
          timestampMs: row.timestamp_ms,
          durationSeconds: row.duration_s,
          success: row.success,
          isReviewed: row.is_reviewed,
          callId: row.call_id,
          traceId: row.trace_id,
          customerNumber: row.customer_number,
          callEndedReason: row.call_ended_reason,
          dropoffPoint: row.dropoff_point,
          topic: row.topic,
          feedback: row.feedback,
          metadata: row.metadata,
          dynamicVariables: row.dynamic_variables,
          evaluations: (row.evaluations ?? []).map(toEvaluation),
          version
        }))
          .allInSlices(
            sql`SELECT c.id, c.organization_id, c.project_id, c.agent_id, c.timestamp_ms, c.duration_s, c.success,
                c.is_reviewed, c.call_id, c.trace_id, c.customer_number, c.call_ended_reason, c.dropoff_point, c.topic,
                c.feedback, ${text("metadata")}, ${text("dynamic_variables")},
                (SELECT ${list} FROM ${tables.metric_evaluations} e
                LEFT JOIN ${tables.answer_latencies} l ON l.call_id = e.call_id AND l.metric_id = e.metric_id
                WHERE e.call_id = c.id) AS evaluations
              FROM ${tables.calls} c WHERE ${isOneOf("c.id", calls)}`
          )
          .pipe(growing("list", NOBODY), storing("ProjectionFeed.load")),

      acknowledge: (owner, batch) =>
        holding(owner, (state, now) =>
          Effect.gen(function* () {
            if (batch.changes.length > 0) {
              yield* sql`DELETE FROM ${tables.analytics_changes} WHERE ${isOneOf("id", batch.changes)}`
            }
            // A rebuild that was requested meanwhile begins again.
            const isDone = batch.rebuiltTo !== null && state.rebuild_to !== null && batch.rebuiltTo >= state.rebuild_to
            yield* set({
              active_ms: now,
              ...(batch.rebuiltTo === null ? {} : { rebuilt_to: batch.rebuiltTo }),
              ...(isDone ? { rebuild_to: null } : {}),
              ...(batch.erases ? { erase_first_ms: state.erase_first_ms ?? now, erase_last_ms: now } : {})
            })
            return true
          })
        ).pipe(
          Effect.map((done) => done === true),
          storing("ProjectionFeed.acknowledge")
        ),

      erased: (owner, before) =>
        holding(owner, (state) =>
          Effect.gen(function* () {
            const since = state.erase_last_ms !== null && state.erase_last_ms >= before ? state.erase_last_ms : null
            yield* set({ erase_first_ms: since === null ? null : before, erase_last_ms: since })
            return true
          })
        ).pipe(
          Effect.map((done) => done === true),
          storing("ProjectionFeed.erased")
        ),

      isPending: (organization, last) =>
        sql`SELECT 1 AS pending FROM ${tables.analytics_changes}
          WHERE id <= ${last} AND organization_id = ${organization} LIMIT 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          storing("ProjectionFeed.isPending")
        ),

      pendingOf: (calls) =>
        changed
          .all(sql`SELECT DISTINCT call_id FROM ${tables.analytics_changes} WHERE ${isOneOf("call_id", calls)}`)
          .pipe(
            Effect.map((found) => new Set(found)),
            storing("ProjectionFeed.pendingOf")
          ),

      idsAfter: (after, limit) => idsAfter(after, limit).pipe(storing("ProjectionFeed.idsAfter"))
    })
  })
)
