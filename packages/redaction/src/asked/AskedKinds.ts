import { readFileSync } from "node:fs"
import { inflateRawSync } from "node:zlib"
import { askedKinds, type AskedKind } from "./Kinds.js"
import { hashText, mix } from "../tagger/Features.js"
import type { Token } from "../Tokens.js"

/** How many rows of weights there are; features share rows by hash. */
export const ROWS = 1 << 13

const KINDS = askedKinds.length

/** Most words of a turn, from its end, that are looked at. */
const MAX_WORDS = 24

/** A linear classifier over hashed words and pairs of words; `KINDS` weights a row, in steps of `step`. */
export interface AskedModel {
  readonly weights: Int8Array
  readonly step: number
}

const OPENS = hashText("^")
const ENDS = hashText("$")
const WORD = /[\p{L}\p{N}?@]/u
const SMALL_A = 97
const SMALL_Z = 122

/** Whether a token is a word for the classifier. Most begin with a small letter, which costs less to see than the pattern. */
const isWord = (text: string): boolean => {
  const first = text.charCodeAt(0)
  return (first >= SMALL_A && first <= SMALL_Z) || WORD.test(text)
}

/** Letters of a word that stand for its other forms: "register", "registration". */
const STEM = 4

/** Words of a turn from which on its length does not count. */
const LONG = 8

/** The last words of a stretch of tokens; figures are one word. */
const wordsOf = (all: ReadonlyArray<Token>, from: number, to: number): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (let at = to - 1; at >= from && words.length < MAX_WORDS; at--) {
    const token = all[at]
    if (token === undefined || !isWord(token.text)) continue
    const { cls, lower } = token
    words.push(cls === "N" || cls === "X" || cls === "P" ? "0" : lower)
  }
  return words.reverse()
}

type Put = (template: number, value: number) => void

const putWord = (put: Put, word: string, hash: number): void => {
  put(3, hash)
  if (word.length > STEM) put(4, hashText(word, 0, STEM))
  if (word.endsWith("'s")) put(3, hashText(word, 0, word.length - 2))
}

/** The rows of the features of tokens `from` to `to`, a turn of the agent or of the other side. */
export const askingRows = (
  all: ReadonlyArray<Token>,
  from: number,
  to: number,
  byAgent: boolean
): ReadonlyArray<number> => {
  const words = wordsOf(all, from, to)
  const hashes = [OPENS]
  for (const word of words) hashes.push(hashText(word))
  hashes.push(ENDS)
  const rows: Array<number> = []
  const put: Put = (template, value) => {
    rows.push(mix(value, template * 0x01000193) & (ROWS - 1))
  }
  const role = byAgent ? 1 : 0
  put(1, role)
  put(2, Math.min(LONG, words.length))
  put(7, mix(hashes[1] ?? 0, role))
  put(8, hashes[hashes.length - 2] ?? 0)
  for (let at = 0; at < words.length; at++) putWord(put, words[at] ?? "", hashes[at + 1] ?? 0)
  for (let at = 1; at < hashes.length; at++) {
    const hash = hashes[at] ?? 0
    put(5, mix(hashes[at - 1] ?? 0, hash))
    if (at > 1) put(6, mix(hashes[at - 2] ?? 0, hash))
  }
  return rows
}

/** How likely something asks for each kind, by the sums of its features' weights. */
export const likelihoods = (rows: ReadonlyArray<number>, weights: ArrayLike<number>, step: number): Float64Array => {
  const sums = new Float64Array(KINDS)
  for (const row of rows) {
    const first = row * KINDS
    for (let kind = 0; kind < KINDS; kind++) sums[kind] = (sums[kind] ?? 0) + (weights[first + kind] ?? 0)
  }
  let top = -Infinity
  for (let kind = 0; kind < KINDS; kind++) top = Math.max(top, sums[kind] ?? 0)
  let total = 0
  for (let kind = 0; kind < KINDS; kind++) total += sums[kind] = Math.exp(((sums[kind] ?? 0) - top) * step)
  for (let kind = 0; kind < KINDS; kind++) sums[kind] = (sums[kind] ?? 0) / total
  return sums
}

/** Packs a model: its step, then all weights; deflated. */
export const packAsked = ({ step, weights }: AskedModel, deflate: (bytes: Uint8Array) => Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(4 + weights.length)
  new DataView(bytes.buffer).setFloat32(0, step, true)
  bytes.set(new Uint8Array(weights.buffer, weights.byteOffset, weights.length), 4)
  return deflate(bytes)
}

export const unpackAsked = (packed: Uint8Array): AskedModel => {
  const bytes = Uint8Array.from(inflateRawSync(packed))
  const step = new DataView(bytes.buffer).getFloat32(0, true)
  return { step, weights: new Int8Array(bytes.buffer, 4) }
}

let loaded: AskedModel | undefined

const shipped = (): AskedModel =>
  (loaded ??= unpackAsked(readFileSync(new URL("../../data/asked.bin", import.meta.url))))

/** How likely tokens `from` to `to` ask for a value of each kind, in the order of `askedKinds`. */
export const askedFor = (all: ReadonlyArray<Token>, from: number, to: number, byAgent: boolean): Float64Array => {
  const { step, weights } = shipped()
  return likelihoods(askingRows(all, from, to, byAgent), weights, step)
}

/** The likeliest kind, and how likely it is. */
export const likeliestKind = (likely: Float64Array): readonly [kind: AskedKind, share: number] => {
  let best = 0
  for (let kind = 1; kind < likely.length; kind++) if ((likely[kind] ?? 0) > (likely[best] ?? 0)) best = kind
  return [askedKinds[best] ?? "nothing", likely[best] ?? 0]
}
