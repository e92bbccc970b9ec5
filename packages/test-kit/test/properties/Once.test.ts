import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const PACKAGES = fileURLToPath(new URL("../../../", import.meta.url))

const filesBelow = (folder: string, ending: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending) && !file.includes("node_modules"))
    .map((file) => `${folder}/${file}`)

/** Without those of `ModelKit`, which are verified once per driver, and those that another set includes. */
const exported = filesBelow(`${PACKAGES}test-kit/src`, "Properties.ts")
  .filter((file) => !file.includes("/models/"))
  .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/^export const (\w+Properties)\b/gm)])
  .map(([, name = ""]) => name)
  .filter((name) => name !== "priceListProperties")

const tests = ["core", "redaction", "test-kit"]
  .flatMap((name) => filesBelow(`${PACKAGES}${name}/test`, ".test.ts"))
  .filter((file) => !file.includes("/readme/"))
  .map((file) => ({ file: file.slice(PACKAGES.length), text: readFileSync(file, "utf8") }))

describe("each set of properties is verified by exactly one test file", () => {
  it.each(exported.toSorted())("%s", (name) => {
    const files = tests.filter(({ text }) => new RegExp(`\\b${name}\\(`).test(text)).map(({ file }) => file)
    expect(files).toHaveLength(1)
  })
})
