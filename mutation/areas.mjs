import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("areas/", import.meta.url)

/** The names of the areas: one file each in `areas/`. */
export const areaNames = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length))
  .toSorted()

/**
 * Reads an area: `mutate`, the files with rules; `tests`, the test files that should detect the mutants, none of which needs a
 * database; `accepted`, the mutants that may survive, each with its reason.
 */
export const readArea = (name) => {
  if (!areaNames.includes(name)) throw new Error(`Unknown area "${name}". Areas: ${areaNames.join(", ")}`)
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"))
}

/** Files of an area's last report, and of its incremental state. */
export const reportOf = (name) => `node_modules/.cache/mutation/${name}.json`
export const incrementalOf = (name) => `node_modules/.cache/mutation/${name}.incremental.json`
