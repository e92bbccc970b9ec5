import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AgentId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { predefinedRevision } from "../../metrics/PredefinedMetrics.js"
import { givePredefined } from "./MetricColumns.js"
import { readRows } from "./Rows.js"

/** Which revisions of the predefined metrics the agents of a database have been given. */
export const REVISIONS_TABLE = "earshot_predefined_metrics"

const AgentRow = Schema.Struct({ id: AgentId, organization_id: OrganizationId, project_id: ProjectId })

const agents = readRows(AgentRow, (row) => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id
}))

/** Agents read at a time. */
const PAGE = 1000

/** Gives every agent the predefined metrics that it neither has nor had. */
const giveToAll = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { tables } = yield* Dialect
  const now = yield* DateTime.now
  let after = 0
  for (;;) {
    const found = yield* sql`SELECT id, organization_id, project_id FROM ${tables.agents}
      WHERE id > ${after} AND deleted_ms IS NULL ORDER BY id LIMIT ${PAGE}`.pipe(agents.all)
    yield* givePredefined(sql, tables, found, now)
    const last = found[found.length - 1]
    if (last === undefined) return
    after = last.id
  }
})

/**
 * One step for each revision of the predefined metrics, run once per database after its migrations. New agents get the
 * metrics when they are created; a revision gives them to agents that exist already. Revisions are counted apart from
 * migrations, since they change no table, and each of them brings agents up to date.
 */
export const predefinedMetricRevisions = Object.fromEntries(
  Array.from({ length: predefinedRevision }, (_, index) => [
    `${String(index + 1).padStart(4, "0")}_predefined`,
    giveToAll
  ])
)
