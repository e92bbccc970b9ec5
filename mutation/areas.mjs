import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("areas/", import.meta.url)

/** The areas of the engine whose rules are broken one mutant at a time: a file in `areas/` each. */
export const areaNames = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length))
  .toSorted()

/**
 * One area: `mutate`, the files that decide; `tests`, the test files that are to notice, none of which needs a
 * database, so that a mutant takes a second; `accepted`, the mutants that may survive, each with its reason.
 */
export const readArea = (name) => {
  if (!areaNames.includes(name)) throw new Error(`"${name}" is none of the areas: ${areaNames.join(", ")}`)
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"))
}

/** Where an area's last results are, and what of them need not be run again. */
export const reportOf = (name) => `node_modules/.cache/mutation/${name}.json`
export const incrementalOf = (name) => `node_modules/.cache/mutation/${name}.incremental.json`
