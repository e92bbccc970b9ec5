import { speakerAt } from "../CallText.js"
import type { SensitiveField } from "../SensitiveField.js"
import { type Candidate, candidate } from "../TextSpan.js"
import { isCardNumber, isVin } from "../Validators.js"
import { isNanp } from "../Numbering.js"
import type { CallReader, Recognizer } from "./CallReader.js"
import { type Chain, chainsOf } from "./NumberChains.js"
import { byForm, placeOf } from "./NumberForms.js"
import { byCue } from "./NumbersByCue.js"
import { numbersInRun } from "./NumbersInRuns.js"

/** What each speaker said of a value, put together. */
const bySpeaker = ({ call }: CallReader, chain: Chain): ReadonlyMap<string, string> => {
  const together = new Map<string, string>()
  for (const run of chain) {
    const speaker = speakerAt(call, run.from)
    together.set(speaker, (together.get(speaker) ?? "") + run.chars)
  }
  return together
}

/** What a value that was given in parts is by its check digits. */
const wholeOf = (
  value: string,
  isDigits: boolean
): readonly [field: SensitiveField, score: number, evidence: string] | undefined => {
  if (isCardNumber(value)) return ["credit_card", 0.93, "check digit: Luhn"]
  if (isVin(value)) return ["vehicle_id", 0.93, "check digit: VIN"]
  return isDigits && value.length >= 10 && isNanp(value)
    ? ["phone_number", 0.6, "North American numbering plan"]
    : undefined
}

/** Every part of values that are given over several turns. */
const inParts = (reader: CallReader, chain: Chain, together: ReadonlyMap<string, string>): ReadonlyArray<Candidate> => {
  const isDigits = chain.every((run) => run.digits === run.chars.length)
  return [...together].flatMap(([speaker, value]) => {
    const whole = wholeOf(value, isDigits)
    if (whole === undefined) return []
    const [field, score, evidence] = whole
    return chain
      .filter((run) => speakerAt(reader.call, run.from) === speaker || value.includes(run.chars))
      .map((run) => candidate(field, ...placeOf(reader, run), score, evidence, "given in parts"))
  })
}

/** What the runs of a chain are by their form; one of several values is not a long number that nothing explains. */
const formsOf = (reader: CallReader, chain: Chain): ReadonlyArray<Candidate> =>
  chain.flatMap((run) => {
    const inner = numbersInRun(reader, run)
    return [
      ...byForm(reader, run).filter(
        (one) => inner.length === 0 || (one.field !== "numerical_pii" && one.isAlso !== true)
      ),
      ...inner
    ]
  })

/** Score of a guess at what was asked for: within reach of a phrase that names something else. */
const ASKED_GUESS = 0.6

/** The fields of numbers that each turn is to answer. */
const askedFields = ({ dialogue }: CallReader): ReadonlyMap<number, ReadonlySet<string>> => {
  const fields = new Map<number, Set<string>>()
  for (const { answers, asked } of dialogue.exchanges) {
    const codes = asked.filter((one) => one.reads === "code" && one.isOfAnyKind !== true)
    // "your phone and your social": the answer tells which of them a number is.
    if (codes.length !== 1) continue
    for (const { byAsker, turn } of answers) {
      if (byAsker) continue
      const known = fields.get(turn) ?? new Set<string>()
      for (const { also = [], field } of codes) for (const one of [field, ...also]) known.add(one)
      fields.set(turn, known)
    }
  }
  return fields
}

/**
 * "Best phone number for you" - "the one on my account, 904418236": what its length allows it to be is no guess where it
 * was asked for.
 */
const ifAsked = (one: Candidate, asked: ReadonlySet<string> | undefined): Candidate =>
  one.isGuess === true && asked?.has(one.field) === true
    ? { ...one, isGuess: false, score: Math.max(one.score, ASKED_GUESS) }
    : one

/**
 * Numbers and codes: their form, their check digits and the nearest cue decide what they are. A value given over
 * several turns is validated as a whole, and every part of it is found.
 */
export const numbers: Recognizer = (reader) => {
  const asked = askedFields(reader)
  return chainsOf(reader).flatMap((chain) => {
    const together = chain.length > 1 ? bySpeaker(reader, chain) : new Map<string, string>()
    const longest = Math.max(0, ...[...together.values()].map((value) => value.length))
    const total = chain.reduce((sum, run) => sum + run.chars.length, 0)
    const fields = asked.get(reader.turn(chain[0]?.from ?? 0))
    const forms = formsOf(reader, chain).map((one) => ifAsked(one, fields))
    return [...forms, ...inParts(reader, chain, together), ...byCue(reader, chain, { longest, total })]
  })
}
