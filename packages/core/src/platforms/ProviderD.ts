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
  secondsBetween
} from "./Envelope.js"

/** What a pipeline calls its last event; a body without an event is the report of a finished call. */
const FINISHED = new Set(["call_ended", "session_ended", "conversation_ended", "pipeline_finished"])

/**
 * `provider_d`: a library, which sends nothing of its own: the body is what docs/platforms.md shows, sent by the bot when its
 * pipeline has finished. `{call_id or session_id, messages or transcript, started_at, ended_at, ...}`; an `event` is
 * optional, and one that does not end a call makes it an event during a call.
 */
export const readEnvelope: ReadEnvelope = (input) => {
  if (!isPlainObject(input)) return undefined
  const callId = firstText(input.call_id, input.session_id, input.sessionId, input.conversation_id)
  const hasRows = input.messages !== undefined || input.transcript !== undefined
  if (callId === undefined && !hasRows) return undefined
  // Other platforms' envelopes have an id and an event as well.
  if (input.room !== undefined || input.call !== undefined || input.data !== undefined) return undefined
  const event = input.event === undefined ? "call_ended" : eventName(input.event)
  return { event, isFinished: FINISHED.has(event), facts: factsOf(input, callId) }
}

const factsOf = (body: Row, callId: string | undefined): CallFacts => {
  const startedAt = firstInstant(body.started_at, body.timestamp)
  return {
    callId,
    assistantId: firstText(body.assistant_id, body.agent_name),
    startedAt,
    durationSeconds: firstSeconds(
      body.duration_seconds,
      secondsBetween(firstInstant(body.started_at), firstInstant(body.ended_at))
    ),
    endedReason: firstText(body.call_ended_reason, body.ended_reason),
    customerNumber: firstText(body.customer_number, body.direction === "outbound" ? body.to_number : body.from_number),
    recordingUrl: firstText(body.stereo_recording_url, body.recording_url, body.voice_recording_url),
    dynamicVariables: firstObject(body.dynamic_variables),
    metadata: firstObject(body.metadata),
    results: {
      status: body.status,
      direction: body.direction,
      success: body.success,
      summary: body.summary,
      analysis: body.analysis,
      cost: body.cost,
      latency: body.metrics
    }
  }
}
