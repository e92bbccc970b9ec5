/** The errors of a request by the fields of its form. */
import { EarshotError } from "@earshot/client"

const isUnder = (path: string, field: string): boolean =>
  path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)

/** The messages of a field, and of what is in it with its path below the field. */
export const fieldMessages = (error: unknown, field: string): string | undefined => {
  if (!(error instanceof EarshotError)) return undefined
  const messages = Object.entries(error.errors)
    .filter(([path]) => isUnder(path, field))
    .map(([path, texts]) => {
      const below = path.slice(field.length).replace(/^\./, "")
      return below === "" ? texts.join(" ") : `${below}: ${texts.join(" ")}`
    })
  return messages.length === 0 ? undefined : messages.join(" ")
}

/** Whether every message of an error is of one of these fields, of what is in them, or at a path of the pattern. */
export const isPlaced = (error: unknown, fields: ReadonlyArray<string>, pattern?: RegExp): boolean => {
  if (!(error instanceof EarshotError)) return false
  const paths = Object.keys(error.errors)
  return (
    paths.length > 0 &&
    paths.every((path) => fields.some((field) => isUnder(path, field)) || (pattern?.test(path) ?? false))
  )
}
