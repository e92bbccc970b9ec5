/**
 * The simplifier that needs no language model: it takes away what says nothing (politeness, filler, repetition) and lays
 * conditions out as a numbered list. It understands nothing, so it never rewrites a rule: a sentence that would lose a
 * protected token is left as it is.
 */
import { betweenSpans, lostTokens, maskSpans, protectedTokens } from "./ProtectedTokens.js"

/** Phrases that say nothing, and what is left of them. None holds a protected token. */
const FILLER: ReadonlyArray<readonly [phrase: RegExp, left: string]> = [
  [/\b(?:I would like you to|I want you to|I need you to|we would like you to|your (?:task|job) is to)\s+/gi, ""],
  [/\b(?:would you|could you)\s+(?:please\s+)?/gi, ""],
  [/\b(?:please|kindly)[,]?\s+/gi, ""],
  [/[,]?\s+please\b/gi, ""],
  [/\b(?:please )?(?:note|remember|keep in mind|bear in mind) that\s+/gi, ""],
  [/\b(?:it is|it's) (?:very |really |extremely )?important (?:that|to)\s+/gi, ""],
  [/\b(?:make|be) sure (?:that|to)\s+/gi, ""],
  [/\bin order to\b/gi, "to"],
  [/\bdue to the fact that\b/gi, "because"],
  [/\bin the event that\b/gi, "if"],
  [/\bfor the purpose of\b/gi, "for"],
  [/\bwith regards? to\b/gi, "about"],
  [
    /\b(?:basically|essentially|actually|really|simply|obviously|of course|as you know|generally speaking)\b[,]?\s*/gi,
    ""
  ],
  [/\bthank(?:s| you)(?: very much| so much| in advance)?\b/gi, ""]
]

/** A line that has a form of its own: lists, headings, tables, quotes. Its words are rewritten, its form stays. */
const MARKED = /^(\s*(?:[-*+•]|\d{1,3}[.)]|[A-Za-z][.)]|#{1,6}|>|\|)\s*)(.*)$/s

/** Where a sentence ends: not after a number's point, and not inside a quoted text, which is masked by then. */
const SENTENCE_END = /(?<=[.!?])\s+(?=[A-Z"'“`{<])/u

/** A condition that stands by itself, so that a list of such reads as the text did. */
const CONDITION = /^(?:If|When|Whenever|Unless)\b.*[.!?]$/su
const EXCEPTION = /^(?:Otherwise|Else)\b.*[.!?]$/su

/** Whether there is any filler at all: most sentences have none, and are not tried against each. */
const ANY_FILLER = new RegExp(FILLER.map(([phrase]) => phrase.source).join("|"), "i")
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

/** One sentence without its filler, or as it was where that would take a rule's token along. */
const rewriteSentence = (sentence: string): string => {
  const once = (text: string) =>
    tidied(betweenSpans(text, (plain) => FILLER.reduce((rest, [phrase, left]) => rest.replace(phrase, left), plain)))
  let shorter = tidied(sentence)
  if (shorter === sentence && !ANY_FILLER.test(sentence)) return sentence
  // Taking one phrase away can bring another one together.
  for (let next = once(shorter); next.length < shorter.length; next = once(shorter)) shorter = next
  const wording = /[\p{L}\p{N}]/u.test(shorter) ? shorter.replace(/^[,;:\s]+/, "") : ""
  const result = /^[A-Z]/.test(sentence.trim()) ? capitalised(wording) : wording
  return lostTokens(sentence, result).length === 0 ? result : tidied(sentence)
}

/** The sentences of a text; ends inside quoted texts, code and placeholders are none. */
const sentencesOf = (text: string): ReadonlyArray<string> => {
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
  const said = new Set<string>()
  /** What was kept so far has these. */
  const known = new Set<string>()
  /** Sentences that were not said before; short ones such as "Yes." may mean something else each time. */
  const fresh = (sentences: ReadonlyArray<string>, heard: Array<string>): ReadonlyArray<string> =>
    sentences.filter((sentence) => {
      const key = keyOf(sentence)
      if (sentence === "") return false
      if (key.split(" ").length < 4) return true
      if (said.has(key)) return false
      said.add(key)
      heard.push(key)
      return true
    })

  const lines: Array<string> = []
  let isCode = false
  for (const line of prompt.split(/\r\n|\n|\r/)) {
    const isFence = /^\s*```/.test(line)
    if (isCode || isFence) {
      if (isFence) isCode = !isCode
      lines.push(line)
      continue
    }
    const marked = MARKED.exec(line)
    if (marked !== null) {
      const [, mark = "", words = ""] = marked
      const kept = sentencesOf(words)
        .map(rewriteSentence)
        .filter((sentence) => sentence !== "")
      for (const sentence of kept) said.add(keyOf(sentence))
      const shorter = (mark + kept.join(" ")).trimEnd()
      lines.push(lostTokens(line, shorter).length === 0 ? shorter : line.trimEnd())
      continue
    }
    const heard: Array<string> = []
    const shorter = laidOut(fresh(sentencesOf(line.trim()).map(rewriteSentence), heard))
    const own = new Set(shorter.flatMap(protectedTokens))
    // A stray quotation mark can pair up anew once something before it is gone.
    const isWhole = protectedTokens(line).every((token) => own.has(token) || known.has(token))
    if (!isWhole) for (const key of heard) said.delete(key)
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

/** Passes after which a text that still changes is taken as it is: each pass shortens it or leaves it. */
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
  return text
}

/** Whether there is nothing left for the simplifier to take away. */
export const isSimple = (prompt: string): boolean => simplifyPrompt(prompt) === prompt.trim()
