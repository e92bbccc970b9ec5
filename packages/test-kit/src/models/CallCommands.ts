/** Command sequences over calls and dashboards, and concurrent requests, compared with the model. */
import * as fc from "fast-check"
import { at, isObject, listAt } from "../Documents.js"
import { assertHolds, yieldingProperty, expectEqual, parameters } from "../Property.js"
import {
  aggregateOf,
  callStep,
  type CallAnswer,
  type CallState,
  type CallStep,
  chartErrors,
  chargeOf,
  dayOf,
  deleteStep,
  deliverStep,
  deliveryOf,
  everything,
  filters,
  isEuropean,
  isLong,
  type ModelCall,
  type ModelFilter,
  type ModelWidget,
  noCalls,
  reviewStep,
  type ShownCall,
  shownOf,
  stepCalls
} from "./CallModel.js"
import type { DriverResponse, Driver } from "./Drivers.js"
import { linearization, type Transition } from "./Linearizable.js"
import { asyncCommand, checkCommandSequences, elementAt, type ModelOptions } from "./CommandSequences.js"
import { type Coverage, CoverageCounter } from "./Coverage.js"

/** A driver, and an agent without calls in a project without dashboards. */
export interface CallFixture {
  readonly driver: Driver
  readonly project: number
  readonly agent: number
}

export const OBSERVE = "/observability/v1/observe/"
const LOGS = "/observability/v1/call-logs/"
export const DASHBOARDS = "/dashboards/dashboards/"
export const WIDGETS = "/dashboards/widgets/"

const wireShown = (body: unknown): ShownCall => ({
  call_id: String(at(body, "call_id")),
  call_ended_reason: String(at(body, "call_ended_reason")),
  feedback: String(at(body, "feedback")),
  duration: String(at(body, "duration")),
  success: nullable(at(body, "success"), Boolean),
  is_reviewed: at(body, "is_reviewed") === true,
  status: nullable(at(body, "status"), String)
})

const nullable = <A>(value: unknown, read: (value: unknown) => A): A | null => (value === null ? null : read(value))

const answerOf = ({ body, errors, outcome }: DriverResponse): CallAnswer => ({
  outcome,
  errors,
  shown: isObject(body) ? wireShown(body) : null
})

/** Sends a step; a call is addressed by the id last returned for it, or by an unknown one. */
export const ask = (
  { agent, driver }: CallFixture,
  step: CallStep,
  ids: ReadonlyMap<string, number>
): Promise<DriverResponse> => {
  const path = `${LOGS}${ids.get(step.name) ?? 999_999_999}/`
  switch (step.does) {
    case "deliver":
      return driver("POST", OBSERVE, deliveryOf(step, agent))
    case "review": {
      const { does: _, name: __, ...patch } = step
      return driver("PATCH", path, patch)
    }
    case "delete":
      return driver("DELETE", path)
  }
}

const seenCalls = async ({ agent, driver }: CallFixture, filter: unknown = {}) =>
  listAt(
    (
      await driver(
        "GET",
        `${LOGS}?agent_id=${agent}&limit=200&filters_v2=${encodeURIComponent(JSON.stringify(filter))}`
      )
    ).body,
    "results"
  )

const byName = (one: { readonly call_id: string }, other: { readonly call_id: string }) =>
  one.call_id < other.call_id ? -1 : 1

const shownCalls = (state: CallState, filter?: ModelFilter): ReadonlyArray<ShownCall> =>
  [...state.calls]
    .filter(([, call]) => filter === undefined || filter.holds(call))
    .map(([name, call]) => shownOf(name, call))
    .sort(byName)

/** The charges of a project for redaction, ascending. */
export const seenCharges = async ({ driver, project }: CallFixture): Promise<ReadonlyArray<string>> => {
  const page = await driver("GET", "/credits/ledger/?limit=200")
  return listAt(page.body, "results")
    .flatMap((entry) => (at(entry, "project") === project ? [String(at(entry, "amount"))] : []))
    .sort()
}

export const expectedCharges = ({ charges }: CallState): ReadonlyArray<string> =>
  [...charges.values()].map(chargeOf).sort()

/** Events that the command sequences have to cover. */
const kinds = [
  "call created",
  "call redelivered",
  "call redelivered with fewer fields",
  "call redelivered with feedback that differs from a person's",
  "delivery rejected",
  "charged",
  "reviewed",
  "review of an unknown call",
  "deleted",
  "deletion of an unknown call",
  "call created again after a deletion",
  "list filtered",
  "dashboard created",
  "dashboard rejected",
  "dashboard changed",
  "dashboard deleted with its widgets",
  "widget created",
  "widget rejected",
  "widget changed",
  "change of a widget rejected",
  "stat shows calls",
  "bar shows calls",
  "pie shows calls",
  "call excluded by the dashboard's filter",
  "call excluded by the widget's filter"
] as const
type Kind = (typeof kinds)[number]

class Model {
  constructor(public coverage: CoverageCounter<Kind>) {}
  calls: CallState = noCalls
  readonly ids = new Map<string, number>()
  readonly dashboards = new Map<number, ModelFilter>()
  readonly widgets = new Map<number, ModelWidget>()
}

type Command = fc.AsyncCommand<Model, CallFixture>

/** After each command, the calls and charges that are listed are the model's. */
const command = (name: string, run: Command["run"]): Command =>
  asyncCommand(name, async (model, fixture) => {
    await run(model, fixture)
    const calls = (await seenCalls(fixture)).map(wireShown).sort(byName)
    expectEqual(`after ${name} the calls are`, calls, shownCalls(model.calls))
    expectEqual(`after ${name} the charges are`, await seenCharges(fixture), expectedCharges(model.calls))
  })

/** The events of a step, from the states before and after it. */
const kindsOf = (
  before: CallState,
  step: CallStep,
  { answer, state }: Transition<CallState, CallAnswer>
): Array<Kind> => {
  const was = before.calls.get(step.name)
  switch (step.does) {
    case "review":
      return [was === undefined ? "review of an unknown call" : "reviewed"]
    case "delete":
      return [was === undefined ? "deletion of an unknown call" : "deleted"]
    case "deliver": {
      if (answer.outcome === "refused") return ["delivery rejected"]
      const { feedback, reason, region } = step
      const keeps =
        (was?.reason !== "" && reason === undefined) ||
        (was?.region !== null && region === undefined && was !== undefined)
      return [
        ...(was === undefined
          ? ([
              "call created",
              ...(before.made.has(step.name) ? ["call created again after a deletion" as const] : [])
            ] as const)
          : ([
              "call redelivered",
              ...(keeps ? ["call redelivered with fewer fields" as const] : []),
              ...(was.byPerson && feedback !== undefined && feedback !== was.feedback
                ? ["call redelivered with feedback that differs from a person's" as const]
                : [])
            ] as const)),
        ...(state.charges.size > before.charges.size ? ["charged" as const] : [])
      ]
    }
  }
}

const applyStep = (step: CallStep): Command =>
  command(JSON.stringify(step), async (model, fixture) => {
    const answered = await ask(fixture, step, model.ids)
    const { answer, state } = stepCalls(model.calls, step)
    expectEqual(`${JSON.stringify(step)} was answered`, answerOf(answered), answer)
    model.coverage.count(...kindsOf(model.calls, step, { answer, state }))
    model.calls = state
    const id = at(answered.body, "id")
    if (typeof id !== "number") return
    const known = model.ids.get(step.name)
    if (answered.outcome === "done" && known !== undefined) expectEqual(`the id of ${step.name}`, id, known)
    model.ids.set(step.name, id)
  })

const anyFilter = fc.constantFrom(...filters)
const printed = ({ wire }: ModelFilter) => JSON.stringify(wire)

const filtering = (filter: ModelFilter): Command =>
  command(`list ${printed(filter)}`, async (model, fixture) => {
    const seen = await seenCalls(fixture, filter.wire)
    const expected = shownCalls(model.calls, filter)
    expectEqual(`what matches ${printed(filter)}`, seen.map(wireShown).sort(byName), expected)
    if (expected.length > 0 && expected.length < model.calls.calls.size) model.coverage.count("list filtered")
  })

const makingDashboard = (filter: ModelFilter, isBroken = false): Command =>
  command(`make a ${isBroken ? "nameless " : ""}dashboard of ${printed(filter)}`, async (model, fixture) => {
    const name = isBroken ? "x".repeat(256) : "Dashboard"
    const answer = await fixture.driver("POST", DASHBOARDS, { name, project: fixture.project, filters: filter.wire })
    expectEqual("the dashboard", [answer.outcome, answer.errors], isBroken ? ["refused", ["name"]] : ["created", []])
    model.coverage.count(isBroken ? "dashboard rejected" : "dashboard created")
    if (!isBroken) model.dashboards.set(Number(at(answer.body, "id")), filter)
  })

const changingDashboard = (which: number, filter: ModelFilter): Command =>
  command(`change dashboard ${which} to ${printed(filter)}`, async (model, { driver }) => {
    const id = elementAt(model.dashboards.keys(), which)
    if (id === undefined) return
    expectEqual("the change", (await driver("PATCH", `${DASHBOARDS}${id}/`, { filters: filter.wire })).outcome, "done")
    model.coverage.count("dashboard changed")
    model.dashboards.set(id, filter)
  })

const removingDashboard = (which: number): Command =>
  command(`remove dashboard ${which}`, async (model, { driver }) => {
    const id = elementAt(model.dashboards.keys(), which)
    if (id === undefined) return
    expectEqual("the removal", (await driver("DELETE", `${DASHBOARDS}${id}/`)).outcome, "done")
    model.dashboards.delete(id)
    for (const [widget, { dashboard }] of [...model.widgets]) {
      if (dashboard !== id) continue
      expectEqual("its widget", (await driver("GET", `${WIDGETS}${widget}/data/`)).outcome, "missing")
      model.coverage.count("dashboard deleted with its widgets")
      model.widgets.delete(widget)
    }
  })

type WidgetFields = Partial<Omit<ModelWidget, "dashboard">>

const aggregates = fc.constantFrom("count", "sum", "avg", "min", "max", "p50", "p95", "p99")

/** Fields of valid charts. */
const wholeChart: fc.Arbitrary<WidgetFields> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      chart_type: fc.constant("bar"),
      field: fc.constant("duration"),
      aggregation_function: aggregates,
      time_period: fc.constantFrom("day", "day", "day", "week"),
      filter: anyFilter
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      chart_type: fc.constantFrom("pie", "pie", "pie", "line"),
      field: fc.constantFrom("call_ended_reason", "call_ended_reason", "success", "metadata.region"),
      aggregation_function: fc.constantFrom(null, ""),
      time_period: fc.constantFrom(null, ""),
      filter: anyFilter
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      chart_type: fc.constant("stat"),
      field: fc.constant(""),
      aggregation_function: fc.constant(null),
      time_period: fc.constant(null),
      filter: anyFilter
    })
  }
)

/** Fields of widgets, many of them invalid together. */
const anyFields: fc.Arbitrary<WidgetFields> = fc.record(
  {
    chart_type: fc.constantFrom("bar", "bar", "bar", "pie", "line", "stat"),
    field: fc.constantFrom("duration", "duration", "success", "call_ended_reason", "metadata.region", ""),
    aggregation_function: fc.constantFrom("count", "sum", "avg", "min", "max", "p50", "p95", "p99", null, ""),
    time_period: fc.constantFrom("day", "week", "", null),
    filter: anyFilter
  },
  { requiredKeys: [] }
)

const widgetFields = fc.oneof({ weight: 3, arbitrary: wholeChart }, { weight: 1, arbitrary: anyFields })

const changedFields: fc.Arbitrary<WidgetFields> = fc.oneof(
  { weight: 2, arbitrary: wholeChart },
  { weight: 2, arbitrary: fc.record({ filter: anyFilter }) },
  { weight: 1, arbitrary: fc.record({ aggregation_function: aggregates }) },
  { weight: 2, arbitrary: anyFields }
)

const wireFields = ({ filter, ...fields }: WidgetFields) => ({
  ...fields,
  ...(filter === undefined ? {} : { filters: filter.wire })
})

const updatedWidget = (widget: ModelWidget, fields: WidgetFields): ModelWidget => {
  const whole = { ...widget, ...fields }
  const orNull = (choice: string | null) => (choice === "" ? null : choice)
  return {
    ...whole,
    aggregation_function: orNull(whole.aggregation_function),
    time_period: orNull(whole.time_period)
  }
}

const noChart = (dashboard: number): ModelWidget => ({
  dashboard,
  chart_type: "stat",
  field: "",
  aggregation_function: null,
  time_period: null,
  filter: everything
})

const sorted = (errors: ReadonlyArray<string>) => [...errors].sort()

const makingWidget = (which: number, fields: WidgetFields): Command => {
  const chart = { chart_type: "bar", ...fields }
  return command(`make a widget ${JSON.stringify(wireFields(chart))} on ${which}`, async (model, { driver }) => {
    const dashboard = elementAt(model.dashboards.keys(), which)
    if (dashboard === undefined) return
    const widget = updatedWidget(noChart(dashboard), chart)
    const errors = sorted(chartErrors(widget))
    const answer = await driver("POST", WIDGETS, { dashboard, ...wireFields(chart) })
    expectEqual("the widget", [answer.outcome, answer.errors], [errors.length === 0 ? "created" : "refused", errors])
    model.coverage.count(errors.length === 0 ? "widget created" : "widget rejected")
    if (errors.length === 0) model.widgets.set(Number(at(answer.body, "id")), widget)
  })
}

const changingWidget = (which: number, fields: WidgetFields): Command =>
  command(`change widget ${which} by ${JSON.stringify(wireFields(fields))}`, async (model, { driver }) => {
    const found = elementAt(model.widgets, which)
    if (found === undefined) return
    const [id, before] = found
    const widget = updatedWidget(before, fields)
    const errors = sorted(chartErrors(widget))
    const answer = await driver("PATCH", `${WIDGETS}${id}/`, wireFields(fields))
    expectEqual("the change", [answer.outcome, answer.errors], [errors.length === 0 ? "done" : "refused", errors])
    model.coverage.count(errors.length === 0 ? "widget changed" : "change of a widget rejected")
    if (errors.length === 0) model.widgets.set(id, widget)
  })

export const near = (value: unknown): unknown => (typeof value === "number" ? Number(value.toPrecision(9)) : value)

/** Compares the data of a widget with the model. */
const showing = (which: number): Command =>
  command(`show widget ${which}`, async (model, { driver }) => {
    const found = elementAt(model.widgets, which)
    if (found === undefined) return
    const [id, widget] = found
    const outer = model.dashboards.get(widget.dashboard)
    const isIn = (call: ModelCall) => outer?.holds(call) !== false
    const calls = [...model.calls.calls].filter(([, call]) => widget.filter.holds(call) && isIn(call))
    const all = [...model.calls.calls.values()]
    if (all.some((call) => widget.filter.holds(call) && !isIn(call)))
      model.coverage.count("call excluded by the dashboard's filter")
    if (all.some((call) => isIn(call) && !widget.filter.holds(call)))
      model.coverage.count("call excluded by the widget's filter")
    const { body } = await driver("GET", `${WIDGETS}${id}/data/`)
    if (widget.chart_type === "stat") {
      const known = calls.flatMap(([, { success }]) => (success === null ? [] : [Number(success)]))
      const lengths = calls.flatMap(([, { seconds }]) => (seconds === null ? [] : [seconds]))
      const mean = (values: ReadonlyArray<number>) => (values.length === 0 ? null : aggregateOf("avg", values))
      expectEqual(
        "the figures",
        [at(body, "total_calls"), near(at(body, "success_rate")), near(at(body, "avg_duration"))],
        [calls.length, near(mean(known)), near(mean(lengths))]
      )
      if (known.length > 0 && lengths.length > 0) model.coverage.count("stat shows calls")
    }
    if (widget.chart_type === "bar" && widget.field === "duration" && widget.time_period === "day") {
      const { aggregation_function: aggregate } = widget
      const days = new Map<string, Array<number>>()
      for (const [name, { seconds }] of calls) {
        if (seconds !== null) days.set(dayOf(name), [...(days.get(dayOf(name)) ?? []), seconds])
      }
      const expected = [...days]
        .sort()
        .map(([day, values]) => [day, near(aggregateOf(aggregate ?? "", values)), values.length])
      const shown = listAt(body, "series").flatMap((series) =>
        listAt(series, "points").flatMap((point) =>
          at(point, "count") === 0 ? [] : [[at(point, "timestamp"), near(at(point, "value")), at(point, "count")]]
        )
      )
      expectEqual("the bars", shown, expected)
      if (expected.length > 0) model.coverage.count("bar shows calls")
    }
    if (widget.chart_type === "pie" && widget.field === "call_ended_reason") {
      const counts = new Map<string, number>()
      for (const [, { reason }] of calls) if (reason !== "") counts.set(reason, (counts.get(reason) ?? 0) + 1)
      const shown = listAt(body, "series").flatMap((series) =>
        listAt(series, "points").flatMap((slice) =>
          at(slice, "kind") === "value" ? [[String(at(slice, "key")), Number(at(slice, "value"))] as const] : []
        )
      )
      expectEqual("the slices", shown.toSorted(), [...counts].toSorted())
      if (counts.size > 0) model.coverage.count("pie shows calls")
    }
  })

/**
 * Run before every sequence: calls that are redelivered, reviewed and charged, and a chart of each kind on a dashboard with
 * filters that exclude calls.
 */
const setUpCommands: ReadonlyArray<Command> = [
  applyStep({
    does: "deliver",
    name: "a",
    reason: "hangup",
    feedback: "good",
    region: "eu",
    seconds: 10,
    redact: false
  }),
  applyStep({ does: "deliver", name: "b", reason: "transfer", region: "us", seconds: 90, redact: true }),
  applyStep({ does: "deliver", name: "d", region: "eu", seconds: 1, redact: false }),
  applyStep({ does: "review", name: "a", success: true, feedback: "fine" }),
  applyStep({ does: "deliver", name: "a", feedback: "bad", seconds: 20, redact: true }),
  filtering(isEuropean),
  makingDashboard(isEuropean),
  makingWidget(0, {
    chart_type: "bar",
    field: "duration",
    aggregation_function: "sum",
    time_period: "day",
    filter: isLong
  }),
  showing(0),
  makingWidget(0, { chart_type: "pie", field: "call_ended_reason" }),
  showing(1),
  makingWidget(0, { chart_type: "stat", filter: isLong }),
  showing(2)
]

const commands: ReadonlyArray<fc.Arbitrary<Command>> = [
  ...Array.from({ length: 6 }, () => callStep.map(applyStep)),
  anyFilter.map(filtering),
  fc.tuple(anyFilter, fc.nat({ max: 3 })).map(([filter, chance]) => makingDashboard(filter, chance === 0)),
  fc.tuple(fc.nat(), anyFilter).map(([which, filter]) => changingDashboard(which, filter)),
  fc.nat().map(removingDashboard),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(fc.nat(), widgetFields).map(([which, fields]) => makingWidget(which, fields))
  ),
  fc.tuple(fc.nat(), changedFields).map(([which, fields]) => changingWidget(which, fields)),
  ...Array.from({ length: 3 }, () => fc.nat().map(showing))
]

/**
 * Fails when a driver differs from the model after some sequence of commands, each on a fixture of its own. Returns the
 * coverage of all sequences.
 */
export const checkCallModel = (fixture: () => Promise<CallFixture>, options: ModelOptions): Promise<Coverage> =>
  checkCommandSequences({
    name: "calls and dashboards match the model",
    kinds,
    model: (coverage) => new Model(coverage),
    fixture,
    setUpCommands,
    commands,
    options
  })

/** Steps to send concurrently, after some that are sent one by one. */
const concurrentSteps = fc.record({
  before: fc.array(deliverStep, { minLength: 1, maxLength: 3 }),
  steps: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: deliverStep },
      { weight: 2, arbitrary: reviewStep },
      { weight: 1, arbitrary: deleteStep }
    ),
    { minLength: 2, maxLength: 5, size: "max" }
  )
})

/** Events that the concurrent requests have to cover. */
const concurrentKinds = [
  "call created",
  "call redelivered",
  "delivery rejected",
  "reviewed",
  "deleted",
  "call delivered twice concurrently",
  "call delivered and reviewed concurrently",
  "call delivered and deleted concurrently"
] as const

/**
 * Fails when concurrent deliveries, reviews and deletions are not linearizable: no order of them explains the responses and
 * the final state. Returns the coverage.
 */
export const checkConcurrentCalls = async (
  fixture: () => Promise<CallFixture>,
  options: ModelOptions
): Promise<Coverage> => {
  const coverage = new CoverageCounter(concurrentKinds)
  const details = await fc.check(
    yieldingProperty([concurrentSteps], async ({ before, steps }) => {
      const real = await fixture()
      const ids = new Map<string, number>()
      let initial = noCalls
      for (const step of before) {
        const { body } = await ask(real, step, ids)
        initial = stepCalls(initial, step).state
        const id = at(body, "id")
        if (typeof id === "number") ids.set(step.name, id)
      }
      // Reviews and deletions address calls of before; a call created meanwhile has another id.
      const asked = steps.filter((step) => step.does === "deliver" || ids.has(step.name))
      const isDeleted = (name: string) => asked.some((step) => step.does === "delete" && step.name === name)
      const known = asked.filter((step) => step.does !== "review" || !isDeleted(step.name))
      const operations = await Promise.all(
        known.map(async (step) => ({ step, answer: answerOf(await ask(real, step, ids)) }))
      )
      for (const { answer, step } of operations) {
        const { outcome } = answer
        if (step.does === "deliver")
          coverage.count(
            outcome === "created" ? "call created" : outcome === "done" ? "call redelivered" : "delivery rejected"
          )
        else if (outcome === "done") coverage.count(step.does === "review" ? "reviewed" : "deleted")
      }
      const done = operations.filter(({ answer }) => answer.outcome !== "refused").map(({ step }) => step)
      const together = (one: CallStep["does"], other: CallStep["does"]) =>
        done.some((a, at) =>
          done.some((b, then) => at !== then && a.name === b.name && a.does === one && b.does === other)
        )
      if (together("deliver", "deliver")) coverage.count("call delivered twice concurrently")
      if (together("deliver", "review")) coverage.count("call delivered and reviewed concurrently")
      if (together("deliver", "delete")) coverage.count("call delivered and deleted concurrently")
      const seen = (await seenCalls(real)).map(wireShown).sort(byName)
      const charges = await seenCharges(real)
      const order = linearization({
        initial,
        operations,
        apply: stepCalls,
        isSame: (one, other) => JSON.stringify(one) === JSON.stringify(other),
        isFinal: (state) =>
          JSON.stringify([shownCalls(state), expectedCharges(state)]) === JSON.stringify([seen, charges])
      })
      if (order === undefined)
        throw new Error(`These steps are not linearizable: ${JSON.stringify({ operations, seen, charges }, null, 2)}`)
    }),
    parameters(options.runs)
  )
  assertHolds("concurrent requests on calls are linearizable", details)
  return coverage.result
}
