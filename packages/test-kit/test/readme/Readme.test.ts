import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

const HERE = new URL("./", import.meta.url)

const plain = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("import "))
    .join("\n")

it("shows nothing in the README that is not type-checked and run", () => {
  const readme = readFileSync(new URL("../../README.md", HERE), "utf8")
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = ""]) => block)
  const sources = readdirSync(HERE)
    .filter((file) => file !== "Readme.test.ts")
    .map((file) => plain(readFileSync(new URL(file, HERE), "utf8")))
  expect(blocks.length).toBeGreaterThan(2)
  for (const block of blocks) {
    expect(
      sources.some((source) => source.includes(plain(block))),
      block
    ).toBe(true)
  }
})
