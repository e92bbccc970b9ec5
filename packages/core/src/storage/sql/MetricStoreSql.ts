import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { AgentId, MetricId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { EvalType, Metric, MetricType } from "../../metrics/Metric.js"
import { MetricStore } from "../../metrics/MetricStore.js"
import { Dialect } from "./Dialect.js"
import { Instant, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const MetricRow = Schema.Struct({
  id: MetricId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  agent_id: AgentId,
  name: Schema.String,
  slug: Schema.NullOr(Schema.String),
  type: MetricType,
  eval_type: EvalType,
  created_ms: Instant,
  updated_ms: Instant
})

const toMetric = (row: typeof MetricRow.Type): Metric =>
  new Metric({
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    agentId: row.agent_id,
    name: row.name,
    slug: row.slug,
    type: row.type,
    evalType: row.eval_type,
    createdAt: row.created_ms,
    updatedAt: row.updated_ms
  })

export const layer = Layer.effect(
  MetricStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const columns = sql.literal(
      "id, organization_id, project_id, agent_id, name, slug, type, eval_type, created_ms, updated_ms"
    )
    const metrics = readRows(MetricRow, toMetric)
    const ids = readRows(Schema.Struct({ id: MetricId }), ({ id }) => id)

    return MetricStore.of({
      insert: (permit, draft, now) =>
        sql`INSERT INTO metrics ${sql
          .insert({
            organization_id: permit.organizationId,
            project_id: draft.projectId,
            agent_id: draft.agentId,
            name: draft.name,
            slug: draft.slug,
            type: draft.type,
            eval_type: draft.evalType,
            created_ms: DateTime.toEpochMillis(now),
            updated_ms: DateTime.toEpochMillis(now)
          })
          .returning(columns)}`.pipe(metrics.one, storing("MetricStore.insert")),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM metrics
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`.pipe(
          metrics.first,
          storing("MetricStore.find")
        ),
      findAll: (permit, wanted) =>
        sql`SELECT ${columns} FROM metrics
            WHERE id IN ${dialect.integers(wanted)} AND organization_id = ${permit.organizationId}
              AND deleted_ms IS NULL`.pipe(metrics.all, storing("MetricStore.findAll")),
      withSlug: (permit, project, slug) =>
        sql`SELECT id FROM metrics
            WHERE project_id = ${project} AND slug = ${slug} AND organization_id = ${permit.organizationId}
              AND deleted_ms IS NULL`.pipe(ids.all, storing("MetricStore.withSlug"))
    })
  })
)
