import type * as DateTime from "effect/DateTime"
import type { AgentId, MetricId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import type { Json } from "../kernel/Json.js"
import type { RedactionCount, SensitiveField } from "@earshot/redaction"
import type { PrintedTranscript } from "../transcripts/PrintedTranscript.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import type { CallRecord, Recording } from "./CallRecord.js"

/** The agent of a call, as call records store it. */
export interface CalledAgent {
  readonly id: AgentId
  readonly organizationId: OrganizationId
  readonly projectId: ProjectId
  readonly name: string
}

/**
 * The stored call that a delivery was made from, and which parts of it were used. The delivery is stored only on that call,
 * and only while those parts are unchanged (optimistic concurrency).
 */
export interface MergeBase {
  readonly call: CallRecord
  /** The stored transcript was redacted again, or decided what to mute in the delivered recording. */
  readonly transcript: boolean
  /** The stored recording was muted again or is dropped. */
  readonly recording: boolean
  /** Metadata, variables, feedback and customer number were redacted again. */
  readonly details: boolean
}

/** What a person writes in a review. */
export type ReviewTexts = Pick<CallRecord, "feedback" | "topic" | "dropoffPoint">

/** The transcript of a delivery. */
export interface DeliveredTranscript {
  readonly type: string
  readonly content: RedactedTranscript
  /** The content as texts, where they were made beforehand. */
  readonly printed?: PrintedTranscript
}

/**
 * One delivery of a call, ready to be stored. A field that the delivery omits or gives as null is undefined, as is an empty
 * trace id.
 */
export interface Delivery {
  readonly agent: CalledAgent
  readonly callId: string
  readonly traceId: string | undefined
  readonly timestamp: DateTime.Utc | undefined
  readonly customerNumber: string | undefined
  readonly callEndedReason: string | undefined
  readonly feedback: string | undefined
  /** The texts of a review before and after they were redacted for this delivery; feedback that is not a person's is null. */
  readonly redactedReview?: { readonly from: ReviewTexts; readonly to: ReviewTexts } | undefined
  readonly metadata: Json | undefined
  readonly dynamicVariables: Json | undefined
  /** The length of the call as the platform states it. */
  readonly statedDurationSeconds?: number | undefined
  readonly transcript: DeliveredTranscript | undefined
  /** The delivery has a transcript that could not be read, which the record's `error_message` says. */
  readonly hasUnreadableTranscript?: boolean | undefined
  readonly recording: Recording | undefined
  /** Why the recording of this delivery could not be stored, for the record's `error_message`. */
  readonly recordingError: string | undefined
  /** The metrics that the delivery requests; undefined keeps those requested before, by default all of the agent's. */
  readonly metricIds: ReadonlyArray<MetricId> | undefined
  /** Whether new and changed calls are evaluated. */
  readonly evaluates: boolean
  /** The fields that are redacted in transcript and recording. */
  readonly redactFields: ReadonlyArray<SensitiveField>
  /** What is redacted in the call once this is stored; undefined keeps what the record says. */
  readonly redactions?: ReadonlyArray<RedactionCount> | undefined
  /** The stored recording has to be redacted and cannot be muted, so it is removed. */
  readonly dropsRecording: boolean
  /** Undefined when no stored call was read. A delivery with a merge base never creates a call. */
  readonly mergeBase?: MergeBase | undefined
  readonly receivedAt: DateTime.Utc
}
