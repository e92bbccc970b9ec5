import { type CallText, isApart, speakerAt } from "../CallText.js"
import { type Cue, lastCueBefore, nearestCue, type Weighed } from "../Cues.js"
import { acknowledgements, wordSet } from "../Lexicon.js"
import { isInternational, isNanp, isNational } from "../Numbering.js"
import { type Candidate, candidate } from "../Span.js"
import type { Run } from "../SpokenNumbers.js"
import { hasVinShape, isAbaRouting, isCardNumber, isSsn, isVin } from "../Validators.js"

/** Runs that are one value given bit by bit, with nothing but acknowledgements between them. */
interface Chain {
  readonly runs: ReadonlyArray<Run>
}

/** What follows an amount or a count of something, which is no identifier however long. */
const counted =
  wordSet(`percent percentage times minutes minute hours hour days day weeks week months month years year kids children
 people items miles mile units boxes degrees feet foot inches inch pounds kilos kg lbs grams dollars bucks euros cents pence points
 stars steps pieces copies bedrooms bedroom blocks stops guests nights night tickets calls emails seconds followers square megabits mbps gigabits megabytes gigabytes gigs megs mph percent% gallons`)

const chainsOf = (call: CallText, runs: ReadonlyArray<Run>): ReadonlyArray<Chain> => {
  const { all } = call.tokens
  const chains: Array<Array<Run>> = []
  let last: Run | undefined
  for (const run of runs) {
    if (run.digits === 0 && run.pieces.length < 2 && run.chars.length < 2) continue
    // "one moment", "12 are fine": a small number that counts what follows is no part of a code.
    const next = all[run.to]
    if (
      run.chars.length <= 2 &&
      run.pieces.length === 1 &&
      next !== undefined &&
      (next.cls === "w" || next.lower === "i" || next.cls === "f") &&
      !acknowledgements.has(next.lower) &&
      !/^(ending|thank|thanks|for|that|but|please)$/.test(next.lower)
    )
      continue
    let joined = false
    if (
      last !== undefined &&
      run.from - last.to <= 12 &&
      (call.turnOf[run.from] ?? 0) - (call.turnOf[last.to - 1] ?? 0) <= 2 &&
      !isApart(call, last.from, run.from)
    ) {
      joined = true
      for (let at = last.to; at < run.from && joined; at++) {
        const token = all[at]
        joined =
          token !== undefined &&
          (token.cls === "n" ||
            token.cls === "P" ||
            /^[,.;:!?\-…–]$/.test(token.text) ||
            acknowledgements.has(token.lower) ||
            isAside(call, at, run.from))
      }
    }
    const chain = chains[chains.length - 1]
    if (joined && chain !== undefined && chain.length < 40) chain.push(run)
    else chains.push([run])
    last = run
  }
  return chains.map((chain) => ({ runs: chain }))
}

const MAX_ASIDE = 6

/** A few words of the other side while a value is being given: "got that", "sure thing". */
const isAside = (call: CallText, token: number, of: number): boolean => {
  const turn = call.turnOf[token]
  let first = token
  while (first > 0 && token - first < MAX_ASIDE && call.turnOf[first - 1] === turn) first--
  return call.turnOf[first + MAX_ASIDE] !== turn && speakerAt(call, token) !== speakerAt(call, of)
}

const isCounted = (call: CallText, run: Run): boolean => {
  const next = call.tokens.all[run.to]
  return next !== undefined && (counted.has(next.lower) || next.cls === "C" || next.text === "%")
}

const isMoneyMarked = (call: CallText, run: Run): boolean => call.tokens.all[run.from - 1]?.cls === "$"

/** The share of one value that a piece of a chain may be: all parts of one speaker taken together. */
const togetherBySpeaker = (call: CallText, chain: Chain): ReadonlyMap<string, string> => {
  const together = new Map<string, string>()
  for (const run of chain.runs) {
    const speaker = speakerAt(call, run.from)
    together.set(speaker, (together.get(speaker) ?? "") + run.chars)
  }
  return together
}

/** A run's place, with the bracket or plus it opens with. */
const at = (call: CallText, run: Run): readonly [number, number] => {
  const { all } = call.tokens
  let from = run.from
  if (all[from - 1]?.text === "(" && run.joints.includes("(")) from--
  if (all[from - 1]?.text === "+" || all[from - 1]?.text === "#") from--
  return [all[from]?.start ?? 0, all[run.to - 1]?.end ?? 0]
}

/** Lengths of the parts as they were given: "402", "77", "1234" is 3-2-4. */
const grouping = (run: Run): string => {
  const groups: Array<number> = []
  run.pieces.forEach((piece, index) => {
    const joint = run.joints[index] ?? ""
    const last = groups.length - 1
    const breaks = joint !== "" && (joint !== " " || !piece.spoken)
    if (index === 0 || breaks) groups.push(piece.chars.length)
    else groups[last] = (groups[last] ?? 0) + piece.chars.length
  })
  return groups.join("-")
}

/** What a run says by its form alone. */
const byForm = (call: CallText, run: Run): ReadonlyArray<Candidate> => {
  const [start, end] = at(call, run)
  const { chars } = run
  const isDigits = run.digits === chars.length
  const found: Array<Candidate> = []
  const groups = grouping(run)
  if (isDigits && chars.length >= 13 && chars.length <= 19 && isCardNumber(chars)) {
    found.push(candidate("credit_card", start, end, 0.93, "payment card length", "check digit: Luhn"))
  }
  if (isDigits && chars.length === 9 && groups === "3-2-4" && isSsn(chars)) {
    found.push(candidate("ssn", start, end, run.spoken ? 0.7 : 0.85, "given as 3-2-4", "a range that is given out"))
  }
  if (isDigits && isNanp(chars)) {
    const plus = call.tokens.all[run.from - 1]?.text === "+"
    if (/^(1-)?3-3-4$|^(1-)?3-7$|^(1-)?3-3-2-2$|^6-4$/.test(groups))
      found.push(candidate("phone_number", start, end, 0.8, `given as ${groups}`, "North American numbering plan"))
    else if (plus) found.push(candidate("phone_number", start, end, 0.85, "international form"))
    else
      found.push(
        candidate("phone_number", start, end, chars.length === 10 ? 0.56 : 0.52, "North American numbering plan")
      )
  } else if (
    isDigits &&
    chars.length >= 8 &&
    chars.length <= 15 &&
    call.tokens.all[run.from - 1]?.text === "+" &&
    isInternational(chars)
  ) {
    found.push(candidate("phone_number", start, end, 0.9, "international form"))
  } else if (isDigits && !run.spoken && groups.includes("-") && isNational(chars)) {
    found.push(candidate("phone_number", start, end, 0.62, `given as ${groups}`, "national form"))
  } else if (isDigits && groups === "3-4" && !run.spoken && run.joints[1] === "-") {
    found.push(candidate("phone_number", start, end, 0.6, "given as 3-4"))
  }
  // A card's number and a letter beside it may pass for one.
  if (hasVinShape(chars) && !isCardNumber(chars.replace(/\D/g, "")) && (isVin(chars) || run.pieces.length === 1)) {
    found.push(
      candidate(
        "vehicle_id",
        start,
        end,
        isVin(chars) ? 0.95 : 0.65,
        "vehicle number shape",
        ...(isVin(chars) ? ["check digit: VIN"] : [])
      )
    )
  }
  if (isDigits && chars.length >= 9 && chars.length <= 34 && found.length === 0) {
    found.push(candidate("numerical_pii", start, end, 0.51, "a long number that nothing explains"))
  }
  if (
    !isDigits &&
    run.spoken &&
    run.digits >= 2 &&
    chars.length - run.digits >= 2 &&
    chars.length >= 5 &&
    run.pieces.length >= 4
  ) {
    found.push(candidate("numerical_pii", start, end, 0.52, "a spelled code that nothing explains"))
  }
  if (isDigits && chars.length === 9 && isAbaRouting(chars))
    found.push(candidate("bank_account", start, end, 0.515, "check digit: ABA"))
  return found
}

/** Joints over which two values may be read as one run: "B 415-555-2671, 308-63-0237", but not "B-415-...". */
const loose: ReadonlySet<string> = new Set(["", " ", ",", "(", "+"])

/** Least score of a form that needs nothing beside it to be told: with groups, a check digit or a plus. */
const PLAIN = 0.62

/** Most pieces that one number among others is given in. */
const MAX_PIECES = 5

/** Most figures of an expiry date and a security code together. */
const CARD_EXTRA = 8

const partOf = (run: Run, first: number, last: number): Run => {
  const pieces = run.pieces.slice(first, last)
  const chars = pieces.map((piece) => piece.chars).join("")
  return {
    from: pieces[0]?.from ?? run.from,
    to: pieces[pieces.length - 1]?.to ?? run.to,
    pieces,
    joints: run.joints.slice(first, last),
    chars,
    digits: chars.length,
    spoken: pieces.some((piece) => piece.spoken)
  }
}

/**
 * Phone numbers, cards and social security numbers that stand in one run with letters or with other numbers ("415-555-2671
 * OK", "4111 1111 1111 1111 12/26", two numbers in a row), and are told by groups or check digits of their own.
 */
const amongOthers = (call: CallText, run: Run): ReadonlyArray<Candidate> => {
  const { joints, pieces } = run
  if (run.digits < 9 || pieces.length < 2) return []
  const found: Array<Candidate> = []
  const isFigure = (at: number): boolean => /^\d+$/.test(pieces[at]?.chars ?? "")
  const isFree = (at: number): boolean => at === 0 || at === pieces.length || loose.has(joints[at] ?? "")
  const take = (first: number, last: number, least: number): boolean => {
    const some = byForm(call, partOf(run, first, last)).filter(
      (one) => /^(credit_card|ssn|phone_number)$/.test(one.field) && one.score >= least
    )
    found.push(...some)
    if (some[0]?.field === "credit_card") behindCard(first, last, some[0])
    return some.length > 0
  }
  /** The month, year and code that are said right behind a card's number belong to it. */
  const behindCard = (first: number, last: number, card: Candidate): void => {
    let to = last
    let digits = 0
    while (isFigure(to) && (digits += pieces[to]?.chars.length ?? 0) <= CARD_EXTRA) to++
    if (to > last && !isFigure(to)) {
      const [, end] = at(call, partOf(run, first, to))
      found.push({ ...card, end, evidence: [...card.evidence, "and what is said along with it"] })
    }
  }
  for (let from = 0; from < pieces.length;) {
    // A stretch of figures, up to letters or a comma.
    if (!isFigure(from)) {
      from++
      continue
    }
    let to = from + 1
    while (to < pieces.length && isFigure(to) && !/^[,+]$/.test(joints[to] ?? "")) to++
    const isWhole = to - from === pieces.length
    const besideLetters = (from > 0 && !isFigure(from - 1)) || (to < pieces.length && !isFigure(to))
    const isTaken = !isWhole && isFree(from) && isFree(to) && take(from, to, besideLetters ? PLAIN : 0.56)
    if (!isTaken && to - from > 1) windows(run, from, to, isFree, take)
    from = to
  }
  return found
}

/** Numbers within a stretch of figures that spaces part from what else is in it. */
const windows = (
  run: Run,
  from: number,
  to: number,
  isFree: (at: number) => boolean,
  take: (first: number, last: number, least: number) => boolean
): void => {
  const length = (at: number): number => run.pieces[at]?.chars.length ?? 0
  let edge = from
  for (let first = from; first < to;) {
    let next = first + 1
    for (let last = Math.min(to, first + MAX_PIECES); last > first; last--) {
      if ((first === from && last === to) || !isFree(first) || !isFree(last)) continue
      let digits = 0
      for (let at = first; at < last; at++) digits += length(at)
      if (digits < 9 || digits > 19) continue
      const inner = run.joints.slice(first + 1, last)
      const isTight = inner.every((joint) => /^[-./(]$/.test(joint))
      const isPrefixed =
        length(first) === 1 && inner[0] === " " && inner.slice(1).every((joint) => /^[-.(]$/.test(joint))
      // Groups that spaces part are told from their neighbours by where they stand and how long they are.
      const isGroup =
        inner.every((joint) => joint === " ") &&
        (first === edge || last === to) &&
        /^(1,)?3,3,4$|^4,4,4,4$|^4,6,5$/.test(
          Array.from({ length: last - first }, (_, at) => length(first + at)).join(",")
        ) &&
        !(length(first) === 4 && (length(last) === 4 || length(first - 1) === 4))
      if ((isTight || isPrefixed || isGroup) && take(first, last, inner.length === 0 ? 0.56 : PLAIN)) {
        next = last
        edge = last
        break
      }
    }
    first = next
  }
}

const fits = (cue: Cue, length: number): boolean => length >= cue.min && length <= cue.max

const evidenceOf = (weighed: Weighed): string => `cue "${weighed.cue.phrase}" ${weighed.distance} words ${weighed.side}`

const BANK_REACH = 24

/** "Sort code 20-00-00, account 55779911": an account that a bank's code is said along with is one at that bank. */
const isBesideBankCue = (call: CallText, cues: ReadonlyArray<Cue>, cue: Cue): boolean => {
  if (!/^(account|acct)( (number|no|#))?( is)?$/.test(cue.phrase)) return false
  const before = lastCueBefore(cues, cue.from)
  return [cues[before], cues[before + 2]].some(
    (other) =>
      other?.field === "bank_account" &&
      /^(sort code|routing|aba|transit|bsb|swift|bic|institution)/.test(other.phrase) &&
      Math.max(cue.from - other.to, other.from - cue.to) <= BANK_REACH &&
      Math.abs((call.turnOf[cue.from] ?? 0) - (call.turnOf[other.from] ?? 0)) <= 2 &&
      !isApart(call, cue.from, other.from)
  )
}

/**
 * Numbers and codes: what they are is told by their form, by check digits, and by the nearest cue. A value given over
 * several turns is judged as a whole and every part of it is claimed.
 */
export const numberCandidates = (
  call: CallText,
  runs: ReadonlyArray<Run>,
  cues: ReadonlyArray<Cue>
): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  for (const chain of chainsOf(call, runs)) {
    const first = chain.runs[0]
    const last = chain.runs[chain.runs.length - 1]
    if (first === undefined || last === undefined) continue
    const together = chain.runs.length > 1 ? togetherBySpeaker(call, chain) : new Map<string, string>()
    const lengths = [...together.values()].map((value) => value.length)
    const longest = Math.max(0, ...lengths)
    for (const run of chain.runs) {
      const some = amongOthers(call, run)
      // What a run says as a whole is explained where it is values side by side.
      found.push(...byForm(call, run).filter((one) => some.length === 0 || one.field !== "numerical_pii"), ...some)
    }
    if (longest > 0) {
      for (const [speaker, value] of together) {
        const whole = isCardNumber(value)
          ? (["credit_card", 0.93, "check digit: Luhn"] as const)
          : isVin(value)
            ? (["vehicle_id", 0.93, "check digit: VIN"] as const)
            : isNanp(value) && value.length >= 10 && chain.runs.every((run) => run.digits === run.chars.length)
              ? (["phone_number", 0.6, "North American numbering plan"] as const)
              : undefined
        if (whole === undefined) continue
        for (const run of chain.runs) {
          if (speakerAt(call, run.from) === speaker || value.includes(run.chars))
            found.push(candidate(whole[0], ...at(call, run), whole[1], whole[2], "given in parts"))
        }
      }
    }
    // The cue of the whole chain: the nearest to its first part, or after its last.
    const total = chain.runs.reduce((sum, run) => sum + run.chars.length, 0)
    const digits = chain.runs.reduce((sum, run) => sum + run.digits, 0)
    const weighed = nearestCue(call, cues, first.from, last.to, (cue) => {
      if (cue.field === "nothing") return digits > 0
      if (chain.runs.some((run) => fits(cue, run.chars.length))) return true
      return fits(cue, longest) || fits(cue, total)
    })
    if (weighed === undefined) continue
    const { cue } = weighed
    // Those have recognisers of their own; that they are nearest only means that nothing else is meant.
    if (cue.field === "money" || cue.field === "age") continue
    // Letters alone are a code only right beside the cue; plates may be all letters.
    const lettersOnly = digits === 0
    if (
      lettersOnly &&
      (weighed.distance > 4 || total < 4 || cue.field === "nothing" || chain.runs.every((run) => run.pieces.length < 2))
    )
      continue
    const whole = chain.runs.length > 1 && !chain.runs.some((run) => fits(cue, run.chars.length))
    const isOfBank = isBesideBankCue(call, cues, cue)
    for (const run of chain.runs) {
      if (isMoneyMarked(call, run)) continue
      if (isCounted(call, run) && run.chars.length < 7) continue
      // A false start that is corrected ("four oh two, no sorry, four oh three ...") is as telling as the value.
      const part = chain.runs.length > 1 && (fits(cue, longest) || fits(cue, total) || whole || run.chars.length >= 2)
      if (!part && !fits(cue, run.chars.length)) continue
      if (run.digits === 0 && run.pieces.length < 2 && !part) continue
      const loose = run.digits === 1 && run.chars.length === 1 && !part ? 0.3 : 0
      const field =
        cue.kind === "cvv" && run.chars.length > 4
          ? "password"
          : cue.field === "account_number" && isOfBank
            ? "bank_account"
            : cue.field
      found.push(
        candidate(
          field,
          ...at(call, run),
          Math.max(
            0,
            (cue.field === "nothing" ? (weighed.distance > 3 ? 0.57 : Math.min(0.9, weighed.weight)) : weighed.weight) -
              loose
          ),
          evidenceOf(weighed),
          ...(part ? ["given in parts"] : [])
        )
      )
    }
  }
  return found
}
