/** Properties of the chart rules. */
import { FieldErrors, ProjectId, type WidgetReferences, type WidgetSpec } from "@earshot/core"
import type * as Either from "effect/Either"
import * as fc from "fast-check"
import {
  type Property,
  property,
  expectEqual,
  expectPresent,
  expectOrdered,
  expectEvery,
  expectIncludes
} from "../Property.js"
import { anyInput, invalidWidgetFields, severalInvalidFields } from "./InvalidWidgets.js"
import { widgetJson } from "./WidgetArbitraries.js"

/** Validates a patch of a stored widget, or the draft of a new one (null). */
export type WidgetValidator = (
  stored: WidgetSpec | null,
  input: unknown,
  references: WidgetReferences
) => Either.Either<WidgetSpec, FieldErrors.FieldErrors>

/** The JSON form of a stored widget, as a client would send it again. */
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

/** A widget with a metric, whether it plots it or not. */
const ofMetric = widgetJson().map((input): typeof input => ({ metric: 1, ...input }))

/** A widget without a metric. */
const ofNoMetric = widgetJson().filter((input) => !Object.hasOwn(input, "metric"))

/** `references`: what the ids 1 to 4 refer to, a dashboard and numeric metrics of one project. */
export const chartRuleProperties = (
  validate: WidgetValidator,
  references: WidgetReferences
): ReadonlyArray<Property> => {
  const widget = widgetJson()
  const errorsOf = (
    input: unknown,
    stored: WidgetSpec | null = null,
    found = references
  ): FieldErrors.FieldErrors | undefined => {
    const validated = validate(stored, input, found)
    return validated._tag === "Left" ? validated.left : undefined
  }
  const accepted = (input: unknown, stored: WidgetSpec | null = null): WidgetSpec | undefined => {
    const validated = validate(stored, input, references)
    return validated._tag === "Right" ? validated.right : undefined
  }
  const pathsOf = (input: unknown, stored: WidgetSpec | null, found: WidgetReferences): string =>
    Object.keys(errorsOf(input, stored, found) ?? {}).join()
  /** References to a dashboard and a metric, of these projects. */
  const ofProjects = (dashboard: ProjectId, metric: ProjectId): WidgetReferences => ({
    dashboard: { projectId: dashboard },
    metric: { evalType: "numeric", projectId: metric }
  })
  return [
    property("a valid widget is accepted", [widget], (input) => {
      expectEqual("errorsOf(input)", errorsOf(input), undefined)
    }),
    property("an empty patch changes nothing", [widget], (input) => {
      const spec = accepted(input)
      expectPresent("spec", spec)
      expectEqual("accepted({}, spec)", accepted({}, spec), spec)
    }),
    property("the JSON form of a stored widget is accepted again", [widget], (input) => {
      const spec = accepted(input)
      expectPresent("spec", spec)
      expectEqual("accepted(wireOf(spec))", accepted(wireOf(spec)), spec)
    }),
    property("a patch of every field replaces any stored widget", [widget, widget], (before, after) => {
      const stored = accepted(before)
      const spec = accepted(after)
      expectPresent("stored", stored)
      expectPresent("spec", spec)
      expectEqual("accepted(wireOf(spec), stored)", accepted(wireOf(spec), stored), spec)
    }),
    property("blank is the same as null", [widget], (input) => {
      const blank = Object.fromEntries(
        Object.entries(input).map(([key, value]) => [
          key,
          value === null && key !== "filters" && key !== "metadata" ? "" : value
        ])
      )
      expectEqual("accepted(blank)", accepted(blank), accepted(input))
    }),
    property("read-only and unknown fields are ignored", [widget], (input) => {
      expectEqual(
        'accepted({ ...input, id: "x", effective_filters: 1, metric_name: 5, created_at: {}, upd...',
        accepted({
          ...input,
          id: "x",
          effective_filters: 1,
          metric_name: 5,
          created_at: {},
          updated_at: [],
          color: "red"
        }),
        accepted(input)
      )
    }),
    property("any input is accepted or rejected with messages", [anyInput], (input) => {
      const errors = errorsOf(input)
      if (!(errors === undefined)) {
        expectOrdered("Object.keys(errors).length", Object.keys(errors).length, ">", 0)
        expectEvery(
          "Object.values(errors)",
          Object.values(errors),
          (messages) => messages.length > 0 && messages.every((one) => one.length > 0)
        )
      }
    }),
    property(
      "an input that is not an object is a non-field error, whatever is stored",
      [widget, fc.oneof(fc.constantFrom(null, undefined, true, "", "x", 7), fc.array(fc.anything(), { maxLength: 2 }))],
      (input, patch) => {
        const stored = accepted(input)
        expectIncludes("keys of errorsOf(patch) ?? {}", Object.keys(errorsOf(patch) ?? {}), FieldErrors.NON_FIELD)
        expectPresent("stored", stored)
        expectEqual("pathsOf(patch, stored, references)", pathsOf(patch, stored, references), FieldErrors.NON_FIELD)
      }
    ),
    property(
      "an error is reported under its path",
      [widget, fc.constantFrom(...invalidWidgetFields)],
      (input, { patch, path }) => {
        expectIncludes(
          "keys of errorsOf({ ...input, ...patch }) ?? {}",
          Object.keys(errorsOf({ ...input, ...patch }) ?? {}),
          path
        )
      }
    ),
    property("every error is reported", [widget, severalInvalidFields], (input, broken) => {
      const errors = errorsOf(broken.reduce((whole, { patch }) => ({ ...whole, ...patch }), input)) ?? {}
      expectEvery("broken", broken, ({ path }) => Object.hasOwn(errors, path))
    }),
    property("an error in a patch is reported whatever is stored", [widget, severalInvalidFields], (input, broken) => {
      const errors =
        errorsOf(
          broken.reduce((whole, { patch }) => ({ ...whole, ...patch }), {}),
          accepted(input) ?? null
        ) ?? {}
      expectEvery("broken", broken, ({ path }) => Object.hasOwn(errors, path))
    }),
    property("a metric of the dashboard's project is accepted", [ofMetric, projects], (input, { own }) => {
      expectEqual("pathsOf(input, null, ofProjects(own, own))", pathsOf(input, null, ofProjects(own, own)), "")
    }),
    property(
      "a metric of another project than the dashboard's is an error",
      [ofMetric, projects],
      (input, { other, own }) => {
        expectEqual(
          "pathsOf(input, null, ofProjects(own, other))",
          pathsOf(input, null, ofProjects(own, other)),
          "metric"
        )
      }
    ),
    property("a metric that does not exist is an error", [ofMetric, projects], (input, { own }) => {
      expectEqual(
        "pathsOf(input, null, { ...ofProjects(own, own), metric: null })",
        pathsOf(input, null, { ...ofProjects(own, own), metric: null }),
        "metric"
      )
    }),
    property("a dashboard that does not exist is an error", [ofMetric, projects], (input, { own }) => {
      expectEqual(
        "pathsOf(input, null, { ...ofProjects(own, own), dashboard: null })",
        pathsOf(input, null, { ...ofProjects(own, own), dashboard: null }),
        "dashboard"
      )
    }),
    property("a dashboard and a metric that do not exist are two errors", [ofMetric], (input) => {
      const paths = Object.keys(errorsOf(input, null, { dashboard: null, metric: null }) ?? {})
      expectEqual("paths.toSorted().join()", paths.toSorted().join(), "dashboard,metric")
    }),
    property(
      "a widget cannot move to another project than its metric's",
      [ofMetric, projects],
      (input, { other, own }) => {
        const stored = accepted(input)
        expectPresent("stored", stored)
        expectEqual(
          "pathsOf({ dashboard: 2 }, stored, ofProjects(other, own))",
          pathsOf({ dashboard: 2 }, stored, ofProjects(other, own)),
          "metric"
        )
      }
    ),
    property("a widget without a metric needs no metric to exist", [ofNoMetric, projects], (input, { other, own }) => {
      expectEvery(
        '[null, { projectId: other, evalType: "numeric" as const }]',
        [null, { projectId: other, evalType: "numeric" as const }],
        (metric) => pathsOf(input, null, { dashboard: { projectId: own }, metric }) === ""
      )
    })
  ]
}
