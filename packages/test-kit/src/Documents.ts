/** Access to JSON of unknown shape; total. */

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value at a path, or undefined. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((node, key) => {
    if (Array.isArray(node)) {
      const item: unknown = node[Number(key)]
      return item
    }
    return isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined
  }, value)

/** The items of a list, or an empty list. */
export const listAt = (value: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
