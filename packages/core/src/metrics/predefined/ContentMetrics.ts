import { countAgentTurns, type Formula, type FormulaContext, ratio } from "../FormulaContext.js"
import { moment, withoutValue, withValue } from "../FormulaResult.js"
import { numberSetting, textsSetting } from "../Settings.js"
import { containsPhrase, countWords, normalizeText } from "../Words.js"
import type { FormulaMetrics } from "./Definition.js"

/** Phrases of an agent that got or understood no answer. */
export const REPROMPT_PHRASES: ReadonlyArray<string> = [
  "are you still there",
  "are you there",
  "can you hear me",
  "could you repeat",
  "can you repeat",
  "say that again",
  "come again",
  "I didn't catch",
  "I did not catch",
  "didn't get that",
  "did not get that",
  "I didn't hear",
  "I didn't understand",
  "I did not understand",
  "I'm not sure I understood",
  "sorry I missed that",
  "please repeat"
]

/** Normalized phrases; those without words are dropped. */
const normalizedPhrases = (phrases: ReadonlyArray<string>): ReadonlyArray<string> =>
  phrases.map(normalizeText).filter((phrase) => phrase !== "")

const builtInReprompts = normalizedPhrases(REPROMPT_PHRASES)

/** Those of these normalized phrases that the agent says in some turn. */
const phrasesUsed = ({ agentText }: FormulaContext, phrases: ReadonlyArray<string>): ReadonlyArray<string> =>
  phrases.filter((phrase) => containsPhrase(agentText(), phrase))

const reprompts: Formula = (context, configuration) => {
  const own = textsSetting(configuration, "phrases")
  // Most phrases occur in no turn at all.
  const phrases = phrasesUsed(context, own === undefined ? builtInReprompts : normalizedPhrases(own))
  return countAgentTurns(context, (text) => phrases.some((phrase) => containsPhrase(text, phrase)))
}

/** Shorter turns are repeated in any conversation: "Yes.", "One moment please." */
const MIN_REPEATED_WORDS = 4

const repeatedReplies: Formula = (context, configuration) => {
  const least = numberSetting(configuration, "min_words", MIN_REPEATED_WORDS)
  const seen = new Set<string>()
  return countAgentTurns(context, (text, { content }) => {
    if (countWords(content) < least) return false
    if (seen.has(text)) return true
    seen.add(text)
    return false
  })
}

const toolCallSuccess: Formula = ({ call }) => {
  if (call.toolCalls.length === 0) return withoutValue("The agent called no tool.")
  const known = call.toolCalls.filter((one) => one.succeeded !== undefined)
  if (known.length === 0) return withoutValue("The transcript does not contain the outcome of its tool calls.")
  const failed = known.filter((one) => one.succeeded === false)
  return withValue(
    ratio(known.length - failed.length, known.length),
    failed.flatMap(({ endTime, startTime }) =>
      startTime === undefined ? [] : [moment(startTime, Math.max(0, (endTime ?? startTime) - startTime))]
    )
  )
}

const phraseCompliance: Formula = (context, configuration) => {
  const required = normalizedPhrases(textsSetting(configuration, "required") ?? [])
  const forbidden = normalizedPhrases(textsSetting(configuration, "forbidden") ?? [])
  const rules = required.length + forbidden.length
  if (rules === 0)
    return withoutValue("No phrases are configured: set configuration.required or configuration.forbidden.")
  const used = phrasesUsed(context, forbidden)
  const broken = countAgentTurns(context, (text) => used.some((phrase) => containsPhrase(text, phrase)))
  if (broken.value === null) return broken
  const respected = phrasesUsed(context, required).length + forbidden.length - used.length
  return withValue(ratio(respected, rules), broken.moments)
}

/** What the agent says and does. */
export const contentMetrics = {
  reprompts: {
    id: 21,
    revision: 1,
    name: "Reprompts",
    measures: "How often the agent has to ask again because it got or understood no answer.",
    formula:
      'the agent\'s turns that have one of a list of phrases, such as "could you repeat", as whole words; ' +
      "configuration.phrases replaces the list, which is English.",
    unit: "turns",
    basis: "the text of the agent's turns; no times are needed.",
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Understanding",
    better: "lower",
    compute: reprompts
  },
  repeated_replies: {
    id: 22,
    revision: 1,
    name: "Repeated replies",
    measures: "How often the agent says again what it said before.",
    formula:
      "the agent's turns of at least configuration.min_words (4) words whose words are those of an earlier turn of its own.",
    unit: "turns",
    basis: "the text of the agent's turns, upper and lower case and punctuation aside; no times are needed.",
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Understanding",
    better: "lower",
    compute: repeatedReplies
  },
  tool_call_success: {
    id: 23,
    revision: 1,
    name: "Tool call success",
    measures: "The share of the agent's tool calls that succeed.",
    formula: "tool calls that succeeded over those with a known outcome.",
    unit: "ratio from 0 to 1",
    basis: "the tool calls in the transcript; without any there is no value.",
    evalType: "numeric",
    category: "Accuracy",
    subCategory: "Tools",
    better: "higher",
    compute: toolCallSuccess
  },
  phrase_compliance: {
    id: 25,
    revision: 1,
    name: "Phrase compliance",
    measures: "Whether the agent says the required phrases and none of the forbidden ones.",
    formula:
      "of the phrases in configuration.required and configuration.forbidden, the share that is respected: required ones " +
      "that the agent says and forbidden ones that it does not.",
    unit: "ratio from 0 to 1",
    basis:
      "the text of the agent's turns, upper and lower case and punctuation aside; without phrases there is no value.",
    evalType: "numeric",
    category: "Accuracy",
    subCategory: "Compliance",
    better: "higher",
    compute: phraseCompliance
  }
} as const satisfies FormulaMetrics
