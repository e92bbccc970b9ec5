import { readFileSync } from "node:fs"

const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))

/** The version of this package, with which all packages of Earshot are released. */
export const VERSION =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unknown"
