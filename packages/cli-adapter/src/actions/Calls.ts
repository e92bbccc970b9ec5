import {
  CallId,
  type CallRecord,
  Calls,
  CurrentActor,
  encodeCallRecord,
  encodeExpandedCall,
  encodeListedCall,
  expandedIn,
  type ListedCall
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { printSeconds } from "../charts/Numbers.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, defined, plainEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { sanitize, sanitizeLines, jsonLine } from "../Text.js"

export interface Selection {
  readonly filter: string | undefined
  readonly agent: number | undefined
  readonly project: number | undefined
}

/** The selection as the query of `Calls.list`. */
const selectionQuery = ({ agent, filter, project }: Selection) =>
  defined({ filters_v2: filter, agent_id: agent, project })

/** Whole seconds, as the API has them. */
const lengthOf = (call: ListedCall): string =>
  call.durationSeconds === null ? "" : printSeconds(Math.floor(call.durationSeconds))

const statusOf = (call: ListedCall): string => encodeListedCall(call).status ?? ""

/** The columns of a table of calls. */
export const callColumns: ReadonlyArray<Column<ListedCall>> = [
  { name: "ID", of: (call) => String(call.id), right: true },
  { name: "CALL", of: (call) => call.callId, least: 12 },
  { name: "WHEN (UTC)", of: (call) => DateTime.formatIso(call.timestamp).slice(0, 16).replace("T", " ") },
  { name: "LENGTH", of: lengthOf, right: true },
  { name: "STATUS", of: statusOf, least: 7 },
  { name: "ENDED", of: (call) => call.callEndedReason ?? "", least: 10 },
  { name: "AGENT", of: (call) => call.agentName, least: 8 }
]

/** `--expand`, for JSON output. */
interface ExpandOption {
  readonly expand?: string | undefined
}

export const list = (options: CommonOptions & Selection & PageOptions & ExpandOption): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const query = { ...pageQuery(options), ...selectionQuery(options), ...defined({ expand: options.expand }) }
    const page = yield* callAs(caller, (yield* Calls).list)(query)
    const { expand } = yield* expandedIn(query)
    yield* printPage(page, {
      json: options.json,
      encode: (call) => encodeListedCall(call, expand),
      columns: callColumns,
      none: "No calls found."
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** A call as text: its fields, its transcript, its metric values. */
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
    ["Error", wire.error_message],
    ["Trace", wire.trace_id],
    ["Metadata", call.metadata === null ? "" : jsonLine(call.metadata)],
    ["Recording", call.recording === null ? "" : `${call.recording.contentType}, ${call.recording.sizeBytes} bytes`]
  ]
  // The transcript comes first, since the table of metrics may be long.
  const scores = wire.metrics.filter(({ value }) => value !== null && value !== "")
  return [
    ...known.flatMap(([name, value]) =>
      value === null || value === "" ? [] : [`${name.padEnd(12)} ${sanitize(value)}`]
    ),
    ...(wire.transcript === "" ? [] : ["", sanitizeLines(wire.transcript)]),
    ...(scores.length === 0 ? [] : ["", ...table(scoreColumns, scores, columns)])
  ]
}

const scoreColumns: ReadonlyArray<Column<{ readonly name: string; readonly value: unknown }>> = [
  { name: "METRIC", of: ({ name }) => name, least: 16 },
  { name: "VALUE", of: ({ value }) => String(value), least: 16 }
]

export const show = (options: CommonOptions & ExpandOption & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(CallId, "Call", options.id)
    const { expand } = yield* expandedIn(defined({ expand: options.expand }))
    const call = yield* callAs(caller, (yield* Calls).read)(id)
    yield* screen.print(
      options.json ? jsonLine(encodeExpandedCall(call, expand)) : describe(call, screen.columns).join("\n")
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** Prints all matching calls as one line of JSON each. Calls are streamed. */
export const exportCalls = (options: CommonOptions & Selection & ExpandOption): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const actor = yield* caller.admit("calls.export")
    const calls = yield* Calls
    const query = { ...selectionQuery(options), ...defined({ expand: options.expand }) }
    const { expand } = yield* expandedIn(query)
    yield* calls.export(query).pipe(
      Stream.provideService(CurrentActor, actor),
      Stream.map((call) => jsonLine(encodeExpandedCall(call, expand))),
      Stream.runForEachChunk((lines) => screen.print([...lines].join("\n")))
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))
