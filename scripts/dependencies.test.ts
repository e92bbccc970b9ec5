import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MANIFESTS = [
  "package.json",
  "examples/package.json",
  "bench/package.json",
  ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/package.json`)
]
const KINDS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]

/** Each dependency with the folders whose manifests list it. */
const named = new Map<string, Array<string>>()
for (const manifest of MANIFESTS) {
  const json = JSON.parse(readFileSync(join(ROOT, manifest), "utf8")) as Record<string, Record<string, string>>
  for (const name of KINDS.flatMap((kind) => Object.keys(json[kind] ?? {}))) {
    if (!name.startsWith("@earshot/")) named.set(name, [...(named.get(name) ?? []), dirname(manifest)])
  }
}

const rows = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map((cells) => ({ name: cells[1]!.replaceAll("`", ""), license: cells[4] }))

describe("docs/dependencies.md", () => {
  it("lists every dependency once and nothing else", () => {
    expect(rows.map((row) => row.name).toSorted()).toEqual([...named.keys()].toSorted())
  })

  it("states the license of each package", () => {
    const stated = rows.flatMap(({ name }) =>
      (named.get(name) ?? []).slice(0, 1).map((folder) => {
        const manifest = readFileSync(join(ROOT, folder, "node_modules", name, "package.json"), "utf8")
        return { name, license: (JSON.parse(manifest) as { license?: string }).license }
      })
    )
    expect(rows.filter((row) => named.has(row.name))).toEqual(stated)
  })
})
