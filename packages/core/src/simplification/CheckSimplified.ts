/**
 * Validates that a shorter prompt keeps every rule of the original, by words alone. A rule is a sentence of the original
 * with a protected token. Some sentence or list item of the shorter prompt must contain the rule's numbers with their
 * comparisons, its quoted texts, placeholders, values, alternatives and negations, and enough of its words. Stricter than a
 * reader: it may reject a correct prompt, but never accepts one that lost a whole rule.
 */
import { fences } from "./Fences.js"
import { protectedTokens, SPAN_SOURCE } from "./ProtectedTokens.js"
import { MARKED, sentencesOf, simplifyPrompt } from "./SimplifyPrompt.js"

const SPANS = new RegExp(SPAN_SOURCE, "gu")

/** Comparisons, in words and symbols. The first match wins, so that "no more than" is not also a negation. */
const COMPARISONS: ReadonlyArray<readonly [name: string, phrase: RegExp]> = [
  [
    "at most",
    /\b(?:no|not) (?:more|greater|higher|longer|later) than\b|\bat most\b|\bup to\b|\bwithin\b|<=|=<|≤|\bor (?:less|fewer|lower|below|shorter)\b/g
  ],
  [
    "at least",
    /\b(?:no|not) (?:less|fewer|lower|shorter|sooner) than\b|\bat least\b|>=|≥|\bor (?:more|greater|higher|above|longer)\b/g
  ],
  ["not equal", /!==?|≠/g],
  ["more than", /\b(?:more|greater|higher|longer|later) than\b|\bover\b|\babove\b|\bexceed(?:s|ed|ing)?\b|(?<![-=])>/g],
  ["less than", /\b(?:less|fewer|lower|shorter|sooner) than\b|\bunder\b|\bbelow\b|<(?![-=])/g],
  ["exactly", /\bexactly\b|={1,3}/g],
  ["between", /\bbetween\b/g]
]

/** Words that a rule depends on, by meaning; words of one meaning are interchangeable. */
const MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    or: "or either",
    only: "only solely",
    all: "all every each both",
    before: "before prior",
    after: "after following",
    until: "until till",
    otherwise: "otherwise else",
    first: "first",
    last: "last",
    half: "half",
    once: "once",
    twice: "twice",
    true: "true",
    false: "false",
    yes: "yes",
    pass: "pass",
    fail: "fail",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "7": "seven",
    "8": "eight",
    "9": "nine",
    "10": "ten"
  }).flatMap(([meaning, words]) => words.split(" ").map((word) => [word, meaning] as const))
)

const NEGATIONS: ReadonlySet<string> = new Set(
  "not no never none nobody nothing neither nor without cannot except excluding unless".split(" ")
)

/** Words that weaken a rule. */
const SOFTENERS: ReadonlySet<string> = new Set(
  "may might sometimes optionally usually often rarely occasionally mostly".split(" ")
)

/** Stop words, which do not identify a rule's subject. */
const COMMON: ReadonlySet<string> = new Set(
  "a an the this that these those it its is are was were be been being has have had do does did will would should shall must may can could might if when whenever while then and to of in on at by for with from as into about so than there their they them he she his her you your we our i who whom which what how also any some please".split(
    " "
  )
)

const UNITS: ReadonlyMap<string, string> = new Map([
  ["s", "second"],
  ["seconds", "second"],
  ["minutes", "minute"],
  ["hours", "hour"],
  ["words", "word"],
  ["turns", "turn"],
  ["time", ""],
  ["times", ""]
])

const NUMBER =
  /(?<![\p{L}\p{N}_])([~±$€£+-]?)(\d+(?:[.,:/]\d+)*) ?(%|ms\b|s\b|seconds?\b|minutes?\b|hours?\b|words?\b|turns?\b|times?\b)?/gu

/** "One" as a number; elsewhere it is usually a pronoun. */
const COUNTED_ONE = /\b(at least|at most|exactly|only|than|return|score) one\b/g

/** An approximate word stem. */
const stemOf = (word: string): string => word.replace(/(?:ing|ed|es|s|ly|e)$/, "")

/** The parts of a sentence that must not be lost. */
interface Meaning {
  readonly text: string
  /** Quoted texts, code, placeholders and identifiers, which must be kept verbatim. */
  readonly verbatim: ReadonlyArray<string>
  /** Numbers with their units, comparisons next to numbers, names, and the meanings of words in `MEANINGS`. */
  readonly terms: ReadonlySet<string>
  /** Its words, in lower case. */
  readonly words: ReadonlySet<string>
  readonly negations: number
  readonly isSoftened: boolean
  /** Quoted texts, values such as TRUE, and numbers, each kind in order: another order changes the rule. */
  readonly orders: ReadonlyArray<ReadonlyArray<string>>
  readonly stems: ReadonlySet<string>
  /** The stems that are part of an enumeration: "positive, neutral or negative". */
  readonly listed: ReadonlySet<string>
}

/** Three or more words, or two joined by "or"; two words joined by "and" are often two clauses. */
const ENUMERATED = /(?<!\p{L})\p{L}+(?:(?:, \p{L}+){1,20},? (?:or|and)| or) \p{L}+/gu

/** Identifiers of programs, such as enum values. */
const IDENTIFIER = /(?<![A-Za-z0-9_])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[A-Z][A-Z0-9]+)(?![A-Za-z0-9_])/g

/** A capitalized word inside a sentence: a name or a value. */
const NAME = /(?<=[\p{Ll}\p{N},;] )\p{Lu}\p{Ll}+/gu

/** A quoted text without its quotation marks, which may differ between the two prompts. */
const unquoted = (span: string): string => span.replace(/^[`"“']|[`"”']$/g, "").trim()

const meaningOf = (text: string): Meaning => {
  const verbatim: Array<string> = []
  const withoutSpans = text.replace(SPANS, (span) => {
    const inner = unquoted(span)
    if (inner !== "") verbatim.push(inner)
    return " § "
  })
  const spans = [...verbatim]
  const values = Array.from(withoutSpans.matchAll(IDENTIFIER), ([word]) => word)
  verbatim.push(...values)
  const numbers: Array<string> = []
  const names = new Set([...withoutSpans.matchAll(NAME)].map(([name]) => name.toLowerCase()))
  const terms = new Set<string>()
  const words = new Set<string>()
  let rest = withoutSpans.toLowerCase().replaceAll("’", "'").replace(COUNTED_ONE, "$1 1")
  const compared = new Set<string>()
  for (const [name, phrase] of COMPARISONS) {
    rest = rest.replace(phrase, () => {
      compared.add(name)
      return " "
    })
  }
  let hasNumber = false
  rest = rest.replace(NUMBER, (_, sign: string, digits: string, unit: string | undefined) => {
    hasNumber = true
    const number = `${sign}${digits}${unit === undefined ? "" : (UNITS.get(unit) ?? unit)}`
    terms.add(number)
    numbers.push(number)
    return " "
  })
  let negations = compared.delete("not equal") ? 1 : 0
  const stems = new Set<string>()
  const listed = new Set<string>()
  for (const [word] of rest.matchAll(/[\p{L}\p{N}_]+(?:'\p{L}+)?/gu)) {
    words.add(word)
    const meant = MEANINGS.get(word)
    if (NEGATIONS.has(word) || word.endsWith("n't")) negations++
    else if (meant !== undefined) {
      terms.add(meant)
      if (/^\d|^(?:once|twice|half)$/.test(meant)) hasNumber = true
    } else if (!COMMON.has(word) && word.length > 2) stems.add(stemOf(word))
    if (names.has(word)) terms.add(word)
  }
  for (const [list] of rest.matchAll(ENUMERATED)) {
    for (const [word] of list.matchAll(/\p{L}+/gu)) if (stems.has(stemOf(word))) listed.add(stemOf(word))
  }
  if (hasNumber) for (const name of compared) terms.add(name)
  const isSoftened = [...words].some((word) => SOFTENERS.has(word))
  return { text, verbatim, terms, words, negations, isSoftened, orders: [spans, values, numbers], stems, listed }
}

const wordsOf = (line: string): string => MARKED.exec(line)?.[2] ?? line

interface Lines {
  readonly plain: ReadonlyArray<string>
  readonly code: ReadonlyArray<string>
}

/** Whether a line continues the sentence of the line before it, which an editor wrapped. */
const isContinued = (before: string | undefined, line: string): boolean =>
  before !== undefined &&
  /[\p{L}\p{N},)"”'`}]\s*$/u.test(before) &&
  /^\s*[\p{Ll}("“`{<]/u.test(line) &&
  !MARKED.test(line)

const linesOf = (prompt: string): Lines => {
  const plain: Array<string> = []
  const code: Array<string> = []
  const kindOf = fences()
  for (const line of prompt.split(/\r\n|\n|\r/)) {
    const kind = kindOf(line)
    if (kind === "fence") continue
    if (kind === "code") code.push(line.trim())
    else if (isContinued(plain[plain.length - 1], line)) plain.push(`${plain.pop() ?? ""} ${line.trim()}`)
    else plain.push(line)
  }
  return { plain, code: code.filter((line) => line !== "") }
}

/** The rules of a prompt: its distinct sentences with a protected token. */
const rulesOf = (lines: ReadonlyArray<string>): ReadonlyArray<Meaning> =>
  [...new Set(lines.flatMap((line) => sentencesOf(wordsOf(line.trim()))))]
    .filter((sentence) => protectedTokens(sentence).length > 0)
    .map(meaningOf)

/** A sentence or list item of the shorter prompt, with the headings and introductions above it. */
interface Statement {
  readonly whole: Meaning
  readonly ownNegations: number
}

const statementsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Statement> => {
  const statements: Array<Statement> = []
  let above: Array<{ readonly depth: number; readonly text: string }> = []
  for (const line of lines) {
    if (line.trim() === "") continue
    const mark = MARKED.exec(line)?.[1] ?? ""
    const isHeading = mark.trim().startsWith("#")
    const spaces = line.length - line.trimStart().length
    const depth = isHeading ? mark.trim().length - 10 : spaces + (mark.trim() === "" ? 0 : 1)
    above = above.filter((one) => one.depth < depth)
    const words = wordsOf(line).trim()
    const context = above.map(({ text }) => text).join(" ")
    for (const sentence of sentencesOf(words)) {
      if (sentence === "") continue
      statements.push({
        whole: meaningOf(context === "" ? sentence : `${context} ${sentence}`),
        ownNegations: meaningOf(sentence).negations
      })
    }
    if (isHeading || /:\**$/.test(words)) above.push({ depth, text: words })
  }
  return statements
}

/**
 * Minimum share of a rule's words that a statement must contain. A word weighs less the more rules contain it, since a word
 * of every rule distinguishes none.
 */
const LEAST_SHARE = 1 / 3

type Weights = ReadonlyMap<string, number>

const weightsOf = (rules: ReadonlyArray<Meaning>): Weights => {
  const counts = new Map<string, number>()
  for (const { stems } of rules) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  return new Map([...counts].map(([stem, count]) => [stem, 1 / count ** 2]))
}

const shareOf = ({ stems }: Meaning, statement: Meaning, weights: Weights): number => {
  const all = { weight: 0, own: 0 }
  const found = { weight: 0, own: 0 }
  for (const stem of stems) {
    const weight = weights.get(stem) ?? 1
    for (const sum of statement.stems.has(stem) ? [all, found] : [all]) {
      sum.weight += weight
      // A word that occurs in no other rule.
      if (weight === 1) sum.own++
    }
  }
  return Math.min(all.weight === 0 ? 1 : found.weight / all.weight, all.own === 0 ? 1 : found.own / all.own)
}

/** Whether one list is a subsequence of the other. */
const isWithin = (list: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean => {
  let at = 0
  for (const one of other) if (one === list[at]) at++
  return at === list.length
}

/** Descriptions of the rule's lists that a statement contains in another order. */
const reordered = (rule: Meaning, statement: Meaning): ReadonlyArray<string> =>
  rule.orders.flatMap((list, kind) => {
    const other = statement.orders[kind] ?? []
    const all = [...new Set(list)]
    // Missing terms are reported elsewhere.
    return all.length > 1 && all.every((one) => other.includes(one)) && !isWithin(all, other)
      ? [`the order ${all.join(", ")}`]
      : []
  })

/** The parts of a rule that a statement lacks. */
const lackingIn = (rule: Meaning, { whole }: Statement): ReadonlyArray<string> => [
  ...rule.verbatim.filter((text) => !whole.text.includes(text)),
  ...[...rule.terms].filter((term) => !whole.terms.has(term) && !whole.words.has(term)),
  ...[...rule.listed].filter((stem) => !whole.stems.has(stem)),
  ...(whole.negations < rule.negations ? ["a negation"] : []),
  ...reordered(rule, whole),
  ...(whole.isSoftened && !rule.isSoftened ? ["its force"] : [])
]

const quoted = (text: string): string => `"${text.length > 200 ? `${text.slice(0, 199).toWellFormed()}…` : text}"`

const errorOf = (rule: Meaning, statements: ReadonlyArray<Statement>, weights: Weights): string | undefined => {
  let best: { readonly share: number; readonly lacking: ReadonlyArray<string> } | undefined
  let negated = false
  for (const statement of statements) {
    const share = shareOf(rule, statement.whole, weights)
    if (share < LEAST_SHARE) continue
    const lacking = lackingIn(rule, statement)
    if (lacking.length === 0) {
      if (rule.negations > 0 || statement.ownNegations === 0) return undefined
      negated = true
    }
    if (best === undefined || lacking.length < best.lacking.length) best = { share, lacking }
  }
  if (negated) return `Changed: ${quoted(rule.text)} is negated now.`
  return best === undefined
    ? `Missing: ${quoted(rule.text)}`
    : `Changed: ${quoted(rule.text)} lost ${best.lacking.map((one) => quoted(one)).join(", ")}.`
}

/** Most comparisons of a rule with a statement per validation. */
const MOST_COMPARISONS = 1_000_000

/**
 * The rules that the shorter prompt lost or changed and the values that it added, one sentence each; empty if it is valid.
 * `original` is the unsimplified prompt; a rule that it repeats must be found once.
 */
export const validateSimplified = (original: string, shorter: string): ReadonlyArray<string> => {
  const before = linesOf(simplifyPrompt(original))
  const after = linesOf(shorter)
  const rules = rulesOf(before.plain)
  const statements = statementsOf(after.plain)
  if (rules.length * statements.length > MOST_COMPARISONS) return ["It has too many rules to be checked."]
  const weights = weightsOf(rules)
  const code = new Set(after.code)
  const known = rules.concat(rulesOf(linesOf(original).plain))
  const numbers = new Set(known.flatMap(({ terms }) => [...terms]))
  const invented = new Set(
    after.plain.flatMap((line) => {
      const { terms, verbatim } = meaningOf(wordsOf(line.trim()))
      return [
        ...verbatim.filter((text) => !original.includes(text)),
        ...[...terms].filter((term) => /^[^a-z]*\d/.test(term) && !numbers.has(term))
      ]
    })
  )
  return [
    ...rules.flatMap((rule) => errorOf(rule, statements, weights) ?? []),
    ...before.code.filter((line) => !code.has(line)).map((line) => `Missing code: ${quoted(line)}`),
    ...[...invented].map((text) => `Made up: ${quoted(text)} is not in the original.`)
  ]
}
