import { areas } from "./mutation/areas.mjs"

const name = process.env.EARSHOT_MUTATE ?? ""
const area = areas[name]
if (area === undefined) throw new Error(`EARSHOT_MUTATE names one of: ${Object.keys(areas).join(", ")}`)

/** Breaks the rules of one area, one small change at a time, and runs the area's tests on each. */
export default {
  packageManager: "pnpm",
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "mutation/vitest.config.ts", related: false },
  mutate: area.mutate,
  ignorePatterns: ["**/dist", "bench", "docs", "examples", "reports"],
  coverageAnalysis: "perTest",
  disableTypeChecks: true,
  concurrency: Number(process.env.EARSHOT_MUTATE_PROCESSES ?? 2),
  timeoutMS: 10_000,
  tempDirName: "node_modules/.cache/stryker",
  reporters: ["clear-text", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `node_modules/.cache/mutation/${name}.json` },
  thresholds: { high: 95, low: 90, break: 90 }
}
