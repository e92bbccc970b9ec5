import { candidate } from "../TextSpan.js"
import { wordSet } from "../Lexicon.js"
import { tokenAt } from "../Tokens.js"
import { atWords, byPattern, byToken, type CallReader, type Recognizer } from "./CallReader.js"

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
  // "x x underscore silver fern": with letters before it, and a second word that ends the sentence
  let from = at - 1
  while (reader.cls(from) === "L" && reader.cls(from - 1) === "L") from--
  const last = run === undefined && end === to && isWord(to) && reader.endsAt(to + 1, /^[n.,?!]$/) ? to + 1 : end
  found.push(reader.candidate("username", from, last, 0.53, "an underscore between words"))
  return undefined
})

const inWords = byToken([spokenUnderscores])

const userWords = wordSet("username usernames user handle nickname nick gamertag screenname login")
/** How far from a word with an underscore something says that it is a user name, in tokens. */
const USER_REACH = 12

const isUserWord = (reader: CallReader, at: number): boolean =>
  // "user_id" and "the login_count column" tell of no user name.
  userWords.has(reader.word(at)) && reader.written(at + 1) !== "_" && reader.written(at - 1) !== "_"

/** Whether what is said around a word with an underscore is about user names. */
const isAboutUsers = (reader: CallReader, start: number): boolean => {
  const from = tokenAt(reader.call.tokens, start)
  // "my account pebble_garden is locked"
  const link = /^(is|:|called|named)$/.test(reader.word(from - 1)) ? from - 2 : from - 1
  if (/^(account|profile)$/.test(reader.word(link))) return true
  for (let at = from - USER_REACH; at < from + USER_REACH; at++)
    if (reader.turn(at) === reader.turn(from) && isUserWord(reader, at)) return true
  return false
}

/** Whether a part of a word with underscores is a name and no English word. */
const hasName = (reader: CallReader, value: string): boolean =>
  value !== value.toUpperCase() &&
  value
    .toLowerCase()
    .split("_")
    .some(
      (part) =>
        reader.isIn("otherNames", part) ||
        ((reader.isIn("firstNames", part) || reader.isIn("lastNames", part)) &&
          !reader.isIn("common1", part) &&
          !reader.isIn("common2", part))
    )

/** "snake_case", "MAX_RETRIES": without a figure, a name or a word about user names, it is a name in a program. */
const isUserName = (reader: CallReader, value: string, start: number): boolean =>
  /\d/.test(value) || hasName(reader, value) || isAboutUsers(reader, start)

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
          isSpoken(start) && isUserName(reader, value, start)
            ? candidate("username", start, start + value.length, 0.55, "a word with an underscore")
            : undefined
        )
      : []),
    ...inWords(reader)
  ]
}
