import { CallId, type CallRecord, Calls, CurrentActor, encodeCallRecord } from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { printSeconds } from "../charts/Numbers.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, idOf, withEngine } from "../Session.js"
import { type CallerOptions, plainEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { neutralised, neutralisedLines, printJson } from "../Text.js"

interface Common extends CallerOptions {
  readonly database: string
  readonly json: boolean
}

export interface Selection {
  readonly filter: Option.Option<string>
  readonly agent: Option.Option<number>
  readonly project: Option.Option<number>
}

/** Which calls are meant, as `Calls.list` takes it. */
const selected = ({ agent, filter, project }: Selection) => ({
  ...Option.match(filter, { onNone: () => ({}), onSome: (text) => ({ filters_v2: text }) }),
  ...Option.match(agent, { onNone: () => ({}), onSome: (id) => ({ agent_id: id }) }),
  ...Option.match(project, { onNone: () => ({}), onSome: (id) => ({ project: id }) })
})

/** As the wire has it, cut to whole seconds. */
const lengthOf = (call: CallRecord): string =>
  call.durationSeconds === null ? "" : printSeconds(Math.floor(call.durationSeconds))

const statusOf = (call: CallRecord): string => encodeCallRecord({ ...call, transcript: null }).status ?? ""

/** How calls stand in a table. */
export const callColumns: ReadonlyArray<Column<CallRecord>> = [
  { name: "ID", of: (call) => String(call.id), right: true },
  { name: "CALL", of: (call) => call.callId, least: 12 },
  { name: "WHEN (UTC)", of: (call) => DateTime.formatIso(call.timestamp).slice(0, 16).replace("T", " ") },
  { name: "LENGTH", of: lengthOf, right: true },
  { name: "STATUS", of: statusOf, least: 7 },
  { name: "ENDED", of: (call) => call.callEndedReason ?? "", least: 10 },
  { name: "AGENT", of: (call) => call.agentName, least: 8 }
]

export const list = (options: Common & Selection & PageOptions): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const page = yield* calling(caller, (yield* Calls).list)({ ...pageQuery(options), ...selected(options) })
    yield* printPage(page, {
      json: options.json,
      encode: encodeCallRecord,
      columns: callColumns,
      none: "There are no such calls."
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** A call for people: what is known of it, who said what, and what metrics came to. */
const describe = (call: CallRecord, columns: number): ReadonlyArray<string> => {
  const wire = encodeCallRecord(call)
  const known: ReadonlyArray<readonly [string, string | null]> = [
    ["Call", wire.call_id],
    ["When", wire.timestamp],
    ["Agent", `${wire.agent_name} (${call.agentId})`],
    ["Length", call.durationSeconds === null ? "" : wire.duration],
    ["Status", wire.status],
    ["Ended", wire.call_ended_reason],
    ["Customer", wire.customer_number],
    ["Topic", wire.topic],
    ["Dropped off", wire.dropoff_point],
    ["Feedback", wire.feedback],
    ["Fault", wire.error_message],
    ["Trace", wire.trace_id],
    ["Metadata", call.metadata === null ? "" : printJson(call.metadata)],
    ["Recording", call.recording === null ? "" : `${call.recording.contentType}, ${call.recording.sizeBytes} bytes`]
  ]
  // What was said comes before what was measured of it, which may be long.
  const scores = wire.metrics.filter(({ value }) => value !== null && value !== "")
  return [
    ...known.flatMap(([name, value]) =>
      value === null || value === "" ? [] : [`${name.padEnd(12)} ${neutralised(value)}`]
    ),
    ...(wire.transcript === "" ? [] : ["", neutralisedLines(wire.transcript)]),
    ...(scores.length === 0 ? [] : ["", ...table(scoreColumns, scores, columns)])
  ]
}

const scoreColumns: ReadonlyArray<Column<{ readonly name: string; readonly value: unknown }>> = [
  { name: "METRIC", of: ({ name }) => name, least: 16 },
  { name: "VALUE", of: ({ value }) => String(value), least: 16 }
]

export const show = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(CallId, "Call", options.id)
    const call = yield* calling(caller, (yield* Calls).read)(id)
    yield* screen.print(options.json ? printJson(encodeCallRecord(call)) : describe(call, screen.columns).join("\n"))
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** Every call that is meant, a line of JSON each, read and written page by page. */
export const exportCalls = (options: Common & Selection): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const actor = yield* caller.admit("calls.export")
    const calls = yield* Calls
    yield* calls.export(selected(options)).pipe(
      Stream.provideService(CurrentActor, actor),
      Stream.map((call) => printJson(encodeCallRecord(call))),
      Stream.grouped(50),
      Stream.runForEach((lines) => screen.print([...lines].join("\n")))
    )
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
