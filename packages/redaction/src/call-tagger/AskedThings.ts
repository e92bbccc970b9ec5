import type { CallText } from "../CallText.js"
import type { TurnTokens } from "../dialogue/Dialogue.js"
import { isOfThing } from "../dialogue/Questions.js"
import { fillers } from "../Lexicon.js"
import { wordOf } from "./CallInput.js"

/** Most turns back that a question is looked for. */
const MOST_BACK = 6
/** Fewest words of a question; shorter turns are acknowledgements: "mm hm", "go on". */
const LEAST_ASKING = 3
const WORD = /[\p{L}\p{N}?@]/u

/** Which turns ask for a number of a thing rather than of a person: "what was the mileage". */
export class AskedThings {
  readonly #isAboutThing = new Map<number, boolean>()
  readonly #words = new Map<number, ReadonlySet<string>>()

  /** `earliest` is the first turn that is looked at. */
  constructor(
    readonly call: CallText,
    readonly turns: ReadonlyArray<TurnTokens>,
    readonly earliest: number
  ) {}

  #tokens(turn: number): TurnTokens {
    return this.turns[turn] ?? { from: 0, to: 0 }
  }

  /** Whether a turn has enough words to ask for something. */
  #mayAsk(turn: number): boolean {
    const { from, to } = this.#tokens(turn)
    let words = 0
    for (let at = from; at < to && words < LEAST_ASKING; at++) {
      const token = this.call.tokens.all[at]
      if (token !== undefined && WORD.test(token.text) && !fillers.has(token.lower)) words++
    }
    return words >= LEAST_ASKING
  }

  /** The turn of the other side that a turn answers; -1 where there is none. */
  #asking(turn: number): number {
    const { turns } = this.call
    let nearest = -1
    for (let at = turn - 1; at >= this.earliest && at >= turn - MOST_BACK; at--) {
      const one = turns[at]
      if (one === undefined || one.apart) break
      if (one.speaker === turns[turn]?.speaker) continue
      if (nearest < 0) nearest = at
      if (this.#mayAsk(at)) return at
    }
    return nearest
  }

  #asksForThing(turn: number): boolean {
    if (turn < this.earliest || this.call.turns[turn]?.apart !== false) return false
    let asks = this.#isAboutThing.get(turn)
    if (asks === undefined) {
      const { from, to } = this.#tokens(turn)
      asks = isOfThing(this.call.tokens.all, from, to)
      this.#isAboutThing.set(turn, asks)
    }
    return asks
  }

  /** Whether tokens say only what was said in a turn. */
  #repeats({ from, to }: TurnTokens, turn: number): boolean {
    let words = this.#words.get(turn)
    if (words === undefined) {
      const before = this.#tokens(turn)
      words = new Set(this.call.tokens.all.slice(before.from, before.to).map(wordOf))
      this.#words.set(turn, words)
    }
    for (let at = from; at < to; at++) {
      const token = this.call.tokens.all[at]
      if (token !== undefined && !words.has(wordOf(token))) return false
    }
    return true
  }

  /** Whether tokens of a turn answer a question for a number of a thing, or read such an answer back. */
  isAnswer(turn: number, tokens: TurnTokens): boolean {
    return this.#asksForThing(this.#asking(turn)) || (this.#asksForThing(turn - 2) && this.#repeats(tokens, turn - 1))
  }
}
