/**
 * What a prompt may not lose when it is made shorter: numbers with their units and signs of comparison, quoted texts,
 * placeholders, identifiers such as enum values, and the words that turn or bind a rule.
 */

/** Quoted texts, code and placeholders: nothing inside them is ever rewritten. Apostrophes inside words open nothing. */
const SPAN =
  /`[^`\n]*`|\{\{[^{}\n]*\}\}|\{[^{}\n]*\}|<[^<>\n]{1,80}>|"[^"\n]*"|“[^“”\n]*”|(?<![A-Za-z0-9])'[^'\n]*'(?![A-Za-z0-9])/

/** Numbers, with what makes them a threshold. */
const NUMBER =
  /(?:[<>]=?|[=≤≥±~$€£+-])? ?\d+(?:[.,:/]\d+)* ?(?:%|ms\b|s\b|seconds?\b|minutes?\b|hours?\b|words?\b|turns?\b|times?\b)?/

/** A word of letters, with what makes a name in a program of it, or a negation. */
const WORD = /[A-Za-z][A-Za-z0-9_]*(?:['’]t\b)?/

/** Words in the style of names in programs, such as enum values: `TRUE`, `call_ended`. */
const IDENTIFIER = /^[A-Z][A-Z0-9_]+$|_/

/** English words that negate, limit, compare, quantify, oblige or order; without one of these a rule is another rule. */
const BINDING: ReadonlySet<string> = new Set(
  "not no never none nobody nothing neither nor without cannot except excluding unless only but however otherwise else if when whenever while until before after and or either both all any every each some more less fewer greater higher lower least most exactly between over under above below must should shall may can always sometimes then first second third last one two three four five six seven eight nine ten once twice half true false yes pass fail".split(
    " "
  )
)

const TOKEN = new RegExp([SPAN, NUMBER, WORD].map(({ source }) => source).join("|"), "gu")
const SPANS = new RegExp(SPAN, "gu")

/** What a quoted text, code or a placeholder looks like, for other rules of this folder. */
export const SPAN_SOURCE = SPAN.source

/** A token as it is compared, or undefined for a word that may go. Binding words begin sentences in another case. */
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

/** Rewrites what lies between quoted texts, code and placeholders, from its place in the text, and leaves those as they are. */
export const betweenSpans = (text: string, rewrite: (plain: string, from: number) => string): string => {
  let at = 0
  let rewritten = ""
  for (const match of text.matchAll(SPANS)) {
    rewritten += rewrite(text.slice(at, match.index), at) + match[0]
    at = match.index + match[0].length
  }
  return rewritten + rewrite(text.slice(at), at)
}

/** The same length, with an X for every sign of quoted texts, code and placeholders. */
export const maskSpans = (text: string): string => text.replace(SPANS, (span) => "X".repeat(span.length))
