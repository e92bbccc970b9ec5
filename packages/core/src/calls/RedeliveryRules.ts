/**
 * How a delivery becomes a call record. Webhooks are retried, and a provider sends several for one call as it learns more,
 * so `(agent, call_id)` identifies the call and every redelivery is merged into the one record.
 */
import { isDeepStrictEqual } from "node:util"
import type { CallId } from "../kernel/Ids.js"
import { inInterfaceOrder, type SensitiveField } from "@earshot/redaction"
import { isSuperseded, mergeMetadata } from "../platforms/Envelopes.js"
import * as StoredTranscript from "../transcripts/StoredTranscript.js"
import { endOf } from "../transcripts/TranscriptView.js"
import type { CallRecord, Recording } from "./CallRecord.js"
import type { Delivery, ReviewTexts } from "./Delivery.js"

/** The record that a first delivery creates. */
export const firstRecord = (delivery: Delivery, id: CallId): CallRecord => ({
  id,
  organizationId: delivery.agent.organizationId,
  projectId: delivery.agent.projectId,
  agentId: delivery.agent.id,
  agentName: delivery.agent.name,
  callId: delivery.callId,
  traceId: delivery.traceId ?? "",
  timestamp: delivery.timestamp ?? delivery.receivedAt,
  durationSeconds: firstDuration(delivery),
  statedDurationSeconds: delivery.statedDurationSeconds ?? null,
  success: null,
  isReviewed: false,
  feedback: delivery.feedback ?? null,
  feedbackByPerson: false,
  customerNumber: delivery.customerNumber ?? null,
  callEndedReason: delivery.callEndedReason ?? null,
  dropoffPoint: null,
  topic: null,
  errorMessage: firstErrorMessage(delivery),
  evaluation: null,
  metadata: delivery.metadata ?? null,
  dynamicVariables: delivery.dynamicVariables ?? null,
  // Read only where it is asked for: the response of an ingest is put together from the texts that were stored.
  get transcript() {
    return delivery.transcript?.content ?? null
  },
  transcriptType: delivery.transcript?.type ?? null,
  recording: delivery.recording ?? null,
  redactFields: delivery.redactFields,
  redactions: delivery.redactions ?? [],
  metrics: [],
  requestedMetrics: delivery.metricIds ?? null,
  createdAt: delivery.receivedAt,
  updatedAt: delivery.receivedAt
})

const firstDuration = ({ recording, statedDurationSeconds, transcript }: Delivery): number | null =>
  durationOf(spokenIn(transcript), recording ?? null, statedDurationSeconds ?? null)

const spokenIn = (transcript: Delivery["transcript"]): number | undefined =>
  transcript?.printed === undefined ? endIn(transcript?.content ?? null) : transcript.printed.end

const endIn = (transcript: CallRecord["transcript"]): number | undefined =>
  transcript === null ? undefined : endOf(transcript)

const firstErrorMessage = ({ hasUnreadableTranscript = false, recordingError, transcript }: Delivery): string | null =>
  errorMessageOf(
    recordingError ?? null,
    transcript === undefined ? null : (transcript.printed ?? transcript.content),
    hasUnreadableTranscript
  )

/** Whether a new call is evaluated: it has a transcript, or the delivery requests metrics. */
export const firstEvaluationDue = ({ evaluates, metricIds, transcript }: Delivery): boolean =>
  evaluates && (transcript !== undefined || metricIds !== undefined)

/**
 * Seconds: the greatest of the last end time of the transcript, the recording's duration and the duration that the platform
 * states; null when none is known. Source: docs/ingest.md.
 */
const durationOf = (spoken: number | undefined, recording: Recording | null, stated: number | null): number | null => {
  const known = [spoken, recording?.durationSeconds, stated].filter((seconds) => typeof seconds === "number")
  return known.length === 0 ? null : Math.max(...known)
}

/** The platform sent a transcript, but none of it could be read. */
const UNREADABLE = "The transcript could not be read."

interface WithSkipped {
  readonly skipped?: ReadonlyArray<string> | undefined
}

/** What the record says about rows of its transcript that the decoder skipped, or about one that could not be read. */
const transcriptMessage = (transcript: WithSkipped | null, isUnreadable: boolean): string | null =>
  transcript === null
    ? isUnreadable
      ? UNREADABLE
      : null
    : transcript.skipped === undefined
      ? null
      : `Rows of unknown kinds were skipped: ${transcript.skipped.join(", ")}.`

const errorMessageOf = (
  recordingError: string | null,
  transcript: WithSkipped | null,
  isUnreadable: boolean
): string | null => {
  const parts = [recordingError, transcriptMessage(transcript, isUnreadable)].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(" ")
}

/** Whether a delivery of the call had a transcript that could not be read, and none had one that could. */
const isUnreadable = ({ errorMessage, transcript }: CallRecord): boolean =>
  transcript === null && errorMessage?.endsWith(UNREADABLE) === true

/** The part of a record's error message that is about its recording. */
const recordingErrorOf = (call: CallRecord): string | null => {
  const { errorMessage, transcript } = call
  const message = transcriptMessage(transcript, isUnreadable(call))
  const rest =
    errorMessage !== null && message !== null && errorMessage.endsWith(message)
      ? errorMessage.slice(0, -message.length).trimEnd()
      : errorMessage
  return rest === "" ? null : rest
}

/** The result of merging a redelivery into an existing record. */
export interface RedeliveryOutcome {
  readonly call: CallRecord
  /** Whether there is anything to save. */
  readonly changed: boolean
  readonly transcriptChanged: boolean
  readonly recordingChanged: boolean
  /** Whether the call has to be evaluated again: its transcript, its requested metrics or its redaction changed. */
  readonly evaluationDue: boolean
  /** Whether more fields are redacted than before. Evaluations may quote what is now redacted, so they are deleted. */
  readonly redactionExtended: boolean
  /**
   * Empty when the delivery may be stored. Otherwise all fields that have to be redacted: storing the delivery would keep
   * unredacted data, or its merge base is stale. It has to be redacted again by these fields.
   */
  readonly missingRedaction: ReadonlyArray<SensitiveField>
  /** Blobs that no record refers to once the change is stored. */
  readonly released: ReadonlyArray<string>
}

/**
 * Merges a redelivery into the existing record. Precedence: a value that the delivery states replaces the stored one; a
 * value that it omits stays, because a provider's events arrive in any order and early ones know less. An empty transcript
 * never replaces one with turns, and a recording that failed to download never removes a stored one. A person's review and
 * feedback are kept. Redacted fields accumulate. Idempotent: merging the same delivery again changes nothing.
 *
 * A platform's event that arrives after a later event of the same call only adds what is unknown: the events of a call end
 * in the same record in whatever order they arrive.
 */
export const mergeRedelivery = (existing: CallRecord, given: Delivery): RedeliveryOutcome => {
  const { delivery, unused } = withoutSuperseded(existing, given)
  const redactFields = inInterfaceOrder([...existing.redactFields, ...delivery.redactFields])
  const redactionExtended = redactFields.length > existing.redactFields.length
  const transcript = mergeTranscript(existing, delivery)
  const { recording, released } = mergeRecording(existing.recording, delivery)
  const recordingChanged = recording !== existing.recording
  const merged: CallRecord = {
    ...existing,
    ...mergeDetails(existing, delivery),
    durationSeconds:
      durationOf(
        endIn(transcript.content),
        recording,
        delivery.statedDurationSeconds ?? existing.statedDurationSeconds
      ) ?? existing.durationSeconds,
    errorMessage: errorMessageOf(
      recording === null ? (delivery.recordingError ?? recordingErrorOf(existing)) : null,
      transcript.content,
      delivery.hasUnreadableTranscript === true || isUnreadable(existing)
    ),
    transcript: transcript.content,
    transcriptType: transcript.type,
    recording,
    redactFields,
    redactions: delivery.redactions ?? existing.redactions
  }
  const changed =
    transcript.changed || recordingChanged || redactionExtended || MERGED_FIELDS.some(isFieldChanged(existing, merged))
  return {
    call: changed ? { ...merged, updatedAt: delivery.receivedAt } : existing,
    changed,
    transcriptChanged: transcript.changed,
    recordingChanged,
    evaluationDue:
      delivery.evaluates &&
      (transcript.changed ||
        merged.requestedMetrics !== existing.requestedMetrics ||
        (redactionExtended && transcript.content !== null)),
    redactionExtended,
    missingRedaction: isRedactionIncomplete(existing, delivery, transcript, redactFields) ? redactFields : [],
    released: [...released, ...unused]
  }
}

/** The delivery without what the stored call knows from a later event, and the blobs of it that are not needed. */
const withoutSuperseded = (
  existing: CallRecord,
  delivery: Delivery
): { readonly delivery: Delivery; readonly unused: ReadonlyArray<string> } => {
  if (!isSuperseded(existing.metadata, delivery.metadata)) return { delivery, unused: [] }
  const known = knownFields(existing)
  return {
    delivery: {
      ...delivery,
      traceId: known.traceId ? undefined : delivery.traceId,
      timestamp: known.timestamp ? undefined : delivery.timestamp,
      statedDurationSeconds: known.statedDuration ? undefined : delivery.statedDurationSeconds,
      callEndedReason: known.callEndedReason ? undefined : delivery.callEndedReason,
      customerNumber: known.customerNumber ? undefined : delivery.customerNumber,
      dynamicVariables: known.dynamicVariables ? undefined : delivery.dynamicVariables,
      transcript: isTranscriptSuperseded(existing) ? undefined : delivery.transcript,
      recording: existing.recording === null ? delivery.recording : undefined
    },
    unused: unusedBlobs(existing.recording, delivery.recording)
  }
}

/** Which fields of a stored call stay when an earlier event arrives later: those that are known. */
export const knownFields = (existing: CallRecord) => ({
  traceId: existing.traceId !== "",
  // A call whose deliveries stated no time has that of the first.
  timestamp: existing.timestamp.epochMillis !== existing.createdAt.epochMillis,
  statedDuration: existing.statedDurationSeconds !== null,
  callEndedReason: existing.callEndedReason !== null,
  customerNumber: existing.customerNumber !== null,
  dynamicVariables: existing.dynamicVariables !== null
})

/** The blob of a delivered recording that does not replace the stored one. */
const unusedBlobs = (stored: Recording | null, delivered: Recording | undefined): ReadonlyArray<string> =>
  stored === null || delivered === undefined || delivered.blobKey === stored.blobKey ? [] : [delivered.blobKey]

/** Whether the stored transcript stays when an earlier event arrives later. */
export const isTranscriptSuperseded = ({ transcript }: CallRecord): boolean =>
  transcript !== null && transcript.turns.length > 0

interface MergedTranscript {
  readonly content: CallRecord["transcript"]
  readonly type: string | null
  /** Whether the delivery's transcript is the one that counts, equal to the stored one or not. */
  readonly delivered: boolean
  readonly changed: boolean
}

/** A delivered transcript replaces the stored one, unless it is empty and the stored one is not. */
const mergeTranscript = (existing: CallRecord, { transcript }: Delivery): MergedTranscript => {
  const stored = { content: existing.transcript, type: existing.transcriptType }
  if (transcript === undefined) return { ...stored, delivered: false, changed: false }
  const delivered = existing.transcript === null || transcript.content.turns.length > 0
  return delivered && !isSameTranscript(existing.transcript, transcript.content)
    ? { content: transcript.content, type: transcript.type, delivered, changed: true }
    : { ...stored, delivered, changed: false }
}

/** The columns of the record that a redelivery states or omits one by one. */
const mergeDetails = (existing: CallRecord, delivery: Delivery) => ({
  traceId: delivery.traceId ?? existing.traceId,
  timestamp: delivery.timestamp ?? existing.timestamp,
  feedback: existing.feedbackByPerson
    ? (delivery.redactedReview?.to.feedback ?? existing.feedback)
    : (delivery.feedback ?? existing.feedback),
  topic: delivery.redactedReview?.to.topic ?? existing.topic,
  dropoffPoint: delivery.redactedReview?.to.dropoffPoint ?? existing.dropoffPoint,
  customerNumber: delivery.customerNumber ?? existing.customerNumber,
  callEndedReason: delivery.callEndedReason ?? existing.callEndedReason,
  statedDurationSeconds: delivery.statedDurationSeconds ?? existing.statedDurationSeconds,
  metadata: mergeJson(
    existing.metadata,
    // Metadata that was redacted again is that of both, and nothing unredacted may come back.
    delivery.metadata === undefined || delivery.mergeBase?.details === true
      ? delivery.metadata
      : mergeMetadata(existing.metadata, delivery.metadata, {
          ended_reason: delivery.callEndedReason !== undefined,
          customer_number: delivery.customerNumber !== undefined
        })
  ),
  dynamicVariables: mergeJson(existing.dynamicVariables, delivery.dynamicVariables),
  requestedMetrics: mergeMetrics(existing.requestedMetrics, delivery.metricIds)
})

/** Whether storing the delivery would keep data that this or an earlier delivery asked to redact. */
const isRedactionIncomplete = (
  existing: CallRecord,
  delivery: Delivery,
  transcript: MergedTranscript,
  redactFields: ReadonlyArray<SensitiveField>
): boolean => {
  const extended = redactFields.length > existing.redactFields.length
  const keepsRecording =
    existing.recording !== null &&
    delivery.recording === undefined &&
    !delivery.dropsRecording &&
    redactFields.length > 0
  return (
    redactFields.length > delivery.redactFields.length ||
    (extended && existing.transcript !== null && !transcript.delivered) ||
    (keepsRecording && (extended || transcript.changed)) ||
    isReviewStale(existing, delivery) ||
    isMergeBaseStale(delivery.mergeBase, existing)
  )
}

/** Whether the texts of a review have changed since they were read to be redacted. */
const isReviewStale = (existing: CallRecord, { redactedReview }: Delivery): boolean => {
  if (redactedReview === undefined) return false
  const { from, to } = redactedReview
  const now: ReviewTexts = { ...existing, feedback: existing.feedbackByPerson ? existing.feedback : null }
  return (["feedback", "topic", "dropoffPoint"] as const).some(
    (text) => now[text] !== from[text] && now[text] !== to[text]
  )
}

const DETAILS = ["metadata", "dynamicVariables", "feedback", "customerNumber", "callEndedReason"] as const

/** Whether another delivery or a person changed what this delivery was made from; storing it would undo that change. */
const isMergeBaseStale = (base: Delivery["mergeBase"], existing: CallRecord): boolean =>
  base !== undefined &&
  ((base.transcript && !isSameTranscript(base.call.transcript, existing.transcript)) ||
    (base.recording && base.call.recording?.blobKey !== existing.recording?.blobKey) ||
    (base.details && DETAILS.some((detail) => !isDeepStrictEqual(base.call[detail], existing[detail]))))

const isSameTranscript = (one: CallRecord["transcript"], other: CallRecord["transcript"]): boolean =>
  one === null || other === null ? one === other : StoredTranscript.print(one) === StoredTranscript.print(other)

/** The stored list when the delivery requests the same metrics in any order. */
const mergeMetrics = (
  existing: CallRecord["requestedMetrics"],
  delivered: Delivery["metricIds"]
): CallRecord["requestedMetrics"] =>
  delivered === undefined || (existing?.length === delivered.length && delivered.every((id) => existing.includes(id)))
    ? existing
    : delivered

/** Fields of the record that a redelivery may change; the merge keeps the stored object where the value is equal. */
const MERGED_FIELDS = [
  "traceId",
  "timestamp",
  "durationSeconds",
  "statedDurationSeconds",
  "feedback",
  "topic",
  "dropoffPoint",
  "customerNumber",
  "callEndedReason",
  "errorMessage",
  "metadata",
  "dynamicVariables",
  "requestedMetrics"
] as const

const isFieldChanged =
  (existing: CallRecord, merged: CallRecord) =>
  (field: (typeof MERGED_FIELDS)[number]): boolean =>
    field === "timestamp"
      ? merged.timestamp.epochMillis !== existing.timestamp.epochMillis
      : merged[field] !== existing[field]

/** The stored document when the delivered one is equal; databases reorder keys. */
const mergeJson = (
  existing: CallRecord["metadata"],
  delivered: CallRecord["metadata"] | undefined
): CallRecord["metadata"] => (delivered === undefined || isDeepStrictEqual(existing, delivered) ? existing : delivered)

interface MergedRecording {
  readonly recording: Recording | null
  readonly released: ReadonlyArray<string>
}

/** The stored recording when the same audio is delivered again; the delivered copy is then released. */
const mergeRecording = (existing: Recording | null, { dropsRecording, recording }: Delivery): MergedRecording => {
  if (recording === undefined) {
    return dropsRecording
      ? { recording: null, released: existing === null ? [] : [existing.blobKey] }
      : { recording: existing, released: [] }
  }
  if (existing === null) return { recording, released: [] }
  if (existing.sha256 !== recording.sha256) return { recording, released: [existing.blobKey] }
  const mainAgentChannelIndex = recording.mainAgentChannelIndex ?? existing.mainAgentChannelIndex
  const released = recording.blobKey === existing.blobKey ? [] : [recording.blobKey]
  return mainAgentChannelIndex === existing.mainAgentChannelIndex
    ? { recording: existing, released }
    : { recording: { ...existing, mainAgentChannelIndex }, released }
}
