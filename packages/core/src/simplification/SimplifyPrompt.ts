/**
 * Simplifies prompts by rules, without a language model: removes politeness, filler and repetition, and formats conditions
 * as a numbered list. It never rewrites a rule: a sentence that would lose a protected token stays unchanged.
 */
import { fences } from "./Fences.js"
import { betweenSpans, lostTokens, maskSpans, protectedTokens } from "./ProtectedTokens.js"

type Phrases = ReadonlyArray<readonly [phrase: RegExp, left: string]>

/** Verbose phrases and their shorter forms, replaced anywhere outside quoted texts. */
const WORDY: Phrases = [
  [/\bin order to\b/gi, "to"],
  [/\bdue to the fact that\b/gi, "because"],
  [/\bin the event that\b/gi, "if"],
  [/\bfor the purpose of\b/gi, "for"],
  [/\bwith regards? to\b/gi, "about"],
  // Instructions to the judge.
  [/(?<=, ?)(?:please|kindly) (?=(?:return|score|rate|mark|assign|output|make sure)\b)/gi, ""],
  [/(?<=, ?)make sure (?:(?:that )?you|to) (?=(?:return|score|rate|mark|assign|output)\b)/gi, ""]
]

/** The start of a clause. Inside a clause the same words are part of the rule: "must note that", "not simply". */
const CLAUSE = "(?<=^|[,;] ?|\\b(?:and|then|also|so) )"
const atClause = (phrase: string): RegExp => new RegExp(`${CLAUSE}${phrase}`, "gi")

/** Filler phrases and what replaces them. None contains a protected token. */
const FILLER: Phrases = [
  [atClause("(?:(?:I|we) would like you to|I want you to|I need you to|your (?:task|job) is to)\\s+"), ""],
  [atClause("(?:would you|could you)\\s+(?=(?:please|kindly)\\b)"), ""],
  [atClause("(?:please|kindly),?\\s+"), ""],
  [/,? please(?=[.!]*$)/gi, ""],
  [atClause("(?:note|remember|keep in mind|bear in mind) that\\s+"), ""],
  // Not if it is important to somebody.
  [
    atClause(
      "(?:it is|it's) (?:very |really |extremely )?important (?:that|to(?! (?:the|a|an|any|every|some|this|that|these|those|its?|my|our|your|his|her|their|him|them|us|you|me|callers?|customers?|users?|people|everybody|everyone|somebody|someone)\\b))\\s+"
    ),
    ""
  ],
  [atClause("(?:make|be) sure (?:that )?you\\s+(?!(?:are|were|have|had|can|will|would|may|should|must)\\b)"), ""],
  [atClause("(?:make|be) sure (?:that(?! you\\b)|to)\\s+"), ""],
  [atClause("(?:basically|essentially|actually|really|obviously|of course|as you know|generally speaking),\\s*"), ""],
  [atClause("simply,?\\s+"), ""],
  [/^(?:thanks|thank you)(?: very much| so much| in advance| for your (?:attention|help|time))*[.!]*$/gi, ""]
]

/**
 * Words after which speech may follow without quotation marks: if the agent has to say "please", it is not filler.
 */
const SPEECH =
  /\b(?:sa(?:y|ys|id|ying)|ask(?:s|ed|ing)?|t(?:ell|ells|old|elling)|speak(?:s|ing)?|spoken?|repl(?:y|ies|ied)|answer(?:s|ed|ing)?|respon(?:d|ds|ded|ding|ses?)|mention(?:s|ed|ing)?|us(?:e|es|ed|ing)|words?|wording|phras(?:e|es|ing)|sentences?|utter\w*|statements?|questions?|quot\w+|greet\w*|goodbyes?|closings?|scripts?|examples?|polite\w*|courte\w+|such as)\b/i

/** A line of speech or an example, which stays unchanged. */
const SPOKEN =
  /^\s*(?:[-*+•>]\s*)?(?:(?:main |testing |human |ai )?(?:agent|caller|customer|user|client|assistant|bot|human|ai|examples?|input|output))\b[^:\n]{0,20}:\s*\S/i

/** A line with Markdown syntax: list item, heading, table row or quote. Its words are rewritten, the syntax stays. */
export const MARKED = /^(\s*(?:[-*+•]|\d{1,3}[.)]|[A-Za-z][.)]|#{1,6}|>|\|)\s*)(.*)$/s

/** The end of a sentence: not a decimal point, and not inside a quotation, which is masked before. */
const SENTENCE_END = /(?<=[.!?])\s+(?=[A-Z"'“`{<])/u

/** A self-contained condition, which keeps its meaning as a list item. */
const CONDITION = /^(?:If|When|Whenever|Unless)\b.*[.!?]$/su
const EXCEPTION = /^(?:Otherwise|Else)\b.*[.!?]$/su

/** A sentence whose meaning depends on the one before it: never treated as a repetition. */
const DEPENDS = /^(?:Otherwise|Else|Then|If so|If not|In (?:that|this|such)|This|That|These|Those|It|They)\b/u

/** A sentence that sets the scope of the following ones: a repetition after it has another meaning. */
const SCOPE = /^(?:For|In|On|At|During|Under|With|While|Within|Concerning|Regarding|As)\b/u

/** Whether there is any filler; most sentences have none and skip the individual patterns. */
const ANY_FILLER = new RegExp([...WORDY, ...FILLER].map(([phrase]) => phrase.source).join("|"), "i")
const UNTIDY = /[ \t]{2}|\t| [,.;!?]|[,;]\s*[,;]/

const tidied = (text: string): string => (UNTIDY.test(text) ? retidied(text) : text.trim())

const retidied = (text: string): string =>
  betweenSpans(text, (plain) =>
    plain
      .replace(/[ \t]+/g, " ")
      .replace(/ +([,.;!?])/g, "$1")
      .replace(/([,;])(?:\s*[,;])+/g, "$1")
  ).trim()

const capitalised = (text: string): string => text.replace(/^[a-z]/, (letter) => letter.toUpperCase())

/** Most nested phrases that are removed from inside one another. */
const MOST_ROUNDS = 8

const without = (text: string, phrases: Phrases): string =>
  phrases.reduce((rest, [phrase, left]) => rest.replace(phrase, left), text)

/** Stands for a quoted text, code or a placeholder; no sentence begins or ends next to one. */
const SPAN_MARK = "X"

const withoutFiller = (text: string): string => {
  const masked = maskSpans(text)
  // Speech begins after this.
  const speech = masked.search(SPEECH)
  return betweenSpans(text, (plain, from) => {
    const to = from + plain.length
    const own = speech === -1 ? plain.length : Math.max(0, Math.min(plain.length, speech - from))
    const [before, after] = [from === 0 ? "" : SPAN_MARK, to === text.length && own === plain.length ? "" : SPAN_MARK]
    const rest = without(`${before}${plain.slice(0, own)}${after}`, FILLER)
    return without(rest.slice(before.length, rest.length - after.length) + plain.slice(own), WORDY)
  })
}

/** A sentence without its filler, or unchanged if that would remove a protected token. */
const rewriteSentence = (sentence: string): string => {
  const once = (text: string) => tidied(withoutFiller(text))
  let shorter = tidied(sentence)
  if (shorter === sentence && !ANY_FILLER.test(sentence)) return sentence
  // Removing one phrase can form another one. Text that does so again and again is hostile.
  let rounds = 0
  for (let next = once(shorter); next.length < shorter.length; next = once(shorter)) {
    if (++rounds > MOST_ROUNDS) return tidied(sentence)
    shorter = next
  }
  const wording = /[\p{L}\p{N}]/u.test(shorter) ? shorter.replace(/^[,;:\s]+/, "") : ""
  const result = /^[A-Z]/.test(sentence.trim()) ? capitalised(wording) : wording
  return lostTokens(sentence, result).length === 0 ? result : tidied(sentence)
}

/** The sentences of a text. Periods inside quoted texts, code and placeholders do not end one. */
export const sentencesOf = (text: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  // Of the same length, without characters that could end a sentence.
  const masked = maskSpans(text)
  let at = 0
  for (const part of masked.split(SENTENCE_END)) {
    const start = masked.indexOf(part, at)
    sentences.push(text.slice(start, start + part.length))
    at = start + part.length
  }
  return sentences
}

/** Equal for sentences of the same words and symbols, whatever their spaces and the case of the first letter. */
const keyOf = (sentence: string): string =>
  tidied(sentence)
    .replace(/^\p{L}/u, (letter) => letter.toLowerCase())
    .replace(/[.!]+$/, "")

/** One pass over a prompt. */
interface Pass {
  /** The lines so far. */
  readonly lines: Array<string>
  /** Keys of the sentences that are repetitions if they occur again. */
  readonly seen: Set<string>
  /** Protected tokens of the kept text. */
  readonly known: Set<string>
  /** Whether the following lines are speech, by the introduction or heading above. */
  isSpoken: boolean
  /** Whether a line of speech was kept since the last introduction. */
  isBegun: boolean
}

/** A line's Markdown syntax, and its words. */
interface MarkedLine {
  readonly mark: string
  readonly words: string
  readonly isHeading: boolean
}

const markedLineOf = (line: string): MarkedLine | undefined => {
  const marked = MARKED.exec(line)
  if (marked === null) return undefined
  const [, mark = "", words = ""] = marked
  return { mark, words, isHeading: mark.trim().startsWith("#") }
}

/** Sentences that have not occurred before; short ones such as "Yes." may mean something else each time. */
const unseenSentences = (
  { seen }: Pass,
  sentences: ReadonlyArray<string>,
  added: Array<string>
): ReadonlyArray<string> =>
  sentences.filter((sentence) => {
    const key = keyOf(sentence)
    if (sentence === "") return false
    if (key.split(" ").length < 4 || DEPENDS.test(sentence)) return true
    if (seen.has(key)) return false
    if (SCOPE.test(sentence)) seen.clear()
    seen.add(key)
    added.push(key)
    return true
  })

/** Whether a line is speech, which stays unchanged. */
const isSpeech = (pass: Pass, line: string, marked: MarkedLine | undefined): boolean => {
  if ((!pass.isSpoken && !SPOKEN.test(line)) || line.trim() === "") return false
  const isAfterBlank = pass.lines[pass.lines.length - 1] === ""
  if (!pass.isSpoken || !pass.isBegun || marked !== undefined || !isAfterBlank) return true
  // Speech ends with the paragraph that was introduced.
  pass.isSpoken = false
  return false
}

const introduce = (pass: Pass, line: string, marked: MarkedLine | undefined): void => {
  pass.isSpoken = SPEECH.test(maskSpans(line)) || (pass.isSpoken && marked !== undefined && !marked.isHeading)
  pass.isBegun = false
}

const addMarked = ({ lines, seen }: Pass, line: string, { mark, words }: MarkedLine): void => {
  const kept = sentencesOf(words)
    .map(rewriteSentence)
    .filter((sentence) => sentence !== "")
  for (const sentence of kept) seen.add(keyOf(sentence))
  const shorter = (mark + kept.join(" ")).trimEnd()
  lines.push(lostTokens(line, shorter).length === 0 ? shorter : line.trimEnd())
}

const addProse = (pass: Pass, line: string): void => {
  const { known, lines, seen } = pass
  const added: Array<string> = []
  const shorter = laidOut(unseenSentences(pass, sentencesOf(line.trim()).map(rewriteSentence), added))
  const own = new Set(shorter.flatMap(protectedTokens))
  // A stray quotation mark can form another pair once text before it is removed.
  const isWhole = protectedTokens(line).every((token) => own.has(token) || known.has(token))
  if (!isWhole) for (const key of added) seen.delete(key)
  const kept = isWhole ? shorter : [tidied(line)]
  for (const one of kept) for (const token of protectedTokens(one)) known.add(token)
  lines.push(...kept)
  if (line.trim() === "" && lines[lines.length - 1] !== "") lines.push("")
}

const addPlainLine = (pass: Pass, line: string): void => {
  const marked = markedLineOf(line)
  const introduces = /:[*_]*\s*$/.test(line) || marked?.isHeading === true
  if (introduces) introduce(pass, line, marked)
  else if (isSpeech(pass, line, marked)) {
    pass.isBegun = true
    pass.lines.push(line.trimEnd())
    return
  }
  // A repetition under another heading, case or item has another meaning.
  if (marked !== undefined || /:\s*$/.test(line)) pass.seen.clear()
  if (marked === undefined) addProse(pass, line)
  else addMarked(pass, line, marked)
}

/** The shorter prompt after one pass. */
const simplifyOnce = (prompt: string): string => {
  const pass: Pass = { lines: [], seen: new Set(), known: new Set(), isSpoken: false, isBegun: false }
  const kindOf = fences()
  for (const line of prompt.split(/\r\n|\n|\r/)) {
    if (kindOf(line) === "plain") addPlainLine(pass, line)
    else pass.lines.push(line)
  }
  return pass.lines.join("\n").trim()
}

/** Sentences as lines; two or more consecutive conditions become a numbered list. */
const laidOut = (sentences: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let prose: Array<string> = []
  let conditions: Array<string> = []
  const flush = () => {
    if (conditions.length < 2) prose.push(...conditions)
    if (prose.length > 0) lines.push(prose.join(" "))
    if (conditions.length >= 2) lines.push(...conditions.map((one, at) => `${at + 1}. ${one}`))
    prose = []
    conditions = []
  }
  for (const sentence of sentences) {
    if (CONDITION.test(sentence) || (conditions.length > 0 && EXCEPTION.test(sentence))) conditions.push(sentence)
    else {
      if (conditions.length >= 2) flush()
      else {
        prose.push(...conditions)
        conditions = []
      }
      prose.push(sentence)
    }
  }
  flush()
  return lines
}

/** Most passes until the text no longer changes; one is nearly always enough. */
const MOST_PASSES = 8

/**
 * The shorter prompt. It keeps every number, quoted text, placeholder, identifier and binding word of each sentence that it
 * keeps, and drops a sentence only if the same sentence stays. Idempotent; linear in the prompt's length.
 */
export const simplifyPrompt = (prompt: string): string => {
  let text = prompt
  for (let passes = 0; passes < MOST_PASSES; passes++) {
    const next = simplifyOnce(text)
    if (next === text) return text
    text = next
  }
  // A text that keeps changing is returned unsimplified, so that the function stays idempotent.
  return prompt.trim()
}

/** Whether the rules can remove nothing. */
export const isSimple = (prompt: string): boolean => simplifyPrompt(prompt) === prompt.trim()

/** Most words of a line that states one rule. */
const MOST_WORDS = 25

/**
 * Whether a language model is not worth asking: no filler, and no line outside code that is longer than one rule needs.
 */
export const isConcise = (prompt: string): boolean => {
  if (!isSimple(prompt)) return false
  const kindOf = fences()
  return prompt.split(/\r\n|\n|\r/).every((line) => {
    return kindOf(line) !== "plain" || (line.match(/\S+/g) ?? []).length <= MOST_WORDS
  })
}
