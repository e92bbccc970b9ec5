import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ResultId } from "../../kernel/Ids.js"
import { PageBytes } from "../../kernel/Pages.js"
import { ResultStore } from "../../results/ResultStore.js"
import { Dialect } from "./Dialect.js"
import { resultDeletion } from "./ResultDeletionSql.js"
import { numberIds, resultFragments } from "./ResultFragments.js"
import { resultReads } from "./ResultReadsSql.js"
import { documentText, readRows } from "./Rows.js"
import { runQueue } from "./RunQueueSql.js"
import { storing } from "./Storing.js"

const resultIds = readRows(Schema.Struct({ id: ResultId }), ({ id }) => id)

export const layer = Layer.effect(
  ResultStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const fragments = resultFragments(sql, dialect)
    const { capacityNow, move } = fragments

    return ResultStore.of({
      ...resultReads(sql, dialect, fragments, yield* PageBytes),
      ...resultDeletion(sql, dialect, fragments),
      ...runQueue(sql, dialect, fragments),
      lockCapacity: (permit) =>
        Effect.gen(function* () {
          const lock = sql`SELECT organization_id FROM ${tables.capacity} WHERE organization_id = ${permit.organizationId}
            ${dialect.forUpdate}`
          if ((yield* lock).length > 0) return
          // Before the organization's first result.
          yield* sql`INSERT INTO ${tables.capacity} (organization_id, active_sessions, pending_demand)
            VALUES (${permit.organizationId}, 0, 0) ON CONFLICT DO NOTHING`
          yield* lock
        }).pipe(storing("ResultStore.lockCapacity")),
      capacity: (permit) =>
        Effect.gen(function* () {
          const now = yield* capacityNow(permit)
          const [slots] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM ${tables.capacity_slots}
            WHERE organization_id = ${permit.organizationId}`
          const numbers = yield* numberIds.all(
            sql`SELECT phone_number_id AS id FROM ${tables.held_numbers} WHERE organization_id = ${permit.organizationId}
                ORDER BY phone_number_id`
          )
          return { ...now, slotsInUse: slots?.n ?? 0, phoneNumbersHeld: numbers }
        }).pipe(storing("ResultStore.capacity")),
      insert: (permit, result, now) =>
        Effect.gen(function* () {
          const at = DateTime.toEpochMillis(now)
          const id = yield* sql`INSERT INTO ${tables.results} ${sql
            .insert({
              organization_id: permit.organizationId,
              project_id: result.projectId,
              agent_id: result.agentId,
              name: result.name,
              channel: result.channel,
              concurrency_limit: result.concurrencyLimit,
              provider_data: documentText(result.providerData),
              is_executed: result.isExecuted ? 1 : 0,
              created_by: permit.userId,
              created_ms: at,
              updated_ms: at
            })
            .returning("id")}`.pipe(resultIds.one)
          yield* sql`INSERT INTO ${tables.result_scenarios} ${sql.insert(
            result.scenarios.map(({ key, name, script }, position) => ({
              result_id: id,
              position,
              key,
              name,
              script: JSON.stringify(script)
            }))
          )}`
          const positions = result.scenarios.flatMap(({ frequency }, position) =>
            Array.from({ length: frequency }, () => position)
          )
          yield* sql`INSERT INTO ${tables.runs} (organization_id, result_id, scenario_position, channel, status, phone_number_id,
              attempts, created_ms, updated_ms)
            SELECT ${permit.organizationId}, ${id}, x.value, ${result.channel}, 'queued', ${result.phoneNumberId}, 0,
              ${at}, ${at}
            FROM ${dialect.integers(positions)} x`
          if (result.phoneNumberId !== null) {
            yield* sql`INSERT INTO ${tables.held_numbers} (organization_id, phone_number_id)
              VALUES (${permit.organizationId}, ${result.phoneNumberId}) ON CONFLICT DO NOTHING`
          }
          yield* move(permit, { activeSessions: 0, pendingDemand: positions.length })
          return id
        }).pipe(storing("ResultStore.insert"))
    })
  })
)
