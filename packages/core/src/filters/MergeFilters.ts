import { type Condition, conjuncts, type Filter, isGroup } from "./Filter.js"
import { encode } from "./FilterJson.js"

/**
 * The filter that matches a call if and only if both match: what the interface calls `effective_filters`, of a dashboard
 * and its widget. The result is flat: an `and` holds no `and` and no condition twice. Merging is associative, merging the
 * same filter again changes nothing, and the empty filter is neutral (up to that flatness).
 */
export const merge = (first: Filter, second: Filter): Filter => {
  if (first === null) return flat(second)
  const mine = distinct(conjuncts(first))
  const all = distinct([...mine, ...conjuncts(second)])
  return all.length === mine.length ? flat(first) : { operator: "and", conditions: all }
}

/** The filter with its nested `and`s in one, each condition once; an `and` of one condition stays one. */
const flat = (filter: Filter): Filter => {
  if (filter === null || !isGroup(filter) || filter.operator !== "and") return filter
  const conditions = distinct(conjuncts(filter))
  return conditions.length === 0 ? null : { operator: "and", conditions }
}

/** The wire form is printed with its keys in one order, so texts are equal where conditions are. */
const distinct = (conditions: ReadonlyArray<Condition>): ReadonlyArray<Condition> =>
  Array.from(new Map(conditions.map((condition) => [JSON.stringify(encode(condition)), condition])).values())
