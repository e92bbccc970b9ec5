import type { TimingStage } from "../../transcripts/TurnTiming.js"
import type { Formula, FormulaContext } from "../FormulaContext.js"
import { type FormulaResult, moment, toThousandths, withoutValue } from "../FormulaResult.js"
import type { JsonObject } from "../../kernel/Json.js"
import { sampleResult } from "../Statistics.js"
import type { FormulaMetric, FormulaMetrics } from "./Definition.js"

/** The times of a stage that the platform measured, with their moments; undefined if there are none. */
export const statedResult = (
  { call }: FormulaContext,
  stage: TimingStage,
  configuration: JsonObject | null
): FormulaResult | undefined => {
  const measured = call.turns.flatMap(({ startTime, timing }) => {
    const seconds = timing?.[stage]?.seconds
    return seconds === undefined ? [] : [{ startTime, seconds }]
  })
  if (measured.length === 0) return undefined
  return sampleResult(
    measured.flatMap(({ seconds, startTime }) => (startTime === undefined ? [] : [moment(startTime, seconds)])),
    configuration,
    measured.map(({ seconds }) => toThousandths(seconds * 1000))
  )
}

const stageOf =
  (stage: TimingStage): Formula =>
  (context, configuration) =>
    statedResult(context, stage, configuration) ?? withoutValue("The platform states no such time.")

const stageMetric = (id: number, stage: TimingStage, name: string, measures: string): FormulaMetric => ({
  id,
  revision: 2,
  name,
  measures: `${measures}, on average, as the platform measured it.`,
  formula:
    `the mean of the turns' ${stage.replaceAll("_", " ")} times, stored with p50, p90, p95 and p99. ` +
    "configuration.statistic selects another statistic.",
  unit: "milliseconds",
  basis: "what the platform states of its turns.",
  evalType: "numeric",
  category: "Speech Quality",
  subCategory: "Latency",
  better: "lower",
  compute: stageOf(stage)
})

/** Where the time before an answer goes, as platforms state it. */
export const stageMetrics = {
  endpointing_ms: stageMetric(
    26,
    "endpointing",
    "Endpointing",
    "How long it takes to detect that the user has finished"
  ),
  speech_to_text_ms: stageMetric(
    27,
    "speech_to_text",
    "Speech to text",
    "How long the transcript of the user's speech takes after its end"
  ),
  model_first_token_ms: stageMetric(
    28,
    "model_first_token",
    "Time to first token",
    "How long the language model takes until its first token"
  ),
  text_to_speech_ms: stageMetric(
    29,
    "text_to_speech_first_byte",
    "Text to speech",
    "How long the speech synthesis takes until its first audio"
  ),
  tool_ms: stageMetric(30, "tool", "Tools", "How long the tools take that are called for an answer"),
  stated_latency_ms: stageMetric(31, "end_to_end", "Stated latency", "How long the user waits for the agent's answers")
} as const satisfies FormulaMetrics
