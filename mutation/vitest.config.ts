import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.js"
import { readArea } from "./areas.mjs"

const source = (path: string) => new URL(`../packages/${path}`, import.meta.url).pathname

export default mergeConfig(
  { ...base, test: { ...base.test, include: [], globalSetup: [] } },
  defineConfig({
    // The copy that is broken has its packages by the links of the tree it was copied from, which lead to whole ones.
    resolve: {
      alias: [
        { find: /^@earshot\/core$/, replacement: source("core/src/index.ts") },
        { find: /^@earshot\/core\/(sqlite|postgres)$/, replacement: source("core/src/storage/$1/index.ts") },
        { find: /^@earshot\/core\/providers\/(.*)$/, replacement: source("core/src/providers/$1.ts") },
        { find: /^@earshot\/core\/promise$/, replacement: source("core/src/promise.ts") },
        { find: /^@earshot\/test-kit$/, replacement: source("test-kit/src/index.ts") }
      ]
    },
    test: { include: readArea(process.env.EARSHOT_MUTATE ?? "").tests }
  })
)
