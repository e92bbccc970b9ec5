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
export {
  AGENTS,
  blankCall,
  type CallWorld,
  callWorld,
  document,
  filterableCall,
  METRICS,
  type Named
} from "./FilterableCalls.js"
export { type Matches, meaningLaws, type Merge, mergeLaws, relativeTimeLaws, type Resolve } from "./FilterLaws.js"
export { type InvalidFilter, invalidFilter, invalidFilters } from "./InvalidFilters.js"
export { type Parse, parseLaws, type Print } from "./ParseLaws.js"
export { type CallWorldStores, storeCalls, type StoredCalls } from "./StoredCalls.js"
export { NOW } from "./Vocabulary.js"
export type { Law } from "../Law.js"
