import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

const HERE = new URL("./", import.meta.url)

/** In the README it is node's own runner where any will do; here it is the one that runs all tests. */
const asShown = (source: string): string =>
  source.replace('import { it as test } from "vitest"', 'import { test } from "node:test"')

it("shows in the README what is type-checked and run, and all of it", () => {
  const readme = readFileSync(new URL("../../README.md", HERE), "utf8")
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = ""]) => block)
  const sources = readdirSync(HERE)
    .filter((file) => file !== "Readme.test.ts")
    .map((file) => asShown(readFileSync(new URL(file, HERE), "utf8")))
  expect(blocks.toSorted()).toEqual(sources.toSorted())
})
