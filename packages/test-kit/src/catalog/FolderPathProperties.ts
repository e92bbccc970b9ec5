/** Properties of folder paths, with lists of names as their oracle. Source: docs/evaluators.md, Folders. */
import type { FolderPathRules } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"

type Rules = typeof FolderPathRules

/** Names of which some begin others, so that the beginning of a path as text is not always a folder above it. */
const name = fc.constantFrom("a", "ab", "b", "a b", "A", "ä")
const names = fc.array(name, { minLength: 1, maxLength: 4 })

const pathOf = (levels: ReadonlyArray<string>): string => levels.join(".")

const beginsWith = (levels: ReadonlyArray<string>, above: ReadonlyArray<string>): boolean =>
  above.length <= levels.length && above.every((one, at) => levels[at] === one)

/** What of a path is invalid, level by level. */
const isValid = (levels: ReadonlyArray<string>, limits: Pick<Rules, "MAX_LEVELS" | "MAX_LEVEL_NAME" | "MAX_PATH">) =>
  levels.length <= limits.MAX_LEVELS &&
  pathOf(levels).length <= limits.MAX_PATH &&
  levels.every((one) => one !== "" && one.trim() === one && one.length <= limits.MAX_LEVEL_NAME)

export const folderPathProperties = (rules: Rules): ReadonlyArray<Property> => [
  property("the folders above a path are those of its first names, from the top", [names], (levels) => {
    const expected = levels.map((_, at) => pathOf(levels.slice(0, at + 1)))
    expectEqual("pathAndAncestors", rules.pathAndAncestors(pathOf(levels)), expected)
    expectEqual("parentPath", rules.parentPath(pathOf(levels)), expected.at(-2) ?? rules.ROOT)
  }),
  property("a path is in a folder if its first names are the folder's", [names, names], (levels, folder) => {
    expectEqual("isInFolder", rules.isInFolder(pathOf(levels), pathOf(folder)), beginsWith(levels, folder))
  }),
  property(
    "what is in a folder moves with it and keeps its names below it",
    [names, names, names],
    (from, to, below) => {
      const within = [...from, ...below]
      expectEqual("movedPath", rules.movedPath(pathOf(within), pathOf(from), pathOf(to)), pathOf([...to, ...below]))
    }
  ),
  property(
    "a path is valid if it has no more levels and characters than the limits, and no blank or padded name",
    [
      fc.array(
        fc.oneof(
          { weight: 6, arbitrary: name },
          fc.constantFrom("", " ", " a", "a ", "x".repeat(100), "x".repeat(101), "x".repeat(60))
        ),
        { minLength: 1, maxLength: 22 }
      )
    ],
    (levels) => {
      const path = pathOf(levels)
      const errors = rules.validatePath("path", path, "no root")
      // One level without a name is the root.
      const valid = path !== rules.ROOT && isValid(levels, rules)
      expectEqual("whether it is valid", Object.keys(errors).length === 0, valid)
      if (path !== rules.ROOT)
        expectEqual("where the root is allowed", rules.validatePath("path", path, "root allowed"), errors)
    }
  ),
  property(
    "the first folder that is missing is named",
    [names, fc.array(fc.boolean(), { maxLength: 4 })],
    (levels, there) => {
      const all = levels.map((_, at) => pathOf(levels.slice(0, at + 1)))
      const existing = new Set(all.filter((_, at) => there[at] === true))
      const missing = all.find((one) => !existing.has(one))
      const errors = rules.missingPathErrors("path", pathOf(levels), existing)
      expectEqual("the errors", errors, missing === undefined ? {} : { path: [`Folder "${missing}" does not exist.`] })
    }
  ),
  property(
    "a folder moves to any valid path that is not in itself and is short enough for what it contains",
    [names, fc.oneof(names, fc.array(fc.constant("x".repeat(90)), { minLength: 4, maxLength: 6 })), fc.array(names)],
    (from, to, inside) => {
      const descendants = inside.map((below) => pathOf([...from, ...below]))
      const errors = rules.validateMove("path", { from: pathOf(from), to: pathOf(to), descendants })
      const isAllowed =
        isValid(to, rules) && !beginsWith(to, from) && inside.every((below) => isValid([...to, ...below], rules))
      expectEqual("whether it may move", Object.keys(errors).length === 0, isAllowed)
    }
  )
]
