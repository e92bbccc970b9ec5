/** The columns of a metric `m` that state which of its values are better. */
import * as Schema from "effect/Schema"
import { Json } from "../../kernel/Json.js"
import { directionOf } from "../../metrics/Direction.js"
import { type Direction, EvalType } from "../../metrics/MetricTerms.js"
import { jsonColumn } from "./Rows.js"

export const DirectionColumns = Schema.Struct({
  slug: Schema.NullOr(Schema.String),
  eval_type: EvalType,
  function_name: Schema.String,
  configuration: Schema.NullishOr(jsonColumn(Json))
})

/** `DirectionColumns` in a SELECT or GROUP BY. */
export const DIRECTION_COLUMNS = "m.slug, m.eval_type, m.function_name, m.configuration"

export const toDirection = (row: typeof DirectionColumns.Type): Direction | null =>
  directionOf({
    slug: row.slug,
    evalType: row.eval_type,
    functionName: row.function_name,
    configuration: row.configuration ?? null
  })
