/**
 * The predefined metrics (interface, E11). Each description states what is measured, by which formula, in which unit and
 * from what. Speech means the segments of `Speech.speechOf`: a speaker's turns without their
 * pauses, merged where they overlap or touch.
 */
import { MetricId, type OrganizationId } from "../kernel/Ids.js"
import { evaluationPrices } from "./EvaluationPrices.js"
import { formulaMetrics } from "./Formulas.js"
import type { NewMetric } from "./Metric.js"
import type { FormulaMetric, JudgeMetric } from "./predefined/Definition.js"
import { judgeMetrics } from "./predefined/JudgeMetrics.js"
import { type PredefinedEntry, PredefinedMetric } from "./PredefinedMetric.js"

/** The slug of the metric that measures how long callers wait for an answer, in milliseconds. */
export const LATENCY_SLUG = "latency_ms"

const formulaEntries = (functionName: string, metric: FormulaMetric): ReadonlyArray<PredefinedEntry> => {
  const { basis, better, category, evalType, subCategory, unit } = metric
  const entryOf = (
    slug: string,
    one: Pick<FormulaMetric, "id" | "revision" | "name" | "measures" | "formula" | "configuration">
  ) => ({
    id: one.id,
    revision: one.revision,
    slug,
    name: one.name,
    description: `${one.measures} Formula: ${one.formula} Unit: ${unit}. Basis: ${basis}`,
    type: "custom_code" as const,
    evalType,
    functionName,
    prompt: "",
    enumValues: null,
    configuration: one.configuration ?? null,
    cost: evaluationPrices.formula,
    better,
    category,
    subCategory
  })
  return [
    entryOf(functionName, metric),
    ...Object.entries(metric.variants ?? {}).map(([slug, variant]) => entryOf(slug, variant))
  ]
}

const judgeEntry = (slug: string, metric: JudgeMetric): PredefinedEntry => ({
  id: metric.id,
  revision: metric.revision,
  slug,
  name: metric.name,
  description:
    `${metric.measures} Formula: a language model answers the metric's prompt and quotes the turn that decides. ` +
    `Unit: ${metric.unit}. Basis: the text of all turns and the agent's description.`,
  type: "llm_judge",
  evalType: metric.evalType,
  functionName: "",
  prompt: metric.prompt,
  enumValues: metric.enumValues ?? null,
  configuration: metric.configuration ?? null,
  cost: evaluationPrices.judge,
  better: metric.better,
  category: metric.category,
  subCategory: metric.subCategory
})

/** Every predefined metric, in the order of lists: by id. */
export const predefinedEntries: ReadonlyArray<PredefinedEntry> = [
  ...Object.entries<FormulaMetric>(formulaMetrics).flatMap(([name, metric]) => formulaEntries(name, metric)),
  ...Object.entries<JudgeMetric>(judgeMetrics).map(([slug, metric]) => judgeEntry(slug, metric))
].toSorted((a, b) => a.id - b.id)

/** The latest revision of the predefined metrics; see `FormulaMetric.revision`. */
export const predefinedRevision = Math.max(...predefinedEntries.map(({ revision }) => revision))

const bySlug = new Map(predefinedEntries.map((entry) => [entry.slug, entry]))

/** The entry that a `service_defined_metric_code` names. A predefined metric's code is its slug. */
export const predefinedEntry = (code: string): PredefinedEntry | undefined => bySlug.get(code)

/** All predefined metrics, as each agent has them. */
export const predefinedMetricSpecs: ReadonlyArray<Omit<NewMetric, "projectId" | "agentId">> = predefinedEntries.map(
  (entry, position) => ({
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
  })
)

/** All predefined metrics, as an organization lists them. */
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
        cost: entry.cost,
        evaluationTrigger: "always",
        evaluationTriggerPrompt: "",
        category: entry.category,
        subCategory: entry.subCategory,
        organizationId
      })
  )
