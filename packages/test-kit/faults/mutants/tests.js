/** The files whose tests kill mutants, and the folder of the mutated code. */
const kit = "packages/test-kit/test/"
const core = "packages/core/test/"
export const tests = {
  properties: `${kit}properties/Properties.test.ts`,
  rules: `${kit}properties/Rules.test.ts`,
  inputs: `${kit}properties/Inputs.test.ts`,
  models: `${kit}models/Models.test.ts`,
  stores: `${kit}contracts/Stores.test.ts`,
  assertions: `${core}results/Assertions.test.ts`,
  comparison: `${core}results/Compare.test.ts`,
  credentials: `${core}access/Credentials.test.ts`,
  grants: `${core}access/Grant.test.ts`,
  lifecycle: `${core}results/Lifecycle.test.ts`,
  merge: `${core}filters/MergeFilters.test.ts`,
  plans: `${core}suites/PlanSuite.test.ts`,
  prices: `${core}calls/RedactionPrice.test.ts`,
  redeliveries: `${core}calls/RedeliveryRules.test.ts`,
  relativeTimes: `${core}filters/RelativeTime.test.ts`,
  speech: `${core}metrics/Speech.test.ts`
}

/** The path of a file of the engine. */
export const source = (path) => `packages/core/src/${path}.ts`
