/**
 * Tokens that a simplified prompt must keep: numbers with their units and comparison signs, quoted texts, placeholders,
 * identifiers such as enum values, and words that negate or condition a rule.
 */

/** Quoted texts, code and placeholders: their content is never rewritten. Apostrophes inside words do not open a quotation. */
const SPAN =
  /`[^`\n]*`|\{\{[^{}\n]*\}\}|\{[^{}\n]*\}|<[^<>\n]{1,80}>|"[^"\n]*"|“[^“”\n]*”|(?<![A-Za-z0-9])'[^'\n]*'(?![A-Za-z0-9])/

/** Numbers, with what makes them a threshold. */
const NUMBER =
  /(?:[<>]=?|[=≤≥±~$€£+-])? ?\d+(?:[.,:/]\d+)* ?(?:%|ms\b|s\b|seconds?\b|minutes?\b|hours?\b|words?\b|turns?\b|times?\b)?/

/** A word, identifier or contracted negation. */
const WORD = /[A-Za-z][A-Za-z0-9_]*(?:['’]t\b)?/

/** Identifiers such as enum values: `TRUE`, `call_ended`. */
const IDENTIFIER = /^[A-Z][A-Z0-9_]+$|_/

/** English words that negate, limit, compare, quantify, oblige or order; removing one changes a rule. */
const BINDING: ReadonlySet<string> = new Set(
  "not no never none nobody nothing neither nor without cannot except excluding unless only but however otherwise else if when whenever while until before after and or either both all any every each some more less fewer greater higher lower least most exactly between over under above below must should shall may can always sometimes then first second third last one two three four five six seven eight nine ten once twice half true false yes pass fail".split(
    " "
  )
)

const TOKEN = new RegExp([SPAN, NUMBER, WORD].map(({ source }) => source).join("|"), "gu")
const SPANS = new RegExp(SPAN, "gu")

/** Source of the pattern of quoted texts, code and placeholders. */
export const SPAN_SOURCE = SPAN.source

/** The compared form of a token, or undefined for a word that may be removed. Binding words are compared in lower case. */
const protectedForm = (token: string): string | undefined => {
  if (!/^[A-Za-z]/.test(token)) return token.replace(/ +/g, " ").trim()
  if (/['’]t$/.test(token)) return "n't"
  if (IDENTIFIER.test(token)) return token
  const plain = token.toLowerCase()
  return BINDING.has(plain) ? plain : undefined
}

/** The protected tokens of a text, in their order. */
export const protectedTokens = (text: string): ReadonlyArray<string> =>
  (text.match(TOKEN) ?? []).flatMap((token) => {
    const form = protectedForm(token)
    return form === undefined ? [] : [form]
  })

/** Protected tokens of the original that the shorter text lacks, each once per missing occurrence. */
export const lostTokens = (original: string, shorter: string): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const token of protectedTokens(shorter)) left.set(token, (left.get(token) ?? 0) + 1)
  return protectedTokens(original).filter((token) => {
    const count = left.get(token) ?? 0
    left.set(token, count - 1)
    return count <= 0
  })
}

/** Rewrites the text between quoted texts, code and placeholders; `from` is the part's offset in the text. */
export const betweenSpans = (text: string, rewrite: (plain: string, from: number) => string): string => {
  let at = 0
  let rewritten = ""
  for (const match of text.matchAll(SPANS)) {
    rewritten += rewrite(text.slice(at, match.index), at) + match[0]
    at = match.index + match[0].length
  }
  return rewritten + rewrite(text.slice(at), at)
}

/** The text with every character of quoted texts, code and placeholders replaced by X. */
export const maskSpans = (text: string): string => text.replace(SPANS, (span) => "X".repeat(span.length))
