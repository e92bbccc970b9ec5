import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import type { OrganizationId } from "../kernel/Ids.js"
import { TraceId } from "../kernel/Ids.js"

/** Stores the call of a trace once its spans have arrived. */
export const TRACE_JOB = "store_trace"

export const TracePayload = Schema.Struct({ trace: TraceId })

export const traceJob = (organizationId: OrganizationId, trace: TraceId, dueMillis: number): NewJob => ({
  organizationId,
  kind: TRACE_JOB,
  payload: { trace },
  notBefore: dueMillis
})
