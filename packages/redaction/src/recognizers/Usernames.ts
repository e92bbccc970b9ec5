import { candidate } from "../TextSpan.js"
import { tokenAt } from "../Tokens.js"
import { atWords, byPattern, byToken, type Recognizer } from "./CallReader.js"

export const patterns = {
  handle: /(?<![\w@.])@[A-Za-z_]\w{1,30}/g,
  /** "flintlock_oates", no file and no part of an address */
  underscored: /(?<![\w@./\\{<$-])[A-Za-z][A-Za-z\d]{0,30}_\w{1,30}(?![\w@./\\(}>-])/g
} as const

/** "toastyferret underscore nine nine" */
const spokenUnderscores = atWords("underscore", (reader, at, found) => {
  const isWord = (word: number): boolean => /^[wL]$/.test(reader.cls(word)) && reader.turn(word) === reader.turn(at)
  const run = reader.runFrom(at + 1)
  const to = run?.to ?? (isWord(at + 1) ? at + 2 : at)
  if (!isWord(at - 1) || to === at) return undefined
  const figures = run === undefined ? reader.runFrom(to) : undefined
  const end = figures?.to ?? to
  // the first half of an e-mail address
  if (reader.word(reader.written(end) === "," ? end + 1 : end) === "at") return undefined
  found.push(reader.candidate("username", at - 1, end, 0.53, "an underscore between words"))
  return undefined
})

const inWords = byToken([spokenUnderscores])

/** Handles, "@jane_doe", and words with an underscore. User names that a cue announces: Secrets.ts. */
export const handles: Recognizer = (reader) => {
  const { call } = reader
  const { text } = call
  // Names of states and tools in a document are written with underscores.
  const isSpoken = (start: number): boolean => call.turns[reader.turn(tokenAt(call.tokens, start))]?.apart === false
  return [
    ...(text.includes("@")
      ? byPattern(text, patterns.handle, (value, start) =>
          candidate("username", start, start + value.length, 0.7, "handle")
        )
      : []),
    ...(text.includes("_")
      ? byPattern(text, patterns.underscored, (value, start) =>
          isSpoken(start)
            ? candidate("username", start, start + value.length, 0.55, "a word with an underscore")
            : undefined
        )
      : []),
    ...inWords(reader)
  ]
}
