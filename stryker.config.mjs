import { incrementalOf, readArea, reportOf } from "./mutation/areas.mjs"

const name = process.env.EARSHOT_MUTATE ?? ""

/** Configuration for the mutants and tests of one area: see `pnpm mutate`. */
export default {
  packageManager: "pnpm",
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "mutation/vitest.config.mjs", related: false },
  mutate: readArea(name).mutate,
  ignorePatterns: ["**/dist", "bench", "docs", "examples", "reports"],
  coverageAnalysis: "perTest",
  warnings: { slow: false },
  disableTypeChecks: true,
  concurrency: Number(process.env.EARSHOT_MUTATE_PROCESSES ?? 1),
  // Added to the normal duration of the tests, so that a slow machine does not count as an endless loop.
  timeoutMS: 20_000,
  tempDirName: "node_modules/.cache/stryker",
  incremental: true,
  incrementalFile: incrementalOf(name),
  reporters: ["clear-text", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportMutants: false },
  jsonReporter: { fileName: reportOf(name) }
}
