import { at, isObject, listAt } from "../Documents.js"
import {
  type CallAnswer,
  type CallState,
  type CallStep,
  chargeOf,
  deliveryOf,
  type ModelFilter,
  type ShownCall,
  shownOf
} from "./CallModel.js"
import type { Driver, DriverResponse } from "./Drivers.js"

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

export const wireShown = (body: unknown): ShownCall => ({
  call_id: String(at(body, "call_id")),
  call_ended_reason: String(at(body, "call_ended_reason")),
  feedback: String(at(body, "feedback")),
  duration: String(at(body, "duration")),
  success: nullable(at(body, "success"), Boolean),
  is_reviewed: at(body, "is_reviewed") === true,
  status: nullable(at(body, "status"), String)
})

const nullable = <A>(value: unknown, read: (value: unknown) => A): A | null => (value === null ? null : read(value))

export const answerOf = ({ body, errors, outcome }: DriverResponse): CallAnswer => ({
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

export const seenCalls = async ({ agent, driver }: CallFixture, filter: unknown = {}) =>
  listAt(
    (
      await driver(
        "GET",
        `${LOGS}?agent_id=${agent}&limit=200&filters_v2=${encodeURIComponent(JSON.stringify(filter))}`
      )
    ).body,
    "results"
  )

export const byName = (one: { readonly call_id: string }, other: { readonly call_id: string }) =>
  one.call_id < other.call_id ? -1 : 1

export const shownCalls = (state: CallState, filter?: ModelFilter): ReadonlyArray<ShownCall> =>
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
