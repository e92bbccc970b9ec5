import { isMarker } from "../Languages.js"
import { functionWords, surnameWords } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import { interjections, nameParticles, notNames } from "../WordLists.js"
import type { CallReader } from "./CallReader.js"

const CAPITAL = /^\p{Lu}[\p{L}\p{M}'’]*$/u

/** Most words of a name that are taken on the strength of what introduces them; the rest must look like names. */
const MAX_STRONG = 3

/**
 * Reads names in a call: by capitals where a turn has them, and by the sets of first and last names. `strong` means that
 * a name is due here, so that an unknown word counts.
 */
export class NameReader {
  /** Turns with a capitalized word; the case of words in the others means nothing. */
  readonly #cased: Uint8Array

  constructor(readonly reader: CallReader) {
    this.#cased = new Uint8Array(reader.call.turns.length)
    reader.all.forEach((token, at) => {
      const turn = reader.turn(at)
      if (this.#cased[turn] === 0 && token.text !== token.lower && /^\p{Lu}\p{Ll}/u.test(token.text))
        this.#cased[turn] = 1
    })
  }

  isCased(at: number): boolean {
    return this.#cased[this.reader.turn(at)] === 1
  }

  isCapital(at: number): boolean {
    return CAPITAL.test(this.reader.written(at))
  }

  /** The word without a possessive ending. */
  bare(at: number): string {
    const word = this.reader.word(at)
    return word.endsWith("'s") ? word.slice(0, -2) : word
  }

  /** Whether a word is among the five thousand most common. */
  isCommon(word: string): boolean {
    return functionWords.has(word) || this.reader.isIn("common1", word) || this.reader.isIn("common2", word)
  }

  isWord(word: string): boolean {
    return this.isCommon(word) || this.reader.isIn("common3", word)
  }

  isKnown(at: number): boolean {
    const word = this.bare(at)
    const { reader } = this
    return reader.isIn("firstNames", word) || reader.isIn("lastNames", word) || reader.isIn("otherNames", word)
  }

  /** Whether a token may be part of a name. */
  isNameLike(at: number, strong: boolean): boolean {
    const word = this.reader.word(at)
    if (this.#isForeignWord(at)) return false
    if (strong && this.isCapital(at) && surnameWords.has(word)) return true
    if (!/^[wmC]$/.test(this.reader.cls(at)) || notNames.has(word) || functionWords.has(word)) return false
    const isVeryCommon = (): boolean => this.reader.isIn("common1", word)
    if (this.isCapital(at)) return strong || !isVeryCommon() || this.isKnown(at)
    if (strong) return this.isKnown(at) || !isVeryCommon()
    return !this.isCased(at) && this.isKnown(at) && !this.isCommon(word)
  }

  /** Whether a word is a frequent one of the other language that the call is in: "el", "le". */
  #isForeignWord(at: number): boolean {
    return this.reader.call.tokens.isForeign === true && !this.isCapital(at) && isMarker(this.reader.word(at))
  }

  /** Whether a word is a name that is neither an English word nor a place: one needs no context. */
  isOnlyName(at: number): boolean {
    const word = this.bare(at)
    return (
      this.reader.cls(at) === "w" &&
      this.isKnown(at) &&
      !this.#isForeignWord(at) &&
      !this.isWord(word) &&
      !notNames.has(word) &&
      !interjections.has(word) &&
      !this.reader.isIn("places", word)
    )
  }

  /** Whether each of these words is a first name, words or not. */
  areFirstNames(from: number, to: number): boolean {
    for (let at = from; at < to; at++)
      if (this.reader.cls(at) === "P" || !this.reader.isIn("firstNames", this.bare(at))) return false
    return true
  }

  /** Whether a first name and a last name stand side by side, words or not. */
  isFullName(at: number): boolean {
    const { reader } = this
    const first = this.bare(at)
    const last = this.bare(at + 1)
    const isPlain = (word: number, bare: string): boolean =>
      reader.cls(word) === "w" && !functionWords.has(bare) && !notNames.has(reader.word(word))
    return (
      isPlain(at, first) &&
      isPlain(at + 1, last) &&
      reader.isIn("firstNames", first) &&
      reader.isIn("lastNames", last) &&
      !reader.isIn("common1", first)
    )
  }

  /** Where a name ends that begins at `from`: `from` where none does. `most` limits its words. */
  nameEnd(from: number, strong: boolean, most: number): number {
    let to = from
    for (let count = 0; count < most && !this.#isOwner(to - 1, from);) {
      if (this.isNameLike(to, strong && count < MAX_STRONG)) {
        if (count > 0 && this.#isOrdinary(to)) break
        to++
        count++
      } else if (count === 0) {
        if (!strong || !this.#isCapitalizedWord(to)) break
        to++
        count++
      } else {
        const link = this.#linkLength(to, strong)
        if (link === 0) break
        to += link
      }
    }
    return to
  }

  /** Whether a name has ended in a possessive: "Anna Keller's Tales". */
  #isOwner(at: number, from: number): boolean {
    return at >= from && this.reader.word(at).endsWith("'s")
  }

  /** After the first name only what looks like a name goes on: lower-case speech has no capitals to say so. */
  #isOrdinary(at: number): boolean {
    const bare = this.bare(at)
    return !this.isCapital(at) && this.isCommon(bare) && !this.reader.isIn("lastNames", bare)
  }

  /** "Will Quimby" where a name is due: a first name that is a function word, in capitals like the one behind it. */
  #isCapitalizedWord(at: number): boolean {
    return this.isCapital(at) && this.isKnown(at) && this.isCapital(at + 1) && this.isNameLike(at + 1, true)
  }

  /** Tokens between two parts of a name: a particle, a hyphen, an initial with or without its stop; 0 if none. */
  #linkLength(at: number, strong: boolean): number {
    const { reader } = this
    const word = reader.word(at)
    if (nameParticles.has(word) && this.isNameLike(at + 1, strong)) return 1
    if (/^[-'’]$/.test(word) && reader.isTight(at) && this.isNameLike(at + 1, strong)) return 1
    if (reader.cls(at) !== "L" || !/^[A-Z]$/.test(reader.written(at))) return 0
    const length = reader.word(at + 1) === "." ? 2 : 1
    return this.isNameLike(at + length, strong) ? length : 0
  }

  /** A name's candidate, without a possessive ending. */
  candidate(
    field: "person_name" | "medical_professional",
    from: number,
    to: number,
    score: number,
    ...evidence: ReadonlyArray<string>
  ): Candidate {
    const one = this.reader.candidate(field, from, to, score, ...evidence)
    return this.reader.word(to - 1).endsWith("'s") ? { ...one, end: one.end - 2 } : one
  }
}

/** Reads something at a token, as a `TokenRule` does. */
export type NameRule = (names: NameReader, at: number, found: Array<Candidate>) => number | undefined
