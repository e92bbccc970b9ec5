export { wav } from "./Audio.js"
export {
  document,
  invalidIngestFields,
  ingestInput,
  type IngestInput,
  type InvalidIngestInput,
  invalidIngest
} from "./IngestBodies.js"
export { csvProperties } from "./CsvProperties.js"
export { delivery, type MergeDeliveries, redeliveryProperties } from "./RedeliveryProperties.js"
export { type CallOutcome, outcomeProperties, type OutcomeRules } from "./OutcomeProperties.js"
export { statusProperties, type StatusRules } from "./ReviewProperties.js"
