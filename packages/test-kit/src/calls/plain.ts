export { wav } from "./Audio.js"
export { document, flaws, ingestInput, type IngestInput, type InvalidIngest, invalidIngest } from "./IngestBodies.js"
export { delivery, type MergeDeliveries, redeliveryLaws } from "./RedeliveryLaws.js"
export { statusLaws, type StatusRules } from "./ReviewLaws.js"
