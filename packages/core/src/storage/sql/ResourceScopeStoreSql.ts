import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ResourceScope, ResourceType } from "../../access/Actor.js"
import { ResourceScopeStore } from "../../access/ResourceScopeStore.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

export const layer = Layer.effect(
  ResourceScopeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    /** The resources of each type that are not deleted, as the store of that type finds them. */
    const present: { readonly [Type in ResourceScope["type"]]: Fragment } = {
      project: sql`FROM ${tables.projects} t WHERE t.deleted_ms IS NULL`,
      agent: sql`FROM ${tables.agents} t WHERE t.deleted_ms IS NULL`,
      dashboard: sql`FROM ${tables.dashboards} t JOIN ${tables.projects} p ON p.id = t.project_id WHERE p.deleted_ms IS NULL`,
      result: sql`FROM ${tables.results} t WHERE t.deleted_ms IS NULL`
    }
    const found = readRows(ResourceScope, (bound) => bound)

    return ResourceScopeStore.of({
      present: (permit, bounds) =>
        Effect.forEach(ResourceType.literals, (type) => {
          const ids = bounds.filter((bound) => bound.type === type).map(({ id }) => id)
          return ids.length === 0
            ? Effect.succeed([])
            : sql`SELECT ${sql.literal(`'${type}'`)} AS type, t.id ${present[type]}
                AND t.organization_id = ${permit.organizationId} AND ${dialect.isOneOf("t.id", ids)}`.pipe(found.all)
        }).pipe(
          Effect.map((all) => all.flat()),
          storing("BoundStore.present")
        )
    })
  })
)
