import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

const Areas = Schema.Struct({ areaNames: Schema.Array(Schema.String), readArea: Schema.Any })
const Area = Schema.Struct({
  mutate: Schema.Array(Schema.String),
  tests: Schema.Array(Schema.String),
  accepted: Schema.Array(Schema.Struct({ file: Schema.String, line: Schema.String }))
})
const module: unknown = await import(join(ROOT, "mutation/areas.mjs"))
const { areaNames, readArea } = Schema.decodeUnknownSync(Areas)(module)

/** As mutation/run.mjs shortens lines. */
const inOneLine = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  return line.length > 100 ? `${line.slice(0, 100)}...` : line
}

describe.each(areaNames)("the mutation area %s", (name) => {
  const { accepted, mutate, tests } = Schema.decodeUnknownSync(Area)(readArea(name))

  it("names files that exist", () => {
    expect([...mutate, ...tests].filter((file) => !file.includes("*") && !existsSync(join(ROOT, file)))).toEqual([])
  })

  it("accepts mutants only of lines that exist", () => {
    const missing = accepted.filter(
      ({ file, line }) => !readFileSync(join(ROOT, file), "utf8").split("\n").map(inOneLine).includes(line)
    )
    expect(missing).toEqual([])
  })
})
