import { type FieldErrors, fieldError, noFieldErrors, Messages } from "../kernel/FieldErrors.js"
import { isWithin } from "../kernel/Text.js"

/** Limits of folder paths. The interface sets none; these keep paths short enough for PostgreSQL to index. */
export const MAX_LEVELS = 20
export const MAX_LEVEL_NAME = 100
export const MAX_PATH = 500

/** The root, where evaluators without a folder are. */
export const ROOT = ""

/**
 * Validates a folder's path: 1 to 20 names of 1 to 100 characters, joined by dots. A name is not blank and neither begins
 * nor ends with a space, so that no two folders look alike. `..` is three levels without names. The root, "", is valid
 * if `root` allows it.
 */
export const validatePath = (field: string, path: string, root: "root allowed" | "no root"): FieldErrors => {
  if (path === ROOT) return root === "root allowed" ? noFieldErrors : fieldError(field, Messages.notBlank)
  const levels = path.split(".")
  const messages = [
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
  return messages.length === 0 ? noFieldErrors : fieldError(field, ...messages)
}

/** The path and every path above it, from the top: `a.b` has `a` and `a.b`. The root has none. */
export const pathAndAncestors = (path: string): ReadonlyArray<string> =>
  path === ROOT ? [] : path.split(".").map((_, at, levels) => levels.slice(0, at + 1).join("."))

/** The path of the parent folder; the root for a path of one level. */
export const parentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")))

/** Whether a path is that of the folder or of one in it. */
export const isInFolder = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}.`)

/** The error of a path with a missing level; names the first one. */
export const missingPathErrors = (field: string, path: string, existing: ReadonlySet<string>): FieldErrors => {
  const missing = pathAndAncestors(path).find((level) => !existing.has(level))
  return missing === undefined ? noFieldErrors : fieldError(field, `Folder "${missing}" does not exist.`)
}

/** The path of a folder, or of one in it, when that folder goes from `from` to `to`. */
export const movedPath = (path: string, from: string, to: string): string => `${to}${path.slice(from.length)}`

/** Validates moving a folder with the folders in it, whose new paths must be valid too. */
export const validateMove = (
  field: string,
  move: { readonly from: string; readonly to: string; readonly descendants: ReadonlyArray<string> }
): FieldErrors => {
  const { descendants, from, to } = move
  const own = validatePath(field, to, "no root")
  if (own !== noFieldErrors) return own
  if (isInFolder(to, from)) return fieldError(field, "A folder cannot be moved into itself.")
  const tooLong = descendants.some(
    (path) => validatePath(field, movedPath(path, from, to), "no root") !== noFieldErrors
  )
  return tooLong ? fieldError(field, "The path of a folder in this one would become too long.") : noFieldErrors
}
