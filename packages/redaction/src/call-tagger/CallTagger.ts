import { readFileSync } from "node:fs"
import type { CallText } from "../CallText.js"
import { isOfThing, mayBeOf } from "../dialogue/Questions.js"
import type { TurnTokens } from "../dialogue/Dialogue.js"
import { fillers } from "../Lexicon.js"
import { sensitiveFields } from "../SensitiveField.js"
import type { Steps } from "../Steps.js"
import type { WordSets } from "../tagger/WordSets.js"
import { type Candidate, candidate } from "../TextSpan.js"
import type { Token } from "../Tokens.js"
import { CallInput, INPUTS, wordOf } from "./CallInput.js"
import { CALL_LABELS, type CallModel, unpackCallModel } from "./CallModel.js"
import { MOST_LABELS } from "./Network.js"

let loaded: CallModel | undefined

/** The shipped model, read and unpacked at the first use and kept. */
export const shippedCallModel = (): CallModel =>
  (loaded ??= unpackCallModel(readFileSync(new URL("../../data/calls.bin", import.meta.url))))

/** How likely a token must be part of a value, and how likely a field is before a value counts for it as well. */
export interface CallThresholds {
  readonly value: number
  readonly also: number
}
export const callThresholds: CallThresholds = { value: 0.2, also: 0.01 }

/** How many turns are read together, with how many before and after them, and how many tokens of each of those. */
const BLOCK = 24
const BEFORE = 3
const AFTER = 1
const CONTEXT = 64
/** Most tokens of a turn, and fewest of several turns, after which what is read together ends. */
const PIECE = 256
const ENOUGH = 512

/** What stands for how likely a token is where its turn is not read because of placeholders. */
export const UNREAD = -1

/** What the tagger of calls makes of a call. */
export interface CallReadings {
  readonly candidates: ReadonlyArray<Candidate>
  /** How likely each token is part of a value; NaN in calls that are not read, and `UNREAD` in turns near placeholders. */
  readonly values: Float64Array
}

/** Readings by block. A block is read only where no placeholder is near, so its reading does not change when the call is read again. */
export type KnownReadings = Map<number, CallReadings>

/** Whether two sides speak; the tagger knows nothing but conversations. */
const isConversation = ({ tokens, turns }: CallText): boolean =>
  tokens.isForeign !== true &&
  turns.some(({ apart, speaker }) => !apart && !(turns[0]?.apart ?? true) && speaker !== turns[0]?.speaker)

/** Tokens of a turn that are read together. */
interface Stretch {
  readonly turn: number
  readonly from: number
  readonly to: number
  /** Read for what is beside it. */
  readonly isContext: boolean
}

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
  const isRedacted = turns.map(({ from, to }) => hasPlaceholder(call, from, to))
  for (let first = 0; first < turns.length; first += BLOCK) {
    const from = turns[first]?.from ?? 0
    if (isRedacted.slice(Math.max(0, first - BEFORE), first + BLOCK + AFTER).includes(true)) {
      values.fill(UNREAD, from, turns[Math.min(turns.length, first + BLOCK) - 1]?.to)
      continue
    }
    let reading = seen.get(first)
    if (reading === undefined) {
      reading = yield* readingBlock(input, first, model, thresholds)
      seen.set(first, reading)
    }
    values.set(reading.values, from)
    candidates.push(...reading.candidates)
  }
  return { candidates, values }
}

/** The stretches of a block's turns that are read, in groups that are read together. */
const groupsOf = ({ call, turns }: CallInput, first: number): ReadonlyArray<ReadonlyArray<Stretch>> => {
  const last = Math.min(turns.length, first + BLOCK)
  const tokensOf = (turn: number): TurnTokens =>
    call.turns[turn]?.apart === true ? { from: 0, to: 0 } : (turns[turn] ?? { from: 0, to: 0 })
  const groups: Array<Array<Stretch>> = [[]]
  let size = 0
  const add = (turn: number, from: number, to: number, isContext: boolean): void => {
    if (to > from) groups[groups.length - 1]?.push({ turn, from, to, isContext })
  }
  for (let turn = Math.max(0, first - BEFORE); turn < first; turn++) {
    const { from, to } = tokensOf(turn)
    add(turn, Math.max(from, to - CONTEXT), to, true)
  }
  for (let turn = first; turn < last; turn++) {
    const { from, to } = tokensOf(turn)
    for (let at = from; at < to; at += PIECE) {
      if (size >= ENOUGH) {
        groups.push([])
        size = 0
      }
      const end = Math.min(to, at + PIECE)
      add(turn, at, end, false)
      size += end - at
    }
  }
  for (let turn = last; turn < Math.min(turns.length, last + AFTER); turn++) {
    const { from, to } = tokensOf(turn)
    add(turn, from, Math.min(to, from + CONTEXT), true)
  }
  return groups.filter((group) => group.some(({ isContext }) => !isContext))
}

/** What is read in the turns from `first` on. */
function* readingBlock(
  input: CallInput,
  first: number,
  model: CallModel,
  thresholds: CallThresholds
): Steps<CallReadings> {
  const { turns } = input
  const start = turns[first]?.from ?? 0
  const end = turns[Math.min(turns.length, first + BLOCK) - 1]?.to ?? start
  const values = new Float64Array(end - start).fill(Number.NaN)
  const candidates: Array<Candidate> = []
  const questions = new Questions(input)
  for (const group of groupsOf(input, first)) {
    yield
    const scores = model.network.scores(inputOf(input, group))
    let row = 0
    for (const { from, isContext, to, turn } of group) {
      // What is read before the first token of a turn.
      row++
      if (!isContext)
        for (const claim of claimsIn(scores, row, from, to, values.subarray(from - start), thresholds.value))
          if (!questions.rulesOut(turn, claim))
            candidates.push(...splitClaim(input.call, claim).flatMap((part) => valuesOf(input.call, part, thresholds)))
      row += to - from
    }
  }
  return { candidates, values }
}

/** Most turns back that a question is looked for. */
const MOST_BACK = 6
/** Fewest words of a turn that may ask; shorter ones keep the other side talking: "mm hm", "go on". */
const LEAST_ASKING = 3
const WORD = /[\p{L}\p{N}?@]/u

/** Which turns ask about a thing, which rules out what the network makes of figures in their answers. */
class Questions {
  readonly #thing = new Map<number, boolean>()

  constructor(readonly input: CallInput) {}

  #tokensOf(turn: number): ReadonlyArray<Token> {
    const { from, to } = this.input.turns[turn] ?? { from: 0, to: 0 }
    return this.input.call.tokens.all.slice(from, to)
  }

  /** The turn of the other side that a turn answers; -1 where there is none. */
  #asking(turn: number): number {
    const { turns } = this.input.call
    let nearest = -1
    for (let at = turn - 1; at >= 0 && at >= turn - MOST_BACK; at--) {
      const one = turns[at]
      if (one === undefined || one.apart) break
      if (one.speaker === turns[turn]?.speaker) continue
      if (nearest < 0) nearest = at
      const { from, to } = this.input.turns[at] ?? { from: 0, to: 0 }
      const { all } = this.input.call.tokens
      let words = 0
      for (let word = from; word < to && words < LEAST_ASKING; word++) {
        const token = all[word]
        if (token !== undefined && WORD.test(token.text) && !fillers.has(token.lower)) words++
      }
      if (words >= LEAST_ASKING) return at
    }
    return nearest
  }

  /** Whether a turn asks for a number of a thing rather than of a person: "what was the mileage". */
  #isAboutThing(turn: number): boolean {
    let isThing = this.#thing.get(turn)
    if (isThing === undefined) {
      const { from, to } = this.input.turns[turn] ?? { from: 0, to: 0 }
      this.#thing.set(turn, (isThing = isOfThing(this.input.call.tokens.all, from, to)))
    }
    return isThing
  }

  /** Whether a claim says only what was said in the turn before. */
  #repeats(turn: number, { from, to }: Claim): boolean {
    const before = new Set(this.#tokensOf(turn - 1).map(wordOf))
    return this.input.call.tokens.all.slice(from, to).every((token) => before.has(wordOf(token)))
  }

  /** Whether a claim of figures and letters is of a thing that was asked about, or reads such an answer back. */
  rulesOut(turn: number, claim: Claim): boolean {
    if (!isCode(this.input.call, claim)) return false
    const asking = this.#asking(turn)
    return (asking >= 0 && this.#isAboutThing(asking)) || (this.#repeats(turn, claim) && this.#isAboutThing(turn - 2))
  }
}

const inputOf = (input: CallInput, group: ReadonlyArray<Stretch>): Int32Array => {
  const size = group.reduce((sum, { from, to }) => sum + 1 + to - from, 0)
  const all = new Int32Array(size * INPUTS)
  let at = 0
  for (const { from, to, turn } of group) {
    all.set(input.beginning(turn), at)
    all.set(input.of(turn, from, to), at + INPUTS)
    at += (1 + to - from) * INPUTS
  }
  return all
}

const hasPlaceholder = ({ tokens: { all } }: CallText, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if (all[at]?.cls === "P") return true
  return false
}

/** Adjacent tokens that are likeliest of one field. */
interface Claim {
  readonly label: number
  readonly from: number
  readonly to: number
  /** Each token's shares of the labels. */
  readonly shares: ReadonlyArray<Float64Array>
}

/** By how much "none" exceeds the likeliest field where a token is none for sure, whose share is not worked out. */
const SURE_NONE = 9

/** How likely a token is each label, by its scores; nothing where it is none for sure. */
const sharesOf = (scores: Float32Array, first: number): Float64Array | undefined => {
  let top = -Infinity
  for (let label = 1; label < CALL_LABELS; label++) top = Math.max(top, scores[first + label] ?? 0)
  const none = scores[first] ?? 0
  if (top < none - SURE_NONE) return undefined
  const most = Math.max(top, none)
  const shares = new Float64Array(CALL_LABELS)
  let sum = 0
  for (let label = 0; label < CALL_LABELS; label++) {
    const share = Math.exp((scores[first + label] ?? 0) - most)
    shares[label] = share
    sum += share
  }
  for (let label = 0; label < CALL_LABELS; label++) shares[label] = (shares[label] ?? 0) / sum
  return shares
}

const likeliest = (shares: Float64Array): number => {
  let label = 1
  for (let other = 2; other < CALL_LABELS; other++) if ((shares[other] ?? 0) > (shares[label] ?? 0)) label = other
  return label
}

/**
 * The claims of tokens `from` to `to`, whose scores begin with row `row`. How likely each is part of a value is written to `values`,
 * which begins with the first.
 */
const claimsIn = (
  scores: Float32Array,
  row: number,
  from: number,
  to: number,
  values: Float64Array,
  least: number
): ReadonlyArray<Claim> => {
  const claims: Array<Claim> = []
  let open: { readonly label: number; readonly from: number; readonly shares: Array<Float64Array> } | undefined
  const close = (to: number): void => {
    if (open !== undefined) claims.push({ ...open, to })
    open = undefined
  }
  for (let at = from; at < to; at++) {
    const shares = sharesOf(scores, (row + at - from) * MOST_LABELS)
    const value = 1 - (shares?.[0] ?? 1)
    values[at - from] = value
    if (shares === undefined || value < least) {
      close(at)
      continue
    }
    const label = likeliest(shares)
    if (open?.label !== label) {
      close(at)
      open = { label, from: at, shares: [] }
    }
    open.shares.push(shares)
  }
  close(to)
  return claims
}

/** How likely the tokens of a claim are a label. */
const meanOf = ({ shares }: Claim, label: number): number =>
  shares.reduce((sum, one) => sum + (one[label] ?? 0), 0) / shares.length

/** How likely a claim is a value. */
const shareOf = (claim: Claim): number => 1 - meanOf(claim, 0)

/** Fewest figures and letters of a number that is one by itself. */
const WHOLE_NUMBER = 7

/** A claim of two values, one of which is a number, is one of each: "308 63 0237 and august fourth". */
const splitClaim = (call: CallText, claim: Claim): ReadonlyArray<Claim> => {
  const { all } = call.tokens
  const parts: Array<Claim> = []
  let from = claim.from
  for (let at = claim.from; at <= claim.to; at++) {
    if (at < claim.to && all[at]?.cls !== "&") continue
    if (at > from)
      parts.push({ ...claim, from, to: at, shares: claim.shares.slice(from - claim.from, at - claim.from) })
    from = at + 1
  }
  const isNumber = (part: Claim): boolean =>
    isCode(call, part) && codeOf(all.slice(part.from, part.to)).length >= WHOLE_NUMBER
  return parts.some(isNumber) ? parts : [claim]
}

const MARK = /^[^\p{L}\p{N}$€£₹#+]+$/u
/** Classes of everyday expressions alone: "next Tuesday", "this evening". */
const EVERYDAY = /^[WRube]$/
/** What the score of a value is between, by how likely it is one: below what most rules say of theirs. */
const LEAST_SCORE = 0.5
const MOST_SCORE = 0.59
const scoreOf = (share: number): number => LEAST_SCORE + share * (MOST_SCORE - LEAST_SCORE)

/** The score of what is likelier a value than not. */
export const SURE_VALUE = scoreOf(0.6)
/** The scores of a field that is likely enough to count beside what a form, a list or a phrase, and beside what a question, tells. */
export const LIKELY = scoreOf(0.3)
export const LIKELY_IN_CONTEXT = scoreOf(0.05)

/** Classes of figures and letters. */
const CODE: ReadonlySet<string> = new Set("dtyzNXxoL")

/** Whether a claim is of figures and letters alone. */
const isCode = ({ tokens: { all } }: CallText, { from, to }: Claim): boolean =>
  all.slice(from, to).every(({ cls, text }) => CODE.has(cls) || MARK.test(text))

/** The letters and figures that tokens say. */
const codeOf = (tokens: ReadonlyArray<Token>): string =>
  tokens.map(({ cls, text }) => (cls === "N" || cls === "X" || cls === "L" ? text : CODE.has(cls) ? "0" : "")).join("")

/** Whom an answer names that names nobody. */
const NOBODY = /^(?:no|any|some|every)(?:body|[ -]?one)(?:'s)?$/i

/** The tokens of a claim without marks at either end. */
const valueIn = (all: ReadonlyArray<Token>, { from, to }: Claim): ReadonlyArray<Token> => {
  let first = from
  let last = to
  while (first < last && MARK.test(all[first]?.text ?? "")) first++
  while (last > first && MARK.test(all[last - 1]?.text ?? "")) last--
  return all.slice(first, last)
}

const valuesOf = (call: CallText, claim: Claim, { also }: CallThresholds): ReadonlyArray<Candidate> => {
  const tokens = valueIn(call.tokens.all, claim)
  const start = tokens[0]?.start ?? 0
  const end = tokens[tokens.length - 1]?.end ?? 0
  if (end === start || NOBODY.test(call.text.slice(start, end))) return []
  const share = shareOf(claim)
  const isEveryday = tokens.every(({ cls }) => EVERYDAY.test(cls))
  const code = isCode(call, claim) ? codeOf(tokens) : undefined
  return sensitiveFields.flatMap((field, at): ReadonlyArray<Candidate> => {
    const isFirst = at + 1 === claim.label
    const own = isFirst ? share : meanOf(claim, at + 1)
    const isPossible = code === undefined || mayBeOf(field, code)
    if (isFirst ? !isPossible && code.length >= WHOLE_NUMBER : own < also || !isPossible) return []
    const one = candidate(field, start, end, scoreOf(own), `call tagger ${share.toFixed(2)}`)
    return [{ ...one, ...(isEveryday && { everyday: true }), ...(!isFirst && { isAlso: true }) }]
  })
}
