/** The model of the tagger of calls: how it is packed into a file. */
import { inflateRawSync } from "node:zlib"
import { sensitiveFields } from "../SensitiveField.js"
import { ByteReader, ByteWriter } from "../tagger/Bytes.js"
import { CLASSES, PIECE_ROWS, SHAPES, type Vocabulary } from "./CallInput.js"
import {
  CLASS_SIZE,
  type Layer,
  type Matrix,
  Network,
  PIECE_SIZE,
  type Rows,
  SHAPE_SIZE,
  shapes,
  type Weights,
  WORD_SIZE
} from "./Network.js"

/** What a token of a call may be. */
export const callLabels = ["none", ...sensitiveFields] as const
export const CALL_LABELS = callLabels.length

export interface CallModel {
  readonly vocabulary: Vocabulary
  readonly network: Network
}

/** A model as it is fitted: the word of each row, of which the first is empty, and the numbers of all parts in their order. */
export interface FittedCalls {
  readonly words: ReadonlyArray<string>
  readonly numbers: Float32Array
}

const rowSizes = (words: number): ReadonlyArray<readonly [rows: number, size: number]> => [
  [words, WORD_SIZE],
  [PIECE_ROWS, PIECE_SIZE],
  [CLASSES, CLASS_SIZE],
  [SHAPES, SHAPE_SIZE]
]
const matrixSizes = [
  shapes.first,
  shapes.recurrent,
  shapes.recurrent,
  shapes.second,
  shapes.recurrent,
  shapes.recurrent,
  shapes.hidden,
  shapes.labels
] as const

/** How many numbers a model of so many words has. */
export const numbersOf = (words: number): number =>
  [...rowSizes(words), ...matrixSizes].reduce((sum, [rows, size]) => sum + rows * size, 0)

/** Rows as whole numbers of a step each, and matrices as the upper halves of floats. */
export const packCallModel = (
  { numbers, words }: FittedCalls,
  deflate: (bytes: Uint8Array) => Uint8Array
): Uint8Array => {
  const out = new ByteWriter()
  const text = new TextEncoder().encode(words.join("\n"))
  out.varint(words.length)
  out.varint(text.length)
  out.bytes(text)
  let at = 0
  for (const [rows, size] of rowSizes(words.length))
    for (let row = 0; row < rows; row++) {
      const values = numbers.subarray(at, (at += size))
      const step = Math.max(1e-9, ...values.map(Math.abs)) / 127
      out.floats(Float32Array.of(step))
      for (const value of values) out.byte(Math.round(value / step))
    }
  const halves = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length)
  for (; at < halves.length; at++) {
    // Rounded to the nearest.
    const half = ((halves[at] ?? 0) + 0x8000) >>> 16
    out.byte(half)
    out.byte(half >>> 8)
  }
  return deflate(out.done())
}

const readRows = (bytes: ByteReader, rows: number, size: number): Rows => {
  const values = new Int8Array(rows * size)
  const scales = new Float32Array(rows)
  for (let row = 0; row < rows; row++) {
    scales[row] = bytes.floats(1)[0] ?? 0
    values.set(new Int8Array(bytes.bytes(size).buffer), row * size)
  }
  return { values, scales, size }
}

const readMatrix = (bytes: ByteReader, [rows, columns]: readonly [number, number]): Matrix => {
  const halves = bytes.bytes(rows * columns * 2)
  const all = new Uint8Array(rows * columns * 4)
  for (let at = 0; at < rows * columns; at++) {
    all[at * 4 + 2] = halves[at * 2] ?? 0
    all[at * 4 + 3] = halves[at * 2 + 1] ?? 0
  }
  return { weights: new Float32Array(all.buffer), rows, columns }
}

const readLayer = (bytes: ByteReader, inputs: readonly [number, number]): Layer => ({
  inputs: readMatrix(bytes, inputs),
  forward: readMatrix(bytes, shapes.recurrent),
  backward: readMatrix(bytes, shapes.recurrent)
})

export const unpackCallModel = (packed: Uint8Array): CallModel => {
  const bytes = new ByteReader(inflateRawSync(packed))
  const count = bytes.varint()
  const words = new TextDecoder().decode(bytes.bytes(bytes.varint())).split("\n")
  const [wordRows, pieceRows, classRows, shapeRows] = rowSizes(count)
  const rows = (sizes: readonly [number, number] | undefined): Rows => readRows(bytes, ...(sizes ?? [0, 0]))
  const weights: Weights = {
    words: rows(wordRows),
    pieces: rows(pieceRows),
    classes: rows(classRows),
    shapes: rows(shapeRows),
    layers: [readLayer(bytes, shapes.first), readLayer(bytes, shapes.second)],
    hidden: readMatrix(bytes, shapes.hidden),
    labels: readMatrix(bytes, shapes.labels)
  }
  return { vocabulary: new Map(words.map((word, row) => [word, row])), network: new Network(weights) }
}
