/** How a validated body becomes a delivery. */
import { withoutRedaction } from "@earshot/redaction"
import type * as DateTime from "effect/DateTime"
import { skippedOf } from "../transcripts/Transcript.js"
import type { CalledAgent, Delivery } from "./Delivery.js"
import type { ValidIngest } from "./IngestValidation.js"

/** The fields of a delivery that are never redacted. */
export const plainFields = (
  { body, hasUnreadableTranscript, metricIds }: ValidIngest,
  agent: CalledAgent,
  now: DateTime.Utc
): Pick<
  Delivery,
  | "agent"
  | "callId"
  | "traceId"
  | "timestamp"
  | "statedDurationSeconds"
  | "hasUnreadableTranscript"
  | "metricIds"
  | "receivedAt"
> => ({
  agent,
  callId: body.call_id,
  traceId: body.trace_id === "" ? undefined : body.trace_id,
  timestamp: body.timestamp ?? undefined,
  statedDurationSeconds: body.duration_seconds ?? undefined,
  hasUnreadableTranscript,
  metricIds,
  receivedAt: now
})

/** The delivery of a body without fields to redact. */
export const unredactedDelivery = (
  ingest: ValidIngest,
  agent: CalledAgent,
  recorded: Pick<Delivery, "recording" | "recordingError">,
  evaluates: boolean,
  now: DateTime.Utc
): Delivery => {
  const { body, transcript } = ingest
  return {
    ...plainFields(ingest, agent, now),
    ...recorded,
    customerNumber: body.customer_number ?? undefined,
    callEndedReason: body.call_ended_reason ?? undefined,
    feedback: body.feedback ?? undefined,
    metadata: body.metadata ?? undefined,
    dynamicVariables: body.dynamic_variables ?? undefined,
    transcript:
      transcript === undefined
        ? undefined
        : {
            type: body.transcript_type,
            content: { ...withoutRedaction(transcript), ...skippedOf(transcript) }
          },
    evaluates,
    redactFields: [],
    dropsRecording: false
  }
}
