import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

/** Every file that is loaded with one, and what of packages is: `import("...")` and types are not. */
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

it("what is for any runner loads no test framework", () => {
  const { files, packages } = loadedWith(new URL("../../src/plain.ts", import.meta.url))
  expect(files.size).toBeGreaterThan(50)
  expect([...packages]).toContain("fast-check")
  expect([...packages].filter((name) => name.includes("vitest"))).toEqual([])
})
