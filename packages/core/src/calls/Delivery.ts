import type * as DateTime from "effect/DateTime"
import type { AgentId, MetricId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import type { Json } from "../kernel/Json.js"
import type { SensitiveField } from "../redaction/SensitiveField.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import type { CallRecord, Recording } from "./CallRecord.js"

/** The agent whose call it is, as the records of its calls have to know it. */
export interface CalledAgent {
  readonly id: AgentId
  readonly organizationId: OrganizationId
  readonly projectId: ProjectId
  readonly name: string
}

/**
 * The call that was read to make a delivery, and what of it went into the delivery. It is kept on that call alone, and
 * only while what it was made from is still there.
 */
export interface LaidOver {
  readonly call: CallRecord
  /** The transcript was redacted again, or tells what to mute in the recording that came. */
  readonly transcript: boolean
  /** The recording was muted again, or has to go. */
  readonly recording: boolean
  /** Metadata, variables, feedback and the customer's number were redacted again. */
  readonly details: boolean
}

/**
 * A call as one delivery tells it, fit to be kept. What a delivery leaves out or gives as null is undefined: it says
 * nothing of it. An empty trace id says nothing either.
 */
export interface Delivery {
  readonly agent: CalledAgent
  readonly callId: string
  readonly traceId: string | undefined
  readonly timestamp: DateTime.Utc | undefined
  readonly customerNumber: string | undefined
  readonly callEndedReason: string | undefined
  readonly feedback: string | undefined
  /** What a person wrote before anybody asked for it to go, and what is left of it. */
  readonly reviewed?: { readonly of: string; readonly to: string } | undefined
  readonly metadata: Json | undefined
  readonly dynamicVariables: Json | undefined
  readonly transcript: { readonly type: string; readonly content: RedactedTranscript } | undefined
  readonly recording: Recording | undefined
  /** Why the recording that this delivery announced is not there, in a sentence for a person. */
  readonly recordingFault: string | undefined
  /** The metrics that the delivery asks for; undefined leaves it at those asked for before, or else all of the agent's. */
  readonly metricIds: ReadonlyArray<MetricId> | undefined
  /** Whether new or changed calls are evaluated at all. */
  readonly evaluates: boolean
  /** The fields that are gone from transcript and recording. */
  readonly redactFields: ReadonlyArray<SensitiveField>
  /** The recording that is there holds what was to be redacted, and could not be muted: it goes. */
  readonly dropsRecording: boolean
  /** Undefined where no call was read. A delivery with one never makes a call. */
  readonly laidOver?: LaidOver | undefined
  readonly receivedAt: DateTime.Utc
}
