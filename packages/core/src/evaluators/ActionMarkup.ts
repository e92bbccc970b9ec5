import * as Either from "effect/Either"

/** A part of a caller's action. `text` is the source, so that printing returns the parsed text. */
export type ActionPart =
  | { readonly kind: "speech"; readonly text: string }
  /** A silence that the other side may interrupt. */
  | { readonly kind: "silence"; readonly seconds: number; readonly text: string }
  /** A silence regardless of what the other side does. */
  | { readonly kind: "hold"; readonly seconds: number; readonly text: string }
  | { readonly kind: "laughter"; readonly text: string }
  | { readonly kind: "endcall"; readonly text: string }

const LAUGHTER = "[laughter]"

/** Anything that starts like a tag: `<` and a letter, `/`, `!` or `?`. `5 < 6` is speech. */
const MARKER = /\[laughter\]|<[/!?A-Za-z][^<>]*>?/g
const TIMED = /^<(silence|hold)\s+time\s*=\s*(?:"([^"]*)"|'([^']*)')\s*\/>$/
const END_CALL = /^<endcall\s*\/>$/
const SECONDS = /^\d{1,6}(?:\.\d{1,6})?$/

const abbreviate = (text: string): string =>
  text.length > 40 ? `${Array.from(text.slice(0, 40)).slice(0, 37).join("")}...` : text

const parseMarker = (text: string): Either.Either<ActionPart, string> => {
  if (text === LAUGHTER) return Either.right({ kind: "laughter", text })
  if (END_CALL.test(text)) return Either.right({ kind: "endcall", text })
  const timed = TIMED.exec(text)
  if (timed !== null) {
    const given = timed[2] ?? timed[3] ?? ""
    const seconds = SECONDS.test(given) ? Number(given) : 0
    if (seconds <= 0) return Either.left(`The time of ${abbreviate(text)} must be a positive number of seconds.`)
    return Either.right({ kind: timed[1] === "hold" ? "hold" : "silence", seconds, text })
  }
  const name = /^<([A-Za-z][\w-]*)/.exec(text)?.[1]
  if (name === "silence" || name === "hold") {
    return Either.left(`${abbreviate(text)} is not well formed; write <${name} time="2" /> with a time in seconds.`)
  }
  return Either.left(
    name === "endcall"
      ? `${abbreviate(text)} is not well formed; write <endcall />.`
      : `Unknown tag ${abbreviate(text)}.`
  )
}

/**
 * Parses an action into speech and markers, or returns a message for each invalid marker. Total on any text.
 * Source: interface, conditions[].action; the markers' spelling is in docs/suites.md.
 */
export const parseAction = (text: string): Either.Either<ReadonlyArray<ActionPart>, ReadonlyArray<string>> => {
  const parts: Array<ActionPart> = []
  const errors: Array<string> = []
  let from = 0
  for (const match of text.matchAll(MARKER)) {
    if (match.index > from) parts.push({ kind: "speech", text: text.slice(from, match.index) })
    Either.match(parseMarker(match[0]), {
      onLeft: (message) => errors.push(message),
      onRight: (part) => parts.push(part)
    })
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ kind: "speech", text: text.slice(from) })
  return errors.length > 0 ? Either.left([...new Set(errors)]) : Either.right(parts)
}

/** The text that an action was parsed from. */
export const printAction = (parts: ReadonlyArray<ActionPart>): string => parts.map(({ text }) => text).join("")
