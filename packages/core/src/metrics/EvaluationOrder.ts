/** The order in which metrics are evaluated. */
import type { Metric } from "./Metric.js"
import { isFormulaName, type FormulaName } from "./Formulas.js"
import { isJudged, dependenciesOf } from "./MetricRules.js"

/** The formula of a metric; undefined for one with custom code or a language model. */
export const formulaOf = (metric: Metric): FormulaName | undefined =>
  !isJudged(metric) && metric.customCode.trim() === "" && isFormulaName(metric.functionName)
    ? metric.functionName
    : undefined

export interface EvaluationOrder {
  readonly formulas: ReadonlyArray<Metric>
  readonly judged: ReadonlyArray<Metric>
  /** Each after its dependencies; otherwise by display order and id. */
  readonly code: ReadonlyArray<Metric>
  /** Code metrics in a dependency cycle. */
  readonly circular: ReadonlyArray<Metric>
}

const byDisplay = (a: Metric, b: Metric): number => a.displayOrder - b.displayOrder || a.id - b.id

/**
 * Formulas first, then judges, then code, which may read the results of those and of the code metrics that it names in
 * `configuration.depends_on`. Named metrics that are not in the list count with their earlier results.
 */
export const evaluationOrder = (metrics: ReadonlyArray<Metric>): EvaluationOrder => {
  const code = metrics.filter((metric) => !isJudged(metric) && formulaOf(metric) === undefined).toSorted(byDisplay)
  const named = new Map<string, Metric>()
  for (const metric of code) {
    named.set(String(metric.id), metric)
    if (metric.slug !== null) named.set(metric.slug, metric)
  }
  const waiting = new Map(
    code.map((metric) => [
      metric,
      new Set(
        dependenciesOf(metric.configuration).flatMap((name): ReadonlyArray<Metric> => {
          const needed = named.get(name)
          return needed === undefined ? [] : [needed]
        })
      )
    ])
  )
  const ordered: Array<Metric> = []
  for (;;) {
    const next = [...waiting].find(([, needs]) => [...needs].every((needed) => !waiting.has(needed)))
    if (next === undefined) break
    ordered.push(next[0])
    waiting.delete(next[0])
  }
  return {
    formulas: metrics.filter((metric) => formulaOf(metric) !== undefined).toSorted(byDisplay),
    judged: metrics.filter(isJudged).toSorted(byDisplay),
    code: ordered,
    circular: [...waiting.keys()]
  }
}
