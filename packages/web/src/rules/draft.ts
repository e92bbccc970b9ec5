/** What was typed in a form and not saved, as it is stored. */

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isScalar = (value: unknown): boolean => value === null || typeof value !== "object"

/**
 * Whether a stored value has the shape of a form's value: another version of the app may have stored it. Where the form
 * holds null or undefined, it may hold a scalar too, as where it holds a number it may hold null. Items of lists have the shape of
 * the first, with scalars of any type.
 */
const hasShapeOf = (sample: unknown, value: unknown, isItem = false): boolean => {
  if (sample === null || sample === undefined) return isScalar(value)
  if (Array.isArray(sample)) {
    return Array.isArray(value) && (sample.length === 0 || value.every((item) => hasShapeOf(sample[0], item, true)))
  }
  if (isObject(sample)) {
    return isObject(value) && Object.entries(sample).every(([name, one]) => hasShapeOf(one, value[name], isItem))
  }
  return isItem ? isScalar(value) : typeof sample === typeof value || (typeof sample === "number" && value === null)
}

/** The value of a stored draft; undefined if there is none, it is invalid, or it says what the form says at first. */
export const readDraft = <A>(text: string | null, initial: A): A | undefined => {
  if (text === null) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // eslint-disable-next-line typescript/consistent-type-assertions -- its shape was compared with that of the form's value
    return hasShapeOf(initial, value) && JSON.stringify(initial) !== text ? (value as A) : undefined
  } catch {
    return undefined
  }
}
