import { readFileSync } from "node:fs"
import { MOST_TOKENS } from "./Blocks.js"
import { CLASSES, INPUTS, LAST_CLASS, PIECES, SETS, SHAPES } from "./CallInput.js"

/** The sizes of the vectors of a word, a part of a word, a class and a shape. */
export const WORD_SIZE = 48
export const PIECE_SIZE = 16
export const CLASS_SIZE = 12
export const SHAPE_SIZE = 8
/** The size of the vector of a token. */
const TOKEN_SIZE = WORD_SIZE + PIECE_SIZE + CLASS_SIZE + SHAPE_SIZE + SETS + 2
/** Units of each direction of a layer. */
const UNITS = 64
const GATES = 4 * UNITS
/** Units between the second layer and the labels. */
export const HIDDEN = 64
/** How many labels there is room for. */
export const MOST_LABELS = 32

/** Rows of whole numbers with the scale of each. */
export interface Rows {
  readonly values: Int8Array
  readonly scales: Float32Array
  readonly size: number
}

/** A matrix with the weights of one input after the other, the last of which is always 1. */
export interface Matrix {
  readonly weights: Float32Array
  readonly rows: number
  readonly columns: number
}

export interface Layer {
  /** Of the four gates of both directions, first forward. */
  readonly inputs: Matrix
  readonly forward: Matrix
  readonly backward: Matrix
}

/** The weights of a network: two layers of long short-term memory in both directions, and two of plain units on top. */
export interface Weights {
  readonly words: Rows
  readonly pieces: Rows
  readonly classes: Rows
  readonly shapes: Rows
  readonly layers: readonly [Layer, Layer]
  readonly hidden: Matrix
  readonly labels: Matrix
}

const floats = (size: number): number => Math.ceil(size / 4) * 4
/** What is kept of a token: the output of the second layer, then its vector, then 1. The hidden units read all three. */
const OUTPUT = 2 * UNITS
const TOKEN_STRIDE = floats(OUTPUT + TOKEN_SIZE + 1)
const GATES_STRIDE = 2 * GATES
const HIDDEN_STRIDE = floats(HIDDEN + 1)

const FIRST_COLUMNS = TOKEN_SIZE + 1
/** The outputs of the first layer for a token: whole numbers of 16 bits, two in the room of a float. */
const WHOLE_STRIDE = UNITS
/** The sizes of matrices: rows, and columns with that of the number that is always 1. */
export const shapes = {
  first: [GATES_STRIDE, FIRST_COLUMNS],
  second: [GATES_STRIDE, 2 * UNITS + 1],
  recurrent: [GATES, UNITS],
  hidden: [HIDDEN, OUTPUT + TOKEN_SIZE + 1],
  labels: [MOST_LABELS, HIDDEN + 1]
} as const

/** How many sums of the first layer's gates are kept. */
const SLOTS = 4096

/** How many tokens there is room for. */
const ROOM = floats(MOST_TOKENS)

const FLOAT = 4
const PAGE = 65_536

let module: object | undefined

/** What `network.wat` exports. Addresses and strides are in bytes. */
interface Program {
  readonly memory: WebAssembly.Memory
  readonly multiplyAll: (
    matrix: number,
    vectors: number,
    vectorStride: number,
    sums: number,
    sumsStride: number,
    rows: number,
    columns: number,
    count: number
  ) => void
  readonly multiplyAllWhole: (
    matrix: number,
    bias: number,
    vectors: number,
    vectorStride: number,
    sums: number,
    sumsStride: number,
    rows: number,
    pairs: number,
    count: number,
    scale: number
  ) => void
  readonly recur: (
    matrix: number,
    scale: number,
    gates: number,
    gatesStride: number,
    out: number,
    outStride: number,
    whole: number,
    wholeStride: number,
    cell: number,
    units: number,
    steps: number
  ) => void
}

const instantiate = (): Program => {
  module ??= new WebAssembly.Module(readFileSync(new URL("../../data/network.wasm", import.meta.url)))
  return new WebAssembly.Instance<Program>(module).exports
}

/** Places in the memory of the network, in floats, one after the other. */
class Places {
  size = 0
  take(count: number): number {
    const at = this.size
    this.size += floats(count)
    return at
  }
}

interface Placed {
  readonly matrix: Matrix
  readonly at: number
}

/** A matrix as whole numbers. */
interface PlacedWhole {
  readonly at: number
  /** What products of its numbers and of outputs are multiplied by. */
  readonly scale: number
}

/** Where something of the first token is, and how far that of the next is from it, in floats. */
interface Strided {
  readonly at: number
  readonly stride: number
}

interface PlacedDirections {
  readonly forward: PlacedWhole
  readonly backward: PlacedWhole
}

/** The largest outputs and weights as whole numbers: the sum of the products of both directions' units stays within 31 bits. */
const WHOLE_OUTPUT = 8191
const WHOLE_WEIGHT = 2047

/**
 * The first columns of a matrix as whole numbers of 16 bits, those of two columns beside each other, row after row; and what one of
 * them stands for.
 */
const wholeOf = (
  { rows, weights }: Matrix,
  columns: number
): { readonly numbers: Int16Array; readonly step: number } => {
  const numbers = new Int16Array(rows * columns)
  let most = 1e-9
  for (const weight of weights.subarray(0, numbers.length)) most = Math.max(most, Math.abs(weight))
  const step = most / WHOLE_WEIGHT
  for (let column = 0; column < columns; column++)
    for (let row = 0; row < rows; row++)
      numbers[((column >> 1) * rows + row) * 2 + (column & 1)] = Math.round((weights[column * rows + row] ?? 0) / step)
  return { numbers, step }
}

/** A network that tells how likely each token of a sequence is each label. */
export class Network {
  readonly #weights: Weights
  readonly #memory: Float32Array
  readonly #program: Program
  readonly #inputs: Placed
  readonly #layers: readonly [PlacedDirections, PlacedDirections]
  // The weights and the bias of the second layer's gates for the outputs of the first.
  readonly #secondInputs: PlacedWhole
  readonly #secondBias: number
  readonly #hidden: Placed
  readonly #labels: Placed
  // Where in the memory what is kept of tokens begins, and the sums of the first layer's gates that are kept.
  readonly #tokens: number
  readonly #slots: number
  /** The slots of tokens by what is read of them, and how many slots are taken. */
  readonly #slotOf = new Map<number, number>()
  #taken = 0
  // The outputs of the first layer in whole numbers, the gates of a layer, the hidden units and the scores of tokens.
  readonly #wholes: number
  readonly #gates: number
  readonly #units: number
  readonly #scores: number
  // The cell of a direction, and its last output, in floats and in whole numbers.
  readonly #cell: number
  readonly #out: number
  readonly #whole: number

  constructor(weights: Weights) {
    const places = new Places()
    const placed: Array<Placed> = []
    const place = (matrix: Matrix): Placed => {
      const one = { matrix, at: places.take(matrix.weights.length) }
      placed.push(one)
      return one
    }
    this.#weights = weights
    const whole: Array<{ readonly at: number; readonly numbers: Int16Array }> = []
    const placeWhole = (matrix: Matrix, columns = matrix.columns): PlacedWhole => {
      const { numbers, step } = wholeOf(matrix, columns)
      const at = places.take(numbers.length / 2)
      whole.push({ at, numbers })
      return { at, scale: step / WHOLE_OUTPUT }
    }
    const placeDirections = ({ backward, forward }: Layer): PlacedDirections => ({
      forward: placeWhole(forward),
      backward: placeWhole(backward)
    })
    const [first, second] = weights.layers
    this.#inputs = place(first.inputs)
    this.#layers = [placeDirections(first), placeDirections(second)]
    this.#secondInputs = placeWhole(second.inputs, 2 * UNITS)
    this.#secondBias = places.take(GATES_STRIDE)
    this.#hidden = place(weights.hidden)
    this.#labels = place(weights.labels)
    this.#tokens = places.take(ROOM * TOKEN_STRIDE)
    this.#slots = places.take(SLOTS * GATES_STRIDE)
    this.#wholes = places.take(ROOM * WHOLE_STRIDE)
    this.#gates = places.take(ROOM * GATES_STRIDE)
    this.#units = places.take(ROOM * HIDDEN_STRIDE)
    this.#scores = places.take(ROOM * MOST_LABELS)
    this.#cell = places.take(UNITS)
    this.#out = places.take(UNITS)
    this.#whole = places.take(UNITS / 2)
    this.#program = instantiate()
    this.#program.memory.grow(Math.ceil((places.size * FLOAT) / PAGE))
    this.#memory = new Float32Array(this.#program.memory.buffer)
    for (const { at, matrix } of placed) this.#memory.set(matrix.weights, at)
    const halves = new Int16Array(this.#memory.buffer)
    for (const { at, numbers } of whole) halves.set(numbers, at * 2)
    this.#memory.set(second.inputs.weights.subarray(2 * UNITS * GATES_STRIDE), this.#secondBias)
  }

  /** Writes the vector of a token. */
  #write(input: Int32Array, token: number): void {
    const { classes, pieces, shapes: shapeRows, words } = this.#weights
    const memory = this.#memory
    let at = this.#tokens + token * TOKEN_STRIDE + OUTPUT
    let read = token * INPUTS
    memory.fill(0, at, at + TOKEN_SIZE)
    addRow(memory, at, words, input[read++] ?? 0)
    at += WORD_SIZE
    for (let piece = 0; piece < PIECES; piece++) addRow(memory, at, pieces, input[read++] ?? 0)
    at += PIECE_SIZE
    addRow(memory, at, classes, input[read++] ?? 0)
    at += CLASS_SIZE
    addRow(memory, at, shapeRows, input[read++] ?? 0)
    at += SHAPE_SIZE
    const sets = input[read++] ?? 0
    for (let set = 0; set < SETS; set++) memory[at++] = (sets >> set) & 1
    memory[at++] = input[read++] ?? 0
    memory[at++] = input[read] ?? 0
    memory[at] = 1
  }

  /**
   * Writes the sums of the first layer's gates for the tokens. Most words of a call are said again and again: the sums of each are
   * kept in a slot. Words that are not known are told apart by their parts, and have a slot of their own each time.
   */
  #sumFirst(input: Int32Array, steps: number): void {
    const memory = this.#memory
    if (this.#taken + floats(steps) > SLOTS) {
      this.#slotOf.clear()
      this.#taken = 0
    }
    const slots = new Int32Array(steps)
    const begin = this.#taken
    for (let token = 0; token < steps; token++) {
      this.#write(input, token)
      const key = keyOf(input, token * INPUTS)
      let slot = key === undefined ? undefined : this.#slotOf.get(key)
      if (slot === undefined) {
        slot = this.#taken++
        if (key !== undefined) this.#slotOf.set(key, slot)
        // The vectors of new slots are put one after the other where the gates will be.
        const from = this.#tokens + token * TOKEN_STRIDE + OUTPUT
        memory.copyWithin(this.#gates + (slot - begin) * FIRST_COLUMNS, from, from + FIRST_COLUMNS)
      }
      slots[token] = slot
    }
    const count = floats(this.#taken - begin)
    if (count > 0)
      this.#multiply(this.#inputs, this.#gates, FIRST_COLUMNS, this.#slots + begin * GATES_STRIDE, GATES_STRIDE, count)
    for (let token = 0; token < steps; token++) {
      const from = this.#slots + (slots[token] ?? 0) * GATES_STRIDE
      memory.copyWithin(this.#gates + token * GATES_STRIDE, from, from + GATES_STRIDE)
    }
  }

  #multiply({ at, matrix }: Placed, from: number, by: number, to: number, toBy: number, count: number): void {
    this.#memory.fill(0, to, to + count * toBy)
    this.#program.multiplyAll(
      at * FLOAT,
      from * FLOAT,
      by * FLOAT,
      to * FLOAT,
      toBy * FLOAT,
      matrix.rows,
      matrix.columns,
      count
    )
  }

  /** The sums of the second layer's gates for the tokens. */
  #sumSecond(count: number): void {
    const { at, scale } = this.#secondInputs
    this.#program.multiplyAllWhole(
      at * FLOAT,
      this.#secondBias * FLOAT,
      this.#wholes * FLOAT,
      WHOLE_STRIDE * FLOAT,
      this.#gates * FLOAT,
      GATES_STRIDE * FLOAT,
      GATES_STRIDE,
      UNITS,
      count,
      scale
    )
  }

  /** Both directions of the first layer, whose gates have the sums of what it reads. */
  #runFirst(steps: number): void {
    const [{ backward, forward }] = this.#layers
    const out = { at: this.#out, stride: 0 }
    this.#recur(forward, false, out, { at: this.#wholes, stride: WHOLE_STRIDE }, steps)
    this.#recur(backward, true, out, { at: this.#wholes + UNITS / 2, stride: WHOLE_STRIDE }, steps)
  }

  /** The same of the second layer. */
  #runSecond(steps: number): void {
    const [, { backward, forward }] = this.#layers
    const whole = { at: this.#whole, stride: 0 }
    this.#recur(forward, false, { at: this.#tokens, stride: TOKEN_STRIDE }, whole, steps)
    this.#recur(backward, true, { at: this.#tokens + UNITS, stride: TOKEN_STRIDE }, whole, steps)
  }

  /** One direction of a layer; `out` and `whole` are where its outputs go. */
  #recur({ at, scale }: PlacedWhole, isBackward: boolean, out: Strided, whole: Strided, steps: number): void {
    const cell = this.#cell
    this.#memory.fill(0, cell, cell + UNITS)
    const gates = { at: this.#gates + (isBackward ? GATES : 0), stride: GATES_STRIDE }
    const inBytes = ({ at: first, stride }: Strided): [at: number, by: number] =>
      isBackward ? [(first + (steps - 1) * stride) * FLOAT, -stride * FLOAT] : [first * FLOAT, stride * FLOAT]
    this.#program.recur(
      at * FLOAT,
      scale,
      ...inBytes(gates),
      ...inBytes(out),
      ...inBytes(whole),
      cell * FLOAT,
      UNITS,
      steps
    )
  }

  /**
   * The scores of the labels of each token, `MOST_LABELS` a token, which hold until the next call. `input` has `INPUTS` numbers a
   * token, of at most `MOST_TOKENS` tokens.
   */
  scores(input: Int32Array): Float32Array {
    const steps = input.length / INPUTS
    if (steps === 0) return new Float32Array(0)
    const count = floats(steps)
    const memory = this.#memory
    this.#sumFirst(input, steps)
    this.#runFirst(steps)
    this.#sumSecond(count)
    this.#runSecond(steps)
    this.#multiply(this.#hidden, this.#tokens, TOKEN_STRIDE, this.#units, HIDDEN_STRIDE, count)
    for (let token = 0; token < count; token++) {
      const at = this.#units + token * HIDDEN_STRIDE
      for (let unit = at; unit < at + HIDDEN; unit++) if ((memory[unit] ?? 0) < 0) memory[unit] = 0
      memory[at + HIDDEN] = 1
    }
    this.#multiply(this.#labels, this.#units, HIDDEN_STRIDE, this.#scores, MOST_LABELS, count)
    return memory.subarray(this.#scores, this.#scores + steps * MOST_LABELS)
  }
}

/** What is read of a token as one number, where its word is known; a known word's parts are always the same. */
const keyOf = (input: Int32Array, at: number): number | undefined => {
  const word = input[at] ?? 0
  if (word === 0 && (input[at + 1 + PIECES] ?? 0) <= LAST_CLASS) return undefined
  const rest = at + 1 + PIECES
  const kind = ((input[rest] ?? 0) * SHAPES + (input[rest + 1] ?? 0)) * (1 << SETS) + (input[rest + 2] ?? 0)
  return (word * CLASSES * SHAPES * (1 << SETS) + kind) * 4 + (input[rest + 3] ?? 0) * 2 + (input[rest + 4] ?? 0)
}

const addRow = (memory: Float32Array, at: number, { scales, size, values }: Rows, row: number): void => {
  const scale = scales[row] ?? 0
  const first = row * size
  for (let i = 0; i < size; i++) memory[at + i] = (memory[at + i] ?? 0) + (values[first + i] ?? 0) * scale
}
