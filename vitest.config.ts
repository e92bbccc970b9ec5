import { defineConfig } from "vitest/config"

/** Packages of this workspace resolve to their sources, so tests run without a build; the rest are Vite's defaults. */
const conditions = ["@earshot/source", "module", "node", "development|production"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/test/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["packages/test-kit/src/postgres/vitestSetup.ts"],
    pool: "forks",
    poolOptions: { forks: { minForks: 1, maxForks: 2 } },
    // Starting a database takes its time on a busy machine; a test that hangs still ends.
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
