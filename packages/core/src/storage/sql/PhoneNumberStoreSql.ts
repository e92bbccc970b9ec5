import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { NumberTaken } from "../../catalog/CatalogErrors.js"
import { PhoneNumber } from "../../catalog/PhoneNumber.js"
import { PhoneNumberStore } from "../../catalog/PhoneNumberStore.js"
import { OrganizationId, PhoneNumberId, ProjectId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { Instant } from "./Rows.js"
import { createdAt, tenantTable } from "./TenantTable.js"

const PhoneNumberRow = Schema.Struct({
  id: PhoneNumberId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  number: Schema.String,
  name: Schema.String,
  created_ms: Instant,
  updated_ms: Instant
})

export const layer = Layer.effect(
  PhoneNumberStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { tables } = yield* Dialect
    const table = yield* tenantTable({
      store: "PhoneNumberStore",
      table: "phone_numbers",
      row: PhoneNumberRow,
      scope: { project: "t.project_id" },
      make: (row) =>
        new PhoneNumber({
          id: row.id,
          organizationId: row.organization_id,
          projectId: row.project_id,
          number: row.number,
          name: row.name,
          createdAt: row.created_ms,
          updatedAt: row.updated_ms
        })
    })

    return PhoneNumberStore.of({
      insert: (permit, phoneNumber, now) =>
        table.insert(
          permit,
          { project_id: phoneNumber.projectId, number: phoneNumber.number, name: phoneNumber.name, ...createdAt(now) },
          () => new NumberTaken({ number: phoneNumber.number })
        ),
      find: table.find,
      findNumber: (permit, number) =>
        Effect.map(table.all(permit, sql`t.number = ${number}`), ([found]) => Option.fromNullable(found)),
      findForUpdate: table.findForUpdate,
      list: (permit, { projectId }, page) => table.list(permit, page, { project_id: projectId }),
      save: (permit, phoneNumber) =>
        table.save(
          permit,
          phoneNumber.id,
          {
            number: phoneNumber.number,
            name: phoneNumber.name,
            updated_ms: DateTime.toEpochMillis(phoneNumber.updatedAt)
          },
          () => new NumberTaken({ number: phoneNumber.number })
        ),
      remove: (permit, id, now) =>
        table.softDelete(permit, id, now, [
          sql`UPDATE ${tables.evaluators} SET phone_number_id = NULL
              WHERE phone_number_id = ${id} AND organization_id = ${permit.organizationId}`
        ])
    })
  })
)
