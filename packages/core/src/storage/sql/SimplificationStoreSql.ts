import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { type Permit, scopeKey } from "../../access/Permit.js"
import { JobState } from "../../jobs/Job.js"
import { StorageBusy } from "../../kernel/Storage.js"
import type { StoredSimplification } from "../../simplification/Simplification.js"
import { SIMPLIFICATION_JOB } from "../../simplification/SimplificationJob.js"
import { type NewSimplification, SimplificationStore } from "../../simplification/SimplificationStore.js"
import { hasBudget, reserveBytes } from "../../kernel/ResponseBytes.js"
import { sizeOf, sizes } from "./BoundedPage.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const SimplificationRow = Schema.Struct({
  progress_id: Schema.String,
  original_prompt: Schema.String,
  simplified_prompt: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String),
  state: Schema.NullOr(JobState),
  last_error: Schema.NullOr(Schema.String)
})

const toSimplification = (row: typeof SimplificationRow.Type): StoredSimplification => ({
  progressId: row.progress_id,
  originalPrompt: row.original_prompt,
  simplifiedPrompt: row.simplified_prompt,
  error: row.error,
  job: row.state === null ? null : { state: row.state, lastError: row.last_error }
})

/** A request that came at the same time as others may be processed after their job is done: rules are fast. */
const RECENT_MILLIS = 10_000

/** Times that a prompt's simplification ended between two statements before it counts as too busy. */
const MOST_TRIES = 5

export const layer = Layer.effect(
  SimplificationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const simplifications = readRows(SimplificationRow, toSimplification)
    const progressIds = readRows(Schema.Struct({ progress_id: Schema.String }), (row) => row.progress_id)

    const size = sizeOf(sql, dialect, [sql`s.original_prompt`, sql`s.simplified_prompt`])
    const hasJob = sql`EXISTS (SELECT 1 FROM ${tables.jobs} j WHERE j.kind = ${SIMPLIFICATION_JOB}
      AND j.key = s.progress_id AND j.state IN ('queued', 'running'))`

    const begin = (
      permit: Permit<"catalog:write">,
      wanted: NewSimplification,
      now: DateTime.Utc,
      tries = 1
    ): Effect.Effect<{ readonly progressId: string; readonly created: boolean }, SqlError | ParseError | StorageBusy> =>
      Effect.gen(function* () {
        const underWay = sql`organization_id = ${permit.organizationId} AND prompt_hash = ${wanted.promptHash}
          AND scope = ${scopeKey(permit)} AND under_way = 1`
        yield* sql`UPDATE ${tables.simplifications} AS s SET under_way = 0 WHERE ${underWay} AND NOT ${hasJob}`
        const recent = yield* sql`SELECT progress_id FROM ${tables.simplifications}
          WHERE organization_id = ${permit.organizationId} AND prompt_hash = ${wanted.promptHash}
            AND scope = ${scopeKey(permit)} AND simplified_prompt IS NOT NULL AND finished_ms > ${DateTime.toEpochMillis(now) - RECENT_MILLIS}
          ORDER BY id DESC LIMIT 1`.pipe(progressIds.first)
        if (Option.isSome(recent)) return { progressId: recent.value, created: false }
        const made = yield* sql`INSERT INTO ${tables.simplifications} ${sql.insert({
          organization_id: permit.organizationId,
          progress_id: wanted.progressId,
          scope: scopeKey(permit),
          prompt_hash: wanted.promptHash,
          original_prompt: wanted.prompt,
          under_way: 1,
          created_by: permit.userId,
          created_ms: DateTime.toEpochMillis(now)
        })} ON CONFLICT DO NOTHING RETURNING progress_id`.pipe(progressIds.first)
        if (Option.isSome(made)) return { progressId: made.value, created: true }
        const found = yield* sql`SELECT progress_id FROM ${tables.simplifications} WHERE ${underWay}`.pipe(
          progressIds.first
        )
        if (Option.isSome(found)) return { progressId: found.value, created: false }
        // It ended in the meantime.
        return tries < MOST_TRIES
          ? yield* begin(permit, wanted, now, tries + 1)
          : yield* new StorageBusy({ operation: "SimplificationStore.begin" })
      })

    return SimplificationStore.of({
      begin: (permit, wanted, now) => begin(permit, wanted, now).pipe(storing("SimplificationStore.begin")),
      find: (permit, progressId) =>
        Effect.gen(function* () {
          const own = sql`s.progress_id = ${progressId} AND s.organization_id = ${permit.organizationId}
            AND ${permit.bounds === null ? sql`1 = 1` : sql`s.scope = ${scopeKey(permit)}`}`
          if (yield* hasBudget) {
            const [measured] = yield* sizes.all(
              sql`SELECT s.id, ${size} AS bytes FROM ${tables.simplifications} s WHERE ${own}`
            )
            if (measured !== undefined) yield* reserveBytes(measured.bytes)
          }
          return yield* sql`SELECT s.progress_id, s.original_prompt, s.simplified_prompt, s.error, j.state, j.last_error
              FROM ${tables.simplifications} s
              LEFT JOIN ${tables.jobs} j ON j.kind = ${SIMPLIFICATION_JOB} AND j.key = s.progress_id
              WHERE ${own}`.pipe(simplifications.first)
        }).pipe(storing("SimplificationStore.find")),
      complete: (permit, progressId, { by, hash, text }, now) =>
        Effect.gen(function* () {
          const millis = DateTime.toEpochMillis(now)
          yield* sql`UPDATE ${tables.simplifications} SET simplified_prompt = ${text}, error = NULL, under_way = 0,
              finished_ms = ${millis}
            WHERE progress_id = ${progressId} AND organization_id = ${permit.organizationId}`
          yield* sql`INSERT INTO ${tables.simplified_prompts} ${sql.insert({
            organization_id: permit.organizationId,
            prompt_hash: hash,
            simplifier: by,
            created_ms: millis
          })} ON CONFLICT DO NOTHING`
        }).pipe(storing("SimplificationStore.complete")),
      fail: (permit, progressId, reason) =>
        sql`UPDATE ${tables.simplifications} SET error = ${reason}
            WHERE progress_id = ${progressId} AND organization_id = ${permit.organizationId}`.pipe(
          Effect.asVoid,
          storing("SimplificationStore.fail")
        ),
      isResult: (permit, promptHash, by) =>
        sql`SELECT 1 AS found FROM ${tables.simplified_prompts}
            WHERE organization_id = ${permit.organizationId} AND prompt_hash = ${promptHash}
              AND simplifier IN ${dialect.texts(by)}`.pipe(
          Effect.map((rows) => rows.length > 0),
          storing("SimplificationStore.isResult")
        ),
      tidy: (before) =>
        sql`DELETE FROM ${tables.simplifications} AS s WHERE created_ms < ${DateTime.toEpochMillis(before)} AND NOT ${hasJob}`.pipe(
          Effect.asVoid,
          storing("SimplificationStore.tidy")
        )
    })
  })
)
