/** What any implementation of the chart rules has to keep to. */
import { FieldErrors, ProjectId, type WidgetReferences, type WidgetSpec } from "@earshot/core"
import type * as Either from "effect/Either"
import * as fc from "fast-check"
import { type Property, property } from "../Property.js"
import { anyInput, invalidWidgetFields, severalInvalidFields } from "./InvalidWidgets.js"
import { widgetJson } from "./WidgetArbitraries.js"

/** Judges a patch laid over a stored widget (null for a new one). */
export type WidgetValidator = (
  stored: WidgetSpec | null,
  input: unknown,
  referred: WidgetReferences
) => Either.Either<WidgetSpec, FieldErrors.FieldErrors>

/** The wire form of what is kept, as a client would send it again. */
const wireOf = (spec: WidgetSpec) => ({
  dashboard: spec.dashboardId,
  name: spec.name,
  chart_type: spec.chartType,
  filters: spec.filters.given,
  data_type: spec.dataType,
  field: spec.field,
  metric: spec.metricId,
  time_period: spec.timePeriod,
  aggregation_function: spec.aggregationFunction,
  group_by: spec.groupBy,
  metadata: spec.metadata
})

/** Two projects. */
const projects = fc
  .uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 2 })
  .map(([one = 1, other = 2]) => ({ own: ProjectId.make(one), other: ProjectId.make(other) }))

/** A widget that names a metric, whether it plots it or not. */
const ofMetric = widgetJson().map((input): typeof input => ({ metric: 1, ...input }))

/** A widget that names none. */
const ofNoMetric = widgetJson().filter((input) => !Object.hasOwn(input, "metric"))

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** `referred` says what the ids 1 to 4 stand for: a dashboard, and numeric metrics, of one project. */
export const chartRuleProperties = (judge: WidgetValidator, referred: WidgetReferences): ReadonlyArray<Property> => {
  const widget = widgetJson()
  const faultsOf = (input: unknown, stored: WidgetSpec | null = null, found = referred): FieldErrors.FieldErrors | undefined => {
    const judged = judge(stored, input, found)
    return judged._tag === "Left" ? judged.left : undefined
  }
  const kept = (input: unknown, stored: WidgetSpec | null = null): WidgetSpec | undefined => {
    const judged = judge(stored, input, referred)
    return judged._tag === "Right" ? judged.right : undefined
  }
  const pathsOf = (input: unknown, stored: WidgetSpec | null, found: WidgetReferences): string =>
    Object.keys(faultsOf(input, stored, found) ?? {}).join()
  /** What a widget's ids stand for: a dashboard of one project, and a metric of another or the same. */
  const within = (dashboard: ProjectId, metric: ProjectId): WidgetReferences => ({
    dashboard: { projectId: dashboard },
    metric: { evalType: "numeric", projectId: metric }
  })
  return [
    property("what the rules allow passes", [widget], (input) => faultsOf(input) === undefined),
    property("an empty patch changes nothing", [widget], (input) => {
      const spec = kept(input)
      return spec !== undefined && same(kept({}, spec), spec)
    }),
    property("what is kept passes again as it is shown", [widget], (input) => {
      const spec = kept(input)
      return spec !== undefined && same(kept(wireOf(spec)), spec)
    }),
    property("a patch of every field makes of any widget what it makes of none", [widget, widget], (before, after) => {
      const stored = kept(before)
      const spec = kept(after)
      return stored !== undefined && spec !== undefined && same(kept(wireOf(spec), stored), spec)
    }),
    property("blank is null where nothing is chosen", [widget], (input) => {
      const blank = Object.fromEntries(
        Object.entries(input).map(([key, value]) => [
          key,
          value === null && key !== "filters" && key !== "metadata" ? "" : value
        ])
      )
      return same(kept(blank), kept(input))
    }),
    property("read-only and unknown fields are passed over", [widget], (input) =>
      same(
        kept({
          ...input,
          id: "x",
          effective_filters: 1,
          metric_name: 5,
          created_at: {},
          updated_at: [],
          colour: "red"
        }),
        kept(input)
      )
    ),
    property("whatever comes in gives a widget or faults that say something", [anyInput], (input) => {
      const faults = faultsOf(input)
      return (
        faults === undefined ||
        (Object.keys(faults).length > 0 &&
          Object.values(faults).every((messages) => messages.length > 0 && messages.every((one) => one.length > 0)))
      )
    }),
    property(
      "what is no object is a fault of no field, whatever is stored",
      [widget, fc.oneof(fc.constantFrom(null, undefined, true, "", "x", 7), fc.array(fc.anything(), { maxLength: 2 }))],
      (input, patch) => {
        const stored = kept(input)
        return (
          Object.hasOwn(faultsOf(patch) ?? {}, FieldErrors.NON_FIELD) &&
          stored !== undefined &&
          pathsOf(patch, stored, referred) === FieldErrors.NON_FIELD
        )
      }
    ),
    property("a fault is told under its path", [widget, fc.constantFrom(...invalidWidgetFields)], (input, { patch, path }) =>
      Object.hasOwn(faultsOf({ ...input, ...patch }) ?? {}, path)
    ),
    property("every fault is told, not the first", [widget, severalInvalidFields], (input, broken) => {
      const faults = faultsOf(broken.reduce((whole, { patch }) => ({ ...whole, ...patch }), input)) ?? {}
      return broken.every(({ path }) => Object.hasOwn(faults, path))
    }),
    property("a fault in a patch is a fault whatever is stored", [widget, severalInvalidFields], (input, broken) => {
      const faults =
        faultsOf(
          broken.reduce((whole, { patch }) => ({ ...whole, ...patch }), {}),
          kept(input) ?? null
        ) ?? {}
      return broken.every(({ path }) => Object.hasOwn(faults, path))
    }),
    property(
      "a metric of the dashboard's project passes, whichever project it is",
      [ofMetric, projects],
      (input, { own }) => pathsOf(input, null, within(own, own)) === ""
    ),
    property(
      "a metric of another project than the dashboard's is a fault",
      [ofMetric, projects],
      (input, { other, own }) => pathsOf(input, null, within(own, other)) === "metric"
    ),
    property(
      "a metric that is not there is a fault",
      [ofMetric, projects],
      (input, { own }) => pathsOf(input, null, { ...within(own, own), metric: null }) === "metric"
    ),
    property(
      "a dashboard that is not there is a fault",
      [ofMetric, projects],
      (input, { own }) => pathsOf(input, null, { ...within(own, own), dashboard: null }) === "dashboard"
    ),
    property("a dashboard and a metric that are not there are two faults", [ofMetric], (input) => {
      const paths = Object.keys(faultsOf(input, null, { dashboard: null, metric: null }) ?? {})
      return paths.toSorted().join() === "dashboard,metric"
    }),
    property(
      "a widget that is moved to a project leaves no metric behind",
      [ofMetric, projects],
      (input, { other, own }) => {
        const stored = kept(input)
        return stored !== undefined && pathsOf({ dashboard: 2 }, stored, within(other, own)) === "metric"
      }
    ),
    property("a widget without a metric needs none that is there", [ofNoMetric, projects], (input, { other, own }) =>
      [null, { projectId: other, evalType: "numeric" as const }].every(
        (metric) => pathsOf(input, null, { dashboard: { projectId: own }, metric }) === ""
      )
    )
  ]
}
