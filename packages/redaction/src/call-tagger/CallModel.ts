import { inflateRawSync } from "node:zlib"
import { sensitiveFields } from "../SensitiveField.js"
import { ROWS } from "./CallFeatures.js"

/** What a token of a call may be. */
export const callLabels = ["none", ...sensitiveFields] as const
export const CALL_LABELS = callLabels.length

/** A linear-chain conditional random field over the features of tokens and of what was said before. */
export interface CallModel {
  /** Where the weights of each of `ROWS` rows begin, and where the last one's end. */
  readonly starts: Int32Array
  /**
   * The weights of a row as whole numbers of `step`, each with its label: 256 times the label and the weight, plus 128.
   * Most labels of a row have none.
   */
  readonly weights: Int16Array
  readonly step: number
  /** From a label (row) to the next (column), as factors. */
  readonly transitions: Float64Array
}

/** A model as it is fitted: `ROWS` rows of `CALL_LABELS` weights. */
export interface FittedCallModel {
  readonly weights: Int8Array
  readonly step: number
  readonly transitions: Float64Array
}

/** Where a label is in a weight, and what is added to the weight. */
export const LABEL_BITS = 8
export const HALF = 128

/** Bytes of a row before its weights: its distance from the row before, and a bit for each label that has one. */
const ROW_HEAD = 6

/** Packs a model: its step and transitions, then each row that has a weight; deflated. */
export const packCallModel = (model: FittedCallModel, deflate: (bytes: Uint8Array) => Uint8Array): Uint8Array => {
  const bytes: Array<number> = []
  const floats = Float32Array.from([model.step, ...model.transitions])
  for (const byte of new Uint8Array(floats.buffer)) bytes.push(byte)
  let last = -1
  for (let row = 0; row < ROWS; row++) {
    const weights = model.weights.subarray(row * CALL_LABELS, (row + 1) * CALL_LABELS)
    if (weights.every((weight) => weight === 0)) continue
    bytes.push((row - last) & 255, (row - last) >> 8)
    let mask = 0
    weights.forEach((weight, label) => {
      if (weight !== 0) mask |= 1 << label
    })
    for (let shift = 0; shift < 32; shift += 8) bytes.push((mask >>> shift) & 255)
    for (const weight of weights) if (weight !== 0) bytes.push(weight & 255)
    last = row
  }
  return deflate(Uint8Array.from(bytes))
}

export const unpackCallModel = (packed: Uint8Array): CallModel => {
  const bytes = Uint8Array.from(inflateRawSync(packed))
  const view = new DataView(bytes.buffer)
  const step = view.getFloat32(0, true)
  const transitions = new Float64Array(CALL_LABELS * CALL_LABELS)
  for (let at = 0; at < transitions.length; at++) transitions[at] = view.getFloat32(4 + at * 4, true)
  const starts = new Int32Array(ROWS + 1)
  const weights = new Int16Array(bytes.length)
  let row = -1
  let count = 0
  for (let at = 4 + transitions.length * 4; at < bytes.length;) {
    const next = row + view.getUint16(at, true)
    const mask = view.getUint32(at + 2, true)
    at += ROW_HEAD
    starts.fill(count, row + 1, next + 1)
    for (let label = 0; label < CALL_LABELS; label++) {
      if (((mask >>> label) & 1) === 0) continue
      weights[count++] = (label << LABEL_BITS) + view.getInt8(at++) + HALF
    }
    row = next
  }
  starts.fill(count, row + 1)
  return { starts, weights: weights.slice(0, count), step, transitions }
}
