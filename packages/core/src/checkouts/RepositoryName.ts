import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The longest name that a code host gives a repository. */
const MAX_LENGTH = 255

/** Letters, digits, dots, dashes and underscores; no dash in front, where a command would take it for an option. */
const SHORT_NAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/

/**
 * The short name of a repository: its address without owner and `.git`. One path segment, so that it cannot refer to a
 * repository of another owner.
 */
export const RepositoryName = Schema.String.pipe(
  Schema.filter((text) => isShortName(text)),
  Schema.brand("RepositoryName")
)
export type RepositoryName = typeof RepositoryName.Type

const isShortName = (text: string): boolean =>
  text.length <= MAX_LENGTH && SHORT_NAME.test(text) && text !== "." && !text.includes("..") && !/\.git$/i.test(text)

/** Parses a short name; none where it is invalid. */
export const parseRepositoryName: (text: string) => Option.Option<RepositoryName> =
  Schema.decodeUnknownOption(RepositoryName)

/** The short name in the last segment of a clone URL, `web` in `web.git`. */
export const parseRepositorySegment = (segment: string): Option.Option<RepositoryName> =>
  segment.endsWith(".git") ? parseRepositoryName(segment.slice(0, -".git".length)) : Option.none()
