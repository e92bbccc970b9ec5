import * as Schema from "effect/Schema"
import { isApart, speakerAt } from "../CallText.js"
import secretGroups from "../data/secrets.json" with { type: "json" }
import { fillers, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { givesNone } from "./answers/Contents.js"
import { byToken, type CallReader, type Recognizer, type TokenRule } from "./CallReader.js"

const SecretKind = Schema.Struct({
  field: Schema.Literal("username", "password"),
  /** Most words of the value. */
  words: Schema.Number,
  /** Whether the value may be an everyday word: a pet's name is, "the password reset" is not. */
  free: Schema.Boolean,
  /** Answers a security question, and so is no name, street or school to who asks. */
  answer: Schema.optional(Schema.Boolean)
})
interface SecretKind extends Schema.Schema.Type<typeof SecretKind> {}

const SecretGroup = Schema.Struct({ ...SecretKind.fields, phrases: Schema.Array(Schema.String) })
const cues = phraseTrie<SecretKind>()
for (const { phrases, ...kind } of Schema.decodeUnknownSync(Schema.Array(SecretGroup))(secretGroups))
  for (const phrase of phrases) cues.add(phrase.split(/\s+/), kind)

const links = wordSet(
  "is was are it's its it be as would 's to equals here's of : = - , . ? that's that called named and the my i your the's will there i'd say spelled set think believe should answer word under with one his her"
)
const noValue =
  wordSet(`reset resets link change changed expired issue issues problem wrong incorrect manager protected requirements required field email for on in at and or if when so but not doesn't don't didn't isn't
 can can't cannot could would will won't should do does did have has had get got please help again working works work screen page settings recovery or because correct invalid twice something anything same secure forgotten forgot
 no protection protected manager yes what which who how why me you we they he she going supposed was were been being also still now then too first needs need want wants question questions prompt box locked error case-sensitive sensitive already about from by them updated update verified mismatch match matches account accounts up down there here never nothing ready`)
/** What opens an answer that gives no value; other words may be the value: "correct horse battery staple". */
const noAnswer =
  wordSet(`i who what which how why me you we they he she it is was were do does did have has had get got please because no yes yeah nope
 never nothing something anything forgot forgotten sorry um uh not don't didn't doesn't can't cannot can could there here then now`)
const asksFor = wordSet("what what's whats tell give confirm verify provide say read need have spell")
const ends = /^[.?!;\n]$/
const spelledSigns = wordSet(
  "exclamation hashtag hash pound star asterisk dollar percent ampersand underscore dash hyphen dot at capital uppercase lowercase caps sign point mark symbol plus question lower upper case letter number space"
)
/** Words at which a value ends, unless they are signs spelled out. */
const afterValue =
  /^(and|but|so|then|please|okay|ok|thanks|thank|right|usually|normally|always|for|if|can|with|i|is|it|that|my|because|or|you|it's|i'm|let|could|what|do|does|did|just|now|when|yeah|yes|on|by|the|the's|to)$/

/** Most tokens between a cue and its value. */
const VALUE_REACH = 14

const isPart = (word: string): boolean => /^[_.-]$|^\d/.test(word) || spelledSigns.has(word)

/** Whether a value is asked for in the sentence that a cue stands in. */
const isAsked = (reader: CallReader, at: number, { answer }: SecretKind): boolean => {
  // "and your mother's name before she married"
  if (answer === true && reader.word(at - 1) === "your") return true
  for (let back = at - 1; back >= Math.max(0, at - 8) && !ends.test(reader.written(back)); back--)
    if (asksFor.has(reader.word(back))) return true
  return false
}

/** Where a value may begin, and what leads to it. */
interface Lead {
  readonly from: number
  /** "is", ":" or the like ties the value to its cue. */
  readonly isLinked: boolean
  /** The value stands in the other side's next turn. */
  readonly isAnswer: boolean
}

/** Goes from a cue to the first token that may be its value. */
const leadTo = (reader: CallReader, cueFrom: number, cueTo: number, kind: SecretKind): Lead => {
  const { call } = reader
  let from = cueTo
  // "password please"
  let asked = isAsked(reader, cueFrom, kind) || reader.word(cueTo) === "please"
  let turned = false
  // "log in as ..." ends in its own link.
  let isLinked = /^(as|is)$/.test(reader.word(cueTo - 1)) || reader.word(cueTo) === "to"
  for (let passed = 0; passed < VALUE_REACH && reader.exists(from) && reader.cls(from) !== "P"; passed++) {
    if (reader.cls(from) === "n") {
      if (turned) break
      turned = true
      if (speakerAt(call, from + 1) === speakerAt(call, cueFrom) || isApart(call, from + 1, cueFrom)) break
      asked = true
      from++
      continue
    }
    const word = reader.word(from)
    if (word === "?") asked = true
    if (/^(is|was|it's|'s|:|=|as|are|be|would)$/.test(word)) isLinked = true
    const isBetween = links.has(word) || fillers.has(word) || /^["'“”‘’(*]$/.test(word)
    // The rest of the question before the answer: "password for the account?"
    const isQuestion = !turned && asked && !isLinked && call.turns.length > 1
    if (!isBetween && !isQuestion) break
    from++
  }
  return { from, isLinked, isAnswer: turned }
}

const GLUED_SIGN = /^[#@$%&*+=!^~]$/

/** "username john_doe": a value right behind its cue counts only where it does not look like a word. */
const looksLikeCode = (reader: CallReader, { field }: SecretKind, cueFrom: number, cueTo: number, from: number) => {
  if (from - cueTo > 2) return false
  const run = reader.runFrom(from)
  if (run !== undefined && (run.digits > 0 || run.pieces.length > 2)) return true
  if (reader.written(from + 1) === "_" || reader.cls(from) === "X") return true
  if (from !== cueTo) return false
  // "password Tulip#44marsh"
  if (GLUED_SIGN.test(reader.written(from + 1)) && reader.isTight(from + 1) && reader.isTight(from + 2)) return true
  const isLone =
    reader.endsAt(from + 1, /^[n.]$/) || reader.runFrom(from + 1) !== undefined || isPart(reader.word(from + 1))
  const isGiven = /^(with|using|use|try|enter|and)$/.test(reader.word(cueFrom - 1)) && reader.cls(from) === "w"
  return isGiven || (field === "username" && isLone)
}

/** Whether a mark at a token ends a sentence rather than standing inside a value. */
const endsSentence = (reader: CallReader, at: number): boolean =>
  ends.test(reader.written(at)) &&
  (!reader.exists(at + 1) || reader.start(at + 1) > reader.end(at + 1) || reader.cls(at + 1) === "n")

const endsValue = (reader: CallReader, at: number, isFirst: boolean): boolean => {
  if (!reader.exists(at) || /^[nP]$/.test(reader.cls(at)) || endsSentence(reader, at)) return true
  const goesOn = reader.runFrom(at + 1) !== undefined || spelledSigns.has(reader.word(at + 1))
  return reader.written(at) === "," && !goesOn
    ? true
    : !isFirst &&
        reader.runFrom(at) === undefined &&
        afterValue.test(reader.word(at)) &&
        !spelledSigns.has(reader.word(at))
}

/** Where the value ends that begins at a token. */
const valueEnd = (reader: CallReader, from: number, { free, words: most }: SecretKind): number => {
  let to = from
  for (let words = 0; words < most && !endsValue(reader, to, to === from); words++) {
    const run = reader.runFrom(to)
    if (run !== undefined) {
      to = run.to
      continue
    }
    to++
    // A user name is one word, unless signs or figures go on.
    if (!free && words === 0 && !reader.isTight(to) && !isPart(reader.word(to)) && reader.runFrom(to) === undefined)
      break
  }
  while (to > from && /^["'”’)]$/.test(reader.written(to - 1))) to--
  return to
}

/** Most words of an answer that is the value as a whole, small words in it included: "rainy days and mondays". */
const MAX_SHORT_ANSWER = 5

/** Where a short answer of words ends; its start where it is none. */
const shortAnswerEnd = (reader: CallReader, from: number): number => {
  let to = from
  while (
    to - from < MAX_SHORT_ANSWER &&
    /^[a-z&]$/i.test(reader.cls(to)) &&
    !/^[nP]$/.test(reader.cls(to)) &&
    !talk.has(reader.word(to))
  )
    to++
  return reader.endsAt(to, /^[n.]$/) && to - from > 1 ? to : from
}
const talk = wordSet("please thanks thank i it it's that that's is you okay yes no my correct right with")

/** Most tokens of a user name that is said in words. */
const MAX_SPOKEN_NAME = 6

/** "my user name is jolly green giant nine": all to the end of the sentence, where it is short; its start where it is not. */
const spokenNameEnd = (reader: CallReader, from: number): number => {
  let to = from
  while (to - from <= MAX_SPOKEN_NAME && !reader.endsAt(to, /^[nP.,?!;]$/)) {
    const word = reader.word(to)
    if (afterValue.test(word) || (noValue.has(word) && !spelledSigns.has(word))) return from
    to++
  }
  return to - from <= MAX_SPOKEN_NAME ? to : from
}

const isEverydayWord = (reader: CallReader, at: number): boolean => {
  const word = reader.word(at)
  const isWord = reader.isIn("common1", word) || reader.isIn("common2", word) || reader.isIn("common3", word)
  return isWord && reader.cls(at) === "w" && reader.endsAt(at + 1, /^[w.,?!n;&]$/)
}

/** Where the value ends that is announced at a cue: at what ends a value of its kind, or a short sentence or answer. */
const secretEnd = (reader: CallReader, kind: SecretKind, { from, isAnswer, isLinked }: Lead): number =>
  Math.max(
    kind.field === "username" && isLinked && reader.cls(from) === "w" ? spokenNameEnd(reader, from) : 0,
    valueEnd(reader, from, kind),
    isAnswer && kind.free ? shortAnswerEnd(reader, from) : 0
  )

/** Whether the turn of a token says that nothing is told, and has no figures. */
const declines = (reader: CallReader, at: number): boolean => {
  const place = reader.dialogue.turns[reader.turn(at)]
  if (place === undefined || !givesNone(reader, place.from, place.to)) return false
  for (let token = place.from; token < place.to; token++) if (reader.runFrom(token) !== undefined) return false
  return true
}

const secret: TokenRule = (reader, at, found) => {
  const hit = cues.longestAt(reader.all, at)
  if (hit === undefined) return undefined
  const kind = hit.value
  const { from, isAnswer, isLinked } = leadTo(reader, at, hit.to, kind)
  if (!reader.exists(from) || /^[nP]$/.test(reader.cls(from))) return hit.to
  if (!isLinked && !isAnswer && !looksLikeCode(reader, kind, at, hit.to, from)) return hit.to
  const isSeveral = reader.endsAt(from + 1, /^w$/) && !noValue.has(reader.word(from + 1))
  if ((isAnswer && isSeveral ? noAnswer : noValue).has(reader.word(from))) return hit.to
  if (isAnswer && declines(reader, from)) return hit.to
  // "the handle is scratched"
  if (reader.word(hit.to - 1) === "handle" && !isAnswer && isEverydayWord(reader, from)) return hit.to
  const to = secretEnd(reader, kind, { from, isAnswer, isLinked })
  if (to > from) {
    const score = kind.answer === true ? 0.92 : isAnswer ? 0.8 : 0.88
    found.push(reader.candidate(kind.field, from, to, score, `announced by "${reader.phrase(at, hit.to)}"`))
  }
  return hit.to
}

/** User names, passwords, PINs in words and answers to security questions, by what announces them. */
export const secrets: Recognizer = byToken([secret], "")
