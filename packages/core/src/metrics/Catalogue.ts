/**
 * The predefined metrics (interface, E11). Each says in its description what is measured, by which formula, in which unit
 * and from what. Speech means the segments of `Speech.speechOf`: a speaker's turns merged where they overlap or touch.
 */
import type { OrganizationId } from "../kernel/Ids.js"
import { type AgentId, MetricId, type ProjectId } from "../kernel/Ids.js"
import type { Json } from "../kernel/Json.js"
import type { FormulaName } from "./Formulas.js"
import type { NewMetric } from "./Metric.js"
import { type MetricCategory, type PredefinedEntry, PredefinedMetric } from "./PredefinedMetric.js"
import { costOf } from "./Price.js"

/** The slug of the metric that measures how long callers wait for an answer, in milliseconds. */
export const LATENCY_SLUG = "latency_ms"

interface Formulated {
  readonly id: number
  readonly formula: FormulaName
  readonly slug?: string
  readonly name: string
  readonly measures: string
  readonly formulaText: string
  readonly unit: string
  readonly basis: string
  readonly evalType: "binary" | "numeric"
  readonly configuration?: Json
  readonly category: MetricCategory
  readonly subCategory: string
}

const byFormula = (metric: Formulated): PredefinedEntry => ({
  id: metric.id,
  slug: metric.slug ?? metric.formula,
  name: metric.name,
  description: `${metric.measures} Formula: ${metric.formulaText} Unit: ${metric.unit}. Basis: ${metric.basis}`,
  type: "custom_code",
  evalType: metric.evalType,
  functionName: metric.formula,
  prompt: "",
  enumValues: null,
  configuration: metric.configuration ?? null,
  category: metric.category,
  subCategory: metric.subCategory
})

interface Judged {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly measures: string
  readonly unit: string
  readonly prompt: string
  readonly evalType: PredefinedEntry["evalType"]
  readonly enumValues?: Json
  readonly configuration?: Json
  readonly category: MetricCategory
  readonly subCategory: string
}

const byJudge = (metric: Judged): PredefinedEntry => ({
  id: metric.id,
  slug: metric.slug,
  name: metric.name,
  description:
    `${metric.measures} Formula: a language model answers the metric's prompt and quotes the turn that decides. ` +
    `Unit: ${metric.unit}. Basis: the text of all turns and what the agent is told to be.`,
  type: "llm_judge",
  evalType: metric.evalType,
  functionName: "",
  prompt: metric.prompt,
  enumValues: metric.enumValues ?? null,
  configuration: metric.configuration ?? null,
  category: metric.category,
  subCategory: metric.subCategory
})

const ALL_TIMES = "the start and end of every turn; without one of them there is no value."
const STARTS = "the start of every turn, and the ends of the user's; an answer to a turn without an end is left out."

const latency = (id: number, statistic: "p50" | "p90" | "p95" | "p99", words: string): PredefinedEntry =>
  byFormula({
    id,
    formula: "latency_ms",
    slug: `latency_${statistic}_ms`,
    name: `Latency ${statistic}`,
    measures: `${words} of the times that the user waits for the agent's answers in a call.`,
    formulaText:
      "as latency_ms, of which it is the quantile by linear interpolation between ranks (percentile_cont in SQL).",
    unit: "milliseconds",
    basis: STARTS,
    evalType: "numeric",
    configuration: { statistic },
    category: "Speech Quality",
    subCategory: "Latency"
  })

/**
 * Every predefined metric, in the order in which lists show them. Whoever adds one adds a revision (see
 * `storage/sql/CatalogueRevisions.ts`), which gives it to the agents that are there.
 */
export const predefinedEntries: ReadonlyArray<PredefinedEntry> = [
  byFormula({
    id: 1,
    formula: "latency_ms",
    name: "Latency",
    measures: "How long the user waits for the agent's answers, on average.",
    formulaText:
      "for each segment of the agent's speech that answers, its start minus the end of the user's speech before it; " +
      "the mean of these, with p50, p90, p95 and p99 kept beside it. A segment answers if the user has ended by then " +
      "and the agent was silent since that end. configuration.statistic shows another of them.",
    unit: "milliseconds",
    basis: STARTS,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Latency"
  }),
  latency(2, "p50", "The median"),
  latency(3, "p90", "The 90th percentile"),
  latency(4, "p95", "The 95th percentile"),
  latency(5, "p99", "The 99th percentile"),
  byFormula({
    id: 6,
    formula: "time_to_first_word_ms",
    name: "Time to first word",
    measures: "How long the call lasts before the agent says its first word.",
    formulaText: "the start of the agent's first segment, counted from the start of the call.",
    unit: "milliseconds",
    basis: "the start of every turn, in seconds from the start of the call.",
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Latency"
  }),
  byFormula({
    id: 7,
    formula: "ai_interrupting_user",
    name: "AI interrupting user",
    measures: "How often the agent begins to speak while the user speaks.",
    formulaText:
      "the agent's segments that start after the start and before the end of a segment of the user's, and overlap with " +
      "it for at least configuration.min_overlap_s (0.2 s).",
    unit: "interruptions",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions"
  }),
  byFormula({
    id: 8,
    formula: "user_interrupting_ai",
    name: "User interrupting AI",
    measures: "How often the user begins to speak while the agent speaks.",
    formulaText:
      "the user's segments that start after the start and before the end of a segment of the agent's, and overlap with " +
      "it for at least configuration.min_overlap_s (0.2 s).",
    unit: "interruptions",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions"
  }),
  byFormula({
    id: 9,
    formula: "interruption_score",
    name: "Interruption score",
    measures: "The share of the user's speech that the agent lets end.",
    formulaText:
      "1 minus the user's segments that the agent interrupts (as ai_interrupting_user) over all of the user's.",
    unit: "ratio from 0 (always cut off) to 1 (never)",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions"
  }),
  byFormula({
    id: 10,
    formula: "interruption_rate",
    name: "Interruption rate",
    measures: "How often either interrupts the other, for the length of the talk.",
    formulaText:
      "ai_interrupting_user plus user_interrupting_ai, over the minutes from the start of the first segment to the end of the last.",
    unit: "interruptions a minute",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions"
  }),
  byFormula({
    id: 11,
    formula: "stop_time_ms",
    name: "Stop time",
    measures: "How long the agent goes on speaking once the user interrupts it, on average.",
    formulaText:
      "for each interruption by the user, the end of the agent's segment minus the start of the user's; the mean, with " +
      "p50, p90, p95 and p99 kept beside it. No value where the user never interrupts.",
    unit: "milliseconds",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Interruptions"
  }),
  byFormula({
    id: 12,
    formula: "overlap_ratio",
    name: "Overlap ratio",
    measures: "The share of the talk in which both speak.",
    formulaText: "time in which both speak over time in which anybody speaks.",
    unit: "ratio from 0 to 1",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions"
  }),
  byFormula({
    id: 13,
    formula: "talk_ratio",
    name: "Talk ratio",
    measures: "The agent's share of the talk.",
    formulaText: "the agent's speaking time over the sum of the agent's and the user's.",
    unit: "ratio from 0 (the user alone speaks) to 1 (the agent alone)",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Pacing"
  }),
  byFormula({
    id: 14,
    formula: "words_per_minute",
    name: "Words per minute",
    measures: "How fast the agent speaks.",
    formulaText: "the agent's words over the minutes of its speaking time.",
    unit: "words a minute",
    basis: `the text of the agent's turns and ${ALL_TIMES}`,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Pacing"
  }),
  byFormula({
    id: 15,
    formula: "silence_detection",
    name: "Silence detection",
    measures: "Whether no silence in the call is too long.",
    formulaText:
      "true if the longest stretch in which nobody speaks, between the first segment and the last, is at most " +
      "configuration.max_silence_s (10 s).",
    unit: "true (passes) or false",
    basis: ALL_TIMES,
    evalType: "binary",
    category: "Speech Quality",
    subCategory: "Silence"
  }),
  byFormula({
    id: 16,
    formula: "dead_air_ratio",
    name: "Dead air ratio",
    measures: "The share of the call in which nobody speaks.",
    formulaText:
      "time in which nobody speaks over the time from the start of the first segment to the end of the last.",
    unit: "ratio from 0 to 1",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Silence"
  }),
  byFormula({
    id: 17,
    formula: "infrastructure_issues",
    name: "Infrastructure issues",
    measures:
      "Whether the agent answers every time; when it does not, something behind it is broken more often than not.",
    formulaText:
      "true if no silence that follows the user's speech is longer than configuration.max_wait_s (10 s); the silence " +
      "from the user's last word to the end of the call counts too.",
    unit: "true (passes) or false",
    basis: `the length of the call, where it is known, and ${ALL_TIMES}`,
    evalType: "binary",
    category: "Speech Quality",
    subCategory: "Infrastructure"
  }),
  byFormula({
    id: 18,
    formula: "excessive_silence",
    name: "Excessive silence",
    measures: "How many silences are uncomfortable.",
    formulaText:
      "the stretches in which nobody speaks, between the first segment and the last, of more than " +
      "configuration.min_silence_s (3 s).",
    unit: "silences",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Silence"
  }),
  byFormula({
    id: 19,
    formula: "longest_monologue_s",
    name: "Longest monologue",
    measures: "How long the agent keeps the floor at most.",
    formulaText:
      "the longest time from the start of a segment of the agent's to the end of its last one before the user begins to " +
      "speak, the agent's own pauses included as far as the user is silent in them.",
    unit: "seconds",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Pacing"
  }),
  byFormula({
    id: 20,
    formula: "words_per_turn",
    name: "Words per turn",
    measures: "How much the agent says at a time.",
    formulaText: "the agent's words over its turns.",
    unit: "words",
    basis: "the text of the agent's turns; no times are needed.",
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Pacing"
  }),
  byFormula({
    id: 21,
    formula: "reprompts",
    name: "Reprompts",
    measures: "How often the agent has to ask again because it got or understood no answer.",
    formulaText:
      'the agent\'s turns that have one of a list of phrases, such as "could you repeat", as whole words; ' +
      "configuration.phrases replaces the list, which is English.",
    unit: "turns",
    basis: "the text of the agent's turns; no times are needed.",
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Understanding"
  }),
  byFormula({
    id: 22,
    formula: "repeated_replies",
    name: "Repeated replies",
    measures: "How often the agent says again what it said before.",
    formulaText:
      "the agent's turns of at least configuration.min_words (4) words whose words are those of an earlier turn of its own.",
    unit: "turns",
    basis: "the text of the agent's turns, upper and lower case and punctuation aside; no times are needed.",
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Understanding"
  }),
  byFormula({
    id: 23,
    formula: "tool_call_success",
    name: "Tool call success",
    measures: "The share of the agent's tool calls that succeed.",
    formulaText: "tool calls that succeeded over those of which the transcript tells how they ended.",
    unit: "ratio from 0 to 1",
    basis: "the tool calls in the transcript; without any there is no value.",
    evalType: "numeric",
    category: "Accuracy",
    subCategory: "Tools"
  }),
  byFormula({
    id: 24,
    formula: "call_duration_s",
    name: "Call duration",
    measures: "How long the call takes.",
    formulaText: "the last end of transcript or recording, counted from the start of the call.",
    unit: "seconds",
    basis: "the ends of turns and the length of the recording.",
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Pacing"
  }),
  byFormula({
    id: 25,
    formula: "phrase_compliance",
    name: "Phrase compliance",
    measures: "Whether the agent says what it has to say and nothing that it must not.",
    formulaText:
      "of the phrases in configuration.required and configuration.forbidden, the share that is kept: required ones that " +
      "the agent says and forbidden ones that it does not.",
    unit: "ratio from 0 to 1",
    basis:
      "the text of the agent's turns, upper and lower case and punctuation aside; without phrases there is no value.",
    evalType: "numeric",
    category: "Accuracy",
    subCategory: "Compliance"
  }),

  byJudge({
    id: 101,
    slug: "expected_outcome",
    name: "Expected outcome",
    measures: "Whether the call came to what it was for. It decides the call's `success`.",
    unit: "true (it did) or false",
    prompt:
      "Did the call reach its expected outcome? Where an expected outcome is given, hold the call to every part of it. " +
      "Where none is given, the expected outcome is that the agent does what the user called for, as far as what the " +
      "agent is told to be allows it.",
    evalType: "binary",
    configuration: { decides_success: true },
    category: "Accuracy",
    subCategory: "Outcome"
  }),
  byJudge({
    id: 102,
    slug: "hallucination",
    name: "Hallucination",
    measures: "Whether the agent keeps to what it can know.",
    unit: "true (nothing is made up) or false",
    prompt:
      "Is everything that the agent states as a fact supported by what it is told to be, by what the user said or by the " +
      "results of its tools? Answer false if it states a fact that is contradicted by these or found in none of them. " +
      "Courtesies, opinions and what everybody knows are no such facts.",
    evalType: "binary",
    category: "Accuracy",
    subCategory: "Faithfulness"
  }),
  byJudge({
    id: 103,
    slug: "relevancy",
    name: "Relevancy",
    measures: "How well the agent's replies address what the user said.",
    unit: "1 (beside the point) to 5 (always to the point)",
    prompt:
      "How relevant are the agent's replies to what the user said just before? 5: every reply addresses it. 4: one small " +
      "digression. 3: several digressions. 2: most replies miss it. 1: the agent ignores the user.",
    evalType: "continuous_qualitative",
    configuration: { min: 1, max: 5 },
    category: "Accuracy",
    subCategory: "Relevancy"
  }),
  byJudge({
    id: 104,
    slug: "response_consistency",
    name: "Response consistency",
    measures: "Whether the agent contradicts itself.",
    unit: "true (consistent) or false",
    prompt:
      "Are the agent's statements consistent with each other through the whole call? Answer false if it contradicts " +
      "something it said before without saying that it corrects itself.",
    evalType: "binary",
    category: "Accuracy",
    subCategory: "Consistency"
  }),
  byJudge({
    id: 105,
    slug: "csat",
    name: "Customer satisfaction",
    measures: "How satisfied the user seems.",
    unit: "1 (very dissatisfied) to 5 (very satisfied)",
    prompt:
      "How satisfied is the user with the call, judged by what the user says? 5: pleased or thankful beyond politeness. 4: " +
      "satisfied. 3: neutral. 2: dissatisfied. 1: angry, or gives up.",
    evalType: "continuous_qualitative",
    configuration: { min: 1, max: 5 },
    category: "Customer Experience",
    subCategory: "Satisfaction"
  }),
  byJudge({
    id: 106,
    slug: "sentiment",
    name: "Sentiment",
    measures: "The user's mood.",
    unit: "one of its words",
    prompt: "What is the user's prevailing sentiment, judged by what the user says?",
    evalType: "enum",
    enumValues: ["positive", "neutral", "negative"],
    category: "Customer Experience",
    subCategory: "Sentiment"
  }),
  byJudge({
    id: 107,
    slug: "instruction_following",
    name: "Instruction following",
    measures: "Whether the agent does as it is told.",
    unit: "true (it does) or false",
    prompt:
      "Does the agent follow what it is told to be and do, throughout the call? Answer false if it breaks an instruction " +
      "that applied. Instructions whose occasion did not come are followed.",
    evalType: "binary",
    category: "Accuracy",
    subCategory: "Instructions"
  }),
  byJudge({
    id: 108,
    slug: "topic",
    name: "Topic",
    measures: "What the call is about. It fills the call's `topic` where that is empty.",
    unit: "one of its words",
    prompt: "What is the call about? Choose what the user called for first.",
    evalType: "enum",
    enumValues: ["booking", "billing", "account", "technical support", "complaint", "sales", "information", "other"],
    category: "Conversation Quality",
    subCategory: "Topic"
  }),
  byJudge({
    id: 109,
    slug: "dropoff_point",
    name: "Drop-off point",
    measures:
      "At which stage the user left a call that was not over. It fills the call's `dropoff_point` where that is empty.",
    unit: "one of its words",
    prompt:
      "At which stage did the user drop out of the call? Answer none if the call came to its natural end. Quote the last " +
      "turn before the user dropped out.",
    evalType: "enum",
    enumValues: [
      "none",
      "greeting",
      "identification",
      "request",
      "clarification",
      "resolution",
      "confirmation",
      "closing"
    ],
    category: "Customer Experience",
    subCategory: "Drop-off"
  }),
  byJudge({
    id: 110,
    slug: "voicemail_detection",
    name: "Voicemail detection",
    measures: "Whether a voicemail or answering machine took the call.",
    unit: "true (a machine did) or false",
    prompt:
      "Did a voicemail, answering machine or other recorded message take the call instead of a person? Quote the turn that " +
      "shows it, or the first turn of the person.",
    evalType: "binary",
    category: "Conversation Quality",
    subCategory: "Voicemail"
  })
]

const bySlug = new Map(predefinedEntries.map((entry) => [entry.slug, entry]))

/** The entry that a `service_defined_metric_code` names. A metric's code is its slug. */
export const predefinedEntry = (code: string): PredefinedEntry | undefined => bySlug.get(code)

/** The whole catalogue as metrics of one agent. */
export const predefinedForAgent = (owner: {
  readonly agentId: AgentId
  readonly projectId: ProjectId
}): ReadonlyArray<NewMetric> =>
  predefinedEntries.map((entry, position) => ({
    ...owner,
    slug: entry.slug,
    predefinedCode: entry.slug,
    name: entry.name,
    description: entry.description,
    type: entry.type,
    evalType: entry.evalType,
    enumValues: entry.enumValues,
    prompt: entry.prompt,
    configuration: entry.configuration,
    functionName: entry.functionName,
    displayOrder: position
  }))

/** The whole catalogue as one organisation sees it. */
export const predefinedMetrics = (organizationId: OrganizationId): ReadonlyArray<PredefinedMetric> =>
  predefinedEntries.map(
    (entry) =>
      new PredefinedMetric({
        id: MetricId.make(entry.id),
        name: entry.name,
        description: entry.description,
        code: entry.slug,
        slug: entry.slug,
        type: entry.type,
        evalType: entry.evalType,
        audioEnabled: false,
        prompt: entry.prompt,
        functionName: entry.functionName,
        enumValues: entry.enumValues,
        customCode: "",
        simulationEnabled: true,
        observabilityEnabled: true,
        configuration: entry.configuration,
        cost: costOf(entry),
        evaluationTrigger: "always",
        evaluationTriggerPrompt: "",
        category: entry.category,
        subCategory: entry.subCategory,
        organizationId
      })
  )
