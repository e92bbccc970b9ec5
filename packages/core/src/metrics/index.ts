export { predefinedEntries, predefinedEntry, LATENCY_SLUG, predefinedMetrics } from "./PredefinedMetrics.js"
export { type PreviousResult, type EvaluatedSubject, expectedOutcomeOf } from "./EvaluatedSubject.js"
export { directionOf } from "./Direction.js"
export {
  encodeEvaluation,
  type Evaluated,
  type Evaluation,
  type EvaluationDetail,
  EvaluationJson,
  EvaluationStatus,
  type Judgment,
  type Outcome,
  type StoredEvaluation
} from "./Evaluation.js"
export { type DirectedScore, scoreInWords } from "./ScoreWords.js"
export { evaluationOrder } from "./EvaluationOrder.js"
export { CHARGE_REASON } from "./EvaluationCharges.js"
export { Evaluations } from "./Evaluations.js"
export { EvaluationStore } from "./EvaluationStore.js"
export { type EvaluationRequest as MetricEvaluation, layer as scorer, type Postponed, Scorer } from "./Scorer.js"
export { type FormulaCall, type FormulaContext, formulaContext } from "./FormulaContext.js"
export { formulaNames, type FormulaName, measure } from "./Formulas.js"
export { REPROMPT_PHRASES } from "./predefined/ContentMetrics.js"
export { quantile } from "./Statistics.js"
export { decisionOf, questionOf, valueError, type Verdict } from "./LlmJudge.js"
export { type EvaluationValue, type FormulaResult, type Moment } from "./FormulaResult.js"
export {
  encodeMetric,
  type Metric,
  MetricDraft,
  MetricJson,
  MetricPatch,
  type MetricSpec,
  type NewMetric,
  defaultMetricSpec,
  specFromDraft as metricSpecOf
} from "./Metric.js"
export { decidesSuccess, validateMetric, dependenciesOf, scaleOf, slugFor } from "./MetricRules.js"
export { MetricQuery, Metrics } from "./Metrics.js"
export { MetricStore } from "./MetricStore.js"
export { type Direction, EvalType, EvaluationTrigger, MetricType, wordsOf } from "./MetricTerms.js"
export { encodePredefinedMetric, MetricCategory, type PredefinedEntry, PredefinedMetric } from "./PredefinedMetric.js"
export { evaluationPrices } from "./EvaluationPrices.js"
export { costOf, isCharged } from "./Price.js"
export { type Code, CodeFailed, type CodeInput, Sandbox } from "./Sandbox.js"
export { type Interval, type Segment, type Speech, speechOf, type TimedSpeech, timedSpeech, totalOf } from "./Speech.js"
export { countWords } from "./Words.js"
