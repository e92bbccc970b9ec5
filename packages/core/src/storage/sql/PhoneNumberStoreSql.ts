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
import { catalogTable } from "./CatalogTable.js"
import { Instant } from "./Rows.js"
import { isUniqueViolation, storing } from "./Storing.js"

const PhoneNumberRow = Schema.Struct({
  id: PhoneNumberId,
  organization_id: OrganizationId,
  project_id: ProjectId,
  number: Schema.String,
  name: Schema.String,
  created_ms: Instant,
  updated_ms: Instant
})

const unlessTaken =
  (number: string) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>) =>
    Effect.mapError(statement, (error) => (isUniqueViolation(error) ? new NumberTaken({ number }) : error))

export const layer = Layer.effect(
  PhoneNumberStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const table = yield* catalogTable({
      store: "PhoneNumberStore",
      table: "phone_numbers",
      row: PhoneNumberRow,
      columns: "t.id, t.organization_id, t.project_id, t.number, t.name, t.created_ms, t.updated_ms",
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
        table
          .insert(
            permit,
            { project_id: phoneNumber.projectId, number: phoneNumber.number, name: phoneNumber.name },
            now
          )
          .pipe(unlessTaken(phoneNumber.number), storing("PhoneNumberStore.insert")),
      find: table.find,
      findNumber: (permit, number) =>
        Effect.map(table.all(permit, sql`t.number = ${number}`), ([found]) => Option.fromNullable(found)),
      hold: table.hold,
      list: (permit, { projectId }, page) =>
        table.list(permit, projectId === null ? [] : [sql`t.project_id = ${projectId}`], page),
      save: (permit, phoneNumber) =>
        table
          .save(permit, phoneNumber.id, {
            number: phoneNumber.number,
            name: phoneNumber.name,
            updated_ms: DateTime.toEpochMillis(phoneNumber.updatedAt)
          })
          .pipe(unlessTaken(phoneNumber.number), storing("PhoneNumberStore.save")),
      remove: (permit, id, now) =>
        table.remove(permit, id, now, [
          sql`UPDATE evaluators SET phone_number_id = NULL
              WHERE phone_number_id = ${id} AND organization_id = ${permit.organizationId}`
        ])
    })
  })
)
