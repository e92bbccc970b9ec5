import type { CallText } from "../CallText.js"
import { AGENT, type TurnTokens } from "../dialogue/Dialogue.js"
import { columnsOf, hashText, MARGIN, mix } from "../tagger/Features.js"
import type { WordSets } from "../tagger/WordSets.js"
import type { Token } from "../Tokens.js"

/**
 * What the network reads of a token, in this order: the row of its word; those of its last three, first three, last two and last
 * four letters; its class; its shape; which word sets it is in and whether it is an owner ("driver's"), as bits; whether it was said in the turn
 * before; who says it.
 */
export const INPUTS = 10
export const PIECES = 4
export const CLASSES = 98
export const SHAPES = 32
export const SETS = 9
const OWNER = 1 << (SETS - 1)
const OWNER_END = "'s"
/** How many rows parts of words share by hash. */
export const PIECE_ROWS = 1 << 12

const FIRST_CODE = 32
export const LAST_CLASS = 95
/** The classes of what stands before the first token of a turn. */
const AGENT_BEGINS = LAST_CLASS + 1
const CALLER_BEGINS = LAST_CLASS + 2

const FIGURE = /\d/g

/** A token as the vocabulary has it: figures count by how many they are. */
export const wordOf = ({ cls, lower }: Token): string =>
  cls === "N" || cls === "X" ? lower.replace(FIGURE, "0") : lower

const pieceRow = (word: string, which: number, from: number, to: number): number =>
  mix(hashText(word, Math.max(0, from), Math.min(word.length, to)), which) & (PIECE_ROWS - 1)

/** The rows of words; 0 is the row of those that are not known. */
export type Vocabulary = ReadonlyMap<string, number>

/** The row of a word, or of what it is without the ending of an owner: a row and that ending tell the word. */
const rowOf = (vocabulary: Vocabulary, word: string): number => {
  const row = vocabulary.get(word)
  if (row !== undefined || !word.endsWith(OWNER_END)) return row ?? 0
  const owner = word.slice(0, -OWNER_END.length)
  return owner.endsWith(OWNER_END) ? 0 : (vocabulary.get(owner) ?? 0)
}

/** What the network reads of tokens of a call. `turns` are the tokens of each turn. */
export class CallInput {
  /** The words of the turn before the one that was read last, and from which turn on. */
  #before: { readonly turn: number; readonly earliest: number; readonly words: ReadonlySet<string> } = {
    turn: -1,
    earliest: 0,
    words: new Set()
  }

  constructor(
    readonly call: CallText,
    readonly turns: ReadonlyArray<TurnTokens>,
    readonly sets: WordSets,
    readonly vocabulary: Vocabulary
  ) {}

  #side(turn: number): number {
    return this.call.turns[turn]?.speaker === AGENT ? 1 : 0
  }

  /** What is read before the first token of a turn. */
  beginning(turn: number): ReadonlyArray<number> {
    const side = this.#side(turn)
    return [0, 0, 0, 0, 0, side === 1 ? AGENT_BEGINS : CALLER_BEGINS, 0, 0, 0, side]
  }

  /** The words of the turn before, from turn `earliest` on. */
  #wordsBefore(turn: number, earliest: number): ReadonlySet<string> {
    if (this.#before.turn === turn && this.#before.earliest === earliest) return this.#before.words
    let at = turn - 1
    while (at >= earliest && this.call.turns[at]?.apart === true) at--
    const { from, to } = (at < earliest ? undefined : this.turns[at]) ?? { from: 0, to: 0 }
    const words = new Set(this.call.tokens.all.slice(from, to).map(wordOf))
    this.#before = { turn, earliest, words }
    return words
  }

  /** What is read of tokens `from` to `to`, which are of one turn. Nothing before turn `earliest` is looked at. */
  of(turn: number, from: number, to: number, earliest = 0): Int32Array {
    const before = this.#wordsBefore(turn, earliest)
    const { sets, shapes, tokens } = columnsOf(this.call.tokens, from, to, this.sets)
    const side = this.#side(turn)
    const input = new Int32Array(tokens.length * INPUTS)
    let at = 0
    tokens.forEach((token, i) => {
      const word = wordOf(token)
      const size = word.length
      input[at++] = rowOf(this.vocabulary, word)
      input[at++] = pieceRow(word, 1, size - 3, size)
      input[at++] = pieceRow(word, 2, 0, 3)
      input[at++] = pieceRow(word, 3, size - 2, size)
      input[at++] = pieceRow(word, 4, size - 4, size)
      input[at++] = Math.min(LAST_CLASS, token.cls.charCodeAt(0) - FIRST_CODE)
      input[at++] = Math.min(SHAPES - 1, shapes[i + MARGIN] ?? 0)
      input[at++] = (sets[i + MARGIN] ?? 0) | (word.endsWith(OWNER_END) ? OWNER : 0)
      input[at++] = before.has(word) ? 1 : 0
      input[at++] = side
    })
    return input
  }
}
