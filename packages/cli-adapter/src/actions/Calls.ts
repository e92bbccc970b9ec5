import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { send, streamLines } from "../Api.js"
import { type InputOptions, readInput } from "../Assignments.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { clockOf, describeRecording } from "../Recording.js"
import { describeRedactions } from "../Redactions.js"
import { type CommonOptions, defined } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { onTarget } from "../Target.js"
import { evaluationColumns } from "./Metrics.js"
import { sanitize, sanitizeLines, jsonLine } from "../Text.js"
import { printMinute, type Wire } from "../Wire.js"

export interface Selection {
  readonly filter: string | undefined
  readonly agent: number | undefined
  readonly project: number | undefined
}

/** The selection as the query of the list. */
const selectionQuery = ({ agent, filter, project }: Selection) =>
  defined({ filters_v2: filter, agent_id: agent, project })

/** The API's duration of a call whose length is not known. */
const UNKNOWN_LENGTH = "00:00"

/** The columns of a table of calls. */
export const callColumns: ReadonlyArray<Column<Wire<"ListedCall">>> = [
  { name: "ID", of: (call) => String(call.id), right: true },
  { name: "CALL", of: (call) => call.call_id, least: 12 },
  { name: "WHEN (UTC)", of: (call) => printMinute(call.timestamp) },
  { name: "LENGTH", of: ({ duration }) => (duration === UNKNOWN_LENGTH ? "" : duration), right: true },
  { name: "STATUS", of: (call) => call.status ?? "", least: 7 },
  { name: "ENDED", of: (call) => call.call_ended_reason, least: 10 },
  { name: "AGENT", of: (call) => call.agent_name, least: 8 }
]

/** `--expand`, for JSON output. */
interface ExpandOption {
  readonly expand?: string | undefined
}

export const list = (options: CommonOptions & Selection & PageOptions & ExpandOption): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/observability/v1/call-logs/", {
      query: { ...pageQuery(options), ...selectionQuery(options), ...defined({ expand: options.expand }) }
    })
    yield* printPage(page, { json: options.json, columns: callColumns, none: "No calls found." })
  }).pipe(onTarget(options))

type Facet = Wire<"CallFacets">["facets"][number]

interface FacetRow {
  readonly field: string
  readonly value: string
  readonly count: number
}

const facetColumns: ReadonlyArray<Column<FacetRow>> = [
  { name: "FIELD", of: ({ field }) => field, least: 10 },
  { name: "VALUE", of: ({ value }) => value, least: 10 },
  { name: "CALLS", of: ({ count }) => String(count), right: true }
]

const facetRows = ({ field, missing, other, values }: Facet): ReadonlyArray<FacetRow> => [
  ...values.map(({ count, value }) => ({ field, value: String(value), count })),
  ...(other === 0 ? [] : [{ field, value: "(other values)", count: other }]),
  ...(missing === 0 ? [] : [{ field, value: "(none)", count: missing }])
]

/** How many calls have each value. What was not counted in time is noted, and is no error. */
export const facets = (
  options: CommonOptions & Selection & { readonly fields?: string | undefined; readonly limit?: number | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const counted = yield* send("get", "/observability/v1/call-logs/facets/", {
      query: { ...selectionQuery(options), ...defined({ fields: options.fields, limit: options.limit }) }
    })
    if (options.json) return yield* screen.print(jsonLine(counted))
    const rows = counted.facets.flatMap(facetRows)
    if (rows.length > 0) yield* screen.print(table(facetColumns, rows, screen.columns).join("\n"))
    yield* screen.note(`Calls: ${counted.total}.`)
    if (counted.timed_out.length > 0) {
      yield* screen.note(
        sanitize(`Not counted within the time limit: ${counted.timed_out.join(", ")}. Use a shorter period of time.`)
      )
    }
  }).pipe(onTarget(options))

/** Each tool call on a line, its result on the next. */
const describeToolCalls = ({ tool_calls = [] }: Wire<"ExpandedCall">): ReadonlyArray<string> =>
  tool_calls.length === 0
    ? []
    : [
        "",
        "Tool calls",
        ...tool_calls.flatMap((tool) => [
          sanitize(`[${clockOf(tool.start_time)}] ${tool.name} ${tool.arguments}`),
          ...(tool.result === null ? [] : [sanitize(`  ${tool.succeeded === false ? "failed" : "->"} ${tool.result}`)])
        ])
      ]

const STAGES = [
  ["endpointing", "ENDPOINTING"],
  ["speech_to_text", "STT"],
  ["model_first_token", "FIRST TOKEN"],
  ["text_to_speech_first_byte", "TTS"],
  ["tool", "TOOL"],
  ["end_to_end", "END TO END"]
] as const

type TimedTurn = NonNullable<Wire<"ExpandedCall">["timings"]>[number]

/** The measured stages of each turn in milliseconds; of stages that were never measured there is no column. */
const describeTimings = (
  { timings = [], transcript_object }: Wire<"ExpandedCall">,
  columns: number
): ReadonlyArray<string> => {
  const measured = STAGES.filter(([stage]) => timings.some(({ stages }) => stages[stage] !== undefined))
  const shown: ReadonlyArray<Column<TimedTurn>> = [
    { name: "TURN", of: ({ turn }) => String(turn), least: 4 },
    { name: "AT", of: ({ turn }) => clockOf(transcript_object?.[turn - 1]?.start_time), least: 5 },
    ...measured.map(([stage, name]) => ({
      name,
      of: ({ stages }: TimedTurn) =>
        stages[stage] === undefined ? "" : `${Math.round(stages[stage].seconds * 1000)} ms`,
      least: 8
    }))
  ]
  return timings.length === 0 ? [] : ["", ...table(shown, timings, columns)]
}

/** A call as text: its fields, its transcript, its metric values. */
const describe = (call: Wire<"ExpandedCall">, columns: number): ReadonlyArray<string> => {
  const { metadata } = call
  const known: ReadonlyArray<readonly [string, string | null]> = [
    ["Call", call.call_id],
    ["When", call.timestamp],
    ["Agent", `${call.agent_name} (${call.agent})`],
    ["Length", call.duration === UNKNOWN_LENGTH ? "" : call.duration],
    ["Status", call.status],
    ["Ended", call.call_ended_reason],
    ["Customer", call.customer_number],
    ["Topic", call.topic],
    ["Dropped off", call.dropoff_point],
    ["Feedback", call.feedback],
    ["Error", call.error_message],
    ["Trace", call.trace_id],
    ["Recording", describeRecording(call.recording)],
    ["Metadata", metadata === null || metadata === undefined ? "" : jsonLine(metadata)]
  ]
  // The transcript comes first, since the table of metrics may be long.
  const scores = (call.evaluations ?? []).filter(({ status }) => status === "scored")
  return [
    ...known.flatMap(([name, value]) =>
      value === null || value === "" ? [] : [`${name.padEnd(12)} ${sanitize(value)}`]
    ),
    ...(call.transcript === "" ? [] : ["", sanitizeLines(call.transcript)]),
    ...describeToolCalls(call),
    ...describeTimings(call, columns),
    ...(call.redactions.length === 0 ? [] : ["", "Redacted", ...describeRedactions(call.redactions, columns)]),
    ...(scores.length === 0 ? [] : ["", ...table(evaluationColumns, scores, columns)])
  ]
}

export const show = (options: CommonOptions & ExpandOption & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const expand = options.json ? options.expand : "metadata,tool_calls,timings,recording,evaluations"
    const call = yield* send("get", "/observability/v1/call-logs/{id}/", { id: options.id, query: defined({ expand }) })
    yield* screen.print(options.json ? jsonLine(call) : describe(call, screen.columns).join("\n"))
  }).pipe(onTarget(options))

/** Calls that are printed at a time. */
const PRINTED_AT_ONCE = 50

/** Prints all matching calls as one line of JSON each. Calls are streamed. */
export const exportCalls = (options: CommonOptions & Selection & ExpandOption): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const query = { ...selectionQuery(options), ...defined({ expand: options.expand }) }
    yield* streamLines("/observability/v1/call-logs/export/", { query }).pipe(
      Stream.grouped(PRINTED_AT_ONCE),
      Stream.runForEach((calls) => screen.print([...calls].map(jsonLine).join("\n")))
    )
  }).pipe(onTarget(options))

/** Records a human review. */
export const review = (options: CommonOptions & InputOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const body = yield* readInput(options)
    const call = yield* send("patch", "/observability/v1/call-logs/{id}/", { id: options.id, body })
    yield* options.json
      ? screen.print(jsonLine(call))
      : screen.note(`Reviewed call ${call.id}: ${call.status ?? "no status"}.`)
  }).pipe(onTarget(options))

export const remove = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    yield* send("delete", "/observability/v1/call-logs/{id}/", { id: options.id })
    if (!options.json) yield* screen.note(`Deleted call ${options.id}.`)
  }).pipe(onTarget(options))
