/** Values of a facet as conditions of a filter. */
import { type Condition, type FilterTree, fromConditions, isGroup, type Leaf, topConditions } from "./filter.js"

/** The condition of the calls with a value, or without one. */
export const conditionOf = (field: string, value: string | number | boolean | null): Leaf =>
  value === null ? { field, op: "isnull", value: true } : { field, op: "eq", value }

const isSame = (one: Condition, other: Leaf): boolean =>
  !isGroup(one) && one.field === other.field && one.op === other.op && one.value === other.value

/** Whether a filter has a condition beside others that must all hold. */
export const hasCondition = (filter: FilterTree, condition: Leaf): boolean =>
  topConditions(filter).some((one) => isSame(one, condition))

/** The filter without the condition if it has it, else with it. */
export const toggled = (filter: FilterTree, condition: Leaf): FilterTree => {
  const conditions = topConditions(filter)
  const others = conditions.filter((one) => !isSame(one, condition))
  return fromConditions(others.length < conditions.length ? others : [...conditions, condition])
}
