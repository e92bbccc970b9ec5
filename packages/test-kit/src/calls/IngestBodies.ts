/** Arbitraries of E10 bodies: valid ones, and invalid ones with the path of the expected error. */
import { CallLimits, FieldErrors, TranscriptFormat } from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import * as fc from "fast-check"
import { hostilePayloadOf } from "../transcripts/HostilePayloads.js"
import { payload } from "../transcripts/Payloads.js"
import { codePoint } from "../CodePoint.js"

/** A body as JSON. */
export type IngestInput = Readonly<Record<string, unknown>>

/** Text that both databases can store: any Unicode except NUL and lone surrogates. */
const text = (max: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      fc.string({ maxLength: Math.min(max, 40) }),
      fc.string({ unit: "grapheme", maxLength: Math.min(max, 20) }),
      fc.string({ unit: codePoint, maxLength: Math.min(max, 20) }),
      // One character each, but two UTF-16 units.
      fc.constant("😀".repeat(Math.min(max, 100)))
    )
    .map((value) => [...value.replaceAll("\0", "").toWellFormed()].slice(0, max).join(""))

const notBlank = (max: number): fc.Arbitrary<string> =>
  text(max).map((value) => (value.trim() === "" ? "call-1" : value))

const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((value) => value + 0)

/** A JSON document, with numbers that all databases print alike. */
export const document: fc.Arbitrary<unknown> = fc
  .letrec((tie) => ({
    leaf: fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      finite.map((value) => Math.round(value * 100) / 100 + 0),
      text(20)
    ),
    node: fc.oneof(
      { weight: 3, arbitrary: tie("leaf") },
      { weight: 1, arbitrary: fc.array(tie("node"), { maxLength: 3 }) },
      {
        weight: 1,
        arbitrary: fc.dictionary(
          text(10).filter((key) => key !== "__proto__"),
          tie("node"),
          { maxKeys: 4 }
        )
      }
    )
  }))
  .node.map((value): unknown => value)

const instant = fc
  .date({ min: new Date("2001-01-01T00:00:00Z"), max: new Date("2035-01-01T00:00:00Z"), noInvalidDate: true })
  .chain((date) =>
    fc.constantFrom(
      date.toISOString(),
      date.toISOString().replace(/\.\d+Z$/, "+00:00"),
      date.toISOString().slice(0, 10)
    )
  )

/** A valid body without a recording. Fields are omitted, null or given. */
export const ingestInput = (agent: number): fc.Arbitrary<IngestInput> =>
  fc
    .record(
      {
        call_id: notBlank(CallLimits.callId),
        trace_id: fc.oneof(
          fc.constant(null),
          fc.constant(""),
          fc.stringMatching(/^[0-9a-f]{32}$/),
          text(CallLimits.traceId)
        ),
        customer_number: fc.oneof(fc.constant(null), text(CallLimits.customerNumber)),
        call_ended_reason: fc.oneof(fc.constant(null), text(CallLimits.callEndedReason)),
        duration_seconds: fc.oneof(
          fc.constant(null),
          fc.double({ min: 0, max: 604_800, noNaN: true }).map((s) => s + 0)
        ),
        metadata: fc.oneof(fc.constant(null), document),
        timestamp: fc.oneof(fc.constant(null), instant),
        dynamic_variables: fc.oneof(fc.constant(null), document),
        feedback: fc.oneof(fc.constant(null), text(200)),
        redact_fields: fc.option(fc.subarray([...Redaction.sensitiveFields])),
        metric_ids: fc.constantFrom(null, "", " "),
        voice_recording: fc.constant(null),
        voice_recording_url: fc.constantFrom(null, ""),
        main_agent_channel_index: fc.constantFrom(null, 0, 1),
        unknown_field: document
      },
      { requiredKeys: ["call_id"] }
    )
    .chain((body) =>
      fc
        .oneof(
          fc.constant<IngestInput>({}),
          fc.constant<IngestInput>({ transcript_json: null }),
          payload
            .filter(({ type }) => type !== "none-mono")
            .map((one): IngestInput =>
              one.type === "service"
                ? { transcript_json: one.payload }
                : { transcript_json: one.payload, transcript_type: one.type }
            )
        )
        .map((transcript): IngestInput => ({ ...body, ...transcript, agent }))
    )

/** An invalid body. */
export interface InvalidIngestInput {
  readonly input: IngestInput
  /** The path of the expected error. */
  readonly path: string
  /** What is invalid, for the failure message. */
  readonly wrong: string
}

type InvalidField = readonly [wrong: string, field: string, value: unknown, path?: string]

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

/** Invalid values of single fields. */
export const invalidIngestFields: ReadonlyArray<InvalidField> = [
  ["no call id", "call_id", undefined],
  ["null for a call id", "call_id", null],
  ["a call id that is a number", "call_id", 5],
  ["a blank call id", "call_id", "   "],
  ["a call id beyond its limit", "call_id", "x".repeat(CallLimits.callId + 1)],
  ["a call id of too many characters outside the basic plane", "call_id", "😀".repeat(CallLimits.callId + 1)],
  ["NUL in a call id", "call_id", "a\0b"],
  ["a lone surrogate in a call id", "call_id", "a\ud800b"],
  ["a trace id beyond its limit", "trace_id", "0".repeat(CallLimits.traceId + 1)],
  ["a trace id that is a list", "trace_id", ["0"]],
  ["an agent that is a word", "agent", "five"],
  ["an agent that is 0", "agent", 0],
  ["an agent that is no whole number", "agent", 1.5],
  ["an agent beyond 2^53", "agent", 2 ** 53],
  ["an agent that is an object", "agent", { id: 1 }],
  ["an assistant id that is a number", "assistant_id", 7],
  ["an unknown assistant id", "assistant_id", "unknown"],
  ["a text for a recording", "voice_recording", "https://example.com/a.wav"],
  ["an object for a recording", "voice_recording", { bytes: [] }],
  ["a recording URL that is none", "voice_recording_url", "not a url"],
  ["a recording URL of another scheme", "voice_recording_url", "ftp://example.com/a.wav"],
  ["a recording URL that is a file", "voice_recording_url", "file:///etc/passwd"],
  ["a recording URL beyond its limit", "voice_recording_url", `https://example.com/${"a".repeat(CallLimits.url)}`],
  ["an unknown transcript type", "transcript_type", "provider_z"],
  ["a transcript type that objects inherit", "transcript_type", "constructor"],
  ["a blank transcript type", "transcript_type", ""],
  ["a transcript that is a number", "transcript_json", 5],
  ["a transcript that is an object", "transcript_json", {}],
  ["a role of another format", "transcript_json", [{ role: "agent", content: "Hi" }], "transcript_json[0].role"],
  ["a row that is no object", "transcript_json", ["Hi"], "transcript_json[0]"],
  [
    "an end before its start",
    "transcript_json",
    [{ role: "Main Agent", content: "Hi", start_time: 5, end_time: 1 }],
    "transcript_json[0].end_time"
  ],
  ["NUL in what was said", "transcript_json", [{ role: "Main Agent", content: "a\0b" }], "transcript_json[0].content"],
  ["a call_ended_reason beyond its limit", "call_ended_reason", "x".repeat(CallLimits.callEndedReason + 1)],
  ["a customer number beyond its limit", "customer_number", "1".repeat(CallLimits.customerNumber + 1)],
  ["a customer number that is a number", "customer_number", 491234],
  ["NUL in metadata", "metadata", { a: ["\0"] }],
  ["NUL in a key of metadata", "metadata", { "\0": 1 }],
  ["__proto__ in metadata", "metadata", JSON.parse('{"__proto__": {"a": 1}}')],
  ["an integer beyond 2^53 in metadata", "metadata", { n: 2 ** 53 }],
  ["metadata nested too deep", "metadata", nested(100)],
  ["metadata nested 100,000 deep", "metadata", nested(100_000)],
  ["a lone surrogate in dynamic variables", "dynamic_variables", { a: "\udc00" }],
  ["a timestamp that is a word", "timestamp", "yesterday"],
  ["a timestamp that names no day", "timestamp", "2026-02-30T00:00:00Z"],
  ["a timestamp that is a number", "timestamp", 1_700_000_000],
  ["feedback beyond its limit", "feedback", "x".repeat(CallLimits.feedback + 1)],
  ["feedback that is a boolean", "feedback", true],
  ["an unknown field to redact", "redact_fields", ["shoe_size"], "redact_fields[0]"],
  ["a text for fields to redact", "redact_fields", "ssn"],
  ["metrics that are no ids", "metric_ids", "1;2"],
  ["a list of metrics", "metric_ids", [1, 2]],
  ["a third channel", "main_agent_channel_index", 2],
  ["a channel between channels", "main_agent_channel_index", 0.5],
  ["a channel below the first", "main_agent_channel_index", -1]
]

/** A body with one invalid value. */
export const invalidIngest = (agent: number): fc.Arbitrary<InvalidIngestInput> => {
  const services = TranscriptFormat.DEFAULT_TYPE
  return fc.oneof(
    fc
      .tuple(ingestInput(agent), fc.constantFrom(...invalidIngestFields))
      .map(([body, [wrong, field, value, path]]) => ({
        wrong,
        path: path ?? field,
        input: {
          ...body,
          // Invalid transcripts are in the default format.
          ...(field === "transcript_json" ? { transcript_type: services } : {}),
          [field]: value
        }
      })),
    fc
      .constantFrom(...TranscriptFormat.transcriptTypes)
      .filter((type) => type !== "none-mono")
      .chain((type) => fc.tuple(ingestInput(agent), hostilePayloadOf(type), fc.constant(type)))
      // Null means no transcript, which is valid.
      .filter(([, hostile]) => hostile.payload !== null)
      .map(([body, hostile, type]) => ({
        wrong: `${type}: ${hostile.wrong}`,
        path: Object.keys(FieldErrors.underPath("transcript_json", { [hostile.path]: [] })).join(),
        input: { ...body, transcript_type: type, transcript_json: hostile.payload }
      }))
  )
}
