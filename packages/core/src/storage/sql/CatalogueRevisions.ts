import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AgentId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { givePredefined } from "./MetricColumns.js"
import { readRows } from "./Rows.js"

/** Which revisions of the catalogue a database's agents have been given. */
export const CATALOGUE_TABLE = "earshot_catalogue"

const AgentRow = Schema.Struct({ id: AgentId, organization_id: OrganizationId, project_id: ProjectId })

const agents = readRows(AgentRow, (row) => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id
}))

/** Agents read at a time. */
const PAGE = 1000

/** Gives every agent that is there the predefined metrics that it neither has nor had. */
const giveToAll = Effect.gen(function* () {
  const sql = yield* SqlClient
  const now = yield* DateTime.now
  let after = 0
  for (;;) {
    const found = yield* sql`SELECT id, organization_id, project_id FROM agents
      WHERE id > ${after} AND deleted_ms IS NULL ORDER BY id LIMIT ${PAGE}`.pipe(agents.all)
    yield* givePredefined(sql, found, now)
    const last = found[found.length - 1]
    if (last === undefined) return
    after = last.id
  }
})

/**
 * The revisions of the catalogue of predefined metrics, each run once a database, after its tables are what this version
 * needs. New agents get the metrics when they are made; a revision is for those that were made before. They are counted
 * apart from migrations, since they change no table, and any of them brings agents to the newest catalogue.
 */
export const catalogueRevisions = {
  "0001_predefined": giveToAll
}
