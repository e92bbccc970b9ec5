import { OPAQUE } from "../SensitiveField.js"
import type { Token, Tokens } from "../Tokens.js"
import { inSet, type WordSets } from "./WordSets.js"

/** How many weights rows there are; features share rows by hash. */
export const BUCKETS = 1 << 17

/** How many features a token has. */
export const FEATURES = 30

export const mix = (a: number, b: number): number => {
  let h = Math.imul(a ^ (b + 0x9e3779b9), 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** The hash of a text, or of its code units from `from` to `to`. */
export const hashText = (text: string, from = 0, to = text.length): number => {
  let h = 0x811c9dc5
  for (let i = from; i < to; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return h
}

const UPPER = /^\p{Lu}/u
const ALL_UPPER = /^[\p{Lu}\p{M}\d]{2,}$/u

/** A placeholder reads the same whatever its length, so that a redacted call reads as its raw one did. */
const plainOf = (token: Token): string => (token.cls === "P" ? OPAQUE : token.cls === "N" ? "0" : token.lower)

/** 0 a small letter, 1 a capital, 2 capitals, 3 figures and letters, 4 a mark, 10 and more figures by how many. */
const shapeOf = (text: string, cls: string): number => {
  if (cls === "N") return 10 + Math.min(text.length, 8)
  if (cls === "X") return 3
  if (ALL_UPPER.test(text)) return 2
  if (UPPER.test(text)) return 1
  return cls === "w" || cls === "L" ? 0 : 4
}

/** How a word enters the features. Figures count by their length: a model that knows numbers knows people's numbers. */
const readingOf = (token: Token): string => {
  if (token.cls === "N") return "0".repeat(Math.min(token.text.length, 9))
  if (token.cls === "X") return token.lower.replace(/\d/g, "0")
  return token.cls === "P" ? OPAQUE : token.lower
}

const withoutOwner = (lower: string): string => (lower.endsWith("'s") ? lower.slice(0, -2) : lower)

/** Places of the arrays below before the first and after the last token. */
export const MARGIN = 2

/** What is known of the tokens of a turn, by position plus `MARGIN`; beyond either end there are values of their own. */
export interface Columns {
  readonly tokens: ReadonlyArray<Token>
  readonly words: Int32Array
  readonly shapes: Int32Array
  /** Which word sets a word is in, as bits. */
  readonly sets: Int32Array
  readonly kinds: Int32Array
  readonly hasCapital: boolean
}

const inFirstNames = 1
const inLastNames = 2
const inPlaces = 4
const inPlacePhrase = 8
const inCommon1 = 16
const inCommon2 = 32
const inCommon3 = 64
const inOtherNames = 128

const wordFlags = (word: string, sets: WordSets): number => {
  let flags = 0
  if (inSet(sets.firstNames, word)) flags |= inFirstNames
  if (inSet(sets.lastNames, word)) flags |= inLastNames
  if (inSet(sets.otherNames, word)) flags |= inOtherNames
  if (inSet(sets.places, word)) flags |= inPlaces
  if (inSet(sets.common1, word)) return flags | inCommon1
  if (inSet(sets.common2, word)) return flags | inCommon2
  return inSet(sets.common3, word) ? flags | inCommon3 : flags
}

/** Phrases of up to three words in the place set; single words in all sets. */
const flagsOf = (all: ReadonlyArray<Token>, sets: WordSets): Int32Array => {
  const known = new Int32Array(all.length + 2 * MARGIN)
  const flag = (at: number, bits: number): void => {
    known[at + MARGIN] = (known[at + MARGIN] ?? 0) | bits
  }
  for (let i = 0; i < all.length; i++) {
    const token = all[i]
    if (token === undefined || !/^[wLmW]$/.test(token.cls)) continue
    const word = withoutOwner(token.lower)
    flag(i, wordFlags(word, sets))
    let phrase = word
    for (let more = 1; more < 3; more++) {
      const next = all[i + more]
      if (next === undefined || next.cls === "n") break
      const isMark = next.text === "-" || next.text === "."
      phrase += isMark ? next.text : ` ${withoutOwner(next.lower)}`
      if (isMark || !inSet(sets.places, phrase)) continue
      for (let part = 0; part <= more; part++) flag(i + part, inPlacePhrase)
    }
  }
  return known
}

/** What is known of tokens `from` to `to`, which are of one turn. */
export const columnsOf = (tokens: Tokens, from: number, to: number, sets: WordSets): Columns => {
  const all = tokens.all.slice(from, to)
  const size = all.length + 2 * MARGIN
  const words = new Int32Array(size).fill(1)
  const shapes = new Int32Array(size).fill(30)
  const kinds = new Int32Array(size).fill(110)
  let hasCapital = false
  for (let i = 0; i < all.length; i++) {
    const token = all[i]
    if (token === undefined) continue
    const shape = shapeOf(token.text, token.cls)
    words[i + MARGIN] = hashText(readingOf(token))
    shapes[i + MARGIN] = shape
    kinds[i + MARGIN] = token.cls.charCodeAt(0)
    if (i > 0 && shape === 1) hasCapital = true
  }
  return { tokens: all, words, shapes, sets: flagsOf(all, sets), kinds, hasCapital }
}

const valueAt = (column: Int32Array, at: number): number => column[at] ?? 0

/**
 * The features of the tokens of a turn, `FEATURES` rows a token. They look two tokens to either side, at
 * endings, at shape, at token classes and at which word sets the word is in; never at the tags given to others.
 */
export const featuresOf = (columns: Columns): Int32Array => {
  const { tokens: all } = columns
  const rows = new Int32Array(all.length * FEATURES)
  const cased = columns.hasCapital ? 64 : 0
  const { kinds, sets: flags, shapes, words } = columns
  // Loops without iterators and arrays of what is near a token: either would be an object or more a token.
  for (let i = 0; i < all.length; i++) {
    const token = all[i]
    if (token === undefined) continue
    const w2 = valueAt(words, i)
    const w1 = valueAt(words, i + 1)
    const w = valueAt(words, i + 2)
    const n1 = valueAt(words, i + 3)
    const n2 = valueAt(words, i + 4)
    const s1 = valueAt(shapes, i + 1)
    const s = valueAt(shapes, i + 2)
    const sn = valueAt(shapes, i + 3)
    const k1 = valueAt(flags, i + 1)
    const k = valueAt(flags, i + 2)
    const kn = valueAt(flags, i + 3)
    const d2 = valueAt(kinds, i)
    const d1 = valueAt(kinds, i + 1)
    const d = valueAt(kinds, i + 2)
    const e1 = valueAt(kinds, i + 3)
    const e2 = valueAt(kinds, i + 4)
    const lower = plainOf(token)
    const size = lower.length
    let f = i * FEATURES
    const put = (template: number, value: number): void => {
      rows[f++] = mix(value, template * 0x01000193) & (BUCKETS - 1)
    }
    put(1, w)
    put(2, w1)
    put(3, n1)
    put(4, w2)
    put(5, n2)
    put(6, mix(w1, w))
    put(7, mix(w, n1))
    put(8, mix(w1, n1))
    put(9, mix(w2, w1))
    put(10, mix(n1, n2))
    put(11, hashText(lower, Math.max(0, size - 3)))
    put(12, hashText(lower, Math.max(0, size - 2)))
    put(13, hashText(lower, 0, Math.min(3, size)))
    put(14, s + cased)
    put(15, s1 * 64 + s + cased * 64)
    put(16, s * 64 + sn + cased * 64)
    put(17, k + s * 256 + cased * 256)
    put(18, mix(k1 * 256 + k, s * 64 + s1))
    put(19, mix(k * 256 + kn, s * 64 + sn))
    put(20, mix(k, w1))
    put(21, mix(k, n1))
    put(22, mix(k, mix(w2, w1)))
    put(23, d1 * 16384 + d * 128 + e1)
    put(24, mix(d2 * 16384 + d1 * 128 + d, 7))
    put(25, mix(d * 16384 + e1 * 128 + e2, 9))
    put(26, mix(mix(s1 * 64 + s, sn), k))
    put(27, mix(s, w1))
    put(28, mix(s, n1))
    put(29, mix(hashText(lower, Math.max(0, size - 4)), s))
    put(30, i === 0 ? 1 : i === all.length - 1 ? 2 : 3)
  }
  return rows
}
