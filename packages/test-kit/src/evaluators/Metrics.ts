import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"

/** Some metrics of an agent, put straight into storage, for tests that need ids to attach. */
export const insertMetrics = (
  of: { readonly organization: number; readonly project: number; readonly agent: number },
  count: number
): Effect.Effect<ReadonlyArray<number>, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const rows = yield* sql<{ readonly id: number }>`INSERT INTO metrics ${sql
      .insert(
        Array.from({ length: count }, (_, at) => ({
          organization_id: of.organization,
          project_id: of.project,
          agent_id: of.agent,
          name: `Metric ${at}`,
          type: "llm_judge",
          eval_type: "binary",
          created_ms: 0,
          updated_ms: 0
        }))
      )
      .returning("id")}`
    return rows.map(({ id }) => id)
  })
