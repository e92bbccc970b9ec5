import type { CallText } from "../CallText.js"
import type { TurnTokens } from "../dialogue/Dialogue.js"

/** How many turns a block has. */
const BLOCK = 24
/** How many pieces of turns are read before and after a block, and most tokens of each. */
const BEFORE = 3
const AFTER = 1
const CONTEXT = 64
/** Most tokens of a piece of a turn. */
const PIECE = 256
/** From how many tokens on pieces are read apart from those behind them. */
const ENOUGH = 512

/** Most tokens that are read together, with what is read before the first token of a turn. */
export const MOST_TOKENS = ENOUGH + PIECE + (BEFORE + AFTER) * CONTEXT + BLOCK + BEFORE + AFTER

/** Turns that are read together, `to` exclusive. */
export interface Block {
  readonly from: number
  readonly to: number
  /** The turns that what is read of the block may depend on: none before the first and none from the last on. */
  readonly earliest: number
  readonly latest: number
}

export const blocksOf = (turns: number): ReadonlyArray<Block> =>
  Array.from({ length: Math.ceil(turns / BLOCK) }, (_, at) => {
    const from = at * BLOCK
    const to = Math.min(turns, from + BLOCK)
    return { from, to, earliest: Math.max(0, from - BEFORE), latest: Math.min(turns, to + AFTER) }
  })

/** Tokens of a turn that are read together; values are looked for in those from `first` to `last` alone. */
export interface Stretch extends TurnTokens {
  readonly turn: number
  readonly first: number
  readonly last: number
}

interface Piece extends TurnTokens {
  readonly turn: number
}

/** The turns from `from` to `to` in pieces. A turn that stands apart has none. */
const piecesOf = (call: CallText, turns: ReadonlyArray<TurnTokens>, from: number, to: number): Array<Piece> => {
  const pieces: Array<Piece> = []
  for (let turn = from; turn < to; turn++) {
    const tokens = turns[turn]
    if (tokens === undefined || call.turns[turn]?.apart === true) continue
    for (let at = tokens.from; at < tokens.to; at += PIECE)
      pieces.push({ turn, from: at, to: Math.min(tokens.to, at + PIECE) })
  }
  return pieces
}

/** A group of pieces with what is read before and after it. */
const withContext = (
  before: ReadonlyArray<Piece>,
  pieces: ReadonlyArray<Piece>,
  after: ReadonlyArray<Piece>
): ReadonlyArray<Stretch> => {
  const read = [
    ...before
      .slice(-BEFORE)
      .map(({ from, to, turn }) => ({ turn, from: Math.max(from, to - CONTEXT), to, first: to, last: to })),
    ...pieces.map(({ from, to, turn }) => ({ turn, from, to, first: from, last: to })),
    ...after
      .slice(0, AFTER)
      .map(({ from, to, turn }) => ({ turn, from, to: Math.min(to, from + CONTEXT), first: to, last: to }))
  ]
  // Pieces of one turn are read as one.
  const stretches: Array<Stretch> = []
  for (const one of read) {
    const open = stretches[stretches.length - 1]
    if (open?.turn !== one.turn || open.to !== one.from) stretches.push(one)
    else
      stretches[stretches.length - 1] = {
        turn: one.turn,
        from: open.from,
        to: one.to,
        first: open.first === open.last ? one.first : open.first,
        last: one.first === one.last ? open.last : one.last
      }
  }
  return stretches
}

/** The stretches of a block's turns, in groups that are read together. */
export const groupsOf = (
  call: CallText,
  turns: ReadonlyArray<TurnTokens>,
  { earliest, from, latest, to }: Block
): ReadonlyArray<ReadonlyArray<Stretch>> => {
  const all = piecesOf(call, turns, earliest, latest)
  const groups: Array<ReadonlyArray<Stretch>> = []
  let begin = all.findIndex(({ turn }) => turn >= from)
  if (begin < 0) return groups
  let size = 0
  for (let at = begin; at < all.length; at++) {
    const piece = all[at]
    if (piece === undefined || piece.turn >= to) break
    size += piece.to - piece.from
    const isLast = (all[at + 1]?.turn ?? to) >= to
    if (size < ENOUGH && !isLast) continue
    groups.push(
      withContext(
        all.slice(Math.max(0, begin - BEFORE), begin),
        all.slice(begin, at + 1),
        all.slice(at + 1, at + 1 + AFTER)
      )
    )
    begin = at + 1
    size = 0
  }
  return groups
}
