import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Organization } from "../../catalog/Organization.js"
import { OrganizationStore } from "../../catalog/OrganizationStore.js"
import { OrganizationId } from "../../kernel/Ids.js"
import * as Pages from "../../kernel/Pages.js"
import { Dialect } from "./Dialect.js"
import { keyset } from "./Keyset.js"
import { Instant, readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const OrganizationRow = Schema.Struct({ id: OrganizationId, name: Schema.String, created_ms: Instant })

const toOrganization = (row: typeof OrganizationRow.Type): Organization =>
  new Organization({ id: row.id, name: row.name, createdAt: row.created_ms })

export const layer = Layer.effect(
  OrganizationStore,
  Effect.zipWith(SqlClient, Dialect, (sql, { tables }) => {
    const columns = sql.literal("id, name, created_ms")
    const organizations = readRows(OrganizationRow, toOrganization)

    return OrganizationStore.of({
      insert: (draft, now) =>
        sql`INSERT INTO ${tables.organizations} ${sql
          .insert({ name: draft.name, created_ms: DateTime.toEpochMillis(now) })
          .returning(columns)}`.pipe(organizations.one, storing("OrganizationStore.insert")),
      find: (id) =>
        sql`SELECT ${columns} FROM ${tables.organizations} WHERE id = ${id}`.pipe(
          organizations.first,
          storing("OrganizationStore.find")
        ),
      list: (page) =>
        sql`SELECT ${columns} FROM ${tables.organizations} WHERE ${keyset(sql, page)}`.pipe(
          organizations.all,
          Effect.map((rows) => Pages.found(page, rows)),
          storing("OrganizationStore.list")
        )
    })
  })
)
