export { type CompiledLeaf, compileLeaf, type LeafTest, predicate } from "./CompiledLeaf.js"
export {
  type CallField,
  type Condition,
  conjuncts,
  type Document,
  type EvaluationField,
  type Field,
  FIELD_NAMES,
  fieldOf,
  type FieldType,
  type Filter,
  type Group,
  GROUP_OPERATORS,
  type GroupOperator,
  isGroup,
  type Leaf,
  LEAF_OPERATORS,
  type LeafOperator,
  OPERATORS,
  type Scalar,
  type Status,
  statusOf,
  STATUSES
} from "./Filter.js"
export { costOf } from "./FilterCost.js"
export { merge } from "./MergeFilters.js"
export { encode, type FilterJson } from "./FilterJson.js"
export { FilterField, type FilterLimits, FilterQuery, LIMITS, parse, parseText, QUERY_LIMITS } from "./ParseFilter.js"
export * as RelativeTime from "./RelativeTime.js"
