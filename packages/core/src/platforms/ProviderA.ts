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

/** The event that reports a finished call; every other kind is sent during a call. */
const REPORT = "end-of-call-report"

/**
 * `provider_a`: a server message `{message: {type, call, artifact, ...}}`, with or without the outer `message`, or a call
 * object of the platform's API (`GET /call`). Only the report at the end of a call is about a finished call, and a call
 * object that has ended. Amounts are in US dollars, latencies in milliseconds.
 * Source: the platform's documentation of server messages and of its call object.
 */
export const readEnvelope: ReadEnvelope = (input) => {
  if (!isPlainObject(input)) return undefined
  const message = isPlainObject(input.message) ? input.message : input
  const call = isPlainObject(message.call) ? message.call : undefined
  if (typeof message.type === "string" && (call !== undefined || message !== input || message.artifact !== undefined)) {
    return {
      event: eventName(message.type),
      isFinished: message.type === REPORT,
      facts: factsOf(message, call ?? {})
    }
  }
  return isCallObject(input)
    ? {
        event: "call",
        isFinished: input.status === "ended" || firstText(input.endedReason, input.endedAt) !== undefined,
        facts: factsOf(input, input)
      }
    : undefined
}

const CALL_KEYS = ["orgId", "assistantId", "endedReason", "artifact", "phoneCallProvider", "assistant", "squadId"]

const isCallObject = (row: Row): boolean =>
  typeof row.id === "string" && CALL_KEYS.some((key) => row[key] !== undefined && row[key] !== null)

const DIRECTIONS: ReadonlyMap<unknown, string> = new Map([
  ["inboundPhoneCall", "inbound"],
  ["outboundPhoneCall", "outbound"],
  ["webCall", "web"]
])

/** `message` and `call` are the same for a call object. */
const factsOf = (message: Row, call: Row): CallFacts => {
  const artifact = { ...rowIn(call, "artifact"), ...rowIn(message, "artifact") }
  const recording = rowIn(artifact, "recording")
  const analysis = firstObject(message.analysis, call.analysis)
  const startedAt = firstInstant(message.startedAt, call.startedAt)
  const endedAt = firstInstant(message.endedAt, call.endedAt)
  const overrides = rowIn(call, "assistantOverrides")
  const customer = { ...rowIn(call, "customer"), ...rowIn(message, "customer") }
  return {
    callId: firstText(call.id),
    assistantId: firstText(call.assistantId, rowIn(message, "assistant").id, rowIn(call, "assistant").id),
    // A call that never connected has no start.
    startedAt: startedAt ?? firstInstant(call.createdAt),
    durationSeconds: firstSeconds(
      secondsBetween(startedAt, endedAt),
      message.durationSeconds,
      divided(message.durationMs, 1000)
    ),
    endedReason: firstText(message.endedReason, call.endedReason),
    customerNumber: firstText(customer.number, customer.sipUri),
    recordingUrl: firstText(
      message.stereoRecordingUrl,
      artifact.stereoRecordingUrl,
      recording.stereoUrl,
      call.stereoRecordingUrl,
      message.recordingUrl,
      artifact.recordingUrl,
      rowIn(recording, "mono").combinedUrl,
      call.recordingUrl
    ),
    dynamicVariables: firstObject(artifact.variableValues, artifact.variables, overrides.variableValues),
    metadata: firstObject(call.metadata, overrides.metadata),
    results: {
      status: call.status,
      direction: DIRECTIONS.get(call.type),
      success: analysis?.successEvaluation,
      summary: firstText(analysis?.summary, message.summary, call.summary),
      analysis,
      cost: message.cost ?? call.cost,
      cost_details: message.costBreakdown ?? call.costBreakdown,
      latency: artifact.performanceMetrics
    }
  }
}
