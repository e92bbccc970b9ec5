import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

const HERE = new URL("./", import.meta.url)

/** The README uses node:test where any runner works; here vitest runs it. */
const asShown = (source: string): string =>
  source.replace('import { it as test } from "vitest"', 'import { test } from "node:test"')

it("has exactly these type-checked and executed examples in the README", () => {
  const readme = readFileSync(new URL("../../README.md", HERE), "utf8")
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = ""]) => block)
  const sources = readdirSync(HERE)
    .filter((file) => file !== "Readme.test.ts")
    .map((file) => asShown(readFileSync(new URL(file, HERE), "utf8")))
  expect(blocks.toSorted()).toEqual(sources.toSorted())
})
