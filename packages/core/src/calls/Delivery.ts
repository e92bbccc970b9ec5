import type * as DateTime from "effect/DateTime"
import type { AgentId, CallId, MetricId, OrganizationId, ProjectId } from "../kernel/Ids.js"
import type { Json } from "../kernel/Json.js"
import type { SensitiveField } from "../redaction/SensitiveField.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import type { Recording } from "./CallRecord.js"

/** The agent whose call it is, as the records of its calls have to know it. */
export interface CalledAgent {
  readonly id: AgentId
  readonly organizationId: OrganizationId
  readonly projectId: ProjectId
  readonly name: string
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
  /**
   * The call that was read to make this delivery, so that it may hold what was said in it: it is kept on this one, and
   * never makes a call. Undefined where no call was read.
   */
  readonly laidOver?: CallId | undefined
  readonly receivedAt: DateTime.Utc
}
