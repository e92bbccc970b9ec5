import type { Json } from "../kernel/Json.js"
import type { Formula, FormulaContext } from "./FormulaContext.js"
import type { FormulaResult } from "./FormulaResult.js"
import { contentMetrics } from "./predefined/ContentMetrics.js"
import type { FormulaMetric } from "./predefined/Definition.js"
import { interruptionMetrics } from "./predefined/InterruptionMetrics.js"
import { latencyMetrics } from "./predefined/LatencyMetrics.js"
import { pacingMetrics } from "./predefined/PacingMetrics.js"
import { stageMetrics } from "./predefined/StageMetrics.js"
import { silenceMetrics } from "./predefined/SilenceMetrics.js"
import { numberSetting, settingsOf } from "./Settings.js"
import { DEFAULT_PAUSE_SECONDS } from "./Speech.js"

/** The formula metrics by the name that a metric's `function_name` gives. */
export const formulaMetrics = {
  ...latencyMetrics,
  ...stageMetrics,
  ...interruptionMetrics,
  ...pacingMetrics,
  ...silenceMetrics,
  ...contentMetrics
} as const

export type FormulaName = keyof typeof formulaMetrics

export const isFormulaName = (name: string): name is FormulaName => Object.hasOwn(formulaMetrics, name)

export const formulaNames: ReadonlyArray<FormulaName> = Object.keys(formulaMetrics).filter(isFormulaName)

const metricOf = (name: FormulaName): FormulaMetric => formulaMetrics[name]

/** Which values of a formula are better. */
export const formulaDirection = (name: FormulaName): FormulaMetric["better"] => metricOf(name).better

/** Computes a formula for a call. */
export const measure = (name: FormulaName, context: FormulaContext, configuration: Json): FormulaResult => {
  const compute: Formula = metricOf(name).compute
  const settings = settingsOf(configuration)
  const pause = numberSetting(settings, "max_pause_s", DEFAULT_PAUSE_SECONDS)
  return compute(pause === DEFAULT_PAUSE_SECONDS ? context : context.withPause(pause), settings)
}
