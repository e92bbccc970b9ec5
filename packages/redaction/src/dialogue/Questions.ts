import * as Schema from "effect/Schema"
import questionGroups from "../data/questions.json" with { type: "json" }
import type { Cue } from "../Cues.js"
import { wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { SensitiveField } from "../SensitiveField.js"
import type { Token } from "../Tokens.js"

/** How the answer to a question is read. */
const Reading = Schema.Literal(
  "code",
  "date",
  "more date",
  "time",
  "number",
  "money",
  "name",
  "spelling",
  "place",
  "email",
  "words"
)
export type Reading = typeof Reading.Type

/** Something that is asked for: a field, how its answer is read, and how many letters and digits the answer has. */
export interface Asked {
  readonly field: SensitiveField | "nothing"
  readonly reads: Reading
  readonly min: number
  readonly max: number
  readonly phrase: string
  /** Says little alone: "account", "id". */
  readonly isWeak: boolean
  /** Tokens of the phrase that asks, `to` exclusive. */
  readonly from: number
  readonly to: number
}

const Group = Schema.Struct({
  field: Schema.Union(SensitiveField, Schema.Literal("nothing")),
  reads: Reading,
  phrases: Schema.Array(Schema.String)
})

type Meaning = Pick<typeof Group.Type, "field" | "reads">

const phrases = phraseTrie<Meaning>()
for (const { field, phrases: all, reads } of Schema.decodeUnknownSync(Schema.Array(Group))(questionGroups))
  for (const phrase of all) phrases.add(phrase.split(" "), { field, reads })

/** "and the last four": more of what was asked for before. */
const MORE = wordSet("three four five six 3 4 5 6 digits numbers letters characters")

const PART = wordSet("last final first other remaining next")

/** "in the last three months" asks for no part of a value. */
const PERIOD = /^(minutes?|hours?|days?|nights?|weeks?|months?|years?|times|calls?|visits?|orders?)$/

/** Most tokens of a question that is a word alone: "year?", "and the month". */
const MAX_WORD = 3

const readingOf = ({ field, kind }: Cue): Reading => {
  if (kind === "expiry") return "date"
  switch (field) {
    case "dob":
      return "date"
    case "age":
      return "number"
    case "money":
      return "money"
    default:
      return "code"
  }
}

const ofCue = (cue: Cue): Asked => ({
  field: cue.field,
  reads: readingOf(cue),
  min: cue.kind === "expiry" || cue.field === "age" ? 1 : cue.min,
  max: cue.kind === "expiry" ? 8 : cue.max,
  phrase: cue.phrase,
  isWeak: cue.kind === "generic" || cue.strength < 0.8,
  from: cue.from,
  to: cue.to
})

/** Everything that tokens `from` to `to` ask for, in reading order. `cues` are those of the same tokens. */
export const questionsIn = (
  all: ReadonlyArray<Token>,
  from: number,
  to: number,
  cues: ReadonlyArray<Cue>
): ReadonlyArray<Asked> => {
  const found: Array<Asked> = cues.map(ofCue)
  for (let at = from; at < to; at++) {
    const hit = phrases.longestAt(all, at)
    if (hit === undefined || hit.to > to) continue
    const phrase = all
      .slice(at, hit.to)
      .map(({ lower }) => lower)
      .join(" ")
    const [min, max] = hit.value.field === "phone_number" ? [7, 15] : [1, 34]
    found.push({ ...hit.value, min, max, phrase, isWeak: false, from: at, to: hit.to })
    at = hit.to - 1
  }
  for (let at = from; found.length === 0 && to - from <= MAX_WORD && at < to; at++) {
    const phrase = all[at]?.lower ?? ""
    if (/^(year|month|day)$/.test(phrase))
      found.push({ field: "date", reads: "more date", min: 1, max: 34, phrase, isWeak: false, from: at, to: at + 1 })
  }
  return found.sort((a, b) => a.from - b.from)
}

/** "and the last four", "and the rest": whether a turn asks for more of the same value. */
export const asksForMore = (all: ReadonlyArray<Token>, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const word = all[at]?.lower ?? ""
    const next = all[at + 1]?.lower ?? ""
    const isPart = PART.has(word) && at + 1 < to && MORE.has(next)
    if (isPart && !PERIOD.test(all[at + 2]?.lower ?? "")) return true
    if (word === "rest" || word === "remainder" || word === "others") return true
  }
  return false
}
