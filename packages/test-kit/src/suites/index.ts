export {
  type InvalidSuite,
  invalidSuite,
  type SuiteFlaw,
  suiteFlaws,
  type SuiteLimit,
  suiteLimits
} from "./InvalidSuites.js"
export { damagedSuite, suite, type SuiteJson, fixture } from "./SuiteArbitraries.js"
export {
  type PlanDocument,
  priceListProperties,
  specLimitProperties,
  standardPriceProperties,
  suiteProperties
} from "./SuiteProperties.js"
