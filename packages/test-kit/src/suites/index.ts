export { damagedSuite, suite, type SuiteJson, world } from "./SuiteArbitraries.js"
export { type SuiteLaw, suiteLaws } from "./SuiteLaws.js"
