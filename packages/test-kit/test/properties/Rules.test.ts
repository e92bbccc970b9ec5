/** The engine's rules about outcomes, results and metrics satisfy the kit's properties. */
import {
  applyEvaluations,
  costOf,
  criteriaOf,
  csvHeader,
  csvLine,
  evaluationOrder,
  failureReason,
  fillPlaceholders,
  firstRecord,
  FolderPathRules,
  gateFailures,
  isCharged,
  Pages,
  placeholdersOf,
  repeatsOf,
  successByCriteria,
  successOf
} from "@earshot/core"
import { CallKit, CatalogKit, FrequencyKit, MetricKit, PageKit, type Properties, ResultKit } from "@earshot/test-kit"
import { describe, it } from "vitest"

const verify = (subject: string, properties: ReadonlyArray<Properties.Property>): void => {
  describe(subject, () => {
    for (const { check, name } of properties) it(name, () => check(), 600_000)
  })
}

verify("outcomes of calls", CallKit.outcomeProperties({ successOf, apply: applyEvaluations }))
verify("success criteria of runs", ResultKit.criteriaProperties({ criteriaOf, failureReason, successByCriteria }))
verify("gates", ResultKit.gateProperties(gateFailures))
verify("repeats", ResultKit.repeatProperties(repeatsOf))
verify("prices of metrics", MetricKit.metricPriceProperties({ costOf, isCharged }))
verify("the order of evaluations", MetricKit.evaluationOrderProperties(evaluationOrder))
verify("calls as CSV", CallKit.csvProperties({ header: csvHeader, line: csvLine, first: firstRecord }))
verify("folder paths", CatalogKit.folderPathProperties(FolderPathRules))
verify("placeholders", CatalogKit.placeholderProperties({ fill: fillPlaceholders, namesIn: placeholdersOf }))
verify("pages", PageKit.pageRuleProperties(Pages))

// With EARSHOT_KIT_REPORT the frequencies are printed too.
verify(
  "arbitraries",
  FrequencyKit.frequencyProperties((text) => {
    if (process.env.EARSHOT_KIT_REPORT !== undefined) process.stdout.write(`${text}\n`)
  })
)
