import type { CallText } from "../CallText.js"
import { type Cue, type Weighed, lastCueBefore, nearestCue } from "../Cues.js"
import type { Dialogue } from "../dialogue/Dialogue.js"
import { wordSet } from "../Lexicon.js"
import type { SensitiveField } from "../SensitiveField.js"
import type { SpokenAddress } from "../SpokenForms.js"
import type { Run } from "../SpokenNumbers.js"
import { inSet, type WordSets } from "../tagger/WordSets.js"
import { type Candidate, candidate } from "../TextSpan.js"
import type { Token } from "../Tokens.js"

/** How many turns a card is spoken of before a part of its number. */
const CARD_TURNS = 8

const CAPITAL = /^\p{Lu}/u

/**
 * A call as recognizers read it: by token, with a default where there is none, so that patterns can look beyond either
 * end. A missing token has the empty word and class, and NaN for a value.
 */
export class CallReader {
  readonly all: ReadonlyArray<Token>
  readonly #runFrom: ReadonlyMap<number, Run>
  readonly #runTo: ReadonlyMap<number, Run>
  #cardTurns: Set<number> | undefined

  constructor(
    readonly call: CallText,
    readonly runs: ReadonlyArray<Run>,
    readonly cues: ReadonlyArray<Cue>,
    readonly addresses: ReadonlyArray<SpokenAddress>,
    readonly sets: WordSets,
    readonly dialogue: Dialogue
  ) {
    this.all = call.tokens.all
    this.#runFrom = new Map(runs.map((run) => [run.from, run]))
    this.#runTo = new Map(runs.map((run) => [run.to, run]))
  }

  /** The word in lower case. */
  word(at: number): string {
    const token = this.all[at]
    return token === undefined ? "" : token.lower
  }

  /** The word as written. */
  written(at: number): string {
    const token = this.all[at]
    return token === undefined ? "" : token.text
  }

  /** The token's class (see Lexicon.ts). */
  cls(at: number): string {
    const token = this.all[at]
    return token === undefined ? "" : token.cls
  }

  value(at: number): number {
    const token = this.all[at]
    return token === undefined ? Number.NaN : token.value
  }

  /** Where a token begins, in UTF-16 code units. */
  start(at: number): number {
    return this.all[at]?.start ?? 0
  }

  /** Where the token before `to` ends. */
  end(to: number): number {
    return this.all[to - 1]?.end ?? 0
  }

  exists(at: number): boolean {
    return this.all[at] !== undefined
  }

  isCapitalized(at: number): boolean {
    const token = this.all[at]
    return token !== undefined && CAPITAL.test(token.text)
  }

  /** Whether a token follows the one before it without a space. */
  isTight(at: number): boolean {
    return this.all[at]?.start === this.all[at - 1]?.end
  }

  /** Whether a token is missing or of one of these classes. */
  endsAt(at: number, classes: RegExp): boolean {
    const token = this.all[at]
    return token === undefined || classes.test(token.cls)
  }

  /** Words of a stretch of tokens, joined by spaces; cut at the ends of the call. */
  phrase(from: number, to: number): string {
    return this.all
      .slice(Math.max(0, from), Math.max(0, to))
      .map((token) => token.lower)
      .join(" ")
  }

  /** The number or code that begins at a token. */
  runFrom(at: number): Run | undefined {
    return this.#runFrom.get(at)
  }

  /** The number or code that ends before a token. */
  runTo(at: number): Run | undefined {
    return this.#runTo.get(at)
  }

  turn(at: number): number {
    return this.call.turnOf[at] ?? 0
  }

  isIn(set: keyof WordSets, word: string): boolean {
    return inSet(this.sets[set], word)
  }

  /** Whether a token is a part of a phrase that tells what a value is. */
  isInCue(at: number): boolean {
    const cue = this.cues[lastCueBefore(this.cues, at) + 1]
    return cue !== undefined && cue.from <= at && at < cue.to
  }

  /** Whether a payment card was spoken of just before a turn, or in it: a part of its number may follow. */
  isNearCard(turn: number): boolean {
    if (this.#cardTurns === undefined) {
      this.#cardTurns = new Set()
      for (const { field, from } of this.cues) if (field === "credit_card") this.#cardTurns.add(this.turn(from))
      for (const { answers, asked } of this.dialogue.exchanges)
        if (asked.some(({ field }) => field === "credit_card"))
          for (const answer of answers) this.#cardTurns.add(answer.turn)
    }
    for (let at = turn; at >= turn - CARD_TURNS; at--) if (this.#cardTurns.has(at)) return true
    return false
  }

  nearestCue(from: number, to: number, accepts: (cue: Cue) => boolean): Weighed | undefined {
    return nearestCue(this.call, this.cues, from, to, accepts)
  }

  candidate(
    field: SensitiveField | "nothing",
    from: number,
    to: number,
    score: number,
    ...evidence: ReadonlyArray<string>
  ): Candidate {
    return candidate(field, this.start(from), this.end(to), score, ...evidence)
  }
}

/** Finds values of one or a few fields. */
export type Recognizer = (reader: CallReader) => ReadonlyArray<Candidate>

/**
 * Tries to read something at one token and adds what it finds. Answers the token to go on from where the other rules
 * are to leave this one alone; undefined lets the next rule try.
 */
export type TokenRule = (reader: CallReader, at: number, found: Array<Candidate>) => number | undefined

/** A rule that is tried at these words alone. Most rules are, and looking a word up costs less than matching it. */
export const atWords = (words: string | ReadonlySet<string>, rule: TokenRule): WordRule => {
  const starts = typeof words === "string" ? wordSet(words) : words
  const atWord: TokenRule = (reader, at, found) => (starts.has(reader.word(at)) ? rule(reader, at, found) : undefined)
  return Object.assign(atWord, { starts })
}

/** A rule with the words that it is tried at. */
type WordRule = TokenRule & { readonly starts?: ReadonlySet<string> }

/** The rules that are tried at a word: those of that word, and those that are tried at every token, in their order. */
const rulesAt = (rules: ReadonlyArray<WordRule>): ((word: string) => ReadonlyArray<WordRule>) => {
  const always = rules.filter(({ starts }) => starts === undefined)
  const byWord = new Map<string, ReadonlyArray<WordRule>>()
  for (const word of rules.flatMap(({ starts = [] }) => [...starts]))
    byWord.set(
      word,
      rules.filter(({ starts }) => starts?.has(word) !== false)
    )
  return (word) => byWord.get(word) ?? always
}

/** A recognizer that goes through a call token by token, past tokens of the `skipped` classes, and tries its rules in order. */
export const byToken = (rules: ReadonlyArray<WordRule>, skipped = "Pn"): Recognizer => {
  const at = rulesAt(rules)
  return (reader) => {
    const found: Array<Candidate> = []
    const { all } = reader
    for (let token = 0; token < all.length;) {
      const one = all[token]
      let next: number | undefined
      if (one !== undefined && !skipped.includes(one.cls)) {
        for (const rule of at(one.lower)) {
          next = rule(reader, token, found)
          if (next !== undefined) break
        }
      }
      token = next ?? token + 1
    }
    return found
  }
}

/** Runs a pattern over the text of the call; `read` validates a match. */
export const byPattern = (
  text: string,
  pattern: RegExp,
  read: (value: string, start: number, match: RegExpExecArray) => Candidate | undefined
): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const one = read(match[0], match.index, match)
    if (one !== undefined) found.push(one)
  }
  return found
}
/**
 * What a listed phrase at tokens `at` to `to` is: a value; "none" where it is something else that no other rule need
 * look at; undefined where other rules may find something in it.
 */
export type TermReading = (
  reader: CallReader,
  at: number,
  to: number,
  kind: "plain" | "ambiguous"
) => Candidate | "none" | undefined
