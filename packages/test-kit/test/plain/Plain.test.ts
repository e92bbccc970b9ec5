import { Metrics, untrusted } from "@earshot/core"
import { startEngine } from "@earshot/test-kit/plain"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

/** The files and packages that a module loads, without `import("...")` and types. */
const loadedWith = (entry: URL): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } => {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: URL): void => {
    if (files.has(file.href)) return
    files.add(file.href)
    const text = readFileSync(fileURLToPath(file), "utf8")
    for (const [, clause = "", from = ""] of text.matchAll(/^(?:import|export) ([^"]*?)(?:from )?"([^"]+)"$/gm)) {
      if (clause.startsWith("type ")) continue
      if (from.startsWith(".")) visit(new URL(from.replace(/\.js$/, ".ts"), file))
      else packages.add(from)
    }
  }
  visit(entry)
  return { files, packages }
}

it("the exports for any runner load no test framework", () => {
  const { files, packages } = loadedWith(new URL("../../src/plain.ts", import.meta.url))
  expect(files.size).toBeGreaterThan(50)
  expect([...packages]).toContain("fast-check")
  expect([...packages].filter((name) => name.includes("vitest"))).toEqual([])
})

it("keys are the same in every run with one seed, and errors are the engine's", async () => {
  const keyOf = async (seed: string) => {
    const engine = await startEngine({ seed })
    try {
      const { actor, apiKey } = await engine.fixture()
      await expect(
        engine.as(actor)(Effect.flatMap(Metrics, (metrics) => metrics.create(untrusted({ name: "" }))))
      ).rejects.toThrow("name: This field may not be blank.")
      return apiKey.key.hint
    } finally {
      await engine.stop()
    }
  }
  expect(await keyOf("one")).toBe(await keyOf("one"))
  expect(await keyOf("one")).not.toBe(await keyOf("two"))
})
