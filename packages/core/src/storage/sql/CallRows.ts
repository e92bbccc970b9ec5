/** How calls are read: their rows, and the records these make. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { inInterfaceOrder } from "@earshot/redaction"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Option from "effect/Option"
import { type CallExpansion, type CallExpansions, TRANSCRIPT_EXPANSIONS } from "../../calls/ListedCall.js"
import type { Found, PageRequest } from "../../kernel/Pages.js"
import { hasBudget, reserveBytes, type ResponseBytesExceeded } from "../../kernel/ResponseBytes.js"
import { boundedPage, orderOf, sizeOf, sizes } from "./BoundedPage.js"
import type { CallMetric, CallRecord, Recording } from "../../calls/CallRecord.js"
import { MetricId } from "../../kernel/Ids.js"
import { CallRow, SELECTED } from "./CallColumns.js"
import type { DialectFragments } from "./Dialect.js"
import { jsonColumn, readRows } from "./Rows.js"

const recordingOf = (row: CallRow): Recording | null =>
  row.blob_key === null || row.content_type === null || row.size_bytes === null || row.sha256 === null
    ? null
    : {
        blobKey: row.blob_key,
        contentType: row.content_type,
        sizeBytes: row.size_bytes,
        sha256: row.sha256,
        durationSeconds: row.recording_duration_s,
        channels: row.channels,
        mainAgentChannelIndex: row.main_agent_channel_index
      }

const noFields: CallRecord["redactFields"] = []

/** The fields that a call is redacted by, as its row has them. */
export const fieldsOf = (text: string): CallRecord["redactFields"] =>
  text === "" ? noFields : inInterfaceOrder(text.split(","))

/** A metric of a call in the list that is read with its row. */
const MetricRow = Schema.Struct({
  id: MetricId,
  name: Schema.String,
  type: Schema.String,
  value_kind: Schema.Literal("number", "boolean", "text", "null"),
  value_number: Schema.NullOr(Schema.Number),
  value_text: Schema.NullOr(Schema.String)
})

const toMetric = (row: typeof MetricRow.Type): CallMetric => ({
  id: row.id,
  name: row.name,
  type: row.type,
  score: row.value_number,
  enum: row.value_kind === "text" ? row.value_text : null,
  value:
    row.value_kind === "number"
      ? row.value_number
      : row.value_kind === "boolean"
        ? row.value_number === 1
        : row.value_kind === "text"
          ? row.value_text
          : null
})

const ReadRow = Schema.Struct({ ...CallRow.fields, metrics: jsonColumn(Schema.Array(MetricRow)) })

const toRecord = (row: typeof ReadRow.Type): CallRecord => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  agentId: row.agent_id,
  agentName: row.agent_name,
  callId: row.call_id,
  traceId: row.trace_id,
  timestamp: row.timestamp_ms,
  durationSeconds: row.duration_s,
  statedDurationSeconds: row.stated_duration_s,
  success: row.success,
  isReviewed: row.is_reviewed,
  feedback: row.feedback,
  feedbackByPerson: row.feedback_by_person,
  customerNumber: row.customer_number,
  callEndedReason: row.call_ended_reason,
  dropoffPoint: row.dropoff_point,
  topic: row.topic,
  errorMessage: row.error_message,
  evaluation: row.evaluation,
  metadata: row.metadata,
  dynamicVariables: row.dynamic_variables,
  transcriptType: row.transcript_type,
  transcript: row.transcript,
  recording: recordingOf(row),
  redactFields: fieldsOf(row.redact_fields),
  redactions: row.redactions,
  metrics: row.metrics.map(toMetric),
  requestedMetrics: row.asked_metrics,
  createdAt: row.created_ms,
  updatedAt: row.updated_ms
})

export type ReadError = SqlError | ParseResult.ParseError

/** Readers of whole records. */
export interface CallReader {
  /** The call with an id, if a condition on `calls c` selects it. Its bytes are taken from the request's budget first. */
  readonly one: (condition: Fragment) => Effect.Effect<Option.Option<CallRecord>, ReadError | ResponseBytesExceeded>
  /**
   * A page of the calls that a condition with an order on `calls c` selects, closest to the cursor first, with what is
   * expanded; other documents are null.
   */
  readonly page: (
    pageBytes: number,
    condition: Fragment,
    page: PageRequest,
    expand: CallExpansions
  ) => Effect.Effect<Found<CallRecord>, ReadError | ResponseBytesExceeded>
  /** The records that a condition on `calls c` selects, by id. */
  readonly where: (tail: Fragment) => Effect.Effect<ReadonlyArray<CallRecord>, ReadError>
}

const calls = readRows(ReadRow, toRecord)

/** The names that each column of a document is read for. */
const NAMES_OF_COLUMN: ReadonlyArray<readonly [column: string, names: ReadonlyArray<CallExpansion>]> = [
  ["t.transcript", TRANSCRIPT_EXPANSIONS],
  ["c.metadata", ["metadata"]],
  ["c.dynamic_variables", ["dynamic_variables"]]
]

/** `SELECTED` with NULL for the documents that are not expanded. */
const selectedWith = (expand: CallExpansions): string =>
  NAMES_OF_COLUMN.reduce(
    (columns, [column, names]) =>
      names.some((name) => expand.has(name))
        ? columns
        : columns.replace(column === "t.transcript" ? /t\.transcript(?!_)/ : column, `NULL AS ${column.slice(2)}`),
    SELECTED
  )

/** The texts of a call that are in every list. */
const LISTED_TEXTS = ["feedback", "error_message", "evaluation", "dropoff_point", "topic"]

/** Bytes of a metric in a response, beside its value. */
const METRIC_BYTES = 150

/** All documents of a record. */
export const everything: CallExpansions = new Set(["transcript", "transcript_object", "metadata", "dynamic_variables"])

export const makeReader = (sql: SqlClient, dialect: DialectFragments): CallReader => {
  const { bytes, column, tables } = dialect
  const everyColumn = sql.literal(SELECTED)

  // A statement of its own would be one more way to a reader process and back.
  const metrics = sql`(
    SELECT ${dialect.jsonObjects(
      {
        id: "e.metric_id",
        name: "m.name",
        type: "m.type",
        value_kind: "e.value_kind",
        value_number: "e.value_number",
        value_text: "e.value_text"
      },
      "e.metric_id"
    )}
    FROM ${tables.metric_evaluations} e JOIN ${tables.metrics} m ON m.id = e.metric_id
    WHERE e.call_id = c.id AND m.deleted_ms IS NULL)`

  /** The records of a subquery `page` of ids. */
  const records = (columns: Fragment, page: Fragment, order: Fragment) =>
    sql`SELECT ${columns}, ${metrics} AS metrics
        FROM (${page}) page
        JOIN ${tables.calls} c ON c.id = page.id
        JOIN ${tables.agents} a ON a.id = c.agent_id
        LEFT JOIN ${tables.call_transcripts} t ON t.call_id = c.id
        LEFT JOIN ${tables.call_recordings} r ON r.call_id = c.id
        ${order}`.pipe(calls.all)

  /** The bytes of a call `c` in a response: a transcript counts for each form in which it is there. */
  const size = (expand: CallExpansions): Fragment =>
    sizeOf(
      sql,
      dialect,
      [
        ...LISTED_TEXTS.map((name) => sql.literal(`c.${name}`)),
        ...NAMES_OF_COLUMN.flatMap(([name, names]) =>
          names.filter((one) => expand.has(one)).map(() => sql.literal(name))
        )
      ],
      [
        sql`(SELECT CAST(COALESCE(SUM(${bytes(sql`e.value_text`)} + ${sql.literal(String(METRIC_BYTES))}), 0) AS ${column.integer})
          FROM ${tables.metric_evaluations} e WHERE e.call_id = c.id)`
      ]
    )

  /** Ids and sizes of the calls of a subquery `page` of ids. */
  const measured = (page: Fragment, expand: CallExpansions, order: Fragment) =>
    sql`SELECT c.id, ${size(expand)} AS bytes
        FROM (${page}) page
        JOIN ${tables.calls} c ON c.id = page.id
        LEFT JOIN ${tables.call_transcripts} t ON t.call_id = c.id
        ${order}`

  const ids = (tail: Fragment): Fragment => sql`SELECT c.id FROM ${tables.calls} c ${tail}`

  return {
    where: (tail) => records(everyColumn, ids(tail), sql`ORDER BY c.id`),
    one: (condition) =>
      Effect.gen(function* () {
        const tail = sql`WHERE ${condition}`
        if (yield* hasBudget) {
          const [call] = yield* sizes.all(measured(ids(tail), everything, sql``))
          if (call !== undefined) yield* reserveBytes(call.bytes)
        }
        return Option.fromNullable((yield* records(everyColumn, ids(tail), sql``))[0])
      }),
    page: (pageBytes, condition, page, expand) => {
      const order = orderOf(sql, page, "c.id")
      const columns = sql.literal(selectedWith(expand))
      return boundedPage(pageBytes, page, {
        sizes: measured(ids(sql`WHERE ${condition}`), expand, order),
        rows: (listed) => records(columns, ids(sql`WHERE ${dialect.isOneOf("c.id", listed)}`), order)
      })
    }
  }
}
