import type { Filters } from "@earshot/core"
import type { FilterKit } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Dialect } from "../../src/storage/sql/Dialect.js"

type Value = Filters.FilterableEvaluation["value"]

const flag = (value: boolean | null) => (value === null ? null : Number(value))

const kindOf = (value: Value) =>
  value === null ? "null" : typeof value === "string" ? "text" : typeof value === "boolean" ? "boolean" : "number"

/** Puts a world's rows into a fresh, migrated database, which numbers them as the world does. */
export const storeWorld = ({ agents, calls, metrics }: FilterKit.CallWorld) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { json } = yield* Dialect
    const times = { created_ms: 0, updated_ms: 0 }
    const [organization] = yield* sql<{
      id: number
    }>`INSERT INTO organizations ${sql.insert({ name: "o", created_ms: 0 })} RETURNING id`
    const organization_id = organization!.id
    const [project] = yield* sql<{
      id: number
    }>`INSERT INTO projects ${sql.insert({ organization_id, name: "p", description: "", ...times })} RETURNING id`
    const owner = { organization_id, project_id: project!.id }
    for (const { id, name } of agents) {
      const [agent] = yield* sql<{
        id: number
      }>`INSERT INTO agents ${sql.insert({ ...owner, name, description: "", channels: "[]", ...times })} RETURNING id`
      if (agent?.id !== id) yield* Effect.dieMessage("The database is not fresh")
    }
    for (const { name } of metrics) {
      yield* sql`INSERT INTO metrics ${sql.insert({ ...owner, agent_id: 1, name, type: "custom_code", eval_type: "numeric", ...times })}`
    }
    for (const call of calls) {
      yield* sql`INSERT INTO calls ${sql.insert({
        ...owner,
        agent_id: call.agentId,
        call_id: call.callId,
        trace_id: call.traceId ?? "",
        timestamp_ms: DateTime.toEpochMillis(call.timestamp),
        duration_s: call.duration,
        success: flag(call.success),
        is_reviewed: flag(call.isReviewed),
        customer_number: call.customerNumber,
        call_ended_reason: call.callEndedReason,
        dropoff_point: call.dropoffPoint,
        topic: call.topic,
        feedback: call.feedback,
        feedback_by_person: 0,
        ...times
      })}`
      yield* sql`UPDATE calls SET metadata = ${json(call.metadata)}, dynamic_variables = ${json(call.dynamicVariables)}
        WHERE id = ${call.id}`
      for (const { metricId, value } of call.evaluations) {
        yield* sql`INSERT INTO metric_evaluations ${sql.insert({
          call_id: call.id,
          metric_id: metricId,
          value_kind: kindOf(value),
          value_number: typeof value === "string" || value === null ? null : Number(value),
          value_text: typeof value === "string" ? value : null,
          created_ms: 0
        })}`
      }
    }
  })
