import { isApart, speakerAt } from "../CallText.js"
import { type Cue, lastCueBefore, type Weighed } from "../Cues.js"
import { fillers, functionWords, wordSet } from "../Lexicon.js"
import type { SensitiveField } from "../SensitiveField.js"
import type { Run } from "../SpokenNumbers.js"
import { type Candidate, candidate } from "../TextSpan.js"
import type { CallReader } from "./CallReader.js"
import type { Chain } from "./NumberChains.js"
import { hasProvenForm, placeOf } from "./NumberForms.js"

/** What follows an amount or a count of something, which is no identifier however long. */
const counted =
  wordSet(`percent percentage times minutes minute hours hour days day weeks week months month years year kids children
 people items miles mile units boxes degrees feet foot inches inch pounds kilos kg lbs grams dollars bucks euros cents pence points
 stars steps pieces copies bedrooms bedroom blocks stops guests nights night tickets calls emails seconds followers square megabits mbps gigabits megabytes gigabytes gigs megs mph percent% gallons`)

/** Most tokens between the cues of a bank's code and of an account. */
const BANK_REACH = 24

/** Fewest figures of the number of a payment card, some of them misheard as letters. */
export const CARD_FIGURES = 12

/** Words that make a card one for payments. */
const PAYS = /credit|debit|visa|master|amex|american|discover|gift/

/** What a number of a card may be of that is too short for a payment card and longer than its last figures. */
const ofAnyCard: ReadonlyArray<SensitiveField> = [
  ...(["account_number", "healthcare_number", "numerical_pii"] as const),
  ...(["driver_license", "passport_number", "ssn", "bank_account"] as const)
]

/** Most figures of a part of a number that is given alone. */
const MAX_LAST = 4

/** Fields of whose values a part identifies a person: the last four digits, the security code, the expiry date. */
const givenInPart: ReadonlySet<string> = new Set(["credit_card", "ssn"])

/** Whether a phrase that means a payment card may mean a card of any kind: "the number on the card". */
export const mayBeAnyCard = ({ field, phrase }: Pick<Cue, "field" | "phrase">): boolean =>
  field === "credit_card" && phrase.includes("card") && !PAYS.test(phrase)

/** The fields that a phrase may mean besides its first one, by the length of the whole value behind it. */
export const furtherFields = (
  cue: Pick<Cue, "also" | "field" | "phrase">,
  length: number
): ReadonlyArray<SensitiveField> => {
  if (length <= MAX_LAST && givenInPart.has(cue.field)) return [...(cue.also ?? []), "numerical_pii"]
  return length < CARD_FIGURES && mayBeAnyCard(cue) ? ofAnyCard : (cue.also ?? [])
}

/** "The member number on my Blue Cross card is x w q 5 5 ...": a code with letters is of no payment card. */
const isOtherCard = (cue: Cue, chain: Chain, digits: number): boolean =>
  cue.field === "credit_card" &&
  cue.kind === "plain" &&
  digits < CARD_FIGURES &&
  chain.some((run) => run.digits < run.chars.length)

const fits = (cue: Cue, length: number): boolean => length >= cue.min && length <= cue.max

const isBankCode = (other: Cue | undefined): other is Cue =>
  other?.field === "bank_account" && /^(sort code|routing|aba|transit|bsb|swift|bic|institution)/.test(other.phrase)

/** "Sort code 20-00-00, account 55779911": an account that a bank's code is said along with is one at that bank. */
const isNextToBankCode = ({ call, cues }: CallReader, cue: Cue): boolean => {
  if (!/^(account|acct)( (number|no|#))?( is)?$/.test(cue.phrase)) return false
  const before = lastCueBefore(cues, cue.from)
  return [cues[before], cues[before + 2]].some(
    (other) =>
      isBankCode(other) &&
      Math.max(cue.from - other.to, other.from - cue.to) <= BANK_REACH &&
      Math.abs((call.turnOf[cue.from] ?? 0) - (call.turnOf[other.from] ?? 0)) <= 2 &&
      !isApart(call, cue.from, other.from)
  )
}

/** "USD 12,400" */
const isOfCurrency = (reader: CallReader, { from }: Run): boolean =>
  [from, from - 1].some((at) => reader.cls(at) === "C" && CODE.test(reader.written(at)))

const CODE = /^[A-Z]{3}$/

/** Lengths of a chain's value, by how it is put together. */
interface Lengths {
  /** The longest that one speaker's parts make together; 0 for a chain of one run. */
  readonly longest: number
  readonly total: number
}

const isCount = (reader: CallReader, run: Run): boolean =>
  counted.has(reader.word(run.to)) || reader.cls(run.to) === "C" || reader.written(run.to) === "%"

/** "Cues" of amounts and ages have recognizers of their own; that one is nearest only means that nothing else is meant. */
const hasOwnRecognizer = (cue: Cue): boolean => cue.field === "money" || cue.field === "age"

/** Letters alone are a code only right beside the cue; plates may be all letters. */
const areWords = (chain: Chain, weighed: Weighed, total: number): boolean =>
  weighed.distance > 4 || total < 4 || weighed.cue.field === "nothing" || chain.every((run) => run.pieces.length < 2)

/** Words that name a number that belongs to nobody, rather than a thing that has one. */
const NAMES_NUMBER =
  /(number|no|id|code|#)$|^(orders?|ticket|tracking|invoice|confirmation|reference|ref|case|incident|flight|room|gate|exit|route|model|version|sku|isbn|upc|barcode|page|channel|press|option|score|chapter|step|windows|iphone|galaxy|boeing|airbus|floor|size|error)$/

/** Most tokens between harmless context and the number it belongs to. */
const HARMLESS_REACH = 6

/**
 * Whether the nearest cue decides. Harmless context gives way to a form that proves itself, beyond its sentence, and where
 * it names no number to what the same turn says of a value.
 */
const isHarmless = (reader: CallReader, chain: Chain, nearest: Weighed | undefined): boolean => {
  if (nearest?.cue.field !== "nothing") return true
  if (nearest.distance > HARMLESS_REACH || chain.some((run) => hasProvenForm(reader, run))) return false
  const first = chain[0]
  if (first === undefined || NAMES_NUMBER.test(nearest.cue.phrase)) return true
  const other = reader.nearestCue(first.from, first.to, (cue) => cue.field !== "nothing" && cue.field !== "money")
  return other === undefined || reader.turn(other.cue.from) !== reader.turn(first.from)
}

/** The cue that decides about a chain: the nearest to its first part, or after its last. */
const deciding = (reader: CallReader, chain: Chain, { longest, total }: Lengths): Weighed | undefined => {
  const first = chain[0]
  const last = chain[chain.length - 1]
  if (first === undefined || last === undefined) return undefined
  const digits = chain.reduce((sum, run) => sum + run.digits, 0)
  const isPlausible = (cue: Cue): boolean =>
    (chain.some((run) => fits(cue, run.chars.length)) || fits(cue, longest) || fits(cue, total)) &&
    !isOtherCard(cue, chain, digits)
  const nearest = reader.nearestCue(first.from, last.to, (cue) =>
    // A gate or a page has no long number.
    cue.field === "nothing" ? digits > 0 && total <= cue.max : isPlausible(cue)
  )
  const weighed = isHarmless(reader, chain, nearest)
    ? nearest
    : reader.nearestCue(first.from, last.to, (cue) => cue.field !== "nothing" && isPlausible(cue))
  if (weighed === undefined || hasOwnRecognizer(weighed.cue)) return undefined
  return digits === 0 && areWords(chain, weighed, total) ? undefined : weighed
}

/** How sure a run is what its cue says; one figure alone is hardly a value. */
const scoreOf = ({ cue, distance, weight }: Weighed, isLoose: boolean): number => {
  const score = cue.field === "nothing" ? (distance > 3 ? 0.57 : Math.min(0.9, weight)) : weight
  return Math.max(0, score - (isLoose ? 0.3 : 0))
}

const fieldOf = (cue: Cue, run: Run, isOfBank: boolean): SensitiveField | "nothing" => {
  if (cue.kind === "cvv" && run.chars.length > 4) return "password"
  return cue.field === "account_number" && isOfBank ? "bank_account" : cue.field
}

/** Most letters or clumps of letters before the figures of a code. */
const MAX_LETTERS = 4

/** Where the letters begin that stand before the first figures of a code, over commas and fillers: "ZU, 091, 255". */
const lettersBefore = (reader: CallReader, run: Run, floor: number): number => {
  let from = run.from
  for (let taken = 0; taken < MAX_LETTERS; taken++) {
    let at = from - 1
    while (at >= floor && (/^[,.\-–]$/.test(reader.written(at)) || fillers.has(reader.word(at)))) at--
    const isLetters =
      at >= floor &&
      (reader.cls(at) === "L" ||
        (reader.word(at) === "a" && reader.cls(at - 1) === "L") ||
        (/^[A-Z]{2,5}$/.test(reader.written(at)) && !functionWords.has(reader.word(at))))
    if (!isLetters || reader.word(at) === "i") break
    from = at
  }
  return reader.start(from)
}

/** Whether the last letter of a code is an "a" that reads like an article: "g 4 3 d a". */
const endsInLetter = (reader: CallReader, run: Run, cue: Cue): boolean =>
  reader.word(run.to) === "a" &&
  run.digits < run.chars.length &&
  cue.field !== "nothing" &&
  reader.endsAt(run.to + 1, /^[.,?!n]$/)

/** Least strength of a phrase that names a number rather than something that has one: "account number", not "account". */
const NAMES = 0.9

/** Most tokens between a value and what names it. */
const MAX_GAP = 4
const MAX_WEAK_GAP = 1

/** What may stand between a phrase and the value that it names. */
const links = wordSet(
  "is it's its it are was were being that's that this as number numbers reads says , : = # - – ( + plus"
)
const copulas = wordSet("is it's was being that's as")
const determiners = wordSet("my the our your his her their a an this that")

/** "on the account it's ...": the number of something else that the account has. */
const leadsIn = wordSet("on in from under with for about to of at by against regarding")

/** "acct no. 904418236" */
const ABBREVIATED = /(?:^| )(?:no|acct|ref|num|nr)$/

/** Most tokens from a negation to what it negates. */
const NEGATION_REACH = 4
const NEGATION = /^(?:not|never|without|forgot|forget|forgotten|lost|cannot)$|n['’]t$/
const CLAUSE_END = /^(?:[.,?!;:]|but|and|so)$/

/** "I haven't got the claim number", "no account number": whether what a phrase names is said to be missing or another. */
const isNegated = (reader: CallReader, cue: Cue): boolean => {
  if (reader.word(cue.from - 1) === "no") return true
  for (let at = cue.from - 1; at >= cue.from - NEGATION_REACH; at--) {
    if (reader.turn(at) !== reader.turn(cue.from) || CLAUSE_END.test(reader.word(at))) return false
    if (NEGATION.test(reader.word(at))) return true
  }
  return false
}

/** Whether only words that link a phrase to a value stand between two tokens. */
const areLinks = (reader: CallReader, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const word = reader.word(at)
    if (!links.has(word) && !fillers.has(word) && reader.cls(at) !== "n") return false
  }
  return true
}

const namesBefore = (reader: CallReader, { cue, distance }: Weighed, from: number): boolean => {
  const isStrong = cue.strength >= NAMES
  const isAbbreviated = reader.written(cue.to) === "." && ABBREVIATED.test(cue.phrase)
  const gap = isAbbreviated ? cue.to + 1 : cue.to
  if (distance > (isStrong ? MAX_GAP : MAX_WEAK_GAP) || !areLinks(reader, gap, from)) return false
  if (speakerAt(reader.call, cue.from) !== speakerAt(reader.call, from)) return false
  const lead = determiners.has(reader.word(cue.from - 1)) ? cue.from - 2 : cue.from - 1
  return isStrong || !leadsIn.has(reader.word(lead))
}

const namesAfter = (reader: CallReader, { cue }: Weighed, to: number): boolean => {
  let at = cue.from
  while (at > to && determiners.has(reader.word(at - 1))) at--
  if (at - to > MAX_GAP || !areLinks(reader, to, at)) return false
  for (let link = to; link < at; link++) if (copulas.has(reader.word(link))) return true
  // "904418236, my account number", but not "904418236 my account is locked"
  return cue.strength >= NAMES && !/^(?:is|was|has|isn't|wasn't)$/.test(reader.word(cue.to))
}

/**
 * "My account number is ...", "... is my account": whether a phrase names a value's field: nothing but linking words is
 * between them, and no negation leads to the phrase.
 */
const names = (reader: CallReader, weighed: Weighed, from: number, to: number): boolean =>
  weighed.cue.kind !== "generic" &&
  !isNegated(reader, weighed.cue) &&
  (weighed.side === "after" ? namesAfter(reader, weighed, to) : namesBefore(reader, weighed, from))

/** By how much a further meaning of a cue is less sure than the first one. */
const ALSO = 0.1

/** The further meanings of a cue, for those who request their fields alone. */
export const alsoReadings = (also: ReadonlyArray<SensitiveField>, one: Candidate): ReadonlyArray<Candidate> =>
  also
    .filter((field) => field !== one.field)
    .map((field) => ({ ...one, field, score: Math.max(0.5, one.score - ALSO), isAlso: true }))

/** What the parts of a value are by the nearest cue. */
export const byCue = (reader: CallReader, chain: Chain, lengths: Lengths): ReadonlyArray<Candidate> => {
  const weighed = deciding(reader, chain, lengths)
  if (weighed === undefined) return []
  const { cue } = weighed
  const isSeveral = chain.length > 1
  const isWhole =
    fits(cue, lengths.longest) || fits(cue, lengths.total) || !chain.some((run) => fits(cue, run.chars.length))
  const isNamed = names(reader, weighed, chain[0]?.from ?? 0, chain[chain.length - 1]?.to ?? 0)
  const isOfBank = isNextToBankCode(reader, cue)
  const evidence = `cue "${cue.phrase}" ${weighed.distance} words ${weighed.side}`
  const further = furtherFields(cue, lengths.total)
  return chain.flatMap((run) => {
    const { length } = run.chars
    if (reader.cls(run.from - 1) === "$" || isOfCurrency(reader, run) || (length < 7 && isCount(reader, run))) return []
    // A false start that is corrected ("four oh two, no sorry, four oh three ...") is as telling as the value.
    const isPart = isSeveral && (isWhole || length >= 2)
    if (!isPart && (!fits(cue, length) || (run.digits === 0 && run.pieces.length < 2))) return []
    const isLoose = run.digits === 1 && length === 1 && !isPart
    const [start, end] = placeOf(reader, run)
    const read = candidate(
      fieldOf(cue, run, isOfBank),
      run === chain[0] && weighed.side === "before" && cue.field !== "nothing"
        ? Math.min(start, lettersBefore(reader, run, cue.to))
        : start,
      endsInLetter(reader, run, cue) ? reader.end(run.to + 1) : end,
      scoreOf(weighed, isLoose),
      evidence,
      ...(isPart ? ["given in parts"] : [])
    )
    const one = { ...read, byCue: true, isNamed }
    return [one, ...alsoReadings(further, one)]
  })
}
