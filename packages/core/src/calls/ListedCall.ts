/** A call as lists have it: without its transcript and documents, unless `expand` names them. */
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { decodeInput, type ValidationFailed } from "../kernel/FieldErrors.js"
import * as Expand from "../kernel/Expand.js"
import * as Fields from "../kernel/Fields.js"
import { Json } from "../kernel/Json.js"
import { type CallRecord, CallRecordJson, encodeCallRecord } from "./CallRecord.js"

/** What `expand` adds to a call. A list has none of it by default; a call record has the transcript in both forms. */
export const CALL_EXPANSIONS = {
  transcript: "the transcript as text",
  transcript_object: "the transcript as a list of turns",
  metadata: "the metadata that deliveries sent",
  dynamic_variables: "the dynamic variables that deliveries sent"
} as const
export type CallExpansion = keyof typeof CALL_EXPANSIONS
export type CallExpansions = Expand.Expanded<typeof CALL_EXPANSIONS>

/** `expand`, in the query of a call, a list or an export. */
export const callExpand = Fields.optional(Expand.expandField(CALL_EXPANSIONS))

/** The query of one call. */
export const CallReadQuery = Fields.object({ expand: callExpand })

export const nothingExpanded: CallExpansions = new Set()

/** The names in a query that has been validated, or may have other fields. */
export const expandedIn = (
  query: unknown
): Either.Either<{ readonly expand?: CallExpansions | undefined }, ValidationFailed> =>
  decodeInput(CallReadQuery, query)

/** The fields of a call that only `expand` loads in a list; absent if it does not name them. */
interface Documents {
  readonly transcript: CallRecord["transcript"]
  readonly metadata: Json
  readonly dynamicVariables: Json
}

export interface ListedCall extends Omit<CallRecord, keyof Documents>, Partial<Documents> {}

/** A record as a list has it. */
export const listedCall = (
  { dynamicVariables, metadata, transcript, ...rest }: CallRecord,
  expand: CallExpansions
): ListedCall => ({
  ...rest,
  ...(expand.has("transcript") || expand.has("transcript_object") ? { transcript } : {}),
  ...(expand.has("metadata") ? { metadata } : {}),
  ...(expand.has("dynamic_variables") ? { dynamicVariables } : {})
})

const { transcript: transcriptField, transcript_object: transcriptObjectField, ...listed } = CallRecordJson.fields

const documents = { metadata: Schema.optional(Json), dynamic_variables: Schema.optional(Json) }

/** The JSON form of a call in a list. */
export const ListedCallJson = Schema.Struct({
  ...listed,
  transcript: Schema.optional(transcriptField),
  transcript_object: Schema.optional(transcriptObjectField),
  ...documents
}).annotations({ identifier: "ListedCall" })
export interface ListedCallJson extends Schema.Schema.Type<typeof ListedCallJson> {}

/** The JSON form of a call record with what `expand` adds: of one call, and of exports. */
export const ExpandedCallJson = Schema.Struct({ ...CallRecordJson.fields, ...documents }).annotations({
  identifier: "ExpandedCall"
})
export interface ExpandedCallJson extends Schema.Schema.Type<typeof ExpandedCallJson> {}

const encodeDocuments = ({ dynamicVariables, metadata }: ListedCall, expand: CallExpansions) => ({
  ...(expand.has("metadata") ? { metadata: metadata ?? null } : {}),
  ...(expand.has("dynamic_variables") ? { dynamic_variables: dynamicVariables ?? null } : {})
})

export const encodeListedCall = (call: ListedCall, expand: CallExpansions = nothingExpanded): ListedCallJson => {
  const { transcript, transcript_object, ...rest } = encodeCallRecord({
    ...call,
    transcript: call.transcript ?? null,
    metadata: null,
    dynamicVariables: null
  })
  return {
    ...rest,
    ...(expand.has("transcript") ? { transcript } : {}),
    ...(expand.has("transcript_object") ? { transcript_object } : {}),
    ...encodeDocuments(call, expand)
  }
}

export const encodeExpandedCall = (call: CallRecord, expand: CallExpansions = nothingExpanded): ExpandedCallJson => ({
  ...encodeCallRecord(call),
  ...encodeDocuments(call, expand)
})
