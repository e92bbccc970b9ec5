import type { CallText } from "../CallText.js"
import type { Cue } from "../Cues.js"
import { acknowledgements, fillers, wordSet } from "../Lexicon.js"
import { askedFor, likeliestKind } from "../asked/AskedKinds.js"
import { type Asked, asksForMore, guessed, isOfThing, questionsIn, unnamedNumber } from "./Questions.js"

/** A stretch of a turn that answers a question, in tokens, `to` exclusive. */
export interface AnswerPlace {
  readonly turn: number
  readonly from: number
  readonly to: number
  /** Where the turn ends, with what it announces of its own. */
  readonly end: number
  /** Said by the side that asked: a read-back, or the rest of its own sentence. */
  readonly byAsker: boolean
}

/** A question and all that is said in answer to it until something else is asked. */
export interface Exchange {
  /** What is asked for, at least one thing; the last one was said last. */
  readonly asked: ReadonlyArray<Asked>
  readonly answers: ReadonlyArray<AnswerPlace>
}

/** What the questions of a call govern. */
export interface Dialogue {
  readonly exchanges: ReadonlyArray<Exchange>
  /** Turns, marked with 1, over which no value of the other side goes on: they ask for something or say something else. */
  readonly breaks: Uint8Array
  /** The tokens of each turn, without the line break at its end, `to` exclusive. */
  readonly turns: ReadonlyArray<TurnTokens>
}

/** Words with which one side keeps the other talking, repeats what it understood, or asks for it again. */
const keepWords = wordSet(
  `so that's let me repeat read back i have got is that right correct did get this it to you again say said please could can would give
 once more one time missed didn't catch hear what was come the rest next part slower slowly last first digits numbers letters
 and a moment second no rush problem take your time sure thing absolutely of course whenever you're ready hold on wait just
 still here with me so far after before confirm confirming back okay perfect wonderful great understood noted
 spell spelled for double check verify were there are we i'll write down writing only little bit louder speak up break
 breaking sorry beg pardon pardon me excuse excellent awesome fantastic cool nice lovely yup nope not at all no worries
 sí si vale claro bien bueno oui d'accord ja genau gut sim certo haan accha theek hai dígame allez weiter continúe continue carry keep going ready when fire away listening all ears following lets go for it like about enter entering type typing put`
)

const MARK = /^[^\p{L}\p{N}]+$/u
const SMALL_A = 97
const SMALL_Z = 122

/** Whether a token has no letter or figure. Most begin with a small letter, which costs less to see than the pattern. */
const isMark = (text: string): boolean => {
  const first = text.charCodeAt(0)
  return !(first >= SMALL_A && first <= SMALL_Z) && MARK.test(text)
}

/** Most turns for which a question that nobody has answered holds, and most turns of one answer. */
const MAX_TURNS = 40
const MAX_UNANSWERED = 6

/** Most words of an aside over which the other side's value goes on. */
const MAX_ASIDE = 6
/** Words that make a request of the rest of their turn. */
const ASKING =
  /^(what|what's|whats|which|who|who's|whose|whom|where|where's|when|when's|how|can|could|may|might|please|spell|tell|give|confirm|verify|provide|need|read|your|let's|remind|say|state|have|pick|choose|cuál|cual|qué|cómo|como|dónde|cuándo|su|quel|quelle|votre|wie|was|welche|ihre?|wann|wo|qual|seu|sua|kya|aapka|aapki|क्या|आपका|आपकी)$/
/** Verbs with which a turn proposes a time, and so asks for one: "does the morning suit". */
const VERB_FIRST = /^(does|do|did|is|are|was|were|will|would|should|shall|has)$/
/** Most tokens of a request that is no sentence: "year you were born". */
const MAX_FRAGMENT = 6
const THANKING = /^(thanks|thank|my|no|not|here|sorry|great|perfect|good)$/
/** What asks for the end of something, what it may be said of where that is a card, and how. */
const WHEN = /^when(?:'s| does| is| will)$/
const OF_CARD = /^(?:it|this|that|the|your|card|one|card's)$/
const EXPIRES = /^(?:expire|expires|expired|expiring|expiry|expiration|valid|end|ends|ending)$/
const ENDS = /^(?:(?:run|runs|running) out|good (?:until|till|til|to|thru|through))$/
/** How many turns back a card was given that a question may be about. */
const CARD_TURNS = 6
/** Fewest figures of the turn behind a question that names nothing known. */
const LEAST_FIGURES = 2
/** Most tokens of a question that names nothing known. */
const MAX_UNNAMED = 12
/** The side that asks for values of the other one. */
export const AGENT = "main_agent"
/** What a caller asks about a business rather than somebody, and words that tell it is about the caller. */
const OF_BUSINESS = /^(?:time|money|measure|number)$/
const OF_CALLER =
  /^(?:i|me|my|mine|we|us|our|i'm|i've|i'll|i'd|we're|we've|his|her|their|he|she|they|come|coming|arrive|arriving|appointment|booking|engineer|delivery)$/
/** How likely the words of a question of no list have to ask for something, or for nothing, to be taken for it. */
const SURE_GUESS = 0.4
const SURE_NOTHING = 0.7
/** Most tokens of a request without such a word: "and the year". */
const MAX_SHORT = 9
/** Most tokens of a turn in which a question word asks for what is named before it: "good through what date". */
const MAX_REQUEST = 14
const CORRECTION = /^(no|wait|sorry|actually|correction|it's|that's|i|and|then|yes)$/
const QUESTION = /^(\?|your|what|what's|which|when|who|where|how|why|do|does|are|would|may)$/

export interface TurnTokens {
  readonly from: number
  readonly to: number
}

/** The tokens of each turn, without the line break at its end. */
export const turnsOf = (call: CallText): ReadonlyArray<TurnTokens> => {
  const { all } = call.tokens
  const places: Array<TurnTokens> = call.turns.map(() => ({ from: 0, to: 0 }))
  for (let at = 0; at < all.length;) {
    const turn = call.turnOf[at] ?? 0
    let to = at
    while (to < all.length && call.turnOf[to] === turn) to++
    let end = to
    while (end > at && all[end - 1]?.cls === "n") end--
    places[turn] = { from: at, to: end }
    at = to
  }
  return places
}

/** "the last four of" */
const PART = wordSet("last final first")
/** What a figure before it counts rather than is a part of. */
const COUNTED = wordSet("digit digits letter letters numbers four more time moment second")
const LIST = wordSet("and or , &")
const OPENING = wordSet("your the and or now okay ok full last first")
/** Words with which a turn tells something rather than asks for it: "account number is required". */
const TELLING = wordSet(
  "is are was were will would has have had been must should do does did be being i you we they it"
)
const VALUE = /^[dtyzNXP]$/
const FIGURE = /^[dtyzNXxoLPFsMm]$/

const isFigure = (cls: string): boolean => FIGURE.test(cls)

/** A call's turns, as the state machine below reads them. */
class TurnReader {
  readonly turns: ReadonlyArray<TurnTokens>
  readonly #figures = new Map<number, number>()
  #cue = 0

  constructor(
    readonly call: CallText,
    readonly cues: ReadonlyArray<Cue>
  ) {
    this.turns = turnsOf(call)
  }

  /** The cues of a turn; turns are read in order. */
  #cuesOf({ from, to }: TurnTokens): ReadonlyArray<Cue> {
    const found: Array<Cue> = []
    for (let cue = this.cues[this.#cue]; cue !== undefined && cue.from < to; cue = this.cues[++this.#cue])
      if (cue.from >= from) found.push(cue)
    return found
  }

  /** What a turn is; `before` is what was asked for last. */
  view(turn: number, speaker: string, isApart: boolean, before: ReadonlyArray<Asked>): TurnView {
    const place = this.place(turn)
    const cues = this.#cuesOf(place)
    const isPart = asksForMore(this.call.tokens.all, place.from, place.to)
    const phrases = this.#withoutThings(place, speaker, this.asked(turn, cues))
    const ofCard = new Set(phrases.filter((one) => isUnlisted(one) || this.#isOfExpiry(one, place.to)))
    const context = ofCard.size > 0 && this.#followsCard(turn) ? [...before, cardGiven] : before
    const asked = phrases.map((one) => inContext(one, context, isPart, ofCard.has(one)))
    const open = isApart
      ? []
      : this.#ofCaller(place, speaker, resolved(asked, before, isPart && this.#lastFigure(turn) < place.from))
    return { turn, place, speaker, isApart, cues, open, keeps: this.keeps(turn) }
  }

  /** What a turn asks for without a number of no list where its words tell that it is of a thing. */
  #withoutThings({ from, to }: TurnTokens, speaker: string, asked: ReadonlyArray<Asked>): ReadonlyArray<Asked> {
    if (!asked.some(({ isOfAnyKind }) => isOfAnyKind === true)) return asked
    const [nothing = 0] = askedFor(this.call.tokens.all, from, to, speaker === AGENT)
    return nothing < SURE_NOTHING ? asked : asked.filter(({ isOfAnyKind }) => isOfAnyKind !== true)
  }

  /**
   * What a turn asks for without what a caller asks of an agent about nobody: "what time do you shut", "how much is a
   * return", but not "what time is my appointment".
   */
  #ofCaller({ from, to }: TurnTokens, speaker: string, asked: ReadonlyArray<Asked>): ReadonlyArray<Asked> {
    if (speaker === AGENT || !asked.some(({ reads }) => OF_BUSINESS.test(reads))) return asked
    for (let at = from; at < to; at++) if (OF_CALLER.test(this.call.tokens.all[at]?.lower ?? "")) return asked
    return asked.filter(({ reads }) => !OF_BUSINESS.test(reads))
  }

  /** Whether what ends when something is asked for is "it" or the card: "when does it run out", not "when does the warranty end". */
  #isOfExpiry({ field, phrase, to: from }: Asked, to: number): boolean {
    if (field !== "date" || !WHEN.test(phrase)) return false
    const { all } = this.call.tokens
    let at = from
    while (at < to && OF_CARD.test(all[at]?.lower ?? "")) at++
    const [verb = "", next = ""] = [all[at]?.lower, at + 1 < to ? all[at + 1]?.lower : ""]
    return EXPIRES.test(verb) || ENDS.test(`${verb} ${next}`)
  }

  /** Whether one of the turns just before a turn has as many figures as a card. */
  #followsCard(turn: number): boolean {
    for (let at = turn - 1; at >= Math.max(0, turn - CARD_TURNS); at--) if (isCardLength(this.figures(at))) return true
    return false
  }

  /** What a turn asks for in words of no list. */
  guess(view: TurnView): ReadonlyArray<Asked> {
    const { isApart, keeps, open, place, speaker, turn } = view
    const { from, to } = place
    if (isApart || keeps || open.length > 0 || to <= from) return []
    const next = this.call.turns[turn + 1]
    if (next === undefined || next.apart || next.speaker === speaker || this.#lastFigure(turn) >= from) return []
    if (!this.hasValue(turn + 1)) return []
    const isUnnamed = this.#mayAsk(view)
    // What is decided without the classifier costs less.
    if (speaker !== AGENT && !isUnnamed) return []
    const likely = askedFor(this.call.tokens.all, from, to, speaker === AGENT)
    const [kind, share] = likeliestKind(likely)
    const asked = guessed(kind, from, to)
    // What a caller says is rarely a question for a value of the agent.
    if (share >= SURE_GUESS && speaker === AGENT && !asked.some((one) => one.isUnnamed === true)) return asked
    return isUnnamed && (likely[0] ?? 0) < SURE_NOTHING ? [unnamedNumber(from, to)] : []
  }

  /** Whether a turn may ask for a number in words that name nothing known. */
  #mayAsk({ cues, isApart, keeps, open, place: { from, to }, turn }: TurnView): boolean {
    return (
      !isApart &&
      !keeps &&
      open.length === 0 &&
      cues.length === 0 &&
      to > from &&
      to - from <= MAX_UNNAMED &&
      // Few turns are followed by figures, and looking at them costs less than reading an answer.
      this.figures(turn + 1) >= LEAST_FIGURES &&
      this.#lastFigure(turn) < from &&
      !isOfThing(this.call.tokens.all, from, to)
    )
  }

  place(turn: number): TurnTokens {
    return this.turns[turn] ?? { from: 0, to: 0 }
  }

  /** Whether a turn only keeps the other side talking: acknowledgements, figures that are read back, "once more please". */
  keeps(turn: number): boolean {
    const { from, to } = this.place(turn)
    for (let at = from; at < to; at++) {
      const token = this.call.tokens.all[at]
      if (token === undefined || isMark(token.text) || isFigure(token.cls)) continue
      if (!acknowledgements.has(token.lower) && !fillers.has(token.lower) && !keepWords.has(token.lower)) return false
    }
    return true
  }

  /** Whether a turn may go on with an answer: it is short, or begins with a part of a value or a correction. */
  goesOn(turn: number): boolean {
    const { from, to } = this.place(turn)
    let words = 0
    let isFirst = true
    for (let at = from; at < to; at++) {
      const token = this.call.tokens.all[at]
      if (token?.cls === "P" && isFirst) return true
      if (token === undefined || isMark(token.text) || fillers.has(token.lower)) continue
      if (isFirst && (isFigure(token.cls) || CORRECTION.test(token.lower))) return true
      isFirst = false
      words++
    }
    return words <= MAX_ASIDE
  }

  /** Whether a value that the other side is giving ends at a turn. */
  breaks(turn: number, hasCue: boolean): boolean {
    if (hasCue) return true
    if (this.keeps(turn)) return false
    const { from, to } = this.place(turn)
    if (to - from > MAX_ASIDE) return true
    for (let at = from; at < to; at++) if (QUESTION.test(this.call.tokens.all[at]?.lower ?? "")) return true
    return false
  }

  /** Whether a turn has a figure, a letter or a word that may be part of a value. */
  hasValue(turn: number): boolean {
    const { from, to } = this.place(turn)
    for (let at = from; at < to; at++) {
      const token = this.call.tokens.all[at]
      if (token?.cls === "P") return true
      if (token === undefined || isMark(token.text)) continue
      if (isFigure(token.cls)) return true
      if (token.cls === "w" && !acknowledgements.has(token.lower) && !keepWords.has(token.lower)) return true
    }
    return false
  }

  /** Digits of a turn, those that are said in words included. */
  figures(turn: number): number {
    const known = this.#figures.get(turn)
    if (known !== undefined) return known
    const figures = this.#countFigures(this.place(turn))
    this.#figures.set(turn, figures)
    return figures
  }

  #countFigures({ from, to }: TurnTokens): number {
    let figures = 0
    for (let at = from; at < to; at++) {
      const token = this.call.tokens.all[at]
      if (token?.cls === "N" || token?.cls === "X") figures += token.text.replace(/\D/g, "").length
      else if (token !== undefined && /^[dtyzxoPFsMm]$/.test(token.cls)) figures++
    }
    return figures
  }

  /** Where the last figure of a turn stands; before its first token where there is none. */
  #lastFigure(turn: number): number {
    const { from, to } = this.place(turn)
    const { all } = this.call.tokens
    for (let at = to - 1; at >= from; at--) {
      if (!VALUE.test(all[at]?.cls ?? "")) continue
      // "the last four of": no figure of a value.
      if (all[at]?.cls === "d" && PART.has(all[at - 1]?.lower ?? "")) continue
      // "how old is the little one": somebody
      const isAlone = !FIGURE.test(all[at + 1]?.cls ?? "") || at === to - 1
      if (all[at]?.lower === "one" && isAlone && /^[wT]$/.test(all[at - 1]?.cls ?? "")) continue
      return at
    }
    return from - 1
  }

  /** What a turn asks for: phrases behind which no value follows in the turn itself. */
  asked(turn: number, turnCues: ReadonlyArray<Cue>): ReadonlyArray<Asked> {
    const { from, to } = this.place(turn)
    const behind = this.#lastFigure(turn)
    return questionsIn(this.call.tokens.all, from, to, turnCues).filter(
      (one) =>
        (one.to > behind || one.phrase.endsWith("digits") || this.#isCount(behind)) &&
        (one.reads === "code" || this.#isQuestion(turn, one))
    )
  }

  /** "my address", "does the village have a shop": whether something is said or asked about what a phrase names. */
  #isSubject(from: number, one: Asked): boolean {
    const { all } = this.call.tokens
    const opening = all[from]?.lower ?? ""
    return (
      all[one.from - 1]?.lower === "my" ||
      (one.reads !== "time" && one.from === from + 1 && /^(?:does|did|has)$/.test(opening))
    )
  }

  /** Whether a phrase asks for something in words rather than says something about it. */
  #isQuestion(turn: number, one: Asked): boolean {
    const { from, to } = this.place(turn)
    const { all } = this.call.tokens
    if (this.#isSubject(from, one)) return false
    if (one.reads === "time" && VERB_FIRST.test(all[from]?.lower ?? "")) return true
    const reach = to - from <= MAX_REQUEST ? to : one.to
    for (let at = from; at < reach; at++) if (ASKING.test(all[at]?.lower ?? "")) return true
    for (let at = one.to; at < to; at++) if (all[at]?.text === "?") return true
    return this.#isAll(turn, one) || this.#isShortRequest(from, to, one) || this.#isFragment(from, to, one)
  }

  /** "year you were born": a few words that tell nothing but what they name. */
  #isFragment(from: number, to: number, one: Asked): boolean {
    if (to - from > MAX_FRAGMENT) return false
    for (let at = from; at < to; at++) {
      const word = this.call.tokens.all[at]?.lower ?? ""
      if ((at < one.from || at >= one.to) && (TELLING.has(word) || THANKING.test(word))) return false
    }
    return true
  }

  /** "and the email", "name or number": a few words that open or list what is asked for. */
  #isShortRequest(from: number, to: number, one: Asked): boolean {
    const { all } = this.call.tokens
    const isListed = LIST.has(all[one.from - 1]?.lower ?? "") || LIST.has(all[one.to]?.lower ?? "")
    const isFirst = one.from === from && !all.slice(one.to, to).some(({ lower }) => TELLING.has(lower))
    return (
      to - from <= MAX_SHORT &&
      one.to - from <= MAX_SHORT &&
      (isListed || isFirst || OPENING.has(all[from]?.lower ?? ""))
    )
  }

  /** Whether a turn says nothing else: "date of birth", "okay and the email please". */
  #isAll(turn: number, one: Asked): boolean {
    const { from, to } = this.place(turn)
    for (let at = from; at < to; at++) {
      const token = this.call.tokens.all[at]
      if (token === undefined || (at >= one.from && at < one.to) || isMark(token.text)) continue
      if (!OPENING.has(token.lower) && !LIST.has(token.lower) && !fillers.has(token.lower) && token.lower !== "please")
        return false
    }
    return true
  }

  /** "the four digit pin": a figure that says how long a value is. */
  #isCount(at: number): boolean {
    return COUNTED.has(this.call.tokens.all[at + 1]?.lower ?? "")
  }
}

interface State {
  readonly asked: ReadonlyArray<Asked>
  readonly asker: string
  readonly answers: Array<AnswerPlace>
  readonly since: number
  isAnswered: boolean
  /** Digits that were given in answer. */
  figures: number
}

const DATES = new Set(["dob", "date"])

/** Fewest letters and digits of the answer to a question for a part: "the last four of your phone number". */
const MIN_PART = 3

/** Whether a question is for a number of no list. */
const isUnlisted = (one: Asked): boolean => one.field === "numerical_pii" && one.isWeak

/** What a turn with as many figures as a card has was given in answer to, whatever was asked. */
const cardGiven: Asked = {
  field: "credit_card",
  reads: "code",
  min: 13,
  max: 19,
  phrase: "the card",
  isWeak: true,
  from: 0,
  to: 0
}
const isCardLength = (figures: number): boolean => figures >= 15 && figures <= 19

/** A question for a part of a value, and what it means after others: "the account" after a routing number is that of a bank. */
const inContext = (one: Asked, before: ReadonlyArray<Asked>, isPart: boolean, mayBeOfCard: boolean): Asked => {
  const min = isPart && one.reads === "code" ? Math.min(one.min, MIN_PART) : one.min
  const isAfter = (asked: string): boolean => before.some(({ field }) => field === asked)
  if (one.field === "account_number" && one.isWeak && isAfter("bank_account"))
    return { ...one, min, field: "bank_account" }
  // "and when does it run out", "and the little code": of the card
  const isOfCard = mayBeOfCard && isAfter("credit_card")
  const itself = one.field === "nothing" ? [] : [one.field]
  return isOfCard ? { ...one, min, field: "credit_card", also: [...(one.also ?? []), ...itself] } : { ...one, min }
}

/** What a part may be of that nothing said before explains: "sorry, the last four again". */
export const anyPart: ReadonlyArray<Asked> = (["ssn", "credit_card", "phone_number", "account_number"] as const).map(
  (field) => ({ field, reads: "code", min: MIN_PART, max: 4, phrase: "the last four", isWeak: true, from: 0, to: 0 })
)

/** "area code first", and then the rest: what is left may be of any length that a part has. */
const ofRest = (one: Asked): Asked =>
  one.field === "phone_number" ? { ...one, min: Math.min(one.min, MIN_PART), max: LONGEST_PHONE } : one
const LONGEST_PHONE = 15

/** What "the last four" and "the year" are of: what was asked for before. */
const resolved = (asked: ReadonlyArray<Asked>, before: ReadonlyArray<Asked>, isMore: boolean): ReadonlyArray<Asked> => {
  const own = asked.filter(({ reads }) => reads !== "more date")
  if (own.length > 0) return own
  if (asked.length > 0) {
    const dates = before.filter((one) => DATES.has(one.field) || one.reads === "date")
    return dates.length > 0 ? dates : asked.map((one) => ({ ...one, reads: "date" }))
  }
  if (!isMore) return []
  return before.length > 0 ? before.map(ofRest) : anyPart
}

/** The place of a turn that a question governs: up to the first phrase that asks for, or announces, something else. */
const answerPlace = (
  { from, to }: TurnTokens,
  turn: number,
  byAsker: boolean,
  next: ReadonlyArray<Pick<Asked, "from">>
): AnswerPlace => ({ turn, from, to: next[0] === undefined ? to : Math.max(from, next[0].from), end: to, byAsker })

/** What a turn is to the dialogue, whatever was asked before. */
interface TurnView {
  readonly turn: number
  readonly place: TurnTokens
  readonly speaker: string
  /** A value of a JSON document, which neither asks nor answers. */
  readonly isApart: boolean
  readonly cues: ReadonlyArray<Cue>
  readonly open: ReadonlyArray<Asked>
  readonly keeps: boolean
}

/** The digits of the shortest answer to what is asked for. */
const fewest = (asked: ReadonlyArray<Asked>): number =>
  asked.reduce((least, { min, reads }) => Math.min(least, reads === "code" ? min : 1), Infinity)

/** Whether an exchange ends with a turn: the side that asked goes on to something else, or the other one does. */
const endsAt = (reader: TurnReader, state: State, { keeps, speaker, turn }: TurnView): boolean => {
  if (keeps) return false
  return speaker === state.asker
    ? state.isAnswered || turn - state.since > MAX_UNANSWERED
    : state.isAnswered && !reader.goesOn(turn)
}

/** Takes a turn as a part of the answer; the state behind it, undefined where the exchange is over. */
const answeredBy = (reader: TurnReader, state: State, view: TurnView): State | undefined => {
  if (view.isApart || view.turn - state.since > MAX_TURNS) return undefined
  const isAsker = view.speaker === state.asker
  const ends = endsAt(reader, state, view)
  const asksNext = view.open.length > 0
  if (!ends || asksNext) {
    const next = view.cues.length > 0 ? view.cues : isAsker ? view.open : []
    state.answers.push(answerPlace(view.place, view.turn, isAsker, next))
  }
  if (!isAsker && reader.hasValue(view.turn)) {
    const figures = reader.figures(view.turn)
    state.figures += figures
    // Part of a number is no answer yet: it goes on after an aside ("sorry, my system is slow today").
    state.isAnswered = figures === 0 || state.figures >= fewest(state.asked)
  }
  return ends || (isAsker && asksNext) ? undefined : state
}

/**
 * Follows a call turn by turn. A turn that asks for something begins an exchange; back-channels, read-backs and requests
 * to repeat go on with it; it ends where something else is asked for, or where a side goes on to say something else after
 * it was answered. Linear in the call's length.
 */
export const dialogueOf = (call: CallText, cues: ReadonlyArray<Cue>): Dialogue => {
  const reader = new TurnReader(call, cues)
  const exchanges: Array<Exchange> = []
  const breaks = new Uint8Array(call.turns.length)
  let state: State | undefined
  let lastAsked: ReadonlyArray<Asked> = []
  for (const [turn, { apart: isApart, speaker }] of call.turns.entries()) {
    const view = reader.view(turn, speaker, isApart, lastAsked)
    if (state !== undefined) state = answeredBy(reader, state, view)
    const isQuestion = view.open.length > 0 && !(state !== undefined && view.keeps && view.cues.length === 0)
    breaks[turn] = isQuestion || reader.breaks(turn, view.cues.length > 0) ? 1 : 0
    if (!isQuestion) {
      const asked = state === undefined ? reader.guess(view) : []
      if (asked.length > 0) {
        const answers: Array<AnswerPlace> = []
        exchanges.push({ asked, answers })
        state = { asked, asker: speaker, answers, since: turn, isAnswered: false, figures: 0 }
      }
      continue
    }
    const answers: Array<AnswerPlace> = []
    exchanges.push({ asked: view.open, answers })
    state = { asked: view.open, asker: speaker, answers, since: turn, isAnswered: false, figures: 0 }
    lastAsked = view.open
  }
  return { exchanges, breaks, turns: reader.turns }
}
