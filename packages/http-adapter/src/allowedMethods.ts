import * as Arr from "effect/Array"
import type { ServedEndpoint } from "./Endpoint.js"

/** What a path supports. */
export interface AllowedMethods {
  /** The header Allow. */
  readonly allow: string
  readonly endpoints: ReadonlyArray<ServedEndpoint>
}

/** Looks up what the path of a URL supports; undefined if no endpoint has that path. */
export const makeAllowedMethods = (endpoints: ReadonlyArray<ServedEndpoint>, basePath: string) => {
  // Literal paths come first, so that `/runs/claim/` is not taken for `/runs/:id/`.
  const ordered = Object.entries(Arr.groupBy(endpoints, (endpoint) => endpoint.path)).toSorted(
    ([one], [other]) => one.split(":").length - other.split(":").length
  )
  const paths = ordered.map(([path, group]) => {
    const methods = group.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    const pattern = path
      .replace(/\/$/, "")
      .replaceAll(".", "\\.")
      .replaceAll("*", ".*")
      .replace(/:[a-z_]+/g, "[^/]+")
    return {
      pattern: new RegExp(`^${pattern}/?$`),
      found: { allow: [...methods, "OPTIONS"].join(", "), endpoints: group }
    }
  })
  return (url: string): AllowedMethods | undefined => {
    const path = url.split("?", 1)[0] ?? ""
    if (!path.startsWith(basePath)) return undefined
    const relative = path.slice(basePath.length)
    return paths.find(({ pattern }) => pattern.test(relative))?.found
  }
}
