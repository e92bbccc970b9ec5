import { inflateRawSync } from "node:zlib"
import { BUCKETS } from "./Features.js"
import type { WordSet, WordSets } from "./WordSets.js"

/**
 * What a token may be. Labels that end in `+` are everyday readings (weekdays, lengths of time, meetings, "home"),
 * which count only where they are asked for.
 */
export const taggerLabels = [
  "none",
  "person_name",
  "location",
  "date",
  "time",
  "occupation",
  "event",
  "date+",
  "time+",
  "event+",
  "location+"
] as const
export const LABELS = taggerLabels.length

/** A linear-chain conditional random field over hashed features. */
export interface Model {
  /** `BUCKETS` rows of `LABELS` weights, as whole numbers of `step`: small enough to stay in a processor's cache. */
  readonly weights: Int8Array
  readonly step: number
  /** From a label (row) to the next (column). */
  readonly transitions: Float32Array
  readonly sets: WordSets
}

const setNames = ["firstNames", "lastNames", "otherNames", "places", "common1", "common2", "common3"] as const

/** Weights as fitted, to whole numbers of one step. */
export const quantize = (weights: Float32Array): { readonly weights: Int8Array; readonly step: number } => {
  let top = 1e-9
  for (const weight of weights) top = Math.max(top, Math.abs(weight))
  const step = top / 127
  return { weights: Int8Array.from(weights, (weight) => Math.round(weight / step)), step }
}

/**
 * Packs a model: word sets, transitions, then for each row with a weight its distance from the row before, which
 * labels have one, and those as signed bytes in steps of `step`. All of it deflated.
 */
export const packModel = (model: Model, deflate: (bytes: Uint8Array) => Uint8Array): Uint8Array => {
  const bytes: Array<number> = []
  const varint = (value: number): void => {
    let rest = value
    while (rest > 127) {
      bytes.push((rest & 127) | 128)
      rest >>>= 7
    }
    bytes.push(rest)
  }
  for (const name of setNames) {
    const set = model.sets[name]
    varint(set.size)
    for (const byte of set.bits) bytes.push(byte)
  }
  const floats = (values: Float32Array): void => {
    for (const byte of new Uint8Array(values.buffer, values.byteOffset, values.byteLength)) bytes.push(byte)
  }
  floats(model.transitions)
  floats(Float32Array.of(model.step))
  let last = -1
  const quantised = (at: number): number => model.weights[at] ?? 0
  for (let row = 0; row < BUCKETS; row++) {
    let mask = 0
    for (let label = 0; label < LABELS; label++) if (quantised(row * LABELS + label) !== 0) mask |= 1 << label
    if (mask === 0) continue
    varint(row - last)
    varint(mask)
    for (let label = 0; label < LABELS; label++)
      if ((mask & (1 << label)) !== 0) bytes.push(quantised(row * LABELS + label) & 255)
    last = row
  }
  varint(0)
  return deflate(Uint8Array.from(bytes))
}

export const unpackModel = (packed: Uint8Array): Model => {
  const bytes = Uint8Array.from(inflateRawSync(packed))
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++] ?? 0
      value |= (byte & 127) << shift
      if (byte < 128) break
    }
    return value
  }
  const readSet = (): WordSet => {
    const size = varint()
    const bits = bytes.slice(at, at + size / 8)
    at += size / 8
    return { bits, size }
  }
  const floats = (count: number): Float32Array => {
    const values = new Float32Array(bytes.slice(at, at + count * 4).buffer)
    at += count * 4
    return values
  }
  const sets: WordSets = {
    firstNames: readSet(),
    lastNames: readSet(),
    otherNames: readSet(),
    places: readSet(),
    common1: readSet(),
    common2: readSet(),
    common3: readSet()
  }
  const transitions = floats(LABELS * LABELS)
  const step = floats(1)[0] ?? 0
  const weights = new Int8Array(BUCKETS * LABELS)
  let row = -1
  for (let gap = varint(); gap !== 0; gap = varint()) {
    row += gap
    const mask = varint()
    for (let label = 0; label < LABELS; label++) {
      if ((mask & (1 << label)) !== 0) weights[row * LABELS + label] = bytes[at++] ?? 0
    }
  }
  return { weights, step, transitions, sets }
}
