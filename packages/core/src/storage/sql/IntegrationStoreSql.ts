import { SqlClient } from "@effect/sql/SqlClient"
import { SensitiveField } from "@earshot/redaction"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { AgentId, IntegrationId, MetricId, OrganizationId, ProjectId, UserId } from "../../kernel/Ids.js"
import * as Pages from "../../kernel/Pages.js"
import { Integration } from "../../platforms/Integration.js"
import { IntegrationStore, type StoredIntegration } from "../../platforms/IntegrationStore.js"
import { platforms } from "../../platforms/Platform.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const IntegrationRow = Schema.Struct({
  id: IntegrationId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  agent_id: Schema.NullOr(AgentId),
  platform: Schema.Literal(...platforms),
  name: Schema.String,
  public_id: Schema.String,
  sealed_secret: Schema.String,
  sealed_previous: Schema.NullOr(Schema.String),
  previous_until_ms: Schema.NullOr(Instant),
  redact_fields: jsonColumn(Schema.Array(SensitiveField)),
  metric_ids: jsonColumn(Schema.Array(MetricId)),
  created_by: Schema.NullOr(UserId),
  created_ms: Instant,
  updated_ms: Instant
})

const toStored = (row: typeof IntegrationRow.Type): StoredIntegration => ({
  integration: new Integration({
    id: row.id,
    organizationId: row.organization_id,
    platform: row.platform,
    name: row.name,
    publicId: row.public_id,
    projectId: row.project_id,
    agentId: row.agent_id,
    redactFields: row.redact_fields,
    metricIds: row.metric_ids,
    previousSecretUntil: row.previous_until_ms,
    createdBy: row.created_by,
    createdAt: row.created_ms,
    updatedAt: row.updated_ms
  }),
  sealedSecret: row.sealed_secret,
  sealedPrevious: row.sealed_previous
})

export const layer = Layer.effect(
  IntegrationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { forUpdate, tables, texts } = yield* Dialect
    const names = Object.keys(IntegrationRow.fields)
    const columns = sql.literal(names.join(", "))
    const stored = readRows(IntegrationRow, toStored)
    const integrations = readRows(IntegrationRow, (row) => toStored(row).integration)
    const received = readRows(Schema.Struct({ found: Schema.Number }), ({ found }) => found)
    const one = (organizationId: number, id: number) => sql`organization_id = ${organizationId} AND id = ${id}`

    return IntegrationStore.of({
      insert: (permit, integration, now) =>
        sql`INSERT INTO ${tables.integrations} ${sql
          .insert({
            organization_id: permit.organizationId,
            project_id: integration.projectId,
            agent_id: integration.agentId,
            platform: integration.platform,
            name: integration.name,
            public_id: integration.publicId,
            sealed_secret: integration.sealedSecret,
            sealed_previous: null,
            previous_until_ms: null,
            redact_fields: JSON.stringify(integration.redactFields),
            metric_ids: JSON.stringify(integration.metricIds),
            created_by: permit.userId,
            created_ms: DateTime.toEpochMillis(now),
            updated_ms: DateTime.toEpochMillis(now)
          })
          .returning(columns)}`.pipe(integrations.one, storing("IntegrationStore.insert")),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables.integrations} WHERE ${one(permit.organizationId, id)}`.pipe(
          stored.first,
          storing("IntegrationStore.find")
        ),
      findForUpdate: (permit, id) =>
        sql`SELECT ${columns} FROM ${tables.integrations} WHERE ${one(permit.organizationId, id)} ${forUpdate}`.pipe(
          stored.first,
          storing("IntegrationStore.findForUpdate")
        ),
      list: (permit, page) =>
        sql`SELECT ${columns} FROM ${tables.integrations}
            WHERE organization_id = ${permit.organizationId} AND ${keyset(sql, page)}`.pipe(
          integrations.all,
          Effect.map((rows) => Pages.found(page, rows)),
          storing("IntegrationStore.list")
        ),
      redacting: (permit, platform) =>
        sql`SELECT ${columns} FROM ${tables.integrations}
            WHERE organization_id = ${permit.organizationId} AND platform = ${platform} AND redact_fields <> '[]'`.pipe(
          integrations.all,
          storing("IntegrationStore.redacting")
        ),
      save: (permit, { integration, sealedPrevious, sealedSecret }) =>
        sql`UPDATE ${tables.integrations} SET ${sql.update({
          name: integration.name,
          sealed_secret: sealedSecret,
          sealed_previous: sealedPrevious,
          previous_until_ms:
            integration.previousSecretUntil === null ? null : DateTime.toEpochMillis(integration.previousSecretUntil),
          redact_fields: JSON.stringify(integration.redactFields),
          metric_ids: JSON.stringify(integration.metricIds),
          updated_ms: DateTime.toEpochMillis(integration.updatedAt)
        })} WHERE ${one(permit.organizationId, integration.id)}`.pipe(Effect.asVoid, storing("IntegrationStore.save")),
      remove: (permit, id) =>
        sql`DELETE FROM ${tables.integrations} WHERE ${one(permit.organizationId, id)}`.pipe(
          Effect.asVoid,
          storing("IntegrationStore.remove")
        ),
      findByPublicIds: (publicIds) =>
        sql`SELECT ${columns} FROM ${tables.integrations} WHERE public_id IN ${texts(publicIds)}`.pipe(
          stored.all,
          storing("IntegrationStore.findByPublicIds")
        ),
      wasReceived: (id, key) =>
        sql`SELECT 1 AS found FROM ${tables.received_webhooks} WHERE integration_id = ${id} AND signature = ${key}`.pipe(
          received.all,
          Effect.map((rows) => rows.length > 0),
          storing("IntegrationStore.wasReceived")
        ),
      recordReceived: (id, key, expiresMillis) =>
        sql`INSERT INTO ${tables.received_webhooks} ${sql.insert({
          integration_id: id,
          signature: key,
          expires_ms: Math.ceil(expiresMillis)
        })} ON CONFLICT (integration_id, signature) DO NOTHING`.pipe(
          Effect.asVoid,
          storing("IntegrationStore.recordReceived")
        ),
      purgeReceived: (now) =>
        sql`DELETE FROM ${tables.received_webhooks} WHERE expires_ms < ${DateTime.toEpochMillis(now)}`.pipe(
          Effect.asVoid,
          storing("IntegrationStore.purgeReceived")
        ),
      sealed: (after, limit) =>
        sql`SELECT ${columns} FROM ${tables.integrations} WHERE id > ${after} ORDER BY id LIMIT ${limit}`.pipe(
          stored.all,
          storing("IntegrationStore.sealed")
        ),
      reseal: ({ integration, sealedSecret: before }, sealedSecret, sealedPrevious) =>
        sql`UPDATE ${tables.integrations}
            SET sealed_secret = ${sealedSecret}, sealed_previous = ${sealedPrevious}
            WHERE id = ${integration.id} AND sealed_secret = ${before}`.pipe(
          Effect.asVoid,
          storing("IntegrationStore.reseal")
        )
    })
  })
)
