/**
 * A reference model of calls and dashboards: the effects of deliveries, reviews, filters, charts and charges. It uses one
 * agent and few values, so that commands interact.
 */
import type { DriverResponse } from "./Drivers.js"
import * as fc from "fast-check"
import { rarely } from "./CommandSequences.js"

/** The state of a call in the model. */
export interface ModelCall {
  readonly reason: string
  readonly feedback: string
  readonly byPerson: boolean
  readonly region: string | null
  /** Null without a transcript. */
  readonly seconds: number | null
  readonly success: boolean | null
  readonly isReviewed: boolean
  readonly redacted: boolean
}

export type Calls = ReadonlyMap<string, ModelCall>

/** The calls, and the charges of redaction. */
export interface CallState {
  readonly calls: Calls
  /** Charged seconds, oldest first, by name and creation count of the call. */
  readonly charges: ReadonlyMap<string, number>
  /** How often a call of each name was created. */
  readonly made: ReadonlyMap<string, number>
}

export const noCalls: CallState = { calls: new Map(), charges: new Map(), made: new Map() }

export interface DeliverStep {
  readonly does: "deliver"
  readonly name: string
  readonly reason?: string
  readonly feedback?: string
  readonly region?: string
  readonly seconds?: number
  readonly redact: boolean
  /** An invalid field of the delivery. */
  readonly broken?: "trace_id" | "call_ended_reason" | "agent"
}

export interface ReviewStep {
  readonly does: "review"
  readonly name: string
  readonly success?: boolean | null
  readonly is_reviewed?: boolean
  readonly feedback?: string
}

export interface DeleteStep {
  readonly does: "delete"
  readonly name: string
}

export type CallStep = DeliverStep | ReviewStep | DeleteStep

/** The response to a step. */
export interface CallAnswer {
  readonly outcome: DriverResponse["outcome"]
  readonly errors: ReadonlyArray<string>
  /** The call in the response, where there is one. */
  readonly shown: ShownCall | null
}

/** The compared fields of a call, in wire form. */
export interface ShownCall {
  readonly call_id: string
  readonly call_ended_reason: string
  readonly feedback: string
  readonly duration: string
  readonly success: boolean | null
  readonly is_reviewed: boolean
  readonly status: string | null
}

const clock = (seconds: number): string =>
  `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`

const statusOf = ({ isReviewed, success }: ModelCall): string | null =>
  success === null ? null : `${isReviewed ? "reviewed_" : ""}${success ? "success" : "failure"}`

export const shownOf = (name: string, call: ModelCall): ShownCall => ({
  call_id: name,
  call_ended_reason: call.reason,
  feedback: call.feedback,
  duration: clock(call.seconds ?? 0),
  success: call.success,
  is_reviewed: call.isReviewed,
  status: statusOf(call)
})

const withEntry = <K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> => new Map([...map, [key, value]])

const without = <K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> =>
  new Map([...map].filter(([one]) => one !== key))

const blank: ModelCall = {
  reason: "",
  feedback: "",
  byPerson: false,
  region: null,
  seconds: null,
  success: null,
  isReviewed: false,
  redacted: false
}

interface Transition {
  readonly state: CallState
  readonly answer: CallAnswer
}

const shows = (state: CallState, name: string, outcome: "done" | "created"): Transition => {
  const call = state.calls.get(name)
  return { state, answer: { outcome, errors: [], shown: call === undefined ? null : shownOf(name, call) } }
}

const refuses = (state: CallState, outcome: "refused" | "missing", ...errors: ReadonlyArray<string>): Transition => ({
  state,
  answer: { outcome, errors, shown: null }
})

const BROKEN = {
  trace_id: "x".repeat(33),
  call_ended_reason: "x".repeat(101),
  agent: 999_999_999
} as const

/** The body of a delivery. */
export const deliveryOf = (step: DeliverStep, agent: number): object => ({
  call_id: step.name,
  agent,
  timestamp: TIMES[step.name],
  ...(step.reason === undefined ? {} : { call_ended_reason: step.reason }),
  ...(step.feedback === undefined ? {} : { feedback: step.feedback }),
  ...(step.region === undefined ? {} : { metadata: { region: step.region } }),
  ...(step.seconds === undefined
    ? {}
    : { transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: step.seconds }] }),
  ...(step.redact ? { redact_fields: ["ssn"] } : {}),
  ...(step.broken === undefined ? {} : { [step.broken]: BROKEN[step.broken] })
})

/** The timestamp of each call, the same in every delivery; on several days. */
const TIMES: Readonly<Record<string, string>> = {
  a: "2026-03-10T00:00:00Z",
  b: "2026-03-10T23:59:59.999Z",
  c: "2026-03-11T00:00:00Z",
  d: "2026-03-13T10:00:00Z"
}

const deliver = (state: CallState, step: DeliverStep): Transition => {
  if (step.broken !== undefined) return refuses(state, "refused", step.broken)
  const before = state.calls.get(step.name)
  const was = before ?? blank
  const call: ModelCall = {
    ...was,
    reason: step.reason ?? was.reason,
    feedback: was.byPerson ? was.feedback : (step.feedback ?? was.feedback),
    region: step.region ?? was.region,
    seconds: step.seconds ?? was.seconds,
    // Redaction that was requested once stays requested.
    redacted: was.redacted || step.redact
  }
  const made =
    before === undefined ? withEntry(state.made, step.name, (state.made.get(step.name) ?? 0) + 1) : state.made
  const charged = `${step.name}#${made.get(step.name) ?? 0}`
  const toCharge = call.redacted && call.seconds !== null && !state.charges.has(charged) ? call.seconds : 0
  return shows(
    {
      made,
      calls: withEntry(state.calls, step.name, call),
      charges: toCharge > 0 ? withEntry(state.charges, charged, toCharge) : state.charges
    },
    step.name,
    before === undefined ? "created" : "done"
  )
}

const review = (state: CallState, { feedback, is_reviewed, name, success }: ReviewStep): Transition => {
  const was = state.calls.get(name)
  if (was === undefined) return refuses(state, "missing")
  const call: ModelCall = {
    ...was,
    success: success === undefined ? was.success : success,
    isReviewed: is_reviewed ?? was.isReviewed,
    feedback: feedback ?? was.feedback,
    byPerson: was.byPerson || feedback !== undefined
  }
  return shows({ ...state, calls: withEntry(state.calls, name, call) }, name, "done")
}

/** Applies a step to the model. */
export const stepCalls = (state: CallState, step: CallStep): Transition => {
  switch (step.does) {
    case "deliver":
      return deliver(state, step)
    case "review":
      return review(state, step)
    case "delete":
      return state.calls.has(step.name)
        ? {
            state: { ...state, calls: without(state.calls, step.name) },
            answer: { outcome: "done", errors: [], shown: null }
          }
        : refuses(state, "missing")
  }
}

/** The price of redaction as the ledger prints it: 0.4 credits a minute, rounded half up to six places. */
export const chargeOf = (seconds: number): string => {
  const micros = Math.round((seconds * 400_000) / 60)
  return `${Math.floor(micros / 1_000_000)}.${String(micros % 1_000_000).padStart(6, "0")}`
}

/** A filter and its meaning. */
export interface ModelFilter {
  readonly wire: unknown
  readonly holds: (call: ModelCall) => boolean
}

const leaf = (field: string, op: string, value: unknown) => ({ field, op, value })
const group = (operator: string, ...conditions: ReadonlyArray<unknown>) => ({ operator, conditions })

export const everything: ModelFilter = { wire: {}, holds: () => true }
const isSuccess: ModelFilter = { wire: leaf("success", "eq", true), holds: ({ success }) => success === true }
export const isLong: ModelFilter = {
  wire: leaf("duration", "gte", 20),
  holds: ({ seconds }) => seconds !== null && seconds >= 20
}
export const isEuropean: ModelFilter = {
  wire: leaf("metadata.region", "eq", "eu"),
  holds: ({ region }) => region === "eu"
}

export const filters: ReadonlyArray<ModelFilter> = [
  everything,
  { wire: null, holds: () => true },
  isSuccess,
  isLong,
  isEuropean,
  {
    wire: group("or", isSuccess.wire, isLong.wire),
    holds: (call) => isSuccess.holds(call) || isLong.holds(call)
  },
  {
    wire: group("and", isEuropean.wire, isLong.wire),
    holds: (call) => isEuropean.holds(call) && isLong.holds(call)
  },
  { wire: group("not", isEuropean.wire), holds: (call) => !isEuropean.holds(call) },
  { wire: leaf("duration", "lt", 20), holds: ({ seconds }) => seconds !== null && seconds < 20 },
  { wire: leaf("success", "neq", false), holds: ({ success }) => success !== false },
  { wire: leaf("call_ended_reason", "contains", "ang"), holds: ({ reason }) => reason.includes("ang") }
]

/** A stored chart. */
export interface ModelWidget {
  readonly dashboard: number
  readonly chart_type: string
  readonly field: string
  readonly aggregation_function: string | null
  readonly time_period: string | null
  readonly filter: ModelFilter
}

const NUMERIC = ["count", "sum", "avg", "min", "max", "p50", "p95", "p99"]
const AGGREGATES: Readonly<Record<string, ReadonlyArray<string>>> = {
  duration: NUMERIC,
  success: ["count", "sum", "avg"],
  call_ended_reason: ["count"],
  "metadata.region": NUMERIC
}

/** The invalid fields by the chart rules. Source: interface, Chart rules. */
export const chartErrors = (widget: ModelWidget): ReadonlyArray<string> => {
  const { aggregation_function: aggregate, chart_type: chart, field, time_period: period } = widget
  switch (chart) {
    case "stat":
      return field === "" ? [] : ["field"]
    case "bar":
      return [
        ...(field === "" ? ["field"] : []),
        ...(aggregate === null || (field !== "" && !(AGGREGATES[field] ?? []).includes(aggregate))
          ? ["aggregation_function"]
          : []),
        ...(period === null ? ["time_period"] : [])
      ]
    default:
      return [
        ...(field === "" ? ["field"] : []),
        ...(aggregate === null ? [] : ["aggregation_function"]),
        ...(period === null ? [] : ["time_period"])
      ]
  }
}

/** The aggregate of some numbers; percentiles interpolate between ranks. */
export const aggregateOf = (name: string, values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const sum = sorted.reduce((total, value) => total + value, 0)
  const percentile = (share: number) => {
    const position = share * (sorted.length - 1)
    const low = sorted[Math.floor(position)] ?? 0
    const high = sorted[Math.ceil(position)] ?? 0
    return low + (high - low) * (position - Math.floor(position))
  }
  switch (name) {
    case "count":
      return sorted.length
    case "sum":
      return sum
    case "avg":
      return sum / sorted.length
    case "min":
      return sorted[0] ?? 0
    case "max":
      return sorted.at(-1) ?? 0
    default:
      return percentile(Number(name.slice(1)) / 100)
  }
}

export const dayOf = (name: string): string => `${String(TIMES[name]).slice(0, 10)}T00:00:00.000Z`

const maybe = <A>(of: fc.Arbitrary<A>) => rarely(2, of)

const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  // eslint-disable-next-line typescript/consistent-type-assertions -- what is undefined is left out
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** The first ones are most frequent, so that deliveries interact. */
const name = fc.constantFrom("a", "a", "a", "b", "b", "c", "d")

export const deliverStep: fc.Arbitrary<DeliverStep> = fc
  .record({
    name,
    reason: maybe(fc.constantFrom("hangup", "transfer")),
    feedback: maybe(fc.constantFrom("good", "bad")),
    region: maybe(fc.constantFrom("eu", "us")),
    seconds: maybe(fc.constantFrom(1, 10, 20, 59.5, 90)),
    redact: fc.boolean(),
    broken: rarely(9, fc.constantFrom("trace_id" as const, "call_ended_reason" as const, "agent" as const))
  })
  .map((fields) => ({ does: "deliver", ...given(fields) }))

export const reviewStep: fc.Arbitrary<ReviewStep> = fc
  .record({
    name,
    success: fc.constantFrom(undefined, true, false, null),
    is_reviewed: maybe(fc.boolean()),
    feedback: maybe(fc.constantFrom("fine", "wrong"))
  })
  .map((fields) => ({ does: "review", ...given(fields) }))

export const deleteStep: fc.Arbitrary<DeleteStep> = name.map((one) => ({ does: "delete", name: one }))

export const callStep: fc.Arbitrary<CallStep> = fc.oneof(
  { weight: 5, arbitrary: deliverStep },
  { weight: 2, arbitrary: reviewStep },
  { weight: 1, arbitrary: deleteStep }
)
