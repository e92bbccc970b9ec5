import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Agent, Channel, type ChatEndpoint } from "../../catalog/Agent.js"
import { AssistantIdTaken } from "../../catalog/AgentErrors.js"
import { AgentStore } from "../../catalog/AgentStore.js"
import { AgentId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { givePredefined } from "./MetricColumns.js"
import { within } from "./Reach.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { isUniqueViolation, storing } from "./Storing.js"

const AgentRow = Schema.Struct({
  id: AgentId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  name: Schema.String,
  description: Schema.String,
  assistant_id: Schema.NullOr(Schema.String),
  provider: Schema.NullOr(Schema.String),
  channels: jsonColumn(Schema.Array(Channel)),
  chat_endpoint: Schema.NullOr(
    jsonColumn(
      Schema.Struct({
        url: Schema.String,
        kind: Schema.Literal("openai", "webhook"),
        headers: Schema.Record({ key: Schema.String, value: Schema.Redacted(Schema.String) })
      })
    )
  ),
  created_ms: Instant,
  updated_ms: Instant
})

const toAgent = (row: typeof AgentRow.Type): Agent =>
  new Agent({
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    assistantId: row.assistant_id,
    provider: row.provider,
    supportedChannels: row.channels,
    chatEndpoint: row.chat_endpoint,
    createdAt: row.created_ms,
    updatedAt: row.updated_ms
  })

/** The wire form of an endpoint conceals its headers; what is kept does not. */
const printChatEndpoint = (endpoint: ChatEndpoint | null): string | null =>
  endpoint === null
    ? null
    : JSON.stringify({
        ...endpoint,
        headers: Object.fromEntries(
          Object.entries(endpoint.headers).map(([name, value]) => [name, Redacted.value(value)])
        )
      })

export const layer = Layer.effect(
  AgentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const columns = sql.literal(
      "id, organization_id, project_id, name, description, assistant_id, provider, channels, chat_endpoint, created_ms, updated_ms"
    )
    const agents = readRows(AgentRow, toAgent)

    const unlessTaken =
      (assistantId: string | null) =>
      <A, E, R>(statement: Effect.Effect<A, E, R>) =>
        Effect.mapError(statement, (error) =>
          assistantId !== null && isUniqueViolation(error) ? new AssistantIdTaken({ assistantId }) : error
        )

    return AgentStore.of({
      insert: (permit, agent, now) =>
        sql`INSERT INTO agents ${sql
          .insert({
            organization_id: permit.organizationId,
            project_id: agent.projectId,
            name: agent.name,
            description: agent.description,
            assistant_id: agent.assistantId,
            provider: agent.provider,
            channels: JSON.stringify(agent.supportedChannels),
            chat_endpoint: printChatEndpoint(agent.chatEndpoint),
            created_ms: DateTime.toEpochMillis(now),
            updated_ms: DateTime.toEpochMillis(now)
          })
          .returning(columns)}`.pipe(
          agents.one,
          unlessTaken(agent.assistantId),
          Effect.tap((made) => givePredefined(sql, [made], now)),
          storing("AgentStore.insert")
        ),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM agents
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`.pipe(
          agents.first,
          storing("AgentStore.find")
        ),
      hold: (permit, id) =>
        sql`SELECT ${columns} FROM agents
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL
            ${dialect.forUpdate}`.pipe(agents.first, storing("AgentStore.hold")),
      findAll: (permit, { assistantIds, ids }) =>
        sql`SELECT ${columns} FROM agents
            WHERE organization_id = ${permit.organizationId} AND deleted_ms IS NULL
              AND (id IN ${dialect.integers(ids)} OR assistant_id IN ${dialect.texts(assistantIds)})`.pipe(
          agents.all,
          storing("AgentStore.findAll")
        ),
      list: (permit, { projectId }, page) =>
        sql`SELECT ${columns} FROM agents
            WHERE organization_id = ${permit.organizationId} AND deleted_ms IS NULL
              AND ${projectId === null ? sql`1 = 1` : sql`project_id = ${projectId}`}
              AND ${within(sql, permit, { project: "project_id", agent: "id" })}
              AND ${keyset(sql, page)}`.pipe(agents.all, storing("AgentStore.list")),
      save: (permit, agent) =>
        sql`UPDATE agents SET ${sql.update({
          name: agent.name,
          description: agent.description,
          assistant_id: agent.assistantId,
          provider: agent.provider,
          channels: JSON.stringify(agent.supportedChannels),
          chat_endpoint: printChatEndpoint(agent.chatEndpoint),
          updated_ms: DateTime.toEpochMillis(agent.updatedAt)
        })} WHERE id = ${agent.id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`.pipe(
          Effect.asVoid,
          unlessTaken(agent.assistantId),
          storing("AgentStore.save")
        ),
      remove: (permit, id, now) =>
        sql`UPDATE agents SET deleted_ms = ${DateTime.toEpochMillis(now)}
            WHERE id = ${id} AND organization_id = ${permit.organizationId} AND deleted_ms IS NULL`.pipe(
          Effect.asVoid,
          storing("AgentStore.remove")
        )
    })
  })
)
