import type { JudgeMetrics } from "./Definition.js"

/** Metrics that a language model answers from the transcript. */
export const judgeMetrics = {
  expected_outcome: {
    id: 101,
    revision: 1,
    name: "Expected outcome",
    measures: "Whether the call reached its expected outcome. It decides the call's `success`.",
    unit: "true (it did) or false",
    prompt:
      "Did the call reach its expected outcome? Where an expected outcome is given, hold the call to every part of it. " +
      "Where none is given, the expected outcome is that the agent does what the user called for, as far as what the " +
      "agent is told to be allows it.",
    evalType: "binary",
    configuration: { decides_success: true },
    category: "Accuracy",
    subCategory: "Outcome",
    better: "higher"
  },
  hallucination: {
    id: 102,
    revision: 1,
    name: "Hallucination",
    measures: "Whether the agent states only what it can know.",
    unit: "true (nothing is made up) or false",
    prompt:
      "Is everything that the agent states as a fact supported by what it is told to be, by what the user said or by the " +
      "results of its tools? Answer false if it states a fact that is contradicted by these or found in none of them. " +
      "Courtesies, opinions and what everybody knows are no such facts.",
    evalType: "binary",
    category: "Accuracy",
    subCategory: "Faithfulness",
    better: "higher"
  },
  relevancy: {
    id: 103,
    revision: 1,
    name: "Relevancy",
    measures: "How well the agent's replies address what the user said.",
    unit: "1 (beside the point) to 5 (always to the point)",
    prompt:
      "How relevant are the agent's replies to what the user said just before? 5: every reply addresses it. 4: one small " +
      "digression. 3: several digressions. 2: most replies miss it. 1: the agent ignores the user.",
    evalType: "continuous_qualitative",
    configuration: { min: 1, max: 5 },
    category: "Accuracy",
    subCategory: "Relevancy",
    better: "higher"
  },
  response_consistency: {
    id: 104,
    revision: 1,
    name: "Response consistency",
    measures: "Whether the agent contradicts itself.",
    unit: "true (consistent) or false",
    prompt:
      "Are the agent's statements consistent with each other through the whole call? Answer false if it contradicts " +
      "something it said before without saying that it corrects itself.",
    evalType: "binary",
    category: "Accuracy",
    subCategory: "Consistency",
    better: "higher"
  },
  csat: {
    id: 105,
    revision: 1,
    name: "Customer satisfaction",
    measures: "How satisfied the user seems.",
    unit: "1 (very dissatisfied) to 5 (very satisfied)",
    prompt:
      "How satisfied is the user with the call, judged by what the user says? 5: pleased or thankful beyond politeness. 4: " +
      "satisfied. 3: neutral. 2: dissatisfied. 1: angry, or gives up.",
    evalType: "continuous_qualitative",
    configuration: { min: 1, max: 5 },
    category: "Customer Experience",
    subCategory: "Satisfaction",
    better: "higher"
  },
  sentiment: {
    id: 106,
    revision: 1,
    name: "Sentiment",
    measures: "The user's mood.",
    unit: "one of its words",
    prompt: "What is the user's prevailing sentiment, judged by what the user says?",
    evalType: "enum",
    enumValues: ["positive", "neutral", "negative"],
    category: "Customer Experience",
    subCategory: "Sentiment",
    better: null
  },
  instruction_following: {
    id: 107,
    revision: 1,
    name: "Instruction following",
    measures: "Whether the agent follows its instructions.",
    unit: "true (it does) or false",
    prompt:
      "Does the agent follow what it is told to be and do, throughout the call? Answer false if it breaks an instruction " +
      "that applied. Instructions whose occasion did not come are followed.",
    evalType: "binary",
    category: "Accuracy",
    subCategory: "Instructions",
    better: "higher"
  },
  topic: {
    id: 108,
    revision: 1,
    name: "Topic",
    measures: "What the call is about. It sets the call's `topic` if that is empty.",
    unit: "one of its words",
    prompt: "What is the call about? Choose what the user called for first.",
    evalType: "enum",
    enumValues: ["booking", "billing", "account", "technical support", "complaint", "sales", "information", "other"],
    category: "Conversation Quality",
    subCategory: "Topic",
    better: null
  },
  dropoff_point: {
    id: 109,
    revision: 1,
    name: "Drop-off point",
    measures:
      "At which stage the user left a call that was not over. It sets the call's `dropoff_point` if that is empty.",
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
    subCategory: "Drop-off",
    better: null
  },
  voicemail_detection: {
    id: 110,
    revision: 1,
    name: "Voicemail detection",
    measures: "Whether a voicemail or answering machine took the call.",
    unit: "true (a machine did) or false",
    prompt:
      "Did a voicemail, answering machine or other recorded message take the call instead of a person? Quote the turn that " +
      "shows it, or the first turn of the person.",
    evalType: "binary",
    category: "Conversation Quality",
    subCategory: "Voicemail",
    better: null
  }
} as const satisfies JudgeMetrics
