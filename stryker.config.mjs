import { incrementalOf, readArea, reportOf } from "./mutation/areas.mjs"

const name = process.env.EARSHOT_MUTATE ?? ""

/** Breaks the rules of one area, one small change at a time, and runs the area's tests on each: see `pnpm mutate`. */
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
  // A mutant that takes this long more than its tests take is one that never ends, not a machine that is busy.
  timeoutMS: 20_000,
  tempDirName: "node_modules/.cache/stryker",
  incremental: true,
  incrementalFile: incrementalOf(name),
  reporters: ["clear-text", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportMutants: false },
  jsonReporter: { fileName: reportOf(name) }
}
