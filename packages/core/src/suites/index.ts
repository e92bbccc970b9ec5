export type { AgentWorld, WorldMetric, WorldPersonality } from "./AgentWorld.js"
export { type PlanRequest, planSuite } from "./PlanSuite.js"
export {
  DEFAULT_MAX_DURATION,
  EXPECTED_MESSAGES,
  PriceList,
  type PricedRun,
  priceOfRun,
  type Prices,
  standardPrices
} from "./PriceList.js"
export { readSuite, type SuiteRead } from "./ReadSuite.js"
export { SUITE_VERSION, SuiteLimits, type SuiteReading } from "./Suite.js"
export { locator, parseSuiteText, type Place } from "./SuiteFile.js"
export { SUITE_SCHEMA_PATH, suiteJsonSchema } from "./SuiteJsonSchema.js"
export {
  encodePlan,
  encodeValidated,
  type PlannedPersonality,
  type PlannedScenario,
  type PlannedTestProfile,
  type SuitePlan,
  ValidatedSuiteWire
} from "./SuitePlan.js"
export { readSuiteRequest, SuiteRequestInput, SuiteRunInput } from "./SuiteRequest.js"
export { Suites } from "./Suites.js"
