import { realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"
import { readArea } from "./areas.mjs"

const source = (path) => new URL(`../packages/${path}`, import.meta.url).pathname

/**
 * vitest ends a thread after each run, and a new one reads the engine anew: twenty times as long as the tests of one
 * mutant take. Here a thread lives on; `runner.ts` has modules read again where a mutant needs that.
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
    // The copy that is broken has its packages by the links of the tree it was copied from, which lead to whole ones.
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
      // Stryker's own setup, which would otherwise count as a package and be read once for all runs.
      server: { deps: { inline: [/stryker-setup/] } },
      poolOptions: { threads: { isolate: false } },
      // A mutant that never comes to an end is Stryker's to stop: a machine that is busy is no test that fails.
      testTimeout: 0,
      hookTimeout: 0,
      include: readArea(process.env.EARSHOT_MUTATE ?? "").tests
    }
  })
)
