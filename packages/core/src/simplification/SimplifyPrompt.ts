/**
 * The simplifier that needs no language model: it takes away what says nothing (politeness, filler, repetition) and lays
 * conditions out as a numbered list. It understands nothing, so it never rewrites a rule: a sentence that would lose a
 * protected token is left as it is.
 */
import { fences } from "./Fences.js"
import { betweenSpans, lostTokens, maskSpans, protectedTokens } from "./ProtectedTokens.js"

type Phrases = ReadonlyArray<readonly [phrase: RegExp, left: string]>

/** Longer ways to say the same, wherever they stand outside quoted texts. */
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

/** Where a clause begins. In its midst the same words belong to what is said: "must note that", "not simply". */
const CLAUSE = "(?<=^|[,;] ?|\\b(?:and|then|also|so) )"
const atClause = (phrase: string): RegExp => new RegExp(`${CLAUSE}${phrase}`, "gi")

/** Phrases that say nothing where they stand, and what is left of them. None holds a protected token. */
const FILLER: Phrases = [
  [atClause("(?:(?:I|we) would like you to|I want you to|I need you to|your (?:task|job) is to)\\s+"), ""],
  [atClause("(?:would you|could you)\\s+(?=(?:please|kindly)\\b)"), ""],
  [atClause("(?:please|kindly),?\\s+"), ""],
  [/,? please(?=[.!]*$)/gi, ""],
  [atClause("(?:note|remember|keep in mind|bear in mind) that\\s+"), ""],
  // Not of what is important to somebody.
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
 * Words after which others may be quoted or described without quotation marks: what the agent has to say may well be
 * "please", and is no filler then.
 */
const SPEECH =
  /\b(?:sa(?:y|ys|id|ying)|ask(?:s|ed|ing)?|t(?:ell|ells|old|elling)|speak(?:s|ing)?|spoken?|repl(?:y|ies|ied)|answer(?:s|ed|ing)?|respon(?:d|ds|ded|ding|ses?)|mention(?:s|ed|ing)?|us(?:e|es|ed|ing)|words?|wording|phras(?:e|es|ing)|sentences?|utter\w*|statements?|questions?|quot\w+|greet\w*|goodbyes?|closings?|scripts?|examples?|polite\w*|courte\w+|such as)\b/i

/** A line that is somebody's words, or an example, and stays as it is. */
const SPOKEN =
  /^\s*(?:[-*+•>]\s*)?(?:(?:main |testing |human |ai )?(?:agent|caller|customer|user|client|assistant|bot|human|ai|examples?|input|output))\b[^:\n]{0,20}:\s*\S/i

/** A line that has a form of its own: lists, headings, tables, quotes. Its words are rewritten, its form stays. */
export const MARKED = /^(\s*(?:[-*+•]|\d{1,3}[.)]|[A-Za-z][.)]|#{1,6}|>|\|)\s*)(.*)$/s

/** The end of a sentence: not after a number's point, and not inside a quotation, which is masked before. */
const SENTENCE_END = /(?<=[.!?])\s+(?=[A-Z"'“`{<])/u

/** A condition that stands by itself, so that a list of such reads as the text did. */
const CONDITION = /^(?:If|When|Whenever|Unless)\b.*[.!?]$/su
const EXCEPTION = /^(?:Otherwise|Else)\b.*[.!?]$/su

/** A sentence that says something else after another one: it is never taken for a repetition. */
const DEPENDS = /^(?:Otherwise|Else|Then|If so|If not|In (?:that|this|such)|This|That|These|Those|It|They)\b/u

/** A sentence that says of what the next ones speak: said again after it, they say something else. */
const SCOPE = /^(?:For|In|On|At|During|Under|With|While|Within|Concerning|Regarding|As)\b/u

/** Whether there is any filler at all: most sentences have none, and are not tried against each. */
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

/** Phrases within phrases that are taken away, one from inside another. */
const MOST_ROUNDS = 8

const without = (text: string, phrases: Phrases): string =>
  phrases.reduce((rest, [phrase, left]) => rest.replace(phrase, left), text)

/** Stands for a quoted text, code or a placeholder: next to one no sentence begins or ends. */
const SPAN_MARK = "X"

const withoutFiller = (text: string): string => {
  const masked = maskSpans(text)
  // What somebody says begins after this.
  const speech = masked.search(SPEECH)
  return betweenSpans(text, (plain, from) => {
    const to = from + plain.length
    const own = speech === -1 ? plain.length : Math.max(0, Math.min(plain.length, speech - from))
    const [before, after] = [from === 0 ? "" : SPAN_MARK, to === text.length && own === plain.length ? "" : SPAN_MARK]
    const rest = without(`${before}${plain.slice(0, own)}${after}`, FILLER)
    return without(rest.slice(before.length, rest.length - after.length) + plain.slice(own), WORDY)
  })
}

/** One sentence without its filler, or as it was where that would take a rule's token along. */
const rewriteSentence = (sentence: string): string => {
  const once = (text: string) => tidied(withoutFiller(text))
  let shorter = tidied(sentence)
  if (shorter === sentence && !ANY_FILLER.test(sentence)) return sentence
  // Taking one phrase away can bring another one together. What was made to do so time and again is no prompt.
  let rounds = 0
  for (let next = once(shorter); next.length < shorter.length; next = once(shorter)) {
    if (++rounds > MOST_ROUNDS) return tidied(sentence)
    shorter = next
  }
  const wording = /[\p{L}\p{N}]/u.test(shorter) ? shorter.replace(/^[,;:\s]+/, "") : ""
  const result = /^[A-Z]/.test(sentence.trim()) ? capitalised(wording) : wording
  return lostTokens(sentence, result).length === 0 ? result : tidied(sentence)
}

/** The sentences of a text; ends inside quoted texts, code and placeholders are none. */
export const sentencesOf = (text: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  // The same length, with nothing in it that could end a sentence.
  const masked = maskSpans(text)
  let at = 0
  for (const part of masked.split(SENTENCE_END)) {
    const start = masked.indexOf(part, at)
    sentences.push(text.slice(start, start + part.length))
    at = start + part.length
  }
  return sentences
}

/** Two sentences that say the same: of the same words and signs, whatever their spaces and the case of the first. */
const keyOf = (sentence: string): string =>
  tidied(sentence)
    .replace(/^\p{L}/u, (letter) => letter.toLowerCase())
    .replace(/[.!]+$/, "")

/** The shorter prompt after one pass. */
const pass = (prompt: string): string => {
  const seen = new Set<string>()
  /** What was kept so far has these. */
  const known = new Set<string>()
  /** Sentences that were not said before; short ones such as "Yes." may mean something else each time. */
  const fresh = (sentences: ReadonlyArray<string>, added: Array<string>): ReadonlyArray<string> =>
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

  const lines: Array<string> = []
  const kindOf = fences()
  /** Whether what follows is what somebody says, as the introduction or heading above has it. */
  let isSpoken = false
  let isBegun = false
  for (const line of prompt.split(/\r\n|\n|\r/)) {
    if (kindOf(line) !== "plain") {
      lines.push(line)
      continue
    }
    const marked = MARKED.exec(line)
    const introduces = /:[*_]*\s*$/.test(line) || marked?.[1]?.trim().startsWith("#") === true
    if (!introduces && (isSpoken || SPOKEN.test(line)) && line.trim() !== "") {
      // A paragraph after the one that was introduced is the prompt's own again.
      if (isSpoken && isBegun && marked === null && lines[lines.length - 1] === "") isSpoken = false
      else {
        isBegun = true
        lines.push(line.trimEnd())
        continue
      }
    }
    if (introduces) {
      isSpoken = SPEECH.test(maskSpans(line)) || (isSpoken && marked !== null && !marked[1]?.trim().startsWith("#"))
      isBegun = false
    }
    // What is said under another heading, in another case or of another item is said of another thing.
    if (marked !== null || /:\s*$/.test(line)) seen.clear()
    if (marked !== null) {
      const [, mark = "", words = ""] = marked
      const kept = sentencesOf(words)
        .map(rewriteSentence)
        .filter((sentence) => sentence !== "")
      for (const sentence of kept) seen.add(keyOf(sentence))
      const shorter = (mark + kept.join(" ")).trimEnd()
      lines.push(lostTokens(line, shorter).length === 0 ? shorter : line.trimEnd())
      continue
    }
    const added: Array<string> = []
    const shorter = laidOut(fresh(sentencesOf(line.trim()).map(rewriteSentence), added))
    const own = new Set(shorter.flatMap(protectedTokens))
    // A stray quotation mark can pair up anew once something before it is gone.
    const isWhole = protectedTokens(line).every((token) => own.has(token) || known.has(token))
    if (!isWhole) for (const key of added) seen.delete(key)
    const kept = isWhole ? shorter : [tidied(line)]
    for (const one of kept) for (const token of protectedTokens(one)) known.add(token)
    lines.push(...kept)
    if (line.trim() === "" && lines[lines.length - 1] !== "") lines.push("")
  }
  return lines.join("\n").trim()
}

/** Sentences as lines: two conditions or more, one after the other, become a numbered list. */
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

/** The most passes until the text no longer changes; one is nearly always enough. */
const MOST_PASSES = 8

/**
 * A shorter prompt that keeps every number, quoted text, placeholder, identifier and binding word of each sentence that it
 * keeps; a sentence is dropped only where the same sentence stays. Doing it again changes nothing. It takes a time in line
 * with the prompt's length.
 */
export const simplifyPrompt = (prompt: string): string => {
  let text = prompt
  for (let passes = 0; passes < MOST_PASSES; passes++) {
    const next = pass(text)
    if (next === text) return text
    text = next
  }
  // A text that never rests is left alone, so that doing it again changes nothing here either.
  return prompt.trim()
}

/** Whether there is nothing left for the simplifier to take away. */
export const isSimple = (prompt: string): boolean => simplifyPrompt(prompt) === prompt.trim()

/** Words of a line that states one rule. */
const MOST_WORDS = 25

/**
 * Whether there is nothing left to reword either: no filler, and no line outside code that is longer than one rule takes.
 * A prompt as short as that is not worth asking a language model about.
 */
export const isConcise = (prompt: string): boolean => {
  if (!isSimple(prompt)) return false
  const kindOf = fences()
  return prompt.split(/\r\n|\n|\r/).every((line) => {
    return kindOf(line) !== "plain" || (line.match(/\S+/g) ?? []).length <= MOST_WORDS
  })
}
