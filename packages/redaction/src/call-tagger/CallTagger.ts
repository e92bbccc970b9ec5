import { readFileSync } from "node:fs"
import type { CallText } from "../CallText.js"
import type { TurnTokens } from "../dialogue/Dialogue.js"
import type { Steps } from "../Steps.js"
import type { WordSets } from "../tagger/WordSets.js"
import type { Candidate } from "../TextSpan.js"
import { AskedThings } from "./AskedThings.js"
import { type Block, blocksOf, groupsOf, type Stretch } from "./Blocks.js"
import { CallInput, INPUTS } from "./CallInput.js"
import { type CallModel, unpackCallModel } from "./CallModel.js"
import { type CallThresholds, type Claim, claimsIn, isCode, splitClaim, valuesOf } from "./Claims.js"

let loaded: CallModel | undefined

/** The shipped model, read and unpacked at the first use and kept. */
export const shippedCallModel = (): CallModel =>
  (loaded ??= unpackCallModel(readFileSync(new URL("../../data/calls.bin", import.meta.url))))

/** The value of tokens in blocks that are not read because of placeholders. */
export const UNREAD = -1

/** What the tagger of calls makes of a call. */
export interface CallReadings {
  readonly candidates: ReadonlyArray<Candidate>
  /** How likely each token is part of a value; NaN where nothing is read, and `UNREAD` in blocks near placeholders. */
  readonly values: Float64Array
}

/** What is read in a block: how likely each token is part of a value, by turn. */
interface BlockReading {
  readonly candidates: ReadonlyArray<Candidate>
  readonly values: ReadonlyMap<number, Float64Array>
}

/** Readings by block. A block is read only where no placeholder is near, so its reading does not change when the call is read again. */
export type KnownReadings = Map<number, BlockReading>

/** Whether two sides speak; the tagger knows nothing but conversations. */
const isConversation = ({ tokens, turns }: CallText): boolean =>
  tokens.isForeign !== true &&
  turns.some(({ apart, speaker }) => !apart && !(turns[0]?.apart ?? true) && speaker !== turns[0]?.speaker)

/**
 * Values of a conversation in English by the network of the tagger of calls, which reads blocks of turns. `turns` are the tokens
 * of each turn; `seen` keeps what was read for another reading of the call.
 *
 * A block is not read where it or what it is read with has placeholders: it was read before they were written, and would be
 * read differently now. So a redacted call stays as it is, and a value is found whatever else is asked for.
 */
export function* readingValues(
  call: CallText,
  turns: ReadonlyArray<TurnTokens>,
  sets: WordSets,
  model: CallModel,
  thresholds: CallThresholds,
  seen: KnownReadings
): Steps<CallReadings> {
  const { all } = call.tokens
  const values = new Float64Array(all.length).fill(Number.NaN)
  const candidates: Array<Candidate> = []
  if (!isConversation(call)) return { candidates, values }
  const input = new CallInput(call, turns, sets, model.vocabulary)
  for (const block of blocksOf(turns.length)) {
    if (hasPlaceholder(call, turns, block)) {
      for (const { from, to } of turns.slice(block.from, block.to)) values.fill(UNREAD, from, to)
      continue
    }
    let reading = seen.get(block.from)
    if (reading === undefined) {
      reading = yield* readingBlock(input, block, model, thresholds)
      seen.set(block.from, reading)
    }
    for (const [turn, some] of reading.values) values.set(some, turns[turn]?.from)
    candidates.push(...reading.candidates)
  }
  return { candidates, values }
}

/** What is read in a block. */
function* readingBlock(
  input: CallInput,
  block: Block,
  model: CallModel,
  thresholds: CallThresholds
): Steps<BlockReading> {
  const { call, turns } = input
  const values = new Map<number, Float64Array>()
  const candidates: Array<Candidate> = []
  const things = new AskedThings(call, turns, block.earliest)
  for (const group of groupsOf(call, turns, block)) {
    yield
    const scores = model.network.scores(inputOf(input, group, block.earliest))
    let row = 0
    for (const { first, from, last, to, turn } of group) {
      // What is read before the first token of a stretch.
      row++
      if (last > first) {
        const { from: start, to: end } = turns[turn] ?? { from: 0, to: 0 }
        const ofTurn = values.get(turn) ?? new Float64Array(end - start)
        values.set(turn, ofTurn)
        const some = ofTurn.subarray(first - start)
        for (const claim of claimsIn(scores, row + first - from, first, last, some, thresholds))
          if (!isOfThing(call, things, turn, claim))
            candidates.push(...splitClaim(call, claim).flatMap((part) => valuesOf(call, part, thresholds)))
      }
      row += to - from
    }
  }
  return { candidates, values }
}

const isOfThing = (call: CallText, things: AskedThings, turn: number, claim: Claim): boolean =>
  isCode(call, claim) && things.isAnswer(turn, claim)

const inputOf = (input: CallInput, group: ReadonlyArray<Stretch>, earliest: number): Int32Array => {
  const size = group.reduce((sum, { from, to }) => sum + 1 + to - from, 0)
  const all = new Int32Array(size * INPUTS)
  let at = 0
  for (const { from, to, turn } of group) {
    all.set(input.beginning(turn), at)
    all.set(input.of(turn, from, to, earliest), at + INPUTS)
    at += (1 + to - from) * INPUTS
  }
  return all
}

/** Whether what a block is read with has placeholders. */
const hasPlaceholder = (
  { tokens: { all }, turns: places }: CallText,
  turns: ReadonlyArray<TurnTokens>,
  block: Block
): boolean => {
  for (let turn = block.earliest; turn < block.latest; turn++) {
    const { from, to } = turns[turn] ?? { from: 0, to: 0 }
    if (places[turn]?.apart !== true) for (let at = from; at < to; at++) if (all[at]?.cls === "P") return true
  }
  return false
}
