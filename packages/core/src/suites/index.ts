export type { SuiteContext, SuiteMetric, SuitePersonality } from "./SuiteContext.js"
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
export { parseSuite, type ParsedSuite } from "./ParseSuite.js"
export { SUITE_VERSION, SuiteLimits, type SuiteSpec } from "./Suite.js"
export { loadSyntax, locator, parseSuiteText, syntaxOf } from "./SuiteFile.js"
export type { SuiteSyntax, SyntaxName, TextPosition } from "./SuiteText.js"
export { SUITE_SCHEMA_PATH, suiteJsonSchema } from "./SuiteJsonSchema.js"
export {
  encodePlan,
  encodeValidatedSuite,
  type PlannedPersonality,
  type PlannedScenario,
  type PlannedTestProfile,
  type SuitePlan,
  ValidatedSuiteWire
} from "./SuitePlan.js"
export { parseSuiteRequest, SuiteRequestInput, SuiteRunInput } from "./SuiteRequest.js"
export { Suites } from "./Suites.js"
