import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { SensitiveField } from "@earshot/redaction"
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { AgentId, CallId, OrganizationId, TraceId } from "../../kernel/Ids.js"
import * as Pages from "../../kernel/Pages.js"
import { type StoredTrace, Trace, type TraceAddress, TraceState } from "../../traces/Trace.js"
import { keysOfCall } from "../../traces/TraceKeys.js"
import { TracePart } from "../../traces/TracePart.js"
import { TraceStore } from "../../traces/TraceStore.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const TraceRow = Schema.Struct({
  id: TraceId,
  organization_id: OrganizationId,
  scope: Schema.String,
  agent_id: Schema.NullOr(AgentId),
  call_id: Schema.NullOr(CallId),
  state: TraceState,
  error: Schema.NullOr(Schema.String),
  redact_fields: jsonColumn(Schema.Array(SensitiveField)),
  spans: Schema.Int,
  unknown_spans: Schema.Int,
  unknown_names: jsonColumn(Schema.Record({ key: Schema.String, value: Schema.Int })),
  version: Schema.Int,
  ingested_version: Schema.NullOr(Schema.Int),
  superseded_calls: jsonColumn(Schema.Array(CallId)),
  due_ms: Schema.NullOr(Schema.Int),
  job_ms: Schema.NullOr(Schema.Int),
  created_ms: Instant,
  last_ms: Instant
})

const toStored = (row: typeof TraceRow.Type): StoredTrace => ({
  trace: new Trace({
    id: row.id,
    organizationId: row.organization_id,
    state: row.state,
    agentId: row.agent_id,
    callId: row.call_id,
    redactFields: row.redact_fields,
    spans: row.spans,
    unknownSpans: row.unknown_spans,
    unknownNames: row.unknown_names,
    error: row.error,
    createdAt: row.created_ms,
    lastSpanAt: row.last_ms
  }),
  scope: row.scope,
  version: row.version,
  ingestedVersion: row.ingested_version,
  supersededCalls: row.superseded_calls,
  dueMillis: row.due_ms,
  jobMillis: row.job_ms
})

/** Rows of one statement; each has four values, and PostgreSQL binds at most 65,535. */
const ROWS_AT_A_TIME = 500

/** The union of fields and counts, and the times of all of several traces that turn out to be of one call. */
const merged = (target: StoredTrace, others: ReadonlyArray<StoredTrace>): StoredTrace => {
  const all = [target, ...others]
  const dues = all.flatMap(({ dueMillis }) => (dueMillis === null ? [] : [dueMillis]))
  const names = new Map<string, number>()
  for (const { trace } of all) {
    for (const [name, count] of Object.entries(trace.unknownNames)) names.set(name, (names.get(name) ?? 0) + count)
  }
  return {
    ...target,
    version: all.reduce((sum, { version }) => sum + version, 0),
    supersededCalls: [
      ...new Set([
        ...all.flatMap(({ supersededCalls }) => supersededCalls),
        ...others.flatMap(({ trace }) => (trace.callId === null ? [] : [trace.callId]))
      ])
    ].filter((call) => call !== target.trace.callId),
    dueMillis: dues.length === 0 ? null : Math.min(...dues),
    trace: new Trace({
      ...target.trace,
      redactFields: [...new Set(all.flatMap(({ trace }) => trace.redactFields))],
      unknownSpans: all.reduce((sum, { trace }) => sum + trace.unknownSpans, 0),
      unknownNames: Object.fromEntries([...names].slice(0, 50))
    })
  }
}

export const layer = Layer.effect(
  TraceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { forUpdate, integers, lockTexts, tables, texts } = yield* Dialect
    const columns = sql.literal(Object.keys(TraceRow.fields).join(", "))
    const stored = readRows(TraceRow, toStored)
    const listed = readRows(TraceRow, (row) => toStored(row).trace)
    const parts = readRows(Schema.Struct({ part: Schema.parseJson(TracePart) }), ({ part }) => part)
    const counted = readRows(Schema.Struct({ number: Schema.Int }), ({ number }) => number)
    const spanNames = readRows(Schema.Struct({ span: Schema.String }), ({ span }) => span)
    const callIds = readRows(Schema.Struct({ call_id: CallId }), ({ call_id: id }) => id)
    const ids = readRows(Schema.Struct({ id: TraceId }), ({ id }) => id)
    const traceIds = readRows(Schema.Struct({ trace_id: TraceId }), ({ trace_id: id }) => id)

    /** What is stored by the keys of an address. */
    const byKeys = ({ organizationId }: Permit, { keys, scope }: TraceAddress) =>
      sql`id IN (SELECT trace_id FROM ${tables.trace_keys}
        WHERE organization_id = ${organizationId} AND scope = ${scope} AND key IN ${texts(keys)})`

    const insert = (
      permit: Permit,
      scope: string,
      { agentId, redactFields }: Pick<Trace, "agentId" | "redactFields">,
      now: DateTime.Utc
    ) =>
      sql`INSERT INTO ${tables.traces} ${sql
        .insert({
          organization_id: permit.organizationId,
          scope,
          agent_id: agentId,
          call_id: null,
          state: "collecting",
          error: null,
          redact_fields: JSON.stringify(redactFields),
          spans: 0,
          unknown_spans: 0,
          unknown_names: "{}",
          version: 0,
          ingested_version: null,
          superseded_calls: "[]",
          due_ms: null,
          job_ms: null,
          created_ms: DateTime.toEpochMillis(now),
          last_ms: DateTime.toEpochMillis(now)
        })
        .returning(columns)}`.pipe(stored.one)

    const addKeys = (permit: Permit, { keys, scope }: TraceAddress, id: TraceId) =>
      Effect.forEach(
        Arr.chunksOf(keys, ROWS_AT_A_TIME),
        (some) =>
          sql`INSERT INTO ${tables.trace_keys} ${sql.insert(
            some.map((key) => ({ organization_id: permit.organizationId, scope, key, trace_id: id }))
          )} ON CONFLICT (organization_id, key, scope) DO NOTHING`,
        { discard: true }
      )

    /** Locks the keys, so that concurrent claims of one of them come one after another. */
    const lockKeys = ({ organizationId }: Permit, { keys, scope }: TraceAddress): Effect.Effect<void, SqlError> =>
      lockTexts === undefined
        ? Effect.void
        : Effect.asVoid(sql`${lockTexts(`trace_keys:${organizationId}:${scope}`, keys)}`)

    /** Locks the traces of the keys, oldest first. */
    const lockTraces = (
      permit: Permit,
      address: TraceAddress
    ): Effect.Effect<ReadonlyArray<StoredTrace>, SqlError | ParseError> =>
      Effect.gen(function* () {
        const locked = yield* stored.all(
          sql`SELECT ${columns} FROM ${tables.traces} WHERE ${byKeys(permit, address)} ORDER BY id ${forUpdate}`
        )
        const wanted = yield* traceIds.all(
          sql`SELECT DISTINCT trace_id FROM ${tables.trace_keys}
            WHERE organization_id = ${permit.organizationId} AND scope = ${address.scope} AND key IN ${texts(address.keys)}`
        )
        // A trace for which the lock waited may have been merged into another one meanwhile, by claims of other keys.
        return wanted.every((id) => locked.some(({ trace }) => trace.id === id))
          ? locked
          : yield* lockTraces(permit, address)
      })

    /** Moves everything of the other traces to the target and deletes them. */
    const merge = (target: StoredTrace, others: ReadonlyArray<StoredTrace>) =>
      Effect.gen(function* () {
        const { id } = target.trace
        const theirs = integers(others.map(({ trace }) => trace.id))
        yield* sql`INSERT INTO ${tables.trace_spans} (trace_id, span, start_ms, part)
          SELECT ${id}, span, start_ms, part FROM ${tables.trace_spans} WHERE trace_id IN ${theirs}
          ON CONFLICT (trace_id, span) DO NOTHING`
        yield* sql`UPDATE ${tables.trace_keys} SET trace_id = ${id} WHERE trace_id IN ${theirs}`
        yield* sql`DELETE FROM ${tables.traces} WHERE id IN ${theirs}`
        const [spans = 0] = yield* counted.all(
          sql`SELECT COUNT(*) AS number FROM ${tables.trace_spans} WHERE trace_id = ${id}`
        )
        const one = merged(target, others)
        return { ...one, trace: new Trace({ ...one.trace, spans }) }
      })

    return TraceStore.of({
      find: (permit, address) =>
        sql`SELECT ${columns} FROM ${tables.traces} WHERE ${byKeys(permit, address)} ORDER BY id`.pipe(
          stored.all,
          storing("TraceStore.find")
        ),
      claim: (permit, address, trace, now) =>
        Effect.gen(function* () {
          yield* lockKeys(permit, address)
          const [known, ...others] = yield* lockTraces(permit, address)
          const target = known ?? (yield* insert(permit, address.scope, trace, now))
          yield* addKeys(permit, address, target.trace.id)
          return others.length === 0 ? target : yield* merge(target, others)
        }).pipe(storing("TraceStore.claim")),
      ofCall: ({ organizationId }, { agentId, callId }) =>
        sql`SELECT ${columns} FROM ${tables.traces}
            WHERE organization_id = ${organizationId} AND (agent_id IS NULL OR agent_id = ${agentId})
              AND id IN (
                SELECT trace_id FROM ${tables.trace_keys}
                WHERE organization_id = ${organizationId} AND key IN ${texts(keysOfCall(callId))}
                UNION ALL
                SELECT t.id FROM ${tables.traces} t JOIN ${tables.calls} c ON c.id = t.call_id
                WHERE c.agent_id = ${agentId} AND c.call_id = ${callId})
            ORDER BY id`.pipe(stored.all, storing("TraceStore.ofCall")),
      withoutTrace: ({ organizationId }, calls) =>
        sql`SELECT call_id FROM ${tables.traces}
            WHERE organization_id = ${organizationId} AND call_id IN ${integers(calls)}`.pipe(
          callIds.all,
          Effect.map((traced) => calls.filter((call) => !traced.includes(call))),
          storing("TraceStore.withoutTrace")
        ),
      findForUpdate: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables.traces}
            WHERE organization_id = ${permit.organizationId} AND id = ${id} ${forUpdate}`.pipe(
          stored.first,
          storing("TraceStore.findForUpdate")
        ),
      save: (permit, { dueMillis, ingestedVersion, jobMillis, supersededCalls, trace, version }) =>
        sql`UPDATE ${tables.traces} SET ${sql.update({
          call_id: trace.callId,
          state: trace.state,
          error: trace.error,
          redact_fields: JSON.stringify(trace.redactFields),
          spans: trace.spans,
          unknown_spans: trace.unknownSpans,
          unknown_names: JSON.stringify(trace.unknownNames),
          version,
          ingested_version: ingestedVersion,
          superseded_calls: JSON.stringify(supersededCalls),
          due_ms: dueMillis,
          job_ms: jobMillis,
          last_ms: DateTime.toEpochMillis(trace.lastSpanAt)
        })} WHERE organization_id = ${permit.organizationId} AND id = ${trace.id}`.pipe(
          Effect.asVoid,
          storing("TraceStore.save")
        ),
      addParts: (id, all) =>
        Effect.forEach(Arr.chunksOf(all, ROWS_AT_A_TIME), (some) =>
          spanNames.all(
            sql`INSERT INTO ${tables.trace_spans} ${sql.insert(
              some.map((part) => ({
                trace_id: id,
                span: `${part.trace}${part.span}`,
                start_ms: part.start,
                part: JSON.stringify(part)
              }))
            )} ON CONFLICT (trace_id, span) DO NOTHING RETURNING span`
          )
        ).pipe(
          Effect.map((rows) => rows.flat().length),
          storing("TraceStore.addParts")
        ),
      replaceParts: (id, all) =>
        Effect.forEach(
          Arr.chunksOf(all, ROWS_AT_A_TIME),
          (some) =>
            sql`INSERT INTO ${tables.trace_spans} ${sql.insert(
              some.map((part) => ({
                trace_id: id,
                span: `${part.trace}${part.span}`,
                start_ms: part.start,
                part: JSON.stringify(part)
              }))
            )} ON CONFLICT (trace_id, span) DO UPDATE SET part = excluded.part`,
          { discard: true }
        ).pipe(storing("TraceStore.replaceParts")),
      parts: (id, limit) =>
        sql`SELECT part FROM ${tables.trace_spans} WHERE trace_id = ${id} ORDER BY start_ms DESC, span DESC LIMIT ${limit}`.pipe(
          // A trace may have thousands of parts: other fibers run while they are decoded.
          parts.allInSlices,
          Effect.map((all) => all.toReversed()),
          storing("TraceStore.parts")
        ),
      read: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables.traces}
            WHERE organization_id = ${permit.organizationId} AND id = ${id}`.pipe(
          listed.first,
          storing("TraceStore.read")
        ),
      list: (permit, { state }, page) =>
        sql`SELECT ${columns} FROM ${tables.traces}
            WHERE organization_id = ${permit.organizationId}
              AND ${state === undefined ? sql`1 = 1` : sql`state = ${state}`} AND ${keyset(sql, page)}`.pipe(
          listed.all,
          Effect.map((rows) => Pages.found(page, rows)),
          storing("TraceStore.list")
        ),
      expire: ({ closed, deleted }, limit) =>
        Effect.gen(function* () {
          const expired = yield* ids.all(
            sql`SELECT id FROM ${tables.traces}
              WHERE last_ms < ${DateTime.toEpochMillis(closed)} AND state IN ('stored', 'failed')
              ORDER BY last_ms LIMIT ${limit}`
          )
          if (expired.length > 0) {
            yield* sql`DELETE FROM ${tables.trace_spans} WHERE trace_id IN ${integers(expired)}`
            yield* sql`UPDATE ${tables.traces} SET state = 'closed', due_ms = NULL WHERE id IN ${integers(expired)}`
          }
          yield* sql`DELETE FROM ${tables.traces} WHERE id IN
            (SELECT id FROM ${tables.traces} WHERE last_ms < ${DateTime.toEpochMillis(deleted)} ORDER BY last_ms LIMIT ${limit})`
          return expired.length
        }).pipe(storing("TraceStore.expire"))
    })
  })
)
