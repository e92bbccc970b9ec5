import { isPlainObject } from "../kernel/Json.js"
import {
  type CallFacts,
  divided,
  eventName,
  firstInstant,
  firstObject,
  firstSeconds,
  firstText,
  type ReadEnvelope,
  type Row,
  rowIn,
  secondsBetween
} from "./Envelope.js"

/** The events about a finished call: at its end, and once the platform has analyzed it. */
const FINISHED = new Set(["call_ended", "call_analyzed"])

/** The states of a call object that has not ended. */
const UNFINISHED = new Set<unknown>(["registered", "ongoing"])

/**
 * `provider_b`: an event `{event, call}`, or a call object of the platform's API. `call_ended` and `call_analyzed` are about
 * a finished call; the former has no analysis. Amounts are in cents of a US dollar, latencies in milliseconds.
 * Source: the platform's documentation of webhooks and of its call object.
 */
export const readEnvelope: ReadEnvelope = (input) => {
  if (!isPlainObject(input)) return undefined
  // Events of other platforms have an `event` too, but neither a call nor a chat.
  if (typeof input.event === "string" && (isPlainObject(input.call) || isPlainObject(input.chat))) {
    const isFinished = FINISHED.has(input.event)
    return { event: eventName(input.event), isFinished, facts: factsOf(rowIn(input, "call")) }
  }
  return typeof input.call_id === "string" &&
    (input.call_status !== undefined || input.call_type !== undefined || input.start_timestamp !== undefined)
    ? { event: "call", isFinished: !UNFINISHED.has(input.call_status), facts: factsOf(input) }
    : undefined
}

const factsOf = (call: Row): CallFacts => {
  const startedAt = firstInstant(call.start_timestamp)
  const analysis = firstObject(call.call_analysis)
  const isOutbound = call.direction === "outbound"
  return {
    callId: firstText(call.call_id),
    assistantId: firstText(call.agent_id),
    startedAt,
    durationSeconds: firstSeconds(
      divided(call.duration_ms, 1000),
      secondsBetween(startedAt, firstInstant(call.end_timestamp))
    ),
    endedReason: firstText(call.disconnection_reason),
    customerNumber: isOutbound ? firstText(call.to_number) : firstText(call.from_number),
    recordingUrl: firstText(
      call.recording_multi_channel_url,
      call.scrubbed_recording_multi_channel_url,
      call.recording_url,
      call.scrubbed_recording_url
    ),
    dynamicVariables: firstObject(call.retell_llm_dynamic_variables),
    metadata: firstObject(call.metadata),
    results: {
      status: call.call_status,
      direction: call.call_type === "web_call" ? "web" : call.direction,
      success: analysis?.call_successful,
      summary: analysis?.call_summary,
      analysis,
      cost: rowIn(call, "call_cost").combined_cost,
      cost_details: call.call_cost,
      latency: call.latency
    }
  }
}
