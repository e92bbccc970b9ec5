import { type Condition, conjuncts, type Filter, isGroup } from "./Filter.js"
import { encode } from "./FilterJson.js"

/**
 * The filter that matches a call if and only if both do: `effective_filters` in the interface, of a dashboard and its
 * widget. The result is flat: an `and` contains no `and` and no condition twice. Merging is associative and idempotent, and
 * the empty filter is neutral (up to flatness).
 */
export const merge = (first: Filter, second: Filter): Filter => {
  if (first === null) return flat(second)
  const own = distinct(conjuncts(first))
  const all = distinct([...own, ...conjuncts(second)])
  return all.length === own.length ? flat(first) : { operator: "and", conditions: all }
}

/** The filter with nested `and`s flattened and each condition once; an `and` of one condition stays one. */
const flat = (filter: Filter): Filter => {
  if (filter === null || !isGroup(filter) || filter.operator !== "and") return filter
  const conditions = distinct(conjuncts(filter))
  return conditions.length === 0 ? null : { operator: "and", conditions }
}

/** The wire form has its keys in a fixed order, so equal conditions have equal texts. */
const distinct = (conditions: ReadonlyArray<Condition>): ReadonlyArray<Condition> =>
  Array.from(new Map(conditions.map((condition) => [JSON.stringify(encode(condition)), condition])).values())
