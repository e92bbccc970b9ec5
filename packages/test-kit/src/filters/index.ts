export {
  condition,
  evaluationField,
  evaluationLeaf,
  fieldName,
  filter,
  filterJson,
  leaf,
  relativeTime,
  rowCondition,
  time
} from "./FilterArbitraries.js"
export type { FilterableCall, FilterableEvaluation } from "./FilterableCall.js"
export {
  AGENTS,
  blankCall,
  type CallFixture,
  callFixture,
  document,
  filterableCall,
  METRICS,
  type Named
} from "./FilterableCalls.js"
export {
  type Matches,
  meaningProperties,
  type Merge,
  mergeProperties,
  relativeTimeProperties,
  type Resolve
} from "./FilterProperties.js"
export { type InvalidFilter, invalidFilter, invalidFilters } from "./InvalidFilters.js"
export { type Parse, parseProperties, type Print } from "./ParseProperties.js"
export { evaluationValue, type Matcher, matcher, matches, valueOf } from "./ReferenceMatcher.js"
export { type CallFixtureStores, storeCalls, type StoredCalls } from "./StoredCalls.js"
export { NOW } from "./Vocabulary.js"
export type { Property } from "../Property.js"
