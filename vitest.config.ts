import { defineConfig } from "vitest/config"

/** Packages of this workspace resolve to their sources, so tests run without a build; the rest are Vite's defaults. */
const conditions = ["@earshot/source", "module", "node", "development|production"]

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
    globalSetup: ["packages/test-kit/src/postgres/vitestSetup.ts"],
    setupFiles: ["packages/test-kit/test/seed.ts"],
    // Processes, since a native addon that crashes takes a thread's siblings along; two, since the smallest machine that
    // runs all of this has two cores. Test files share a process one after the other: loading the libraries anew for
    // each of them would take most of the time. So a test leaves no global changed behind.
    pool: "forks",
    poolOptions: { forks: { minForks: 1, maxForks: 2, isolate: false } },
    // Starting databases and programs takes its time on a busy machine; a test that hangs still ends.
    testTimeout: 240_000,
    hookTimeout: 240_000
  }
})
