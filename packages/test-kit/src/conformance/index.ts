export type { Check } from "./Check.js"
export { spoken } from "./checks/CallSupport.js"
export { deletable } from "./checks/Deletions.js"
export { type Output, runCommand } from "./Command.js"
export {
  checksFor,
  type CheckResult,
  type ConformanceOptions,
  type ConformanceReport,
  runConformance
} from "./Conformance.js"
export type { ServerLimits } from "./Fixture.js"
export { printResult, printSummary } from "./Print.js"
