/** What stands in JSON that came from anywhere: total, whatever its shape. */

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What stands at a place of a document, or undefined. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((node, key) => {
    if (Array.isArray(node)) {
      const item: unknown = node[Number(key)]
      return item
    }
    return isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined
  }, value)

/** The items of a list, or none. */
export const listAt = (value: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
