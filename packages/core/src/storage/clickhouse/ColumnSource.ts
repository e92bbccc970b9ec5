/** Where the values of a question are, in ClickHouse's dialect. */
import { isField, type QueryScope, readsEvaluations, type ValuesQuery } from "../../analytics/AnalyticsQuery.js"
import type { Bucket } from "../../analytics/Bucket.js"
import type { NamesById } from "../../analytics/ResourceNames.js"
import type { Field, Scalar } from "../../filters/Filter.js"
import type { OrganizationId } from "../../kernel/Ids.js"
import { isOfTime } from "../sql/TimeSlices.js"
import { filterCondition } from "./ColumnFilter.js"
import { groupParts, type Part, valueParts } from "./ColumnParts.js"
import type { ColumnTables } from "./ColumnTables.js"
import { type Snapshot, visible } from "./Snapshot.js"
import type { Parameters } from "./Statement.js"

export interface SourceContext {
  readonly tables: ColumnTables
  readonly parameters: Parameters
  readonly snapshot: Snapshot
  readonly organizationId: OrganizationId
  readonly agents: NamesById
  readonly metrics: NamesById
}

/** The tables and conditions of one question. */
export class ColumnSource {
  /** The rows of the organization's project: without another's, whatever a filter says. */
  private readonly own: string
  private readonly isVisible: string
  private readonly matching: string

  constructor(
    private readonly context: SourceContext,
    private readonly scope: QueryScope
  ) {
    const { parameters, snapshot, tables } = context
    const project = parameters.integer(scope.projectId)
    this.own = `organization_id = ${parameters.integer(context.organizationId)} AND project_id = ${project}`
    this.isVisible = visible(tables, snapshot, project)
    this.matching = filterCondition(scope.filter, {
      ...context,
      now: scope.now,
      evaluations: { table: tables.evaluations, own: this.own }
    })
  }

  /** The calls that match, as a FROM with its WHERE. */
  calls(): string {
    return `FROM ${this.context.tables.calls} WHERE ${this.own} AND ${this.isVisible} AND ${this.matching}`
  }

  /** The evaluations by some metrics of the calls that match, as a FROM with its WHERE. Calls are not read for times alone. */
  evaluations(metrics: ReadonlyArray<number> | null): string {
    const { parameters, tables } = this.context
    const ofMetrics = metrics === null ? "" : ` AND metric_id IN ${parameters.integers(metrics)}`
    const ofCalls = isOfTime(this.scope.filter)
      ? `${this.isVisible} AND ${this.matching}`
      : `row IN (SELECT row ${this.calls()})`
    return `FROM ${tables.evaluations} WHERE ${this.own}${ofMetrics} AND ${ofCalls}`
  }

  /**
   * One row a value, as a SELECT in parentheses: `at` (the time of its call), the parts of the group under names that begin
   * with `g_`, and those of the value with `v_`.
   */
  values(question: ValuesQuery, group: Field | Bucket | null, onlyNumbers = false): Values {
    const value = valueParts(question, this.context).filter(({ of }) => !onlyNumbers || of !== "text")
    const by = groupParts(group, this.context)
    const values = value.map((part) => `${part.value} AS v_${part.of}`)
    const groups = by.map((part) => `${part.value} AS g_${part.of}`)
    const metrics = question.metric === null ? null : [question.metric]
    return { group: by, value, rows: this.rowsOf({ question, group, values, groups, metrics, value }) }
  }

  private rowsOf({
    group,
    groups,
    metrics,
    question,
    value,
    values
  }: {
    readonly question: ValuesQuery
    readonly group: Field | Bucket | null
    readonly values: ReadonlyArray<string>
    readonly groups: ReadonlyArray<string>
    readonly metrics: ReadonlyArray<number> | null
    readonly value: ReadonlyArray<Part>
  }): string {
    const isThere = value.length === 0 ? "0" : `(${value.map(({ of }) => `isNotNull(v_${of})`).join(" OR ")})`
    const time = "timestamp_ms AS at"
    const select = (columns: ReadonlyArray<string>, from: string) => `(SELECT ${columns.join(", ")} ${from})`
    if (!readsEvaluations(question, group)) {
      return select([time, ...groups, ...values], `${this.calls()} AND ${isThere}`)
    }
    const ofCallField = isField(group) && group.of !== "evaluation"
    if (question.field.of === "evaluation") {
      if (!ofCallField) {
        return select([time, ...groups, ...values], `${this.evaluations(metrics)} AND ${isThere}`)
      }
      const calls = select(["row", ...groups], this.calls())
      return `(SELECT * FROM ${select(["row", time, ...values], this.evaluations(metrics))} AS e
        INNER JOIN ${calls} AS c USING (row) WHERE ${isThere})`
    }
    const evaluations = select(["row", ...groups], this.evaluations(metrics))
    return `(SELECT * FROM ${select(["row", time, ...values], this.calls())} AS c
      LEFT JOIN ${evaluations} AS e USING (row) WHERE ${isThere})`
  }

  /**
   * The settings of a statement. Conditions are evaluated first, before other columns are read, except those of times alone:
   * almost all rows between two times match.
   */
  settings(): string {
    return isOfTime(this.scope.filter) ? "SETTINGS optimize_move_to_prewhere = 0" : ""
  }

  /**
   * Rows with `is_top`, which is 0 for those of groups that are put together, and with the parts of the group under names
   * that begin with `k_`, NULL where they are put together.
   */
  gathered({ group, rows }: Values, top: ReadonlyArray<Scalar | null>): string {
    const { parameters } = this.context
    const among = group.flatMap(({ of }) => {
      switch (of) {
        case "flag": {
          const flags = top.filter((key) => typeof key === "boolean").map(Number)
          return flags.length === 0 ? [] : [`ifNull(g_flag IN (${flags.join(", ")}), 0)`]
        }
        case "number": {
          const numbers = top.filter((key) => typeof key === "number")
          if (numbers.length === 0) return []
          const listed = numbers.every(Number.isSafeInteger)
            ? parameters.integers(numbers)
            : parameters.numbers(numbers)
          return [`ifNull(g_number IN ${listed}, 0)`]
        }
        case "text": {
          const texts = top.filter((key) => typeof key === "string")
          return texts.length === 0 ? [] : [`ifNull(g_text IN ${parameters.texts(texts)}, 0)`]
        }
      }
    })
    const none = top.includes(null) ? [`(${group.map(({ of }) => `isNull(g_${of})`).join(" AND ")})`] : []
    const isTop = [...among, ...none].join(" OR ")
    const keys = group.map(({ of }) => `if(is_top = 1, g_${of}, NULL) AS k_${of}`)
    return `(SELECT *, ${keys.join(", ")} FROM (SELECT *, toUInt8(${isTop}) AS is_top FROM ${rows}))`
  }
}

export interface Values {
  readonly rows: string
  readonly group: ReadonlyArray<Part>
  readonly value: ReadonlyArray<Part>
}
