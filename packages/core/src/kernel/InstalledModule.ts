import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

/** The file of a package's main module, as this package finds it; null where it is not installed, as in a bundle. */
export const installed = (name: string, from: NodeJS.Require = require): string | null => {
  try {
    return from.resolve(name)
  } catch {
    return null
  }
}
