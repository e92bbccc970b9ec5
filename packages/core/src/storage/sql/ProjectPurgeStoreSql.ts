import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ProjectPurgeStore, type PurgeStep } from "../../catalog/ProjectPurgeStore.js"
import { ResourceScope } from "../../access/Actor.js"
import type { OrganizationId, ProjectId } from "../../kernel/Ids.js"
import { ResultId } from "../../kernel/Ids.js"
import { Dialect } from "./Dialect.js"
import { readRows } from "./Rows.js"
import { storing } from "./Storing.js"
import type { Table } from "./Tables.js"

const ids = readRows(Schema.Struct({ id: Schema.Int }), ({ id }) => id)
const resultIds = readRows(Schema.Struct({ id: ResultId }), ({ id }) => id)
const links = readRows(
  Schema.Struct({ id: Schema.Int, bounds: Schema.parseJson(Schema.Array(ResourceScope)) }),
  (row) => row
)

/** Rows of a project that one transaction deletes, with all that refers to them. */
const CALLS_AT_A_TIME = 200
const RESULTS_AT_A_TIME = 20
const ROWS_AT_A_TIME = 500

/** Whether a column is one of the ids that are being deleted. */
type IsOneOf = (column: string) => Fragment

export const layer = Layer.effect(
  ProjectPurgeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect

    const of = (table: Table, project: ProjectId, limit: number) =>
      ids.all(sql`SELECT id FROM ${tables[table]} WHERE project_id = ${project} ORDER BY id LIMIT ${limit}`)

    /** Deletes rows of a table with what `first` removes of them; whether there were any. */
    const purgeRows = (
      table: Table,
      project: ProjectId,
      limit: number,
      first: (isOneOfThem: IsOneOf, list: ReadonlyArray<number>) => ReadonlyArray<Effect.Effect<unknown, SqlError>>
    ) =>
      Effect.gen(function* () {
        const list = yield* of(table, project, limit)
        if (list.length === 0) return false
        const isOneOfThem = (column: string) => dialect.isOneOf(column, list)
        yield* Effect.all(first(isOneOfThem, list), { discard: true })
        yield* sql`DELETE FROM ${tables[table]} WHERE ${isOneOfThem("id")}`
        return true
      })

    const remove = (table: Table, condition: Fragment) => sql`DELETE FROM ${tables[table]} WHERE ${condition}`
    /** What others referred to in this project, and is not there for them any longer. */
    const detach = (table: Table, column: string, isOneOfThem: IsOneOf) =>
      sql`UPDATE ${tables[table]} SET ${sql.literal(column)} = NULL WHERE ${isOneOfThem(column)}`

    /** Links whose every resource is in the project: they reach nothing any longer. */
    const removeLinks = (organization: OrganizationId, project: ProjectId) =>
      Effect.gen(function* () {
        const all = yield* links.all(
          sql`SELECT id, bounds FROM ${tables.shareable_links} WHERE organization_id = ${organization}`
        )
        const own: Readonly<Record<ResourceScope["type"], ReadonlySet<number>>> = {
          project: new Set<number>([project]),
          agent: new Set(yield* of("agents", project, Number.MAX_SAFE_INTEGER)),
          dashboard: new Set(yield* of("dashboards", project, Number.MAX_SAFE_INTEGER)),
          result: new Set(yield* of("results", project, Number.MAX_SAFE_INTEGER))
        }
        const gone = all.filter(({ bounds }) => bounds.length > 0 && bounds.every(({ id, type }) => own[type].has(id)))
        if (gone.length > 0) {
          yield* remove(
            "shareable_links",
            dialect.isOneOf(
              "id",
              gone.map(({ id }) => id)
            )
          )
        }
        return false
      })

    const removeAgents = (project: ProjectId) =>
      Effect.gen(function* () {
        const own = sql`(SELECT id FROM ${tables.agents} WHERE project_id = ${project})`
        yield* remove("checkout_grants", sql`sealed_handle IS NULL AND agent_id IN ${own}`)
        const held = yield* sql`SELECT 1 AS held FROM ${tables.checkout_grants} WHERE agent_id IN ${own} LIMIT 1`
        if (held.length > 0) return "held" as const
        yield* remove("integrations", sql`project_id = ${project}`)
        yield* remove("traces", sql`agent_id IN ${own}`)
        yield* remove("agents", sql`project_id = ${project}`)
        yield* remove("project_personalities", sql`project_id = ${project}`)
        yield* remove("projects", sql`id = ${project}`)
        return "done" as const
      })

    /** In this order, what refers to something before what it refers to. Each deletes a bounded number of rows. */
    const stepsOf = (organization: OrganizationId, project: ProjectId) => [
      removeLinks(organization, project),
      purgeRows("results", project, RESULTS_AT_A_TIME, (isOneOfThem) => {
        const runs = sql`(SELECT id FROM ${tables.runs} WHERE ${isOneOfThem("result_id")})`
        return [
          ...(["run_transcripts", "run_evaluations", "run_outcomes", "run_recordings", "capacity_slots"] as const).map(
            (table) => remove(table, sql`run_id IN ${runs}`)
          ),
          remove("runs", isOneOfThem("result_id")),
          remove("result_scenarios", isOneOfThem("result_id"))
        ]
      }),
      // Transcripts, recordings and evaluations go with the call, and a trigger releases the recordings' files.
      purgeRows("calls", project, CALLS_AT_A_TIME, (_, list) => [
        remove(
          "jobs",
          sql`kind IN ('evaluate_call', 'evaluate_call_external') AND due_ms IS NOT NULL
            AND ordering_key IN ${dialect.texts(list.map(String))}`
        )
      ]),
      purgeRows("evaluators", project, ROWS_AT_A_TIME, (isOneOfThem) =>
        (["evaluator_tags", "evaluator_metrics", "evaluator_tools"] as const).map((table) =>
          remove(table, isOneOfThem("evaluator_id"))
        )
      ),
      // Widgets go with their dashboard.
      purgeRows("dashboards", project, ROWS_AT_A_TIME, () => []),
      purgeRows("metrics", project, ROWS_AT_A_TIME, () => []),
      purgeRows("test_profiles", project, ROWS_AT_A_TIME, (isOneOfThem) => [
        detach("evaluators", "test_profile_id", isOneOfThem)
      ]),
      purgeRows("phone_numbers", project, ROWS_AT_A_TIME, (isOneOfThem) => [
        remove("held_numbers", isOneOfThem("phone_number_id")),
        detach("evaluators", "phone_number_id", isOneOfThem),
        detach("runs", "phone_number_id", isOneOfThem)
      ]),
      purgeRows("tools", project, ROWS_AT_A_TIME, (isOneOfThem) => [remove("evaluator_tools", isOneOfThem("tool_id"))]),
      purgeRows("folders", project, ROWS_AT_A_TIME, (isOneOfThem) => [detach("evaluators", "folder_id", isOneOfThem)]),
      purgeRows("personalities", project, ROWS_AT_A_TIME, (isOneOfThem) => [
        detach("evaluators", "personality_id", isOneOfThem),
        remove("project_personalities", isOneOfThem("personality_id"))
      ])
    ]

    return ProjectPurgeStore.of({
      isDue: (organization, project) =>
        sql`SELECT 1 AS due FROM ${tables.projects}
          WHERE id = ${project} AND organization_id = ${organization} AND deleted_ms IS NOT NULL`.pipe(
          Effect.map((rows) => rows.length > 0),
          storing("ProjectPurgeStore.isDue")
        ),
      liveResults: (project, limit) =>
        resultIds
          .all(
            sql`SELECT id FROM ${tables.results} WHERE project_id = ${project} AND deleted_ms IS NULL
              ORDER BY id LIMIT ${limit}`
          )
          .pipe(storing("ProjectPurgeStore.liveResults")),
      purge: (organization, project) =>
        Effect.gen(function* () {
          for (const step of stepsOf(organization, project)) if (yield* step) return "more" satisfies PurgeStep
          return yield* removeAgents(project)
        }).pipe(storing("ProjectPurgeStore.purge"))
    })
  })
)
