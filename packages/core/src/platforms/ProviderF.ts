import { isPlainObject } from "../kernel/Json.js"
import {
  type CallFacts,
  eventName,
  firstInstant,
  firstObject,
  firstSeconds,
  firstText,
  type ReadEnvelope,
  type Row,
  rowIn,
  rowsIn
} from "./Envelope.js"

/** The events about a finished call: its transcript and analysis, its audio, and a call that could not be placed. */
const FINISHED = new Set(["post_call_transcription", "post_call_audio", "call_initiation_failure"])

/** The states of a conversation of the platform's API that has not ended. */
const UNFINISHED = new Set<unknown>(["initiated", "in-progress", "processing"])

/**
 * `provider_f`: an event `{type, event_timestamp, data}`, or a conversation of the platform's API. `post_call_audio` has only
 * the recording, in base64. Amounts are in the platform's credits, latencies in seconds.
 * Source: the platform's documentation of post-call webhooks and of its conversations.
 */
export const readEnvelope: ReadEnvelope = (input) => {
  if (!isPlainObject(input)) return undefined
  if (typeof input.type === "string" && isPlainObject(input.data)) {
    const isFinished = FINISHED.has(input.type)
    return { event: eventName(input.type), isFinished, facts: factsOf(input.data, input.event_timestamp) }
  }
  return typeof input.conversation_id === "string" &&
    (input.agent_id !== undefined || Array.isArray(input.transcript)) &&
    input.messages === undefined
    ? { event: "conversation", isFinished: !UNFINISHED.has(input.status), facts: factsOf(input, undefined) }
    : undefined
}

const factsOf = (data: Row, sentAt: unknown): CallFacts => {
  const metadata = rowIn(data, "metadata")
  const phone = rowIn(metadata, "phone_call")
  const analysis = firstObject(data.analysis)
  const failed = firstText(data.failure_reason)
  // A call that could not be placed has what the telephone provider reported.
  const placed = rowIn(metadata, "body")
  return {
    callId: firstText(data.conversation_id),
    assistantId: firstText(data.agent_id),
    startedAt: firstInstant(metadata.start_time_unix_secs, failed === undefined ? undefined : sentAt),
    durationSeconds: firstSeconds(metadata.call_duration_secs),
    endedReason: firstText(metadata.termination_reason, failed),
    customerNumber: firstText(phone.external_number, placed.To, placed.Called, placed.to_number),
    recordingUrl: undefined,
    recordingBase64: firstText(data.full_audio),
    dynamicVariables: firstObject(rowIn(data, "conversation_initiation_client_data").dynamic_variables),
    metadata: undefined,
    results: {
      status: data.status,
      direction: phone.direction,
      success: analysis?.call_successful,
      summary: analysis?.transcript_summary,
      analysis,
      cost: metadata.cost,
      cost_details: metadata.charging,
      latency: latenciesOf(data.transcript)
    }
  }
}

/** The timings of each turn that has some, by its start. */
const latenciesOf = (transcript: unknown): unknown => {
  const turns = rowsIn(transcript).flatMap((row) => {
    const metrics = rowIn(rowIn(row, "conversation_turn_metrics"), "metrics")
    return Object.keys(metrics).length === 0
      ? []
      : [{ role: row.role, time_in_call_secs: row.time_in_call_secs, metrics }]
  })
  return turns.length === 0 ? undefined : { turns }
}
