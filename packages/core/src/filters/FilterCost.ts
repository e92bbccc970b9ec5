/** What a filter costs to evaluate, so that a filter that would keep the database busy for minutes is rejected beforehand. */
import { type Condition, fieldOf, isGroup, type Leaf } from "./Filter.js"

/**
 * The cost of a condition, in units of one comparison of a call's column. The weights are an order of magnitude: a path
 * is searched in a JSON text for every call, a pattern is tested on every distinct value, and a condition on evaluations is
 * a subquery. 200 conditions on paths over a million calls took more than 180 s on SQLite.
 */
export const WEIGHTS = { column: 1, evaluation: 2, path: 20, pattern: 40 } as const

const costOfLeaf = ({ field, op }: Leaf, inRow: boolean): number => {
  const of = fieldOf(field)?.of
  const place = of === "document" ? WEIGHTS.path : of === "evaluation" && !inRow ? WEIGHTS.evaluation : WEIGHTS.column
  return place + (op === "regex" ? WEIGHTS.pattern : 0)
}

/** The sum of the costs of all conditions; all those of a `same_row` are about the rows of one subquery. */
export const costOf = (condition: Condition, inRow = false): number => {
  if (!isGroup(condition)) return costOfLeaf(condition, inRow)
  const isRow = condition.operator === "same_row"
  return condition.conditions.reduce(
    (sum, inner) => sum + costOf(inner, inRow || isRow),
    isRow ? WEIGHTS.evaluation : 0
  )
}
