/** How a validated body becomes a delivery. */
import { withoutRedaction } from "@earshot/redaction"
import type * as DateTime from "effect/DateTime"
import * as PrintedTranscript from "../transcripts/PrintedTranscript.js"
import { type RawTranscript, skippedOf } from "../transcripts/Transcript.js"
import type { CalledAgent, DeliveredTranscript, Delivery } from "./Delivery.js"
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
  const plain = plainFields(ingest, agent, now)
  // No spreads: in an object of this size they take as long as validating the body.
  return {
    agent: plain.agent,
    callId: plain.callId,
    traceId: plain.traceId,
    timestamp: plain.timestamp,
    statedDurationSeconds: plain.statedDurationSeconds,
    hasUnreadableTranscript: plain.hasUnreadableTranscript,
    metricIds: plain.metricIds,
    receivedAt: plain.receivedAt,
    recording: recorded.recording,
    recordingError: recorded.recordingError,
    customerNumber: body.customer_number ?? undefined,
    callEndedReason: body.call_ended_reason ?? undefined,
    feedback: body.feedback ?? undefined,
    metadata: body.metadata ?? undefined,
    dynamicVariables: body.dynamic_variables ?? undefined,
    transcript: transcript === undefined ? undefined : deliveredTranscript(body.transcript_type, transcript),
    evaluates,
    redactFields: [],
    dropsRecording: false
  } satisfies Delivery & Record<keyof typeof plain | keyof typeof recorded, unknown>
}

const deliveredTranscript = (type: string, transcript: RawTranscript): DeliveredTranscript => {
  const content = { ...withoutRedaction(transcript), ...skippedOf(transcript) }
  return { type, content, printed: PrintedTranscript.print(content) }
}
