import { OPAQUE } from "../SensitiveField.js"
import type { Token, Tokens } from "../Tokens.js"
import { inSet, type WordSets } from "./WordSets.js"

/** How many weights rows there are; features share rows by hash. */
export const BUCKETS = 1 << 17

/** How many features a token has. */
export const FEATURES = 30

const mix = (a: number, b: number): number => {
  let h = Math.imul(a ^ (b + 0x9e3779b9), 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

const hashText = (text: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return h
}

const UPPER = /^\p{Lu}/u
const ALL_UPPER = /^[\p{Lu}\p{M}\d]{2,}$/u

/** 0 lower, 1 Capital, 2 CAPITALS, 3 figures by length, ... */
/** A placeholder reads the same whatever its length, so that a redacted call reads as its raw one did. */
const plainOf = (token: Token): string => (token.cls === "P" ? OPAQUE : token.cls === "N" ? "0" : token.lower)

const shapeOf = (text: string, cls: string): number => {
  if (cls === "N") return 10 + Math.min(text.length, 8)
  if (cls === "X") return 3
  if (ALL_UPPER.test(text)) return 2
  if (UPPER.test(text)) return 1
  return cls === "w" || cls === "L" ? 0 : 4
}

/**
 * The features of tokens `from` to `to` (one turn), `FEATURES` rows a token. They look two tokens to either side, at
 * endings, at shape, at token classes and at which word sets the word is in; never at the tags given to others.
 */
export const featuresOf = (tokens: Tokens, from: number, to: number, sets: WordSets): Int32Array => {
  const length = to - from
  const rows = new Int32Array(length * FEATURES)
  const words = new Int32Array(length + 4).fill(1)
  const shapes = new Int32Array(length + 4).fill(30)
  const known = new Int32Array(length + 4)
  const kinds = new Int32Array(length + 4).fill(110)
  let hasCapital = 0
  for (let i = 0; i < length; i++) {
    const token = tokens.all[from + i]
    if (token === undefined) continue
    // Figures are told apart by length, not by value: a model that knows numbers by heart knows people's numbers.
    const word =
      token.cls === "N"
        ? "0".repeat(Math.min(token.text.length, 9))
        : token.cls === "X"
          ? token.lower.replace(/\d/g, "0")
          : token.cls === "P"
            ? OPAQUE
            : token.lower
    words[i + 2] = hashText(word)
    shapes[i + 2] = shapeOf(token.text, token.cls)
    kinds[i + 2] = token.cls.charCodeAt(0)
    if (i > 0 && shapes[i + 2] === 1) hasCapital = 1
  }
  // Phrases of up to three words in the place set; single words in the others.
  for (let i = 0; i < length; i++) {
    const token = tokens.all[from + i]
    if (token === undefined || !/^[wLmW]$/.test(token.cls)) continue
    const lower = token.lower.endsWith("'s") ? token.lower.slice(0, -2) : token.lower
    let flags = known[i + 2] ?? 0
    if (inSet(sets.firstNames, lower)) flags |= 1
    if (inSet(sets.lastNames, lower)) flags |= 2
    if (inSet(sets.places, lower)) flags |= 4
    if (inSet(sets.common1, lower)) flags |= 16
    else if (inSet(sets.common2, lower)) flags |= 32
    else if (inSet(sets.common3, lower)) flags |= 64
    known[i + 2] = flags
    let phrase = lower
    for (let more = 1; more < 3 && i + more < length; more++) {
      const next = tokens.all[from + i + more]
      if (next === undefined || next.cls === "n") break
      const isMark = next.text === "-" || next.text === "."
      phrase += isMark ? next.text : ` ${next.lower.endsWith("'s") ? next.lower.slice(0, -2) : next.lower}`
      if (!isMark && inSet(sets.places, phrase)) {
        for (let part = 0; part <= more; part++) known[i + 2 + part] = (known[i + 2 + part] ?? 0) | 8
      }
    }
  }
  for (let i = 0; i < length; i++) {
    const token = tokens.all[from + i]
    if (token === undefined) continue
    const c = i + 2
    const at = i * FEATURES
    const w = words[c] ?? 0
    const w1 = words[c - 1] ?? 0
    const w2 = words[c - 2] ?? 0
    const n1 = words[c + 1] ?? 0
    const n2 = words[c + 2] ?? 0
    const s = shapes[c] ?? 0
    const s1 = shapes[c - 1] ?? 0
    const sn = shapes[c + 1] ?? 0
    const k = known[c] ?? 0
    const k1 = known[c - 1] ?? 0
    const kn = known[c + 1] ?? 0
    const d = kinds[c] ?? 0
    const d1 = kinds[c - 1] ?? 0
    const d2 = kinds[c - 2] ?? 0
    const e1 = kinds[c + 1] ?? 0
    const e2 = kinds[c + 2] ?? 0
    const lower = plainOf(token)
    const size = lower.length
    const cased = hasCapital * 64
    let f = at
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
    put(11, hashText(lower.slice(Math.max(0, size - 3))))
    put(12, hashText(lower.slice(Math.max(0, size - 2))))
    put(13, hashText(lower.slice(0, 3)))
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
    put(29, mix(hashText(lower.slice(Math.max(0, size - 4))), s))
    put(30, i === 0 ? 1 : i === length - 1 ? 2 : 3)
  }
  return rows
}
