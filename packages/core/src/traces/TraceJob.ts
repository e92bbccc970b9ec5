import { SensitiveField } from "@earshot/redaction"
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import type { OrganizationId } from "../kernel/Ids.js"
import { TraceId } from "../kernel/Ids.js"

/** Stores the call of a trace once its spans have arrived. */
export const TRACE_JOB = "store_trace"

/** Redacts the stored spans of a trace. */
export const SPAN_REDACTION_JOB = "redact_spans"

export const TracePayload = Schema.Struct({ trace: TraceId })

export const SpanRedactionPayload = Schema.Struct({
  trace: TraceId,
  redact_fields: Schema.Array(SensitiveField)
})

export const traceJob = (organizationId: OrganizationId, trace: TraceId, dueMillis: number): NewJob => ({
  organizationId,
  kind: TRACE_JOB,
  payload: { trace },
  notBefore: dueMillis
})

/** The job that redacts the spans of a trace by the fields of its call. */
export const spanRedactionJob = (
  organizationId: OrganizationId,
  trace: TraceId,
  fields: ReadonlyArray<SensitiveField>
): NewJob => ({ organizationId, kind: SPAN_REDACTION_JOB, payload: { trace, redact_fields: [...fields] } })
