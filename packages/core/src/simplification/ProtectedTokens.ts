/**
 * What a prompt may not lose when it is made shorter: numbers with their units and signs of comparison, quoted texts,
 * placeholders, identifiers such as enum values, and the words that turn or bind a rule.
 */

/** Quoted texts, code and placeholders: nothing inside them is ever rewritten. Apostrophes inside words open nothing. */
const SPAN =
  /`[^`\n]*`|\{\{[^{}\n]*\}\}|\{[^{}\n]*\}|<[^<>\n]{1,80}>|"[^"\n]*"|“[^”\n]*”|(?<![A-Za-z0-9])'[^'\n]*'(?![A-Za-z0-9])/

/** Numbers, with what makes them a threshold. */
const NUMBER =
  /(?:[<>]=?|[=≤≥±~$€£+-])? ?\d+(?:[.,:/]\d+)* ?(?:%|ms\b|s\b|seconds?\b|minutes?\b|hours?\b|words?\b|turns?\b|times?\b)?/

/** Words in the style of names in programs: `TRUE`, `call_ended`, `eval.type`. */
const IDENTIFIER = /\b(?:[A-Z][A-Z0-9_]+|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)\b/

/** Words that negate, limit, compare, quantify, oblige or order; without one of these a rule is another rule. */
const BINDING_WORDS =
  "not no never none nobody nothing neither nor without cannot except excluding unless only but however otherwise else if when whenever while until before after and or either both all any every each some more less fewer greater higher lower exactly between over under above below must should shall may can always sometimes then first second third last one two three four five six seven eight nine ten once twice half true false yes pass fail"
const BINDING_PHRASES = ["at least", "at most"]

/** As they stand inside a sentence and at its beginning; in capitals they are identifiers. */
const inEitherCase = (word: string): string => {
  const first = word.charAt(0)
  return `[${first.toUpperCase()}${first}]${word.slice(1)}`
}

const BINDING = new RegExp(
  `\\b(?:${[...BINDING_PHRASES, ...BINDING_WORDS.split(" ")].map(inEitherCase).join("|")})\\b|n['’]t\\b`
)

const TOKEN = new RegExp([SPAN, NUMBER, IDENTIFIER, BINDING].map(({ source }) => source).join("|"), "gu")
const SPANS = new RegExp(SPAN, "gu")

/** Binding words are the same whatever their case, which changes at the beginning of a sentence; all else is as it is. */
const BINDING_ALONE = new RegExp(`^(?:${BINDING.source})$`, "u")
const normal = (token: string): string => {
  const plain = token.replace(/ +/g, " ").trim()
  return BINDING_ALONE.test(plain) ? plain.toLowerCase() : plain
}

/** The protected tokens of a text, in their order. */
export const protectedTokens = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(TOKEN)].map(([token]) => normal(token))

/** What one text has of protected tokens that another one lacks, each as often as it is lacking. */
export const lostTokens = (original: string, shorter: string): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const token of protectedTokens(shorter)) left.set(token, (left.get(token) ?? 0) + 1)
  return protectedTokens(original).filter((token) => {
    const count = left.get(token) ?? 0
    left.set(token, count - 1)
    return count <= 0
  })
}

/** Rewrites what lies between quoted texts, code and placeholders, and leaves those as they are. */
export const betweenSpans = (text: string, rewrite: (plain: string) => string): string => {
  let at = 0
  let rewritten = ""
  for (const match of text.matchAll(SPANS)) {
    rewritten += rewrite(text.slice(at, match.index)) + match[0]
    at = match.index + match[0].length
  }
  return rewritten + rewrite(text.slice(at))
}

/** The same length, with an X for every sign of quoted texts, code and placeholders. */
export const maskSpans = (text: string): string => text.replace(SPANS, (span) => "X".repeat(span.length))
