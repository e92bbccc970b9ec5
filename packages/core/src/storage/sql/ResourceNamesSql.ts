import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ResourceNames } from "../../analytics/ResourceNames.js"
import type { OrganizationId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

const names = readRows(Schema.Struct({ id: Schema.Int, name: Schema.String }), ({ id, name }) => [id, name] as const)

export const layer = Layer.effect(
  ResourceNames,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { tables } = yield* Dialect
    const namesOf = (table: "agents" | "metrics") => (organizationId: OrganizationId) =>
      names.all(sql`SELECT id, name FROM ${tables[table]} WHERE organization_id = ${organizationId}`).pipe(
        Effect.map((all) => new Map(all)),
        storing(`ResourceNames.${table}`)
      )
    return ResourceNames.of({ agents: namesOf("agents"), metrics: namesOf("metrics") })
  })
)
