import type { CallText } from "../CallText.js"
import { askedFor } from "../asked/AskedKinds.js"
import { AGENT, type TurnTokens } from "../dialogue/Dialogue.js"
import { isOfThing } from "../dialogue/Questions.js"
import { fillers } from "../Lexicon.js"
import {
  columnsOf,
  FEATURES,
  featuresOf,
  hashText,
  inCommon1,
  inCommon2,
  inCommon3,
  inFirstNames,
  inLastNames,
  inOtherNames,
  inPlaces,
  MARGIN,
  mix
} from "../tagger/Features.js"
import { inSet, type WordSets } from "../tagger/WordSets.js"
import type { Token } from "../Tokens.js"

/** How many rows of weights there are; features share rows by hash. */
export const ROWS = 1 << 18

/** Words further away than those that the tagger of sentences looks at, and the template of each. */
const windows: ReadonlyArray<readonly [template: number, by: number]> = [
  [36, -3],
  [37, -4],
  [38, -5],
  [39, -6],
  [40, -7],
  [41, 3],
  [42, 4],
  [43, 5]
]

/** How many features a token has of its own: those of the tagger of sentences, five of its place in the call, and words around it. */
export const OWN = FEATURES + 5 + windows.length

/** Most words that are looked at of the turn that asks, and of the turn before by the same speaker, from their ends. */
const MAX_ASKING = 16
const MAX_BEFORE = 6
/** Most turns back that are looked at. */
export const MAX_BACK = 6
/** Fewest words of a turn that may ask; shorter ones keep the other side talking: "mm hm", "go on". */
const LEAST_ASKING = 3

/** What was said before a turn, as far as it tells what its values are. */
export interface TurnContext {
  readonly isAgent: boolean
  /** How many turns back the turn is that this one answers; 0 where there is none. */
  readonly distance: number
  /** The features of what was said, a template and a value each. */
  readonly features: ReadonlyArray<readonly [template: number, value: number]>
  /** Hashes of words. */
  readonly previousWords: ReadonlySet<number>
}

/**
 * The features of a stretch of a turn. Those of what was said before are the same for all tokens of a kind, so that their
 * weights are added up once.
 */
export interface StretchFeatures {
  readonly length: number
  /** `OWN` rows a token. */
  readonly own: Int32Array
  /** The kind of each token, an index of `shared`. */
  readonly kinds: Uint8Array
  /** The rows of what was said before, by kind. */
  readonly shared: ReadonlyArray<Int32Array>
}

const ANY_FIGURE = 1
const FILLER = 2
const FIRST_WORD_KIND = 200

const FIGURE_CLASSES: ReadonlySet<string> = new Set("dzNo")
const ANY_NAME = inFirstNames | inLastNames | inOtherNames

/** What a token is beside what was asked: its class, or how common a word it is and whether it is a name or a place. */
const kindOf = ({ cls, lower }: Token, sets: number): number => {
  if (cls !== "w") return FIGURE_CLASSES.has(cls) ? ANY_FIGURE : cls.charCodeAt(0)
  if (fillers.has(lower)) return FILLER
  const rarity = (sets & inCommon1) !== 0 ? 0 : (sets & inCommon2) !== 0 ? 1 : (sets & inCommon3) !== 0 ? 2 : 3
  return FIRST_WORD_KIND + rarity * 4 + ((sets & ANY_NAME) !== 0 ? 1 : 0) + ((sets & inPlaces) !== 0 ? 2 : 0)
}

/** Classes of figures and letters. */
export const CODE: ReadonlySet<string> = new Set("dtyzNXxoL")
const BETWEEN: ReadonlySet<string> = new Set("-.,/")

/** The length of a code, in fewer steps the longer it is. */
const lengthClass = (count: number): number =>
  count < 7 ? count : count < 9 ? 7 : count < 11 ? 8 : count < 14 ? 9 : 10

/** How many figures and letters in a row each token is one of, as length classes. */
const codeLengths = (all: ReadonlyArray<Token>, from: number, to: number): Uint8Array => {
  const lengths = new Uint8Array(to - from)
  for (let at = from; at < to;) {
    let end = at
    let count = 0
    for (let token = all[end]; end < to && token !== undefined; token = all[++end]) {
      const isCode = CODE.has(token.cls)
      if (!isCode && (end === at || !BETWEEN.has(token.text))) break
      if (isCode) count += token.cls === "N" || token.cls === "X" ? token.text.length : 1
    }
    if (end > at) lengths.fill(lengthClass(count), at - from, end - from)
    at = Math.max(end, at + 1)
  }
  return lengths
}

const FIGURES = 3
const OUTSIDE = 5
const TURN_BEGINS = 7
const TURN_ENDS = 9

/** Figures are one word: which they are says nothing. */
const wordHash = ({ cls, lower }: Token): number =>
  cls === "N" || cls === "X" || cls === "P" ? FIGURES : hashText(lower)

const WORD = /[\p{L}\p{N}?@]/u

/** The last words of a turn. */
const lastWords = (all: ReadonlyArray<Token>, { from, to }: TurnTokens, most: number): ReadonlyArray<number> => {
  const hashes: Array<number> = []
  for (let at = to - 1; at >= from && hashes.length < most; at--) {
    const token = all[at]
    if (token !== undefined && WORD.test(token.text)) hashes.push(wordHash(token))
  }
  return hashes.reverse()
}

/** Whether a turn has enough words to ask for something. */
const mayAsk = (all: ReadonlyArray<Token>, { from, to }: TurnTokens): boolean => {
  let words = 0
  for (let at = from; at < to && words < LEAST_ASKING; at++) {
    const token = all[at]
    if (token !== undefined && WORD.test(token.text) && !fillers.has(token.lower)) words++
  }
  return words >= LEAST_ASKING
}

const NO_TURN: TurnTokens = { from: 0, to: 0 }
const NO_WORDS: ReadonlySet<number> = new Set()

/** The features of a call's turns. `turns` are the tokens of each. */
export class CallFeatures {
  constructor(
    readonly call: CallText,
    readonly turns: ReadonlyArray<TurnTokens>,
    readonly sets: WordSets
  ) {}

  /** The turn of the other side that a turn answers, and the one before by the same side; -1 where there is none. */
  #before(turn: number): readonly [asking: number, own: number] {
    const { tokens, turns } = this.call
    let own = -1
    let nearest = -1
    for (let at = turn - 1; at >= 0 && at >= turn - MAX_BACK; at--) {
      const one = turns[at]
      if (one === undefined || one.apart) break
      if (one.speaker === turns[turn]?.speaker) {
        if (own < 0) own = at
        continue
      }
      if (nearest < 0) nearest = at
      if (mayAsk(tokens.all, this.turns[at] ?? NO_TURN)) return [at, own]
    }
    return [nearest, own]
  }

  /** Words of a turn that are not among the most common ones; a read-back has them again. */
  #tellingWords(turn: number): ReadonlySet<number> {
    const { all } = this.call.tokens
    const { from, to } = this.turns[turn] ?? NO_TURN
    if (to === from) return NO_WORDS
    const words = new Set<number>()
    for (let at = from; at < to; at++) {
      const token = all[at]
      if (token !== undefined && (token.cls !== "w" || !inSet(this.sets.common1, token.lower)))
        words.add(wordHash(token))
    }
    return words
  }

  /** Whether a turn asks for a number of a thing rather than of a person: "what was the mileage". */
  isAboutThing(turn: number): boolean {
    const { from, to } = this.turns[turn] ?? NO_TURN
    return isOfThing(this.call.tokens.all, from, to)
  }

  /** Whether tokens say only what was said in the turn before. */
  repeats({ previousWords }: TurnContext, { from, to }: TurnTokens): boolean {
    return this.call.tokens.all.slice(from, to).every((token) => previousWords.has(wordHash(token)))
  }

  /** How likely it is that a turn asks for nothing of a person. */
  nothingAsked(turn: number): number {
    const { from, to } = this.turns[turn] ?? NO_TURN
    return askedFor(this.call.tokens.all, from, to, this.call.turns[turn]?.speaker === AGENT)[0] ?? 0
  }

  contextOf(turn: number): TurnContext {
    const { all } = this.call.tokens
    const [asking, own] = this.#before(turn)
    const isAgent = this.call.turns[turn]?.speaker === AGENT
    const distance = asking < 0 ? 0 : turn - asking
    const features: Array<readonly [template: number, value: number]> = [[50, distance * 2 + (isAgent ? 1 : 0)]]
    let last = TURN_BEGINS
    for (const word of lastWords(all, this.turns[asking] ?? NO_TURN, MAX_ASKING)) {
      features.push([51, word], [52, mix(last, word)])
      last = word
    }
    features.push([52, mix(last, TURN_ENDS)])
    for (const word of lastWords(all, this.turns[own] ?? NO_TURN, MAX_BEFORE)) features.push([53, word])
    return { isAgent, distance, features, previousWords: this.#tellingWords(turn - 1) }
  }

  /** The features of tokens `from` to `to`, which are of one turn. */
  of(context: TurnContext, from: number, to: number): StretchFeatures {
    const { all } = this.call.tokens
    const length = to - from
    const columns = columnsOf(this.call.tokens, from, to, this.sets)
    const local = featuresOf(columns)
    const words = Int32Array.from(columns.tokens, wordHash)
    const own = new Int32Array(length * OWN)
    const kinds = new Uint8Array(length)
    const codes = codeLengths(all, from, to)
    const side = context.isAgent ? 1 : 0
    const size = Math.min(6, Math.ceil(Math.log2(length + 1)))
    const shared: Array<Int32Array> = []
    for (const [i, token] of columns.tokens.entries()) {
      const kind = kindOf(token, columns.sets[i + MARGIN] ?? 0)
      kinds[i] = kind
      shared[kind] ??= sharedRows(context, kind)
      let f = i * OWN
      for (let n = 0; n < FEATURES; n++) own[f++] = (local[i * FEATURES + n] ?? 0) & (ROWS - 1)
      const put = (template: number, value: number): void => {
        own[f++] = mix(value, template * 0x01000193) & (ROWS - 1)
      }
      const code = codes[i] ?? 0
      put(31, kind)
      put(32, kind * 16 + code)
      put(33, mix(kind * 16 + Math.min(9, i), size))
      put(34, kind * 4 + side * 2 + (context.previousWords.has(words[i] ?? 0) ? 1 : 0))
      put(35, mix(code, size * 2 + side))
      for (const [template, by] of windows) put(template, mix(words[i + by] ?? OUTSIDE, kind))
    }
    return { length, own, kinds, shared }
  }
}

/** The rows of what was said before, for a kind of token. */
const sharedRows = ({ features }: TurnContext, kind: number): Int32Array => {
  const rows = new Int32Array(features.length)
  for (const [at, [template, value]] of features.entries())
    rows[at] = mix(mix(value, kind), template * 0x01000193) & (ROWS - 1)
  return rows
}
