import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Bound, BoundType } from "../../access/Actor.js"
import { BoundStore } from "../../access/BoundStore.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"

/** What there is of each type, as the store of that type finds it. */
const PRESENT = {
  project: "FROM projects t WHERE t.deleted_ms IS NULL",
  agent: "FROM agents t WHERE t.deleted_ms IS NULL",
  dashboard: "FROM dashboards t JOIN projects p ON p.id = t.project_id WHERE p.deleted_ms IS NULL",
  result: "FROM results t WHERE t.deleted_ms IS NULL"
} as const satisfies Record<Bound["type"], string>

export const layer = Layer.effect(
  BoundStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const found = readRows(Bound, (bound) => bound)

    return BoundStore.of({
      present: (permit, bounds) =>
        Effect.forEach(BoundType.literals, (type) => {
          const ids = bounds.filter((bound) => bound.type === type).map(({ id }) => id)
          return ids.length === 0
            ? Effect.succeed([])
            : sql`SELECT ${sql.literal(`'${type}'`)} AS type, t.id ${sql.literal(PRESENT[type])}
                AND t.organization_id = ${permit.organizationId} AND t.id IN ${dialect.integers(ids)}`.pipe(found.all)
        }).pipe(
          Effect.map((all) => all.flat()),
          storing("BoundStore.present")
        )
    })
  })
)
