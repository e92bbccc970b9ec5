export {
  type InvalidSuite,
  invalidSuite,
  type SuiteFlaw,
  suiteFlaws,
  type SuiteLimit,
  suiteLimits
} from "./InvalidSuites.js"
export { damagedSuite, suite, type SuiteJson, world } from "./SuiteArbitraries.js"
export { type PlanDocument, priceListLaws, specLimitLaws, standardPriceLaws, suiteLaws } from "./SuiteLaws.js"
