import type * as fc from "fast-check"
import { expectEqual } from "../Property.js"
import { type CallState, type ModelFilter, type ModelWidget, noCalls } from "./CallModel.js"
import { asyncCommand } from "./CommandSequences.js"
import { type CoverageCounter } from "./Coverage.js"
import {
  byName,
  type CallFixture,
  expectedCharges,
  seenCalls,
  seenCharges,
  shownCalls,
  wireShown
} from "./CallRequests.js"

/** Events that the command sequences have to cover. */
export const kinds = [
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

export type Kind = (typeof kinds)[number]

export class Model {
  constructor(public coverage: CoverageCounter<Kind>) {}
  calls: CallState = noCalls
  readonly ids = new Map<string, number>()
  readonly dashboards = new Map<number, ModelFilter>()
  readonly widgets = new Map<number, ModelWidget>()
}

export type Command = fc.AsyncCommand<Model, CallFixture>

/** A command that changes calls: after it, the calls and charges that are listed are the model's. */
export const callCommand = (name: string, run: Command["run"]): Command =>
  asyncCommand(name, async (model, fixture) => {
    await run(model, fixture)
    const calls = (await seenCalls(fixture)).map(wireShown).sort(byName)
    expectEqual(`after ${name} the calls are`, calls, shownCalls(model.calls))
    expectEqual(`after ${name} the charges are`, await seenCharges(fixture), expectedCharges(model.calls))
  })

/** Any other command. What it did to calls is found after the next that changes them: half of all are such. */
export const command: (name: string, run: Command["run"]) => Command = asyncCommand
