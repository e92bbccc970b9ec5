import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

const Fault = Schema.Struct({ fault: Schema.String, file: Schema.String, find: Schema.String, put: Schema.String })
const module: unknown = await import(join(ROOT, "packages/test-kit/faults/faults.js"))
const { faults } = Schema.decodeUnknownSync(Schema.Struct({ faults: Schema.Array(Fault) }))(module)

describe("the injected faults of the test kit", () => {
  it.each(faults)("can be applied to exactly one place: $fault", ({ file, find, put }) => {
    expect(readFileSync(join(ROOT, file), "utf8").split(find)).toHaveLength(2)
    expect(put).not.toBe(find)
  })
})
