/** Calls as CSV (RFC 4180), for spreadsheets. */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { statusOf } from "../filters/Filter.js"
import * as Expand from "../kernel/Expand.js"
import {
  decodeInput,
  type FieldErrors,
  fieldError,
  Messages,
  NON_FIELD,
  type ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { CallRecord } from "./CallRecord.js"
import { CallQuery } from "./CallQuery.js"
import type { CallExpansions } from "./ListedCall.js"

type Value = string | number | boolean | null

/** The columns that a request may name, with what each has. */
const COLUMNS = {
  id: "the call's id",
  call_id: "the id that the client gave it",
  timestamp: "when the call occurred, ISO 8601 in UTC",
  agent: "the agent's id",
  agent_name: "the agent's name",
  duration_s: "the length in seconds",
  success: "true, false, or blank while unknown",
  status: "success, failure, reviewed_success or reviewed_failure",
  is_reviewed: "whether a person reviewed the call",
  feedback: "the feedback",
  call_ended_reason: "why the call ended",
  customer_number: "the customer's number",
  topic: "the topic",
  dropoff_point: "where the customer gave up",
  trace_id: "the trace's id",
  error_message: "what could not be processed"
} as const

type CsvColumn = keyof typeof COLUMNS

const DEFAULT_COLUMNS = Object.keys(COLUMNS)

const MAX_METRICS = 200

const metricNames = (input: unknown): Either.Either<ReadonlyArray<string>, FieldErrors> => {
  const given = typeof input === "string" ? namesInText(input) : input
  if (!Array.isArray(given)) return Either.left(fieldError(NON_FIELD, Messages.notAList))
  const names = given.filter((name): name is string => typeof name === "string")
  return names.length < given.length
    ? Either.left(fieldError(NON_FIELD, Messages.notAString))
    : names.length > MAX_METRICS
      ? Either.left(fieldError(NON_FIELD, Messages.tooMany(MAX_METRICS)))
      : Either.right([...new Set(names)])
}

const namesInText = (text: string): unknown => {
  if (!text.trimStart().startsWith("[")) return text.split(",").flatMap((name) => name.trim() || [])
  return Either.getOrNull(Either.try((): unknown => JSON.parse(text)))
}

/** The query of an export: that of a list, the format, and the columns and metrics of CSV. */
export const CallExportQuery = Fields.object({
  ...CallQuery.fields,
  format: Fields.withDefault(Fields.choice(["ndjson", "csv"]), "ndjson"),
  columns: Fields.optional(Expand.expandField(COLUMNS)),
  metrics: Fields.optional(
    Fields.custom<ReadonlyArray<string>>(metricNames, (names) => JSON.stringify(names), {
      type: "string",
      description: "Names of metrics whose values are columns: separated by commas, or a JSON list. Default: none."
    })
  )
})

/** Valid columns of a CSV file, in their order. */
export interface CsvColumns {
  readonly columns: ReadonlyArray<string>
  readonly metrics: ReadonlyArray<string>
}

/** The form of an export: CSV with its columns, or JSON with what `expand` names. */
export type CallExportForm =
  | { readonly format: "csv"; readonly columns: CsvColumns }
  | { readonly format: "ndjson"; readonly expand: CallExpansions | undefined }

/** The form that a query asks for; `Calls.export` validates the filters beside it. */
export const callExportForm = (query: unknown): Either.Either<CallExportForm, ValidationFailed> =>
  Either.map(decodeInput(CallExportQuery, query), ({ columns, expand, format, metrics }) =>
    format === "csv"
      ? {
          format,
          columns: {
            columns: columns === undefined || columns.size === 0 ? DEFAULT_COLUMNS : [...columns],
            metrics: metrics ?? []
          }
        }
      : { format, expand }
  )

const valueOf = (call: CallRecord, column: string): Value => {
  // eslint-disable-next-line typescript/consistent-type-assertions -- names were decoded by the same table
  switch (column as CsvColumn) {
    case "id":
      return call.id
    case "call_id":
      return call.callId
    case "timestamp":
      return DateTime.formatIso(call.timestamp)
    case "agent":
      return call.agentId
    case "agent_name":
      return call.agentName
    case "duration_s":
      return call.durationSeconds
    case "success":
      return call.success
    case "status":
      return statusOf(call.success, call.isReviewed)
    case "is_reviewed":
      return call.isReviewed
    case "feedback":
      return call.feedback
    case "call_ended_reason":
      return call.callEndedReason
    case "customer_number":
      return call.customerNumber
    case "topic":
      return call.topic
    case "dropoff_point":
      return call.dropoffPoint
    case "trace_id":
      return call.traceId
    case "error_message":
      return call.errorMessage
  }
}

/** Texts that spreadsheets take for a formula, which could call out or run programs. Source: OWASP, CSV Injection. */
const FORMULA = /^[=+\-@\t\r]/

const cell = (value: Value): string => {
  if (value === null) return ""
  if (typeof value !== "string") return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (values: ReadonlyArray<Value>): string => `${values.map(cell).join(",")}\r\n`

/** The first line: the names of the columns. */
export const csvHeader = ({ columns, metrics }: CsvColumns): string => line([...columns, ...metrics])

/** The line of a call. A metric without a value is blank; of several with one name the first is taken. */
export const csvLine = (call: CallRecord, { columns, metrics }: CsvColumns): string =>
  line([
    ...columns.map((column) => valueOf(call, column)),
    ...metrics.map((name) => call.metrics.find((metric) => metric.name === name)?.value ?? null)
  ])
