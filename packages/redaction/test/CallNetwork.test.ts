import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { deflateRawSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import wabt from "wabt"

const {
  CALL_LABELS,
  CLASSES,
  HIDDEN,
  INPUTS,
  MOST_LABELS,
  numbersOf,
  packCallModel,
  PIECE_ROWS,
  SETS,
  SHAPES,
  unpackCallModel
} = Redaction.CallTagger

const UNITS = 64
const WORDS = ["", "a", "b", "c"]
const random = RedactionKit.randomOf(7)
/** Halves of floats, so that packing changes no matrix. */
const numbers = Float32Array.from({ length: numbersOf(WORDS.length) }, () => (random.int(0, 256) - 128) / 512)
const model = unpackCallModel(packCallModel({ words: WORDS, numbers }, deflateRawSync))

/** Cuts numbers into the parts of a model, in the order in which they are packed. */
const partsOf = (): ((rows: number, columns: number) => (row: number, column: number) => number) => {
  let at = 0
  return (rows, columns) => {
    const first = at
    at += rows * columns
    return (row, column) => numbers[first + row * columns + column] ?? 0
  }
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/** One direction of a layer, over tokens in the order that is given. */
const recurred = (
  gates: ReadonlyArray<ReadonlyArray<number>>,
  weight: (unit: number, gate: number) => number
): ReadonlyArray<ReadonlyArray<number>> => {
  let out: ReadonlyArray<number> = new Array<number>(UNITS).fill(0)
  let cell = out
  return gates.map((given) => {
    const before = out
    const sums = given.map((sum, gate) => before.reduce((all, one, unit) => all + one * weight(unit, gate), sum))
    const gate = (which: number, unit: number): number => sums[which * UNITS + unit] ?? 0
    cell = cell.map((state, unit) => sigmoid(gate(1, unit)) * state + sigmoid(gate(0, unit)) * Math.tanh(gate(2, unit)))
    out = cell.map((state, unit) => sigmoid(gate(3, unit)) * Math.tanh(state))
    return out
  })
}

/** The scores of labels, worked out one number after the other. */
const scoresBy = (tokens: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<ReadonlyArray<number>> => {
  const part = partsOf()
  const [word, piece, cls, shape] = [part(WORDS.length, 48), part(PIECE_ROWS, 16), part(CLASSES, 12), part(SHAPES, 8)]
  const row = (rows: (row: number, column: number) => number, size: number, at: number): ReadonlyArray<number> =>
    Array.from({ length: size }, (_, column) => rows(at, column))
  const read = tokens.map(([w = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, c = 0, s = 0, bits = 0, again = 0, side = 0]) => [
    ...row(word, 48, w),
    ...Array.from({ length: 16 }, (_, i) => [p1, p2, p3, p4].reduce((sum, at) => sum + piece(at, i), 0)),
    ...row(cls, 12, c),
    ...row(shape, 8, s),
    ...Array.from({ length: SETS }, (_, bit) => (bits >> bit) & 1),
    again,
    side
  ])
  const dense = (
    vectors: ReadonlyArray<ReadonlyArray<number>>,
    matrix: (column: number, row: number) => number,
    rows: number
  ): ReadonlyArray<ReadonlyArray<number>> =>
    vectors.map((vector) =>
      Array.from({ length: rows }, (_, at) =>
        [...vector, 1].reduce((sum, number, column) => sum + number * matrix(column, at), 0)
      )
    )
  let out: ReadonlyArray<ReadonlyArray<number>> = read
  for (let layer = 0; layer < 2; layer++) {
    const size = (out[0]?.length ?? 0) + 1
    const gates = dense(out, part(size, 8 * UNITS), 8 * UNITS)
    const forward = recurred(
      gates.map((all) => all.slice(0, 4 * UNITS)),
      part(UNITS, 4 * UNITS)
    )
    const backward = recurred(gates.map((all) => all.slice(4 * UNITS)).reverse(), part(UNITS, 4 * UNITS)).toReversed()
    out = forward.map((one, at) => [...one, ...(backward[at] ?? [])])
  }
  const top = out.map((one, at) => [...one, ...(read[at] ?? [])])
  const hidden = dense(top, part(2 * UNITS + 87 + SETS, HIDDEN), HIDDEN).map((units) =>
    units.map((unit) => Math.max(0, unit))
  )
  return dense(hidden, part(HIDDEN + 1, MOST_LABELS), MOST_LABELS)
}

const token = fc.tuple(
  fc.integer({ min: 0, max: WORDS.length - 1 }),
  ...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: PIECE_ROWS - 1 })),
  fc.integer({ min: 0, max: CLASSES - 1 }),
  fc.integer({ min: 0, max: SHAPES - 1 }),
  fc.integer({ min: 0, max: (1 << SETS) - 1 }),
  fc.integer({ min: 0, max: 1 }),
  fc.integer({ min: 0, max: 1 })
)

describe("the network of the tagger of calls", () => {
  it("is assembled from its source", async () => {
    const assembler = await wabt()
    const source = readFileSync(new URL("../src/call-tagger/network.wat", import.meta.url), "utf8")
    const assembled = assembler.parseWat("network.wat", source, { simd: true }).toBinary({}).buffer
    expect(readFileSync(new URL("../data/network.wasm", import.meta.url)).equals(assembled)).toBe(true)
  })

  it("scores tokens as its numbers say", () => {
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 7 }), (tokens) => {
        const scores = model.network.scores(Int32Array.from(tokens.flat()))
        expect(scores).toHaveLength(tokens.length * MOST_LABELS)
        scoresBy(tokens).forEach((wanted, at) => {
          for (let label = 0; label < CALL_LABELS; label++)
            expect(scores[at * MOST_LABELS + label]).toBeCloseTo(wanted[label] ?? 0, 2)
        })
      }),
      { numRuns: 10 }
    )
  })

  it("scores tokens the same whatever it read before", () => {
    fc.assert(
      fc.property(
        fc.array(token, { minLength: 1, maxLength: 40 }),
        fc.array(token, { maxLength: 40 }),
        (some, others) => {
          const input = Int32Array.from(some.flat())
          const first = model.network.scores(input).slice()
          model.network.scores(Int32Array.from(others.flat()))
          expect(model.network.scores(input)).toEqual(first)
        }
      ),
      { numRuns: 20 }
    )
  })

  it("reads nothing of no token, and the most tokens that it reads together", () => {
    expect(model.network.scores(new Int32Array(0))).toHaveLength(0)
    const input = new Int32Array(Redaction.CallTagger.MOST_TOKENS * INPUTS)
    const scores = model.network.scores(input)
    expect(scores).toHaveLength(Redaction.CallTagger.MOST_TOKENS * MOST_LABELS)
    expect(scores.every(Number.isFinite)).toBe(true)
  })
})
