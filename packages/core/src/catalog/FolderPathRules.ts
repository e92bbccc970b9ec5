import { type FieldErrors, fieldError, noFieldErrors, Messages } from "../kernel/FieldErrors.js"
import { isWithin } from "../kernel/Text.js"

/** Limits of folder paths. The interface sets none; these keep paths short enough for PostgreSQL to index. */
export const MAX_LEVELS = 20
export const MAX_LEVEL_NAME = 100
export const MAX_PATH = 500

/** The path of no folder: where evaluators lie that were put into none. */
export const ROOT = ""

/**
 * What is wrong with a folder's path: names of 1 to 100 characters, joined by dots, at most 20 of them. A name is not
 * blank and neither begins nor ends with a space, for two folders that look alike are one too many. Names hold no dot,
 * since dots separate levels: `..` is three levels without names. The root, "", is right where `root` allows it.
 */
export const validatePath = (field: string, path: string, root: "root allowed" | "no root"): FieldErrors => {
  if (path === ROOT) return root === "root allowed" ? noFieldErrors : fieldError(field, Messages.notBlank)
  const levels = path.split(".")
  const said = [
    ...(!isWithin(MAX_PATH, path) ? [Messages.tooLong(MAX_PATH)] : []),
    ...(levels.length > MAX_LEVELS ? [`Ensure this path has no more than ${MAX_LEVELS} levels.`] : []),
    ...(levels.some((level) => level.trim() === "") ? ["A level of a folder path may not be blank."] : []),
    ...(levels.some((level) => level.trim() !== "" && level.trim() !== level)
      ? ["A level of a folder path may not begin or end with a space."]
      : []),
    ...(levels.some((level) => !isWithin(MAX_LEVEL_NAME, level))
      ? [`Ensure each level of this path has no more than ${MAX_LEVEL_NAME} characters.`]
      : [])
  ]
  return said.length === 0 ? noFieldErrors : fieldError(field, ...said)
}

/** The path and every path above it, from the top: `a.b` has `a` and `a.b`. The root has none. */
export const pathAndAncestors = (path: string): ReadonlyArray<string> =>
  path === ROOT ? [] : path.split(".").map((_, at, levels) => levels.slice(0, at + 1).join("."))

/** The path of the folder that holds this one; the root for one level. */
export const parentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")))

/** Whether a path is this folder's or lies in it. */
export const isInFolder = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}.`)

/** What is wrong with a path of which only some levels exist; the first one missing is named. */
export const missingPathErrors = (field: string, path: string, existing: ReadonlySet<string>): FieldErrors => {
  const missing = pathAndAncestors(path).find((level) => !existing.has(level))
  return missing === undefined ? noFieldErrors : fieldError(field, `Folder "${missing}" does not exist.`)
}

/** The path of a folder, or of one in it, when that folder goes from `from` to `to`. */
export const movedPath = (path: string, from: string, to: string): string => `${to}${path.slice(from.length)}`

/** What is wrong with moving a folder that holds these others; each of them has to have a path after it too. */
export const validateMove = (
  field: string,
  move: { readonly from: string; readonly to: string; readonly held: ReadonlyArray<string> }
): FieldErrors => {
  const { from, held, to } = move
  const own = validatePath(field, to, "no root")
  if (own !== noFieldErrors) return own
  if (isInFolder(to, from)) return fieldError(field, "A folder cannot be moved into itself.")
  const tooLong = held.some((path) => validatePath(field, movedPath(path, from, to), "no root") !== noFieldErrors)
  return tooLong ? fieldError(field, "The path of a folder in this one would become too long.") : noFieldErrors
}
