import { redactJson, type RedactOptions, SensitiveField } from "@earshot/redaction"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { AgentId, CallId, OrganizationId, TraceId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"

/**
 * - `collecting`: its spans are gathered
 * - `stored`: its call is stored; a further span stores it again
 * - `failed`: its call cannot be stored, for the reason in `error`; tried again while its spans are kept
 * - `closed`: its spans are no longer kept, and further ones are rejected
 */
export const TraceState = Schema.Literal("collecting", "stored", "failed", "closed")
export type TraceState = typeof TraceState.Type

/** The spans of one call as they are gathered, of one or several traces. */
export class Trace extends Schema.Class<Trace>("@earshot/core/traces/Trace")({
  id: TraceId,
  organizationId: Fields.named("organization", OrganizationId),
  state: TraceState,
  /** The agent that the request named; null if it is found by the spans. */
  agentId: Fields.named("agent", Schema.NullOr(AgentId)),
  /** The stored call. */
  callId: Fields.named("call", Schema.NullOr(CallId)),
  redactFields: Fields.named("redact_fields", Schema.Array(SensitiveField)),
  /** Spans with a part in the conversation. */
  spans: Schema.Int,
  /** Spans of kinds that are not known, and up to 50 of their names. */
  unknownSpans: Fields.named("unknown_spans", Schema.Int),
  unknownNames: Fields.named("unknown_names", Schema.Record({ key: Schema.String, value: Schema.Int })),
  error: Schema.NullOr(Schema.String),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  lastSpanAt: Fields.named("last_span_at", Schema.DateTimeUtc)
}) {}

export const encodeTrace = Schema.encodeSync(Trace)

/** Identifies the spans of a call: who may add to it, and the keys of which its spans have one. */
export interface TraceAddress {
  /** Spans of senders with other scopes are never of one call. */
  readonly scope: string
  /** Hashes, since a room's name may be a telephone number. */
  readonly keys: ReadonlyArray<string>
}

/** A trace with what only storage needs. */
export interface StoredTrace {
  readonly trace: Trace
  readonly scope: string
  /** Counts the changes of its spans. */
  readonly version: number
  /** The version that the stored call was made of; null before. */
  readonly ingestedVersion: number | null
  /** When its call is to be stored, epoch milliseconds; null if nothing is to be done. */
  readonly dueMillis: number | null
  /** Calls that were stored of its spans before they turned out to be of another one; deleted once that is stored. */
  readonly supersededCalls: ReadonlyArray<CallId>
  /** When the earliest job that is enqueued for it runs; null without. */
  readonly jobMillis: number | null
}

/** The query of a list. */
export const TraceQuery = Fields.object({
  ...Pages.PageQuery.fields,
  state: Fields.optional(Fields.choice(TraceState.literals))
})

/** Names of unknown spans that are counted one by one. */
const MAX_NAMES = 50
const MAX_NAME_LENGTH = 100

/** The counts of names with those of more spans; names beyond the first 50 are not listed. */
export const countNames = (
  counted: Readonly<Record<string, number>>,
  names: ReadonlyArray<string>
): Readonly<Record<string, number>> => {
  const counts = new Map(Object.entries(counted))
  for (const name of names) {
    const known = [...name.replaceAll("\0", "").toWellFormed()].slice(0, MAX_NAME_LENGTH).join("")
    if (counts.has(known) || counts.size < MAX_NAMES) counts.set(known, (counts.get(known) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].filter(([name]) => name !== "__proto__"))
}

/** The counts without the values of fields in the names, which may be paths of requests. Names that become equal are one. */
export const redactNames = (
  counted: Readonly<Record<string, number>>,
  fields: ReadonlyArray<SensitiveField>,
  options: RedactOptions
): Readonly<Record<string, number>> => {
  const names = Object.keys(counted)
  if (fields.length === 0 || names.length === 0) return counted
  const redacted = redactJson(names, fields, options)
  const counts = new Map<string, number>()
  names.forEach((name, at) => {
    const after: unknown = Array.isArray(redacted) ? redacted[at] : undefined
    if (typeof after === "string") counts.set(after, (counts.get(after) ?? 0) + (counted[name] ?? 0))
  })
  return Object.fromEntries(counts)
}
