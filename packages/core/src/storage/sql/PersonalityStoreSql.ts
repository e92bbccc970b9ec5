import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { LanguageCode } from "../../catalog/LanguageCode.js"
import { Personality } from "../../catalog/Personality.js"
import { PersonalityStore } from "../../catalog/PersonalityStore.js"
import { VoiceBehavior } from "../../catalog/VoiceBehavior.js"
import { OrganizationId, PersonalityId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { scopePredicate } from "./ScopeSql.js"
import { documentText, Instant, jsonColumn } from "./Rows.js"
import { storing } from "./Storing.js"
import { createdAt, tenantTable } from "./TenantTable.js"

const PersonalityRow = Schema.Struct({
  id: PersonalityId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  name: Schema.String,
  language: LanguageCode,
  description: Schema.String,
  voice_behavior: Schema.NullOr(jsonColumn(VoiceBehavior)),
  created_ms: Instant,
  updated_ms: Instant
})

export const layer = Layer.effect(
  PersonalityStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const table = yield* tenantTable({
      store: "PersonalityStore",
      table: "personalities",
      row: PersonalityRow,
      scope: { project: "t.project_id" },
      make: (row) =>
        new Personality({
          id: row.id,
          organizationId: row.organization_id,
          projectId: row.project_id,
          name: row.name,
          language: row.language,
          description: row.description,
          voiceBehavior: row.voice_behavior,
          createdAt: row.created_ms,
          updatedAt: row.updated_ms
        })
    })
    const enabledIn = (project: ProjectId) =>
      sql`EXISTS (SELECT 1 FROM ${tables.project_personalities} e WHERE e.project_id = ${project} AND e.personality_id = t.id)`

    return PersonalityStore.of({
      insert: (permit, personality, now) =>
        table.insert(permit, {
          project_id: personality.projectId,
          name: personality.name,
          language: personality.language,
          description: personality.description,
          voice_behavior: documentText(personality.voiceBehavior),
          ...createdAt(now)
        }),
      find: table.find,
      findForUpdate: table.findForUpdate,
      list: (permit, of, page) =>
        table.list(
          permit,
          page,
          { project_id: of.projectId, language: of.language },
          of.enabledIn === null ? [] : [enabledIn(of.enabledIn)]
        ),
      save: (permit, personality) =>
        table.save(permit, personality.id, {
          name: personality.name,
          language: personality.language,
          description: personality.description,
          voice_behavior: documentText(personality.voiceBehavior),
          updated_ms: DateTime.toEpochMillis(personality.updatedAt)
        }),
      remove: (permit, id, now) =>
        table.softDelete(permit, id, now, [
          sql`DELETE FROM ${tables.project_personalities} WHERE personality_id = ${id}`,
          sql`UPDATE ${tables.evaluators} SET personality_id = NULL
              WHERE personality_id = ${id} AND organization_id = ${permit.organizationId}`
        ]),
      enable: (permit, project, request) =>
        sql`INSERT INTO ${tables.project_personalities} (project_id, personality_id)
            SELECT CAST(${project} AS ${dialect.column.integer}), t.id FROM ${tables.personalities} t
            JOIN ${tables.projects} p ON p.id = t.project_id AND p.deleted_ms IS NULL
            WHERE t.organization_id = ${permit.organizationId} AND t.deleted_ms IS NULL
              AND ${scopePredicate(sql, permit, { project: "t.project_id" })}
              AND ${request.personalities === "all" ? sql`1 = 1` : dialect.isOneOf("t.id", request.personalities)}
              AND ${request.language === null ? sql`1 = 1` : sql`t.language = ${request.language}`}
            ON CONFLICT DO NOTHING`.pipe(Effect.asVoid, storing("PersonalityStore.enable")),
      existingIds: (permit, ids) =>
        table
          .all(
            permit,
            sql`${dialect.isOneOf("t.id", ids)} AND ${scopePredicate(sql, permit, { project: "t.project_id" })}`
          )
          .pipe(Effect.map((found) => new Set(found.map(({ id }) => id)))),
      isEnabled: (permit, project, id) =>
        table.all(permit, sql`t.id = ${id} AND ${enabledIn(project)}`).pipe(Effect.map((found) => found.length > 0)),
      enabledIn: (permit, project) => table.all(permit, enabledIn(project))
    })
  })
)
