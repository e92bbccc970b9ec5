export { wav } from "./Audio.js"
export {
  document,
  invalidIngestFields,
  ingestInput,
  type IngestInput,
  type InvalidIngestInput,
  invalidIngest
} from "./IngestBodies.js"
export { delivery, type MergeDeliveries, redeliveryProperties } from "./RedeliveryProperties.js"
export { statusProperties, type StatusRules } from "./ReviewProperties.js"
