import { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Permit } from "../../access/Permit.js"
import { LanguageCode } from "../../catalog/LanguageCode.js"
import { Evaluator, type EvaluatorSpec, ScenarioType } from "../../evaluators/Evaluator.js"
import { EvaluatorStore } from "../../evaluators/EvaluatorStore.js"
import {
  AgentId,
  EvaluatorId,
  FolderId,
  MetricId,
  PersonalityId,
  PhoneNumberId,
  ProjectId,
  TestProfileId,
  ToolId,
  UserId
} from "../../kernel/Ids.js"
import { Json } from "../../kernel/Json.js"
import { growing } from "./Reads.js"
import { Dialect } from "./Dialect.js"
import { scopePredicate } from "./ScopeSql.js"
import { Instant, jsonColumn, readRows } from "./Rows.js"
import { grouped } from "./EvaluatorValues.js"
import { storing } from "./Storing.js"
import type { Tables } from "./Tables.js"
import { createdAt, expressionOf, tenantTable } from "./TenantTable.js"
import { profileExpressions, profileJoins, TestProfileRow, toTestProfile } from "./TestProfileRows.js"

/** An evaluator's row with the names of what it refers to; null for what was deleted. */
const EvaluatorRow = Schema.Struct({
  id: EvaluatorId,
  project_id: ProjectId,
  agent_id: AgentId,
  agent_name: Schema.String,
  name: Schema.String,
  scenario_type: ScenarioType,
  instructions: Schema.String,
  personality_id: Schema.NullOr(PersonalityId),
  personality_name: Schema.NullOr(Schema.String),
  test_profile_id: Schema.NullOr(TestProfileId),
  phone_number_id: Schema.NullOr(PhoneNumberId),
  phone_number: Schema.NullOr(Schema.String),
  phone_number_name: Schema.NullOr(Schema.String),
  folder_id: Schema.NullOr(FolderId),
  folder_path: Schema.NullOr(Schema.String),
  expected_outcome_prompt: Schema.String,
  scenario_language: Schema.NullOr(LanguageCode),
  first_message: Schema.String,
  max_duration: Schema.NullOr(Schema.Number),
  dynamic_variable_values: Schema.NullOr(jsonColumn(Json)),
  created_by: Schema.NullOr(UserId),
  updated_by: Schema.NullOr(UserId),
  created_ms: Instant,
  updated_ms: Instant
})
type EvaluatorRow = typeof EvaluatorRow.Type

/** What the columns of `EvaluatorRow` are read from that are not `evaluators t`'s own, of the tables in `joins`. */
const expressions = {
  agent_name: "a.name",
  personality_id: "CASE WHEN pp.id IS NULL THEN NULL ELSE pe.id END",
  personality_name: "CASE WHEN pp.id IS NULL THEN NULL ELSE pe.name END",
  test_profile_id: "tp.id",
  phone_number_id: "ph.id",
  phone_number: "ph.number",
  phone_number_name: "ph.name",
  folder_id: "f.id",
  folder_path: "f.path"
}

const joinsOf = (sql: SqlClient, tables: Tables): Fragment =>
  sql`JOIN ${tables.agents} a ON a.id = t.agent_id AND a.deleted_ms IS NULL
    LEFT JOIN ${tables.personalities} pe ON pe.id = t.personality_id AND pe.deleted_ms IS NULL
    LEFT JOIN ${tables.projects} pp ON pp.id = pe.project_id AND pp.deleted_ms IS NULL
    LEFT JOIN ${tables.test_profiles} tp ON tp.id = t.test_profile_id AND tp.deleted_ms IS NULL
    LEFT JOIN ${tables.phone_numbers} ph ON ph.id = t.phone_number_id AND ph.deleted_ms IS NULL
    LEFT JOIN ${tables.folders} f ON f.id = t.folder_id`

const TargetRow = Schema.Struct({
  id: EvaluatorId,
  project_id: ProjectId,
  scenario_type: ScenarioType,
  instructions_length: Schema.Number
})

/**
 * A text case-folded for search. Folding goes letter by letter, so that what is appended later can be
 * folded by itself; the one letter whose lower case depends on its neighbors, sigma, has one form here.
 */
const folded = (text: string): string => text.toLowerCase().replaceAll("ς", "σ")

/** The text that a search matches. A search is one line, so that none spans the name and the instructions. */
const searchText = (spec: Pick<EvaluatorSpec, "name" | "instructions">): string =>
  folded(`${spec.name}\n${spec.instructions}`)

export const layer = Layer.effect(
  EvaluatorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const { tables } = dialect
    const scope = { project: "t.project_id", agent: "t.agent_id" }
    const table = yield* tenantTable({
      store: "EvaluatorStore",
      table: "evaluators",
      row: EvaluatorRow,
      joins: joinsOf(sql, tables),
      expressions,
      scope,
      furtherBytes: dialect.bytes(sql`tp.information`),
      make: (row) => row
    })
    const targets = readRows(TargetRow, (row) => ({
      id: row.id,
      projectId: row.project_id,
      scenarioType: row.scenario_type,
      instructionsLength: row.instructions_length
    }))
    const valuesOf = <A, I>(value: Schema.Schema<A, I>) =>
      readRows(Schema.Struct({ evaluator_id: EvaluatorId, value }), (row) => ({
        evaluator: row.evaluator_id,
        value: row.value
      })).all
    const sizes = readRows(Schema.Struct({ size: Schema.Number }), ({ size }) => size)
    const tagRows = valuesOf(Schema.String)
    const metricRows = valuesOf(MetricId)
    const toolRows = valuesOf(ToolId)
    const nameRows = readRows(
      Schema.Struct({ id: MetricId, name: Schema.String }),
      ({ id, name }) => [id, name] as const
    )
    const profileColumns = sql.literal(
      Object.keys(TestProfileRow.fields)
        .map((name) => expressionOf(profileExpressions, name))
        .join(", ")
    )
    const profileRows = readRows(TestProfileRow, toTestProfile)

    /** The evaluators of some rows, in their order; related rows are read in one query each for all of them. */
    const assembled = (rows: ReadonlyArray<EvaluatorRow>) =>
      Effect.gen(function* () {
        if (rows.length === 0) return []
        const isListed = (column: string) =>
          dialect.isOneOf(
            column,
            rows.map(({ id }) => id)
          )
        const profileIds = new Set(rows.flatMap(({ test_profile_id: id }) => (id === null ? [] : [id])))
        const tags = grouped(
          yield* tagRows(
            sql`SELECT evaluator_id, tag AS value FROM ${tables.evaluator_tags} WHERE ${isListed("evaluator_id")} ORDER BY position`
          )
        )
        const metrics = grouped(
          yield* metricRows(
            sql`SELECT x.evaluator_id, x.metric_id AS value FROM ${tables.evaluator_metrics} x
                JOIN ${tables.metrics} m ON m.id = x.metric_id AND m.deleted_ms IS NULL
                WHERE ${isListed("x.evaluator_id")} ORDER BY x.metric_id`
          )
        )
        const metricIds = new Set([...metrics.values()].flat())
        const names = new Map(
          metricIds.size === 0
            ? []
            : yield* nameRows.all(
                sql`SELECT id, name FROM ${tables.metrics} WHERE ${dialect.isOneOf("id", [...metricIds])}`
              )
        )
        const tools = grouped(
          yield* toolRows(
            sql`SELECT x.evaluator_id, x.tool_id AS value FROM ${tables.evaluator_tools} x
                JOIN ${tables.tools} o ON o.id = x.tool_id AND o.deleted_ms IS NULL
                WHERE ${isListed("x.evaluator_id")} ORDER BY x.tool_id`
          )
        )
        const profiles = new Map(
          profileIds.size === 0
            ? []
            : (yield* profileRows.all(
                sql`SELECT ${profileColumns} FROM ${tables.test_profiles} t ${profileJoins(sql, tables)}
                    WHERE ${dialect.isOneOf("t.id", [...profileIds])}`
              )).map((profile) => [profile.id, profile] as const)
        )
        return rows.map((row) => {
          const attached = metrics.get(row.id) ?? []
          return new Evaluator({
            id: row.id,
            name: row.name,
            instructions: row.instructions,
            agentId: row.agent_id,
            agentName: row.agent_name,
            projectId: row.project_id,
            personalityId: row.personality_id,
            personalityName: row.personality_name,
            phoneNumber: row.phone_number,
            phoneNumberId: row.phone_number_id,
            phoneNumberData: described(row),
            expectedOutcomePrompt: row.expected_outcome_prompt,
            scenarioLanguage: row.scenario_language,
            scenarioType: row.scenario_type,
            tags: tags.get(row.id) ?? [],
            metricIds: attached,
            metricNames: attached.map((id) => names.get(id) ?? ""),
            firstMessage: row.first_message,
            toolIds: tools.get(row.id) ?? [],
            testProfileId: row.test_profile_id,
            testProfile: row.test_profile_id === null ? null : (profiles.get(row.test_profile_id) ?? null),
            dynamicVariableValues: row.dynamic_variable_values,
            folderId: row.folder_id,
            folderPath: row.folder_path ?? "",
            maxDuration: row.max_duration,
            createdAt: row.created_ms,
            updatedAt: row.updated_ms,
            createdBy: row.created_by,
            lastUpdatedBy: row.updated_by
          })
        })
      }).pipe(storing("EvaluatorStore.assemble"))

    const one = (found: Option.Option<EvaluatorRow>) =>
      Effect.map(assembled(Option.toArray(found)), ([evaluator]) => Option.fromNullable(evaluator))

    /** The columns that callers set. */
    const rowOf = (permit: Permit, spec: EvaluatorSpec) => ({
      agent_id: spec.agentId,
      name: spec.name,
      scenario_type: spec.scenarioType,
      instructions: spec.instructions,
      search_text: searchText(spec),
      personality_id: spec.personalityId,
      test_profile_id: spec.testProfileId,
      phone_number_id: spec.phoneNumberId,
      folder_id: spec.folderId,
      expected_outcome_prompt: spec.expectedOutcomePrompt,
      scenario_language: spec.scenarioLanguage,
      first_message: spec.firstMessage,
      max_duration: spec.maxDuration,
      updated_by: permit.userId
    })

    const attach = (
      relation: "evaluator_metrics" | "evaluator_tools",
      evaluators: ReadonlyArray<EvaluatorId>,
      attached: ReadonlyArray<number>
    ) =>
      attached.length === 0
        ? Effect.void
        : sql`INSERT INTO ${tables[relation]}
              SELECT e.value, x.value FROM ${dialect.integers(evaluators)} e CROSS JOIN ${dialect.integers(attached)} x
              WHERE 1 = 1
              ON CONFLICT DO NOTHING`

    const detach = (
      relation: "evaluator_metrics" | "evaluator_tools",
      evaluators: ReadonlyArray<EvaluatorId>,
      detached: ReadonlyArray<number>
    ) =>
      detached.length === 0
        ? Effect.void
        : sql`DELETE FROM ${tables[relation]}
              WHERE ${dialect.isOneOf("evaluator_id", evaluators)}
                AND ${dialect.isOneOf(relation === "evaluator_metrics" ? "metric_id" : "tool_id", detached)}`

    const putTags = (id: EvaluatorId, tags: ReadonlyArray<string>) =>
      tags.length === 0
        ? Effect.void
        : sql`INSERT INTO ${tables.evaluator_tags} ${sql.insert(tags.map((tag, position) => ({ evaluator_id: id, tag, position })))}`

    const put = (id: EvaluatorId, spec: EvaluatorSpec) =>
      Effect.all([
        putTags(id, spec.tags),
        attach("evaluator_metrics", [id], spec.metricIds),
        attach("evaluator_tools", [id], spec.toolIds)
      ])

    return EvaluatorStore.of({
      insert: (permit, spec, now) =>
        Effect.gen(function* () {
          const row = yield* table.insert(permit, {
            project_id: spec.projectId,
            ...rowOf(permit, spec),
            created_by: permit.userId,
            ...createdAt(now)
          })
          yield* put(row.id, spec)
          return (yield* assembled([row]))[0]
        }).pipe(
          Effect.flatMap((made) =>
            made === undefined ? Effect.dieMessage("The evaluator that was made is not there") : Effect.succeed(made)
          ),
          storing("EvaluatorStore.insert")
        ),
      find: (permit, id) => Effect.flatMap(table.find(permit, id), one),
      findForUpdate: (permit, id) => Effect.flatMap(table.findForUpdate(permit, id), one),
      findAll: (permit, ids) =>
        Effect.gen(function* () {
          const rows = yield* table.all(
            permit,
            sql`${dialect.isOneOf("t.id", ids)} AND ${scopePredicate(sql, permit, scope)}`
          )
          const byId = new Map((yield* assembled(rows)).map((evaluator) => [evaluator.id, evaluator]))
          return ids.flatMap((id) => byId.get(id) ?? [])
        }),
      list: (permit, question, page) => {
        const conditions: ReadonlyArray<Fragment> = [
          ...(question.folderPath === null
            ? []
            : [question.folderPath === "" ? sql`t.folder_id IS NULL` : sql`f.path = ${question.folderPath}`]),
          ...(question.tag === null
            ? []
            : [
                sql`EXISTS (SELECT 1 FROM ${tables.evaluator_tags} g
                  WHERE g.evaluator_id = t.id AND g.tag = ${question.tag})`
              ]),
          ...(question.text === null || question.text === ""
            ? []
            : [dialect.contains(sql`t.search_text`, folded(question.text))])
        ]
        return Effect.flatMap(
          table.list(permit, page, { project_id: question.projectId, agent_id: question.agentId }, conditions),
          ({ rows, ...found }) => Effect.map(assembled(rows), (evaluators) => ({ ...found, rows: evaluators }))
        ).pipe(growing("list", permit))
      },
      save: (permit, id, spec, now) =>
        Effect.gen(function* () {
          yield* table.save(permit, id, { ...rowOf(permit, spec), updated_ms: DateTime.toEpochMillis(now) })
          yield* sql`DELETE FROM ${tables.evaluator_tags} WHERE evaluator_id = ${id}`
          yield* sql`DELETE FROM ${tables.evaluator_metrics} WHERE evaluator_id = ${id}`
          yield* sql`DELETE FROM ${tables.evaluator_tools} WHERE evaluator_id = ${id}`
          yield* put(id, spec)
        }).pipe(storing("EvaluatorStore.save")),
      remove: (permit, id, now) => table.softDelete(permit, id, now),
      findTargetsForUpdate: (permit, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : sql`SELECT t.id, t.project_id, t.scenario_type, length(t.instructions) AS instructions_length
                FROM ${tables.evaluators} t
                JOIN ${tables.agents} a ON a.id = t.agent_id AND a.deleted_ms IS NULL
                JOIN ${tables.projects} p ON p.id = t.project_id AND p.deleted_ms IS NULL
                WHERE ${dialect.isOneOf("t.id", ids)} AND t.organization_id = ${permit.organizationId}
                  AND t.deleted_ms IS NULL AND ${scopePredicate(sql, permit, scope)}
                ORDER BY t.id ${dialect.forUpdateOf("t")}`.pipe(
              targets.all,
              storing("EvaluatorStore.findTargetsForUpdate")
            ),
      sizeOf: (permit, ids) =>
        // Profiles are measured once each: many evaluators share a large one.
        sql`SELECT CAST(COALESCE(SUM(own + shared * COALESCE(length(p.information), 0)), 0) AS ${dialect.column.integer}) AS size FROM (
              SELECT test_profile_id, COUNT(*) AS shared,
                SUM(length(instructions) + length(expected_outcome_prompt) + length(first_message)) AS own
              FROM ${tables.evaluators} WHERE ${dialect.isOneOf("id", ids)} AND organization_id = ${permit.organizationId}
              GROUP BY test_profile_id) t
            LEFT JOIN ${tables.test_profiles} p ON p.id = t.test_profile_id AND p.deleted_ms IS NULL`.pipe(
          sizes.one,
          storing("EvaluatorStore.sizeOf")
        ),
      apply: (permit, plan, now) =>
        Effect.gen(function* () {
          yield* detach("evaluator_metrics", plan.evaluators, plan.detachMetrics)
          yield* attach("evaluator_metrics", plan.evaluators, plan.attachMetrics)
          yield* detach("evaluator_tools", plan.evaluators, plan.detachTools)
          yield* attach("evaluator_tools", plan.evaluators, plan.attachTools)
          const set = Object.entries({
            agent_id: plan.agentId,
            personality_id: plan.personalityId,
            test_profile_id: plan.testProfileId,
            phone_number_id: plan.phoneNumberId,
            folder_id: plan.folderId,
            first_message: plan.firstMessage,
            max_duration: plan.maxDuration,
            updated_by: permit.userId,
            updated_ms: DateTime.toEpochMillis(now)
          }).flatMap(([column, value]) => (value === undefined ? [] : [sql`${sql.literal(column)} = ${value}`]))
          const appended =
            plan.append === ""
              ? []
              : [
                  sql`instructions = instructions || ${plan.append}`,
                  sql`search_text = search_text || ${folded(plan.append)}`
                ]
          yield* sql`UPDATE ${tables.evaluators} SET ${sql.csv([...set, ...appended])}
                     WHERE ${dialect.isOneOf("id", plan.evaluators)} AND organization_id = ${permit.organizationId}`
        }).pipe(storing("EvaluatorStore.apply"))
    })
  })
)

/** A number's details in one line: `+15550100 (Front desk)`. */
const described = (row: EvaluatorRow): string | null =>
  row.phone_number === null || row.phone_number_name === null || row.phone_number_name === ""
    ? row.phone_number
    : `${row.phone_number} (${row.phone_number_name})`
