import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Agent, type AgentEndpoints, Channel, SealedValue, VoiceProtocolName } from "../../catalog/Agent.js"
import { AssistantIdTaken } from "../../catalog/AgentErrors.js"
import { AgentStore, type NewAgent } from "../../catalog/AgentStore.js"
import * as Fields from "../../kernel/Fields.js"
import { AgentId, OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { givePredefined } from "./MetricColumns.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { storing } from "./Storing.js"
import { createdAt, tenantTable } from "./TenantTable.js"

const SealedHeaders = Schema.Record({ key: Schema.String, value: SealedValue })

/** As the wire forms, but with sealed secrets. */
const endpointColumns = {
  chat_endpoint: Schema.NullOr(
    jsonColumn(Schema.Struct({ url: Schema.String, kind: Schema.Literal("openai", "webhook"), headers: SealedHeaders }))
  ),
  voice_endpoint: Schema.NullOr(
    jsonColumn(
      Schema.Struct({
        url: Schema.String,
        headers: SealedHeaders,
        authToken: Fields.named("auth_token", Schema.NullOr(SealedValue)),
        protocol: VoiceProtocolName
      })
    )
  )
}

const SealedRow = Schema.Struct({ id: AgentId, organization_id: OrganizationId, ...endpointColumns })

const AgentRow = Schema.Struct({
  id: AgentId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  name: Schema.String,
  description: Schema.String,
  assistant_id: Schema.NullOr(Schema.String),
  provider: Schema.NullOr(Schema.String),
  channels: jsonColumn(Schema.Array(Channel)),
  ...endpointColumns,
  created_ms: Instant,
  updated_ms: Instant
})

/** The columns of endpoints. A printed endpoint is always the same text, so that it can be compared. */
const endpointsOf = ({ chatEndpoint: chat, voiceEndpoint: voice }: AgentEndpoints) => ({
  chat_endpoint: chat && JSON.stringify({ url: chat.url, kind: chat.kind, headers: chat.headers }),
  voice_endpoint:
    voice &&
    JSON.stringify({
      url: voice.url,
      headers: voice.headers,
      auth_token: voice.authToken,
      protocol: voice.protocol
    })
})

export const layer = Layer.effect(
  AgentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const table = yield* tenantTable({
      store: "AgentStore",
      table: "agents",
      row: AgentRow,
      // A project's agents are deleted with it.
      ofProject: false,
      scope: { project: "t.project_id", agent: "t.id" },
      make: (row) =>
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
          voiceEndpoint: row.voice_endpoint,
          createdAt: row.created_ms,
          updatedAt: row.updated_ms
        })
    })

    const columnsOf = (agent: NewAgent) => ({
      name: agent.name,
      description: agent.description,
      assistant_id: agent.assistantId,
      provider: agent.provider,
      channels: JSON.stringify(agent.supportedChannels),
      ...endpointsOf(agent)
    })
    const taken = (agent: NewAgent) => () => new AssistantIdTaken({ assistantId: agent.assistantId ?? "" })

    return AgentStore.of({
      insert: (permit, agent, now) =>
        table
          .insert(permit, { project_id: agent.projectId, ...columnsOf(agent), ...createdAt(now) }, taken(agent))
          .pipe(
            Effect.tap((made) => givePredefined(sql, tables, [made], now)),
            storing("AgentStore.insert")
          ),
      find: table.find,
      findForUpdate: table.findForUpdate,
      findAll: (permit, { assistantIds, ids }) =>
        table.all(permit, sql`(${dialect.isOneOf("t.id", ids)} OR t.assistant_id IN ${dialect.texts(assistantIds)})`),
      list: (permit, { projectId }, page) => table.list(permit, page, { project_id: projectId }),
      save: (permit, agent) =>
        table.save(
          permit,
          agent.id,
          { ...columnsOf(agent), updated_ms: DateTime.toEpochMillis(agent.updatedAt) },
          taken(agent)
        ),
      remove: (permit, id, now) => table.softDelete(permit, id, now),
      listSealed: (after, limit) =>
        sql`SELECT id, organization_id, chat_endpoint, voice_endpoint FROM ${tables.agents}
            WHERE id > ${after} AND (chat_endpoint IS NOT NULL OR voice_endpoint IS NOT NULL)
            ORDER BY id LIMIT ${limit}`.pipe(
          readRows(SealedRow, (row) => ({
            id: row.id,
            organizationId: row.organization_id,
            chatEndpoint: row.chat_endpoint,
            voiceEndpoint: row.voice_endpoint
          })).all,
          storing("AgentStore.listSealed")
        ),
      reseal: (id, from, to) => {
        const known = endpointsOf(from)
        return sql`UPDATE ${tables.agents} SET ${sql.update(endpointsOf(to))}
            WHERE id = ${id} AND chat_endpoint IS NOT DISTINCT FROM ${known.chat_endpoint}
              AND voice_endpoint IS NOT DISTINCT FROM ${known.voice_endpoint}`.pipe(
          Effect.asVoid,
          storing("AgentStore.reseal")
        )
      }
    })
  })
)
