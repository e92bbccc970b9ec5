/** Calls as the events of voice platforms make them: repeated, reordered, delayed, partial, interleaved and concurrent. */
import { Platforms } from "@earshot/core"
import * as fc from "fast-check"
import { at, isObject, listAt } from "../Documents.js"
import {
  type CallPart,
  type CallTruth,
  callTruth,
  envelopesOf,
  type GeneratedEnvelope,
  partialEnvelope
} from "../platforms/GeneratedEnvelopes.js"
import { expectEqual, parameters } from "../Property.js"
import type { CallFixture } from "./CallRequests.js"
import { asyncCommand, checkCommandSequences, type ModelOptions } from "./CommandSequences.js"
import { type Coverage, type CoverageCounter } from "./Coverage.js"

/** Events that the command sequences have to cover. */
const kinds = [
  "event during a call",
  "first event of a call",
  "partial event",
  "event repeated",
  "later event of a call",
  "earlier event after a later one",
  "part that only an earlier event states",
  "events of one call concurrently",
  "events of several calls concurrently"
] as const
type Kind = (typeof kinds)[number]

/** Two calls of each platform, of `provider_b` and `provider_f` four: their calls have several events that are stored. */
const calls: ReadonlyArray<{ readonly platform: Platforms.Platform; readonly truth: CallTruth }> = fc
  .sample(callTruth, { ...parameters(14), numRuns: 14 })
  .map((truth, index) => ({
    platform: [...Platforms.platforms, "provider_b" as const, "provider_f" as const][index % 7] ?? "provider_a",
    truth
  }))

class Model {
  constructor(public coverage: CoverageCounter<Kind>) {}
  /** By call, by event: what its deliveries have stated so far. */
  readonly stated = new Map<number, Map<number, Partial<CallTruth>>>()
}

/** The delivery of one event of one call. */
interface Step {
  readonly call: number
  /** Position among the events of the call, modulo their number. */
  readonly event: number
  readonly omitted: ReadonlyArray<CallPart>
}

const step: fc.Arbitrary<Step> = fc.record({
  call: fc.nat({ max: calls.length - 1 }),
  event: fc.nat({ max: 11 }),
  omitted: fc.oneof(
    fc.constant([]),
    fc.subarray<CallPart>([
      "durationSeconds",
      "endedReason",
      "customerNumber",
      "dynamicVariables",
      "metadata",
      "success",
      "cost",
      "turns"
    ])
  )
})

interface Delivery {
  readonly call: number
  readonly index: number
  readonly platform: Platforms.Platform
  readonly envelope: GeneratedEnvelope
}

const deliveryOf = ({ call, event, omitted }: Step): ReadonlyArray<Delivery> => {
  const made = calls[call]
  if (made === undefined) return []
  const envelopes = envelopesOf(made.platform, made.truth)
  const index = event % envelopes.length
  const envelope = envelopes[index]
  return envelope === undefined
    ? []
    : [{ call, index, platform: made.platform, envelope: partialEnvelope(made.platform, envelope, omitted) }]
}

const roles = { main_agent: "Main Agent", testing_agent: "Testing Agent" } as const

const clock = (seconds: number): string =>
  [seconds / 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":")

/** The stored call: of each part what the latest event states that states it, in whatever order they arrived. */
const expectedCall = (call: number, stated: ReadonlyMap<number, Partial<CallTruth>>) => {
  const { platform, truth } = calls[call] ?? { platform: "provider_a", truth: undefined }
  const inOrder = [...stated].toSorted(([one], [other]) => one - other)
  const known = inOrder.reduce<Partial<CallTruth>>((all, [, states]) => ({ ...all, ...states }), {})
  const { endedReason: reason = "" } = known
  return {
    call_id: truth?.callId,
    // A call whose events state no time has that of its first delivery.
    timestamp: known.startedAt === undefined ? null : new Date(known.startedAt).toISOString(),
    duration: clock(known.durationSeconds ?? 0),
    call_ended_reason: reason.slice(0, 100),
    whole_reason: reason.length > 100 ? reason : undefined,
    customer_number: known.customerNumber ?? "",
    dynamic_variables: sorted(known.dynamicVariables ?? null),
    metadata: sorted(known.metadata ?? {}),
    success: platform === "provider_a" && known.success !== undefined ? String(known.success) : known.success,
    cost: known.cost,
    turns: (known.turns ?? []).map(({ content, speaker, start }) => [roles[speaker], content, start])
  }
}

const storedCall = (body: unknown, hasTime: boolean) => {
  const metadata = at(body, "metadata")
  const { platform: part, ...others } = isObject(metadata) ? metadata : { platform: undefined }
  return {
    call_id: at(body, "call_id"),
    timestamp: hasTime ? at(body, "timestamp") : null,
    duration: at(body, "duration"),
    call_ended_reason: at(body, "call_ended_reason"),
    whole_reason: at(part, "ended_reason"),
    customer_number: at(body, "customer_number"),
    dynamic_variables: sorted(at(body, "dynamic_variables")),
    metadata: sorted(others),
    success: at(part, "success"),
    cost: at(part, "cost"),
    turns: listAt(body, "transcript_object").map((turn) => [
      at(turn, "role"),
      at(turn, "content"),
      at(turn, "start_time")
    ])
  }
}

/** Documents are equal whatever the order of their keys, which databases change. */
const sorted = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

const LISTED = "expand=metadata,dynamic_variables,transcript_object&limit=200"

type Command = fc.AsyncCommand<Model, CallFixture>

const send = async ({ agent, driver }: CallFixture, { envelope, platform }: Delivery) => {
  const { body, outcome } = await driver(
    "POST",
    `/observability/v1/${platform}/observe/?agent_id=${agent}`,
    envelope.body
  )
  const outcomes = [outcome, at(body, "event"), at(body, "outcome"), at(body, "reason")]
  const expected = ["done", envelope.event, envelope.states === undefined ? "skipped" : "stored", null]
  expectEqual(`${platform} ${envelope.event} was answered`, outcomes, expected)
  return at(body, "call", "created") === true
}

/** Counts what a delivery is, and records what it states. */
const deliver = (model: Model, { call, envelope: { states }, index }: Delivery, isPartial: boolean): void => {
  if (states === undefined) {
    model.coverage.count("event during a call")
    return
  }
  const known = model.stated.get(call) ?? new Map<number, Partial<CallTruth>>()
  const others = [...known.keys()]
  const hasLater = others.some((other) => other > index)
  const later = known.get(Math.max(...others))
  model.coverage.count(
    ...(known.size === 0 ? (["first event of a call"] as const) : []),
    ...(isPartial ? (["partial event"] as const) : []),
    ...(known.has(index) ? (["event repeated"] as const) : []),
    ...(others.some((other) => other < index) ? (["later event of a call"] as const) : []),
    ...(hasLater ? (["earlier event after a later one"] as const) : []),
    ...(hasLater && Object.keys(states).some((part) => !Object.hasOwn(later ?? {}, part))
      ? (["part that only an earlier event states"] as const)
      : [])
  )
  model.stated.set(call, new Map(known).set(index, { ...known.get(index), ...states }))
}

/** Sends events concurrently. Each call is created by one delivery, and is then what its events state. */
const sending = (steps: ReadonlyArray<Step>): Command =>
  asyncCommand(JSON.stringify(steps), async (model, fixture) => {
    const deliveries = steps.flatMap(deliveryOf)
    const before = model.stated.size
    const created = await Promise.all(deliveries.map((delivery) => send(fixture, delivery)))
    deliveries.forEach((delivery, position) => {
      deliver(model, delivery, (steps[position]?.omitted.length ?? 0) > 0)
    })
    const finished = deliveries.filter(({ envelope }) => envelope.states !== undefined).map(({ call }) => call)
    if (new Set(finished).size < finished.length) model.coverage.count("events of one call concurrently")
    if (new Set(finished).size > 1) model.coverage.count("events of several calls concurrently")
    expectEqual("created calls", created.filter(Boolean).length, model.stated.size - before)
    const { body } = await fixture.driver("GET", `/observability/v1/call-logs/?agent_id=${fixture.agent}&${LISTED}`)
    const stored = new Map(listAt(body, "results").map((call) => [at(call, "call_id"), call]))
    expectEqual("stored calls", stored.size, model.stated.size)
    for (const call of new Set(finished)) {
      const expected = expectedCall(call, model.stated.get(call) ?? new Map())
      const actual = storedCall(stored.get(expected.call_id), expected.timestamp !== null)
      expectEqual(`the ${calls[call]?.platform} call`, actual, expected)
    }
  })

/**
 * Fails when a stored call differs from what the events delivered so far state of it, whatever their order and number.
 * Returns the coverage of all sequences.
 */
export const checkPlatformEvents = (fixture: () => Promise<CallFixture>, options: ModelOptions): Promise<Coverage> =>
  checkCommandSequences({
    name: "calls of platforms match the events that were delivered",
    kinds,
    model: (coverage) => new Model(coverage),
    fixture,
    setUpCommands: [],
    commands: [
      step.map((one) => sending([one])),
      fc.array(step, { minLength: 2, maxLength: 3 }).map(sending),
      // Events of one call.
      fc
        .tuple(step, fc.array(step, { minLength: 1, maxLength: 2 }))
        .map(([one, others]) => sending([one, ...others.map((other) => ({ ...other, call: one.call }))]))
    ],
    options
  })
