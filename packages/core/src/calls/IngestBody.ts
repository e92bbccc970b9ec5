/**
 * The body of E10. The schema is the source of API descriptions and field errors. For speed, every delivery is first
 * checked by a validator compiled from the same schema; what it rejects is decoded by the schema, which accepts more (a
 * form's `"5"` is an integer) or reports the errors. A property verifies that the validator accepts nothing that the schema
 * rejects, and that both decode to the same body.
 */
import { Ajv, type AnySchemaObject } from "ajv"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import * as FieldErrors from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId } from "../kernel/Ids.js"
import { isPlainObject, Json, jsonError } from "../kernel/Json.js"
import { textError } from "../kernel/Text.js"
import { type SensitiveField, sensitiveFields } from "@earshot/redaction"
import { MAX_CALL_SECONDS } from "../transcripts/Limits.js"
import * as TranscriptFormat from "../transcripts/TranscriptFormat.js"
import { CallLimits } from "./CallRecord.js"
import { Upload } from "./Upload.js"

/** The values of `redact_fields`. Source: interface, E10. */
export const redactFields = sensitiveFields

/** Why no recording can be downloaded from a URL; undefined if it is valid or blank. */
export const webAddressError = (text: string): string | undefined => {
  if (text.trim() === "") return undefined
  if (!URL.canParse(text)) return "Enter a valid URL."
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return "Enter a valid URL: it begins with http:// or https://."
  return url.hostname === "" ? "Enter a valid URL." : undefined
}

/** An optional field; null is the same as omitting it. */
const orNull = <A, I>(field: Schema.Schema<A, I>) =>
  Schema.optionalWith(Fields.nullable(field), { default: () => null })

const AudioUpload = Schema.declare((value): value is Upload => value instanceof Upload, {
  message: () => ({
    message: "The submitted data was not a file. Check the encoding type on the form.",
    override: true
  }),
  jsonSchema: { type: "string", format: "binary" }
})

const WebAddress = Fields.text({ max: CallLimits.url }).pipe(
  Schema.filter((text) => webAddressError(text) ?? true, { jsonSchema: { format: "uri" } })
)

/** The length of a call as the platform states it. An extension of the interface, whose `duration` is read-only. */
const callSeconds = Fields.numberWithin({ min: 0, max: MAX_CALL_SECONDS })

const channelIndex = Fields.integer({ min: 0, max: 1 })

const fieldsOf = (formats: TranscriptFormat.TranscriptFormats) =>
  Fields.object({
    call_id: Fields.text({ max: CallLimits.callId, blank: false }),
    trace_id: Fields.withDefault(Fields.text({ max: CallLimits.traceId }), ""),
    agent: orNull(Fields.id(AgentId)),
    assistant_id: orNull(Fields.text({ max: CallLimits.assistantId })),
    voice_recording: orNull(AudioUpload),
    voice_recording_url: orNull(WebAddress),
    transcript_type: Fields.withDefault(formats.type, TranscriptFormat.DEFAULT_TYPE),
    /** Validated by the decoder of its format. */
    transcript_json: orNull(Schema.Unknown),
    call_ended_reason: orNull(Fields.text({ max: CallLimits.callEndedReason })),
    customer_number: orNull(Fields.text({ max: CallLimits.customerNumber })),
    duration_seconds: orNull(callSeconds),
    metadata: orNull(Json),
    timestamp: orNull(Fields.timestamp),
    dynamic_variables: orNull(Json),
    feedback: orNull(Fields.text({ max: CallLimits.feedback })),
    redact_fields: orNull(Fields.list(Fields.choice(sensitiveFields), { max: 100 })),
    metric_ids: orNull(Fields.text({ max: 10_000 })),
    main_agent_channel_index: orNull(channelIndex)
  }).annotations({ identifier: "IngestBody" })

/** The body of E10 with the built-in transcript types. */
export const IngestBody = fieldsOf(TranscriptFormat.builtIn)
export type IngestBody = typeof IngestBody.Type

/** Decodes a body and applies defaults, or returns all field errors. */
export type DecodeIngestBody = (input: unknown) => Either.Either<IngestBody, FieldErrors.FieldErrors>

const decoders = new WeakMap<TranscriptFormat.TranscriptFormats, DecodeIngestBody>()

/** The decoder for transcript formats. It is compiled for the first body of any engine with them: that takes about 70 ms. */
export const makeDecode = (formats: TranscriptFormat.TranscriptFormats): DecodeIngestBody => {
  let compiled: DecodeIngestBody | undefined
  return (input) => (compiled ??= decoderOf(formats))(input)
}

const decoderOf = (formats: TranscriptFormat.TranscriptFormats): DecodeIngestBody => {
  const known = decoders.get(formats)
  if (known !== undefined) return known
  const compiled = compileDecode(formats)
  decoders.set(formats, compiled)
  return compiled
}

const compileDecode = (formats: TranscriptFormat.TranscriptFormats): DecodeIngestBody => {
  const schema = fieldsOf(formats)
  const isValid = compile(schema)
  const decode = FieldErrors.decode(schema)
  return (input) => (isValid(input) ? Either.right(withDefaults(input)) : decode(input))
}

/** A body that the compiled validator accepts. */
interface ValidBody {
  readonly call_id: string
  readonly trace_id?: string | null
  readonly agent?: AgentId | null
  readonly assistant_id?: string | null
  readonly voice_recording?: null
  readonly voice_recording_url?: string | null
  readonly transcript_type?: string | null
  readonly transcript_json?: unknown
  readonly call_ended_reason?: string | null
  readonly customer_number?: string | null
  readonly duration_seconds?: number | null
  readonly metadata?: Json | null
  readonly timestamp?: string | null
  readonly dynamic_variables?: Json | null
  readonly feedback?: string | null
  readonly redact_fields?: ReadonlyArray<SensitiveField> | null
  readonly metric_ids?: string | null
  readonly main_agent_channel_index?: number | null
}

/** Decodes a valid body as the schema does. */
const withDefaults = (body: ValidBody): IngestBody => {
  const at = typeof body.timestamp === "string" ? Fields.parseTimestamp(body.timestamp) : undefined
  return {
    call_id: body.call_id,
    trace_id: body.trace_id ?? "",
    agent: body.agent ?? null,
    assistant_id: body.assistant_id ?? null,
    voice_recording: null,
    voice_recording_url: body.voice_recording_url ?? null,
    transcript_type: body.transcript_type ?? TranscriptFormat.DEFAULT_TYPE,
    transcript_json: body.transcript_json ?? null,
    call_ended_reason: body.call_ended_reason ?? null,
    customer_number: body.customer_number ?? null,
    duration_seconds: body.duration_seconds ?? null,
    metadata: body.metadata ?? null,
    timestamp: at === undefined ? null : DateTime.unsafeMake(at),
    dynamic_variables: body.dynamic_variables ?? null,
    feedback: body.feedback ?? null,
    redact_fields: body.redact_fields ?? null,
    metric_ids: body.metric_ids ?? null,
    main_agent_channel_index: body.main_agent_channel_index ?? null
  }
}

const compile = <A, I>(schema: Schema.Schema<A, I>): ((input: unknown) => input is ValidBody) => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, validateFormats: true })
  ajv.addFormat("date-time", { type: "string", validate: (text: string) => Fields.parseTimestamp(text) !== undefined })
  ajv.addFormat("uri", { type: "string", validate: (text: string) => webAddressError(text) === undefined })
  ajv.addKeyword({
    keyword: "storable",
    schemaType: "string",
    errors: false,
    compile: (of: string) =>
      of === "text"
        ? (value: unknown) => typeof value !== "string" || textError(value) === undefined
        : (value: unknown) => value === null || jsonError(value) === undefined
  })
  const validate = ajv.compile<ValidBody>(validatorSchema(JSONSchema.make(schema)))
  // An object with a prototype did not come from JSON; the schema decides.
  return (input): input is ValidBody =>
    isPlainObject(input) && Object.getPrototypeOf(input) === Object.prototype && validate(input) === true
}

/**
 * The JSON Schema for the compiled validator. Checks of text and JSON values that JSON Schema cannot express are added as
 * the keyword `storable`.
 */
const validatorSchema = (schema: unknown): AnySchemaObject => {
  const node = isPlainObject(schema) ? schema : {}
  if (node.format === "binary") return { not: {} }
  // `Schema.Unknown` is `transcript_json`, which the decoder of its format validates.
  if (node.$id === "/schemas/unknown") return {}
  const checked: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (ANNOTATIONS.has(key)) continue
    checked[key] =
      key === "properties" || key === "$defs"
        ? Object.fromEntries(
            Object.entries(isPlainObject(value) ? value : {}).map(([name, one]) => [name, validatorSchema(one)])
          )
        : Array.isArray(value) && SCHEMA_LISTS.has(key)
          ? value.map(validatorSchema)
          : key === "items"
            ? validatorSchema(value)
            : value
  }
  if (Object.keys(checked).length === 0) return { storable: "json" }
  return node.type === "string" && node.enum === undefined ? { ...checked, storable: "text" } : checked
}

/** Keywords without a check, and `additionalProperties`: unknown fields are ignored. */
const ANNOTATIONS = new Set(["$schema", "$id", "title", "description", "default", "examples", "additionalProperties"])
const SCHEMA_LISTS = new Set(["anyOf", "allOf", "oneOf"])
