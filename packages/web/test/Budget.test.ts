/** What a page loads, compressed, from Vite's manifest. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { buildApp } from "../build.mjs"

const APP = new URL("../dist/app/", import.meta.url)

interface Chunk {
  readonly file: string
  readonly imports?: ReadonlyArray<string>
  readonly css?: ReadonlyArray<string>
}

const read = (name: string): Buffer => readFileSync(fileURLToPath(new URL(name, APP)))

/** The files that an entry loads before it shows anything. */
const filesOf = (manifest: Readonly<Record<string, Chunk>>, entry: string, seen = new Set<string>()): Set<string> => {
  const chunk = manifest[entry]
  if (chunk === undefined) throw new Error(`No chunk ${entry}`)
  if (seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const css of chunk.css ?? []) seen.add(css)
  for (const name of chunk.imports ?? []) filesOf(manifest, name, seen)
  return seen
}

const kilobytes = (files: Iterable<string>, extension: string): number =>
  [...files].filter((file) => file.endsWith(extension)).reduce((sum, file) => sum + read(`${file}.gz`).length, 0) / 1000

describe("the bundle", () => {
  let manifest: Readonly<Record<string, Chunk>> = {}
  beforeAll(async () => {
    await buildApp()
    manifest = JSON.parse(read(".vite/manifest.json").toString()) as typeof manifest
  })

  it("loads at most 170 kB of scripts and 15 kB of styles for the first screen, compressed", () => {
    const first = filesOf(manifest, "index.html")
    expect(kilobytes(first, ".js")).toBeLessThanOrEqual(170)
    expect(kilobytes(first, ".css")).toBeLessThanOrEqual(15)
  })

  it.each([
    "src/routes/Call.tsx",
    "src/routes/Dashboard.tsx",
    "src/routes/Suites.tsx",
    "src/routes/Evaluator.tsx",
    "src/routes/Settings.tsx"
  ])("loads at most 70 kB more for %s", (entry) => {
    const first = filesOf(manifest, "index.html")
    const more = [...filesOf(manifest, entry)].filter((file) => !first.has(file))
    expect(kilobytes(more, ".js")).toBeLessThanOrEqual(70)
  })
})
