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
export type { FilterableCall, FilterableEvaluation } from "./FilterableCall.js"
export { evaluationValue, type Matcher, matcher, matches, valueOf } from "./MatchFilter.js"
export { merge } from "./MergeFilters.js"
export {
  FilterField,
  type FilterJson,
  type FilterLimits,
  FilterQuery,
  LIMITS,
  parse,
  parseText,
  encode,
  QUERY_LIMITS
} from "./ParseFilter.js"
export * as RelativeTime from "./RelativeTime.js"
