import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { EmailTaken } from "../../access/AccessErrors.js"
import { User } from "../../access/User.js"
import { UserStore } from "../../access/UserStore.js"
import { OrganizationId, UserId } from "../../kernel/Ids.js"
import { Instant } from "./Rows.js"
import { tenantTable } from "./TenantTable.js"

const UserRow = Schema.Struct({
  id: UserId,
  organization_id: OrganizationId,
  email: Schema.String,
  name: Schema.String,
  created_ms: Instant
})

export const layer = Layer.effect(
  UserStore,
  Effect.map(
    tenantTable({
      store: "UserStore",
      table: "users",
      row: UserRow,
      softDeletes: false,
      ofProject: false,
      make: (row) =>
        new User({
          id: row.id,
          organizationId: row.organization_id,
          email: row.email,
          name: row.name,
          createdAt: row.created_ms
        })
    }),
    (table) =>
      UserStore.of({
        insert: (permit, draft, now) =>
          table.insert(
            permit,
            { email: draft.email, name: draft.name, created_ms: DateTime.toEpochMillis(now) },
            () => new EmailTaken({ email: draft.email })
          ),
        find: table.find,
        list: (permit, page) => table.list(permit, page)
      })
  )
)
