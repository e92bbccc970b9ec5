import { mayBegin, readJoint, readPiece } from "./SpokenPieces.js"
import type { Token, Tokens } from "./Tokens.js"

/** One thing said in a number or code: "double seven", "nineteen", "b as in boy", "4021"; tokens, `to` exclusive. */
export interface Piece {
  readonly chars: string
  readonly from: number
  readonly to: number
  /** Words rather than figures. */
  readonly spoken: boolean
}

/** A number or code as it was given, with every piece's place and what stood between them. */
export interface Run {
  readonly from: number
  readonly to: number
  readonly pieces: ReadonlyArray<Piece>
  /** What was said between a piece and the one before: "", "-", "." (also "dot"), "/", ",", " ". */
  readonly joints: ReadonlyArray<string>
  /** All pieces in one, letters in upper case. */
  readonly chars: string
  readonly digits: number
  readonly spoken: boolean
}

/** Pieces `first` to `last` of a run, as a run of their own. */
export const partOf = (run: Run, first: number, last: number): Run => {
  const pieces = run.pieces.slice(first, last)
  const chars = pieces.map((piece) => piece.chars).join("")
  return {
    from: pieces[0]?.from ?? run.from,
    to: pieces[pieces.length - 1]?.to ?? run.to,
    pieces,
    joints: run.joints.slice(first, last),
    chars,
    digits: digitsIn(chars),
    spoken: pieces.some((piece) => piece.spoken)
  }
}

const MAX_RUN_PIECES = 64

const digitsIn = (chars: string): number => {
  let digits = 0
  for (let i = 0; i < chars.length; i++) {
    const unit = chars.charCodeAt(i)
    if (unit >= 48 && unit <= 57) digits++
  }
  return digits
}

const isSpaced = (all: ReadonlyArray<Token>, before: number, at: number): boolean =>
  (all[at]?.start ?? 0) > (all[before - 1]?.end ?? 0)

/** The run that begins at a token; undefined where none does. */
const runAt = (all: ReadonlyArray<Token>, at: number): Run | undefined => {
  const pieces: Array<Piece> = []
  const joints: Array<string> = []
  let from = at
  let joint = ""
  let end = at
  let before = ""
  while (pieces.length < MAX_RUN_PIECES) {
    const read = readPiece(all, from, pieces.length > 0, before)
    if (read === undefined) break
    pieces.push({ chars: read.chars, from, to: read.to, spoken: read.spoken })
    joints.push(joint)
    end = read.to
    before = read.chars
    const between = readJoint(all, end)
    joint = between.joint === "" && isSpaced(all, end, between.to) ? " " : between.joint
    from = between.to
  }
  if (pieces.length === 0) return undefined
  if (pieces.length === MAX_RUN_PIECES) {
    // A list of numbers: none of them is cut in the middle.
    const cut = joints.lastIndexOf(",")
    if (cut > 0) {
      pieces.length = cut
      joints.length = cut
      end = pieces[cut - 1]?.to ?? end
    }
  }
  const chars = pieces.map((piece) => piece.chars).join("")
  const spoken = pieces.some((piece) => piece.spoken)
  return { from: at, to: end, pieces, joints, chars, digits: digitsIn(chars), spoken }
}

/** Every number and code of a text, spoken or written. Linear: each token is read as a piece at most a few times. */
export const runsOf = ({ all }: Tokens): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  for (let at = 0; at < all.length;) {
    const run = mayBegin(all[at]?.cls ?? "") ? runAt(all, at) : undefined
    if (run !== undefined) runs.push(run)
    at = run?.to ?? at + 1
  }
  return runs
}

/** A stretch of tokens that names what a number is. */
interface Naming {
  readonly from: number
  readonly to: number
}

/** What names a number other than by letters inside a run: the "i p" of "t r i p a t h i" names none. */
export const namesOutside = <N extends Naming>(names: ReadonlyArray<N>, runs: ReadonlyArray<Run>): ReadonlyArray<N> => {
  let next = 0
  return names.filter(({ from, to }) => {
    while ((runs[next]?.to ?? Infinity) <= from) next++
    const run = runs[next]
    return run === undefined || run.from >= from || to > run.to
  })
}

/**
 * Runs without the letters that name them: "s s n six one two ..." is the name of a number and the number. Letters that
 * no figure follows stay, so that "v i n c e n t" stays a name. `names` are in reading order.
 */
export const withoutNames = (runs: ReadonlyArray<Run>, names: ReadonlyArray<Naming>): ReadonlyArray<Run> => {
  let next = 0
  return runs.flatMap((run) => {
    while ((names[next]?.to ?? Infinity) <= run.from) next++
    const name = names[next]
    if (name?.from !== run.from || name.to > run.to) return [run]
    // "the m r n is ...": nothing but the name
    if (name.to === run.to && run.digits === 0) return []
    const first = run.pieces.findIndex(({ from }) => from === name.to)
    return [first > 0 && /^\d/.test(run.pieces[first]?.chars ?? "") ? partOf(run, first, run.pieces.length) : run]
  })
}
