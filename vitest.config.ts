import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Packages of this workspace resolve to their sources, so tests run without a build; the rest are Vite's defaults. */
const conditions = ["@earshot/source", "module", "node", "development|production"]

/** The files that take longest. Started first, none of them is left for one process at the end. */
const LONGEST = [
  "bench/test/Benchmarks.test.ts",
  "http-adapter/test/conformance/Server.test.ts",
  "core/test/storage/clickhouse/ColumnStore.test.ts",
  "test-kit/test/models/Models.test.ts",
  "web/test/Web.test.ts",
  "core/test/calls/EvaluationCrash.test.ts",
  "cli-adapter/test/commands/Processes.test.ts",
  "test-kit/test/contracts/Stores.test.ts",
  "core/test/storage/clickhouse/ColumnFilter.test.ts",
  "http-adapter/test/Models.test.ts",
  "scripts/packages/packages.test.ts",
  "redaction/test/LongDocuments.test.ts",
  "web/test/DashboardPages.test.ts",
  "web/test/Settings.test.ts",
  "core/test/analytics/ProjectionCrash.test.ts",
  "cli-adapter/test/commands/TwoServers.test.ts",
  "core/test/calls/Canary.test.ts",
  "core/test/analytics/Projections.test.ts",
  "cli-adapter/test/commands/Import.test.ts",
  "cli-adapter/test/commands/Checkouts.test.ts",
  "cli-adapter/test/commands/TakeOver.test.ts",
  "cli-adapter/test/commands/Remote.test.ts",
  "http-adapter/test/conformance/InjectedFaults.test.ts",
  "http-adapter/test/checkouts/LocalRepositories.test.ts",
  "core/test/results/Crash.test.ts"
]

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((path) => moduleId.endsWith(path))
      return found < 0 ? LONGEST.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "examples/test/**/*.test.ts",
      "bench/test/**/*.test.ts",
      "scripts/**/*.test.ts"
    ],
    globalSetup: ["packages/test-kit/src/postgres/vitestSetup.ts", "packages/cli-adapter/test/support/bundleSetup.ts"],
    setupFiles: ["packages/test-kit/test/setup.ts"],
    // Processes, since a native addon that crashes takes a thread's siblings along; three, since the smallest machine that
    // runs all of this has two cores, and a process waits for databases, started programs and clocks a third of its time.
    // Each takes half a gigabyte. Test files share a process one after the other: loading the libraries anew for each of
    // them would take most of the time. So a test leaves no global changed behind. As many at least as at most: a process
    // that has nothing to do any more would be ended, on which the run fails ("Terminating worker thread").
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    poolOptions: { forks: { minForks: 3, maxForks: 3, isolate: false } },
    // Browsers and started programs share CI's machine with whatever else it does: there a test fails if it fails twice.
    retry: process.env.CI === undefined ? 0 : 1,
    // Starting databases and programs takes its time on a busy machine; a test that hangs still ends.
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
