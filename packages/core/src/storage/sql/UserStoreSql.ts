import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { EmailTaken } from "../../access/AccessErrors.js"
import { User } from "../../access/User.js"
import { UserStore } from "../../access/UserStore.js"
import { OrganizationId, UserId } from "../../kernel/Ids.js"
import { keyset } from "./Keyset.js"
import { Instant, readRows } from "./Rows.js"
import { isUniqueViolation, storing } from "./Storing.js"

const UserRow = Schema.Struct({
  id: UserId,
  organization_id: OrganizationId,
  email: Schema.String,
  name: Schema.String,
  created_ms: Instant
})

const toUser = (row: typeof UserRow.Type): User =>
  new User({
    id: row.id,
    organizationId: row.organization_id,
    email: row.email,
    name: row.name,
    createdAt: row.created_ms
  })

export const layer = Layer.effect(
  UserStore,
  Effect.map(SqlClient, (sql) => {
    const columns = sql.literal("id, organization_id, email, name, created_ms")
    const users = readRows(UserRow, toUser)

    return UserStore.of({
      insert: (permit, draft, now) =>
        sql`INSERT INTO users ${sql
          .insert({
            organization_id: permit.organizationId,
            email: draft.email,
            name: draft.name,
            created_ms: DateTime.toEpochMillis(now)
          })
          .returning(columns)}`.pipe(
          users.one,
          Effect.mapError((error) => (isUniqueViolation(error) ? new EmailTaken({ email: draft.email }) : error)),
          storing("UserStore.insert")
        ),
      find: (permit, id) =>
        sql`SELECT ${columns} FROM users WHERE id = ${id} AND organization_id = ${permit.organizationId}`.pipe(
          users.first,
          storing("UserStore.find")
        ),
      list: (permit, page) =>
        sql`SELECT ${columns} FROM users
            WHERE organization_id = ${permit.organizationId} AND ${keyset(sql, page)}`.pipe(
          users.all,
          storing("UserStore.list")
        )
    })
  })
)
