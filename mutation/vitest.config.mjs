import { realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"
import { readArea } from "./areas.mjs"

const source = (path) => new URL(`../packages/${path}`, import.meta.url).pathname

/**
 * vitest ends a thread after each run, and a new one loads the engine again, which takes twenty times as long as the tests of a
 * mutant. Here threads are kept; `runner.ts` reloads modules if a mutant needs it.
 */
const keepThreads = async () => {
  const vitest = realpathSync("node_modules/vitest")
  const { Tinypool } = await import(pathToFileURL(join(dirname(vitest), "tinypool/dist/index.js")).href)
  Tinypool.prototype.recycleWorkers = () => Promise.resolve()
}
await keepThreads()

export default mergeConfig(
  { ...base, test: { ...base.test, include: [], globalSetup: [] } },
  defineConfig({
    // The mutated copy would resolve packages by the original's links, to the original sources.
    resolve: {
      alias: [
        { find: /^@earshot\/redaction$/, replacement: source("redaction/src/index.ts") },
        { find: /^@earshot\/redaction\/audio$/, replacement: source("redaction/src/audio/index.ts") },
        { find: /^@earshot\/core$/, replacement: source("core/src/index.ts") },
        { find: /^@earshot\/core\/(sqlite|postgres)$/, replacement: source("core/src/storage/$1/index.ts") },
        { find: /^@earshot\/core\/providers\/(.*)$/, replacement: source("core/src/providers/$1.ts") },
        { find: /^@earshot\/core\/promise$/, replacement: source("core/src/promise.ts") },
        { find: /^@earshot\/test-kit$/, replacement: source("test-kit/src/index.ts") },
        { find: /^@earshot\/test-kit\/redaction$/, replacement: source("test-kit/src/redaction/index.ts") }
      ]
    },
    test: {
      runner: "mutation/runner.ts",
      // Stryker's setup has to run again for each mutant, so it must not be treated as an external package.
      server: { deps: { inline: [/stryker-setup/] } },
      poolOptions: { threads: { isolate: false } },
      // Stryker stops mutants that do not end; a slow machine must not fail a test.
      testTimeout: 0,
      hookTimeout: 0,
      include: readArea(process.env.EARSHOT_MUTATE ?? "").tests
    }
  })
)
