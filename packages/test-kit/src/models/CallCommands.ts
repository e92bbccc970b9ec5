import * as fc from "fast-check"
import { at } from "../Documents.js"
import { expectEqual } from "../Property.js"
import {
  type CallAnswer,
  type CallState,
  callStep,
  type CallStep,
  isEuropean,
  isLong,
  type ModelFilter,
  stepCalls
} from "./CallModel.js"
import type { Transition } from "./Linearizable.js"
import { checkCommandSequences, elementAt, type ModelOptions } from "./CommandSequences.js"
import type { Coverage } from "./Coverage.js"
import { callCommand, type Command, command, type Kind, kinds, Model } from "./CallModelState.js"
import {
  answerOf,
  ask,
  byName,
  type CallFixture,
  DASHBOARDS,
  seenCalls,
  shownCalls,
  WIDGETS,
  wireShown
} from "./CallRequests.js"
import { anyFilter, changedFields, changingWidget, makingWidget, showing, widgetFields } from "./WidgetCommands.js"

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
  callCommand(JSON.stringify(step), async (model, fixture) => {
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
