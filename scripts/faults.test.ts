import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

const Mutant = Schema.Struct({ name: Schema.String, file: Schema.String, find: Schema.String, replace: Schema.String })
const module: unknown = await import(join(ROOT, "packages/test-kit/faults/mutants/index.js"))
const { mutants } = Schema.decodeUnknownSync(Schema.Struct({ mutants: Schema.Array(Mutant) }))(module)

describe("the mutants of the test kit", () => {
  it.each(mutants)("still apply to the source: $name", ({ file, find, replace }) => {
    expect(readFileSync(join(ROOT, file), "utf8").split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
  })
})
