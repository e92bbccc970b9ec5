/**
 * What a delivery makes of a call. Webhooks are retried, and come in several as a provider gets to know more of a call,
 * so `(agent, call_id)` identifies it and a repeat updates the one record.
 */
import { isDeepStrictEqual } from "node:util"
import type { CallId } from "../kernel/Ids.js"
import { inInterfaceOrder, type SensitiveField } from "../redaction/SensitiveField.js"
import * as StoredTranscript from "../transcripts/StoredTranscript.js"
import { endOf } from "../transcripts/TranscriptView.js"
import type { CallRecord, Recording } from "./CallRecord.js"
import type { Delivery } from "./Delivery.js"

/** The record that a first delivery makes. */
export const firstRecord = (delivery: Delivery, id: CallId): CallRecord => ({
  id,
  organizationId: delivery.agent.organizationId,
  projectId: delivery.agent.projectId,
  agentId: delivery.agent.id,
  agentName: delivery.agent.name,
  callId: delivery.callId,
  traceId: delivery.traceId ?? "",
  timestamp: delivery.timestamp ?? delivery.receivedAt,
  durationSeconds: durationOf(delivery.transcript?.content ?? null, delivery.recording ?? null),
  success: null,
  isReviewed: false,
  feedback: delivery.feedback ?? null,
  feedbackByPerson: false,
  customerNumber: delivery.customerNumber ?? null,
  callEndedReason: delivery.callEndedReason ?? null,
  dropoffPoint: null,
  topic: null,
  errorMessage: delivery.recordingFault ?? null,
  evaluation: null,
  metadata: delivery.metadata ?? null,
  dynamicVariables: delivery.dynamicVariables ?? null,
  transcript: delivery.transcript?.content ?? null,
  transcriptType: delivery.transcript?.type ?? null,
  recording: delivery.recording ?? null,
  redactFields: delivery.redactFields,
  metrics: [],
  askedMetrics: delivery.metricIds ?? null,
  createdAt: delivery.receivedAt,
  updatedAt: delivery.receivedAt
})

/** Whether a new call is to be evaluated: there is something to evaluate, or somebody asks for it. */
export const firstEvaluationDue = ({ evaluates, metricIds, transcript }: Delivery): boolean =>
  evaluates && (transcript !== undefined || metricIds !== undefined)

/** Seconds: the last end of transcript or recording, null where neither tells. Source: design, section 3. */
export const durationOf = (transcript: CallRecord["transcript"], recording: Recording | null): number | null => {
  const spoken = transcript === null ? undefined : endOf(transcript)
  const recorded = recording?.durationSeconds ?? undefined
  return spoken === undefined ? (recorded ?? null) : Math.max(spoken, recorded ?? 0)
}

/** What a repeated delivery makes of the record that is there. */
export interface Redelivered {
  readonly call: CallRecord
  /** Whether anything is to be saved. */
  readonly changed: boolean
  /** Whether what was evaluated is no longer what is there. */
  readonly transcriptChanged: boolean
  readonly recordingChanged: boolean
  /** Whether the call is to be evaluated again: its transcript changed, or what is asked of it. */
  readonly evaluationDue: boolean
  /**
   * Whether more is redacted than before. What code and judges said of the call they said of what is to be gone, so it has
   * to go as well.
   */
  readonly redactsMore: boolean
  /**
   * What this delivery leaves standing although it was asked to be redacted, in this delivery or one before, or all that
   * is asked where what it was made from is there no more. Where there is any, the delivery must not be kept: it has to be
   * redacted again with all of what is asked.
   */
  readonly owed: ReadonlyArray<SensitiveField>
  /** Blobs that no record refers to once the change is kept. */
  readonly released: ReadonlyArray<string>
}

/**
 * Lays a repeated delivery over the record. What it tells replaces what was there; what it says nothing of stays, since
 * a provider's early events know less than its late ones and arrive in any order. So an empty transcript replaces none,
 * and a recording that could not be fetched this time does not undo the one that could. A person's review stays, and
 * their feedback once they wrote some. What was asked to be redacted stays asked: a repeat that leaves it out says
 * nothing of it. The same delivery again changes nothing.
 */
export const redeliver = (existing: CallRecord, delivery: Delivery): Redelivered => {
  const told =
    delivery.transcript !== undefined &&
    (existing.transcript === null || delivery.transcript.content.turns.length > 0) &&
    delivery.transcript
  const transcriptChanged = told !== false && !isSameTranscript(existing.transcript, told.content)
  const transcript = transcriptChanged ? told.content : existing.transcript
  const { recording, released } =
    delivery.dropsRecording && delivery.recording === undefined
      ? dropped(existing.recording)
      : recordingAfter(existing.recording, delivery.recording)
  const redactFields = inInterfaceOrder([...existing.redactFields, ...delivery.redactFields])
  const grows = redactFields.length > existing.redactFields.length
  const stands =
    existing.recording !== null &&
    delivery.recording === undefined &&
    !delivery.dropsRecording &&
    redactFields.length > 0
  const written = existing.feedbackByPerson ? existing.feedback : undefined
  const isOwed =
    redactFields.length > delivery.redactFields.length ||
    (grows && existing.transcript !== null && told === false) ||
    (stands && (grows || transcriptChanged)) ||
    (delivery.reviewed !== undefined && written !== delivery.reviewed.of && written !== delivery.reviewed.to) ||
    isOutdated(delivery.laidOver, existing)
  const laid: CallRecord = {
    ...existing,
    traceId: delivery.traceId ?? existing.traceId,
    timestamp: delivery.timestamp ?? existing.timestamp,
    durationSeconds: durationOf(transcript, recording) ?? existing.durationSeconds,
    feedback: existing.feedbackByPerson
      ? (delivery.reviewed?.to ?? existing.feedback)
      : (delivery.feedback ?? existing.feedback),
    customerNumber: delivery.customerNumber ?? existing.customerNumber,
    callEndedReason: delivery.callEndedReason ?? existing.callEndedReason,
    errorMessage: recording === null ? (delivery.recordingFault ?? existing.errorMessage) : null,
    metadata: changedJson(existing.metadata, delivery.metadata),
    dynamicVariables: changedJson(existing.dynamicVariables, delivery.dynamicVariables),
    transcript,
    transcriptType: transcriptChanged ? told.type : existing.transcriptType,
    recording,
    askedMetrics: metricsAfter(existing.askedMetrics, delivery.metricIds),
    redactFields
  }
  const recordingChanged = recording !== existing.recording
  const changed =
    transcriptChanged ||
    recordingChanged ||
    grows ||
    laid.timestamp.epochMillis !== existing.timestamp.epochMillis ||
    fields.some((field) => laid[field] !== existing[field])
  return {
    call: changed ? { ...laid, updatedAt: delivery.receivedAt } : existing,
    changed,
    transcriptChanged,
    recordingChanged,
    evaluationDue:
      delivery.evaluates &&
      (transcriptChanged || laid.askedMetrics !== existing.askedMetrics || (grows && transcript !== null)),
    redactsMore: grows,
    owed: isOwed ? redactFields : [],
    released
  }
}

const details = ["metadata", "dynamicVariables", "feedback", "customerNumber"] as const

/** Whether another delivery or a person changed meanwhile what this one was made from, so that it would undo that. */
const isOutdated = (laidOver: Delivery["laidOver"], existing: CallRecord): boolean =>
  laidOver !== undefined &&
  ((laidOver.transcript && !isSameTranscript(laidOver.call.transcript, existing.transcript)) ||
    (laidOver.recording && laidOver.call.recording?.blobKey !== existing.recording?.blobKey) ||
    (laidOver.details && details.some((detail) => !isDeepStrictEqual(laidOver.call[detail], existing[detail]))))

const isSameTranscript = (one: CallRecord["transcript"], other: CallRecord["transcript"]): boolean =>
  one === null || other === null ? one === other : StoredTranscript.print(one) === StoredTranscript.print(other)

/** What is there where the same is asked for: the order of metrics is no matter. */
const metricsAfter = (existing: CallRecord["askedMetrics"], told: Delivery["metricIds"]): CallRecord["askedMetrics"] =>
  told === undefined || (existing?.length === told.length && told.every((id) => existing.includes(id)))
    ? existing
    : told

/** The fields of the record itself that a repeat may change. */
const fields = [
  "traceId",
  "durationSeconds",
  "feedback",
  "customerNumber",
  "callEndedReason",
  "errorMessage",
  "metadata",
  "dynamicVariables",
  "askedMetrics"
] as const

/** The document that is there where it says the same: the databases order keys as they like. */
const changedJson = (
  existing: CallRecord["metadata"],
  told: CallRecord["metadata"] | undefined
): CallRecord["metadata"] => (told === undefined || isDeepStrictEqual(existing, told) ? existing : told)

const dropped = (existing: Recording | null) => ({
  recording: null,
  released: existing === null ? [] : [existing.blobKey]
})

/** The recording that stays. The same audio again stays where it is, and the copy that came is let go. */
const recordingAfter = (
  existing: Recording | null,
  told: Recording | undefined
): { readonly recording: Recording | null; readonly released: ReadonlyArray<string> } => {
  if (told === undefined) return { recording: existing, released: [] }
  if (existing === null) return { recording: told, released: [] }
  if (existing.sha256 !== told.sha256) return { recording: told, released: [existing.blobKey] }
  const mainAgentChannelIndex = told.mainAgentChannelIndex ?? existing.mainAgentChannelIndex
  const released = told.blobKey === existing.blobKey ? [] : [told.blobKey]
  return mainAgentChannelIndex === existing.mainAgentChannelIndex
    ? { recording: existing, released }
    : { recording: { ...existing, mainAgentChannelIndex }, released }
}
