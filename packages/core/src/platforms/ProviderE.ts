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
  rowsIn,
  secondsBetween
} from "./Envelope.js"

const HOLDERS = ["chat_history", "chatHistory", "history", "transcript"]

/**
 * `provider_e`: the session report of an agent, sent when its session has ended; or an event of the platform's server
 * (`{event: "room_finished", room}`), none of which has a transcript. Keys may be in camel case, as the JavaScript library
 * writes them. A report's fields that the library does not write, such as `customer_number` and `recording_url`, may be
 * added to it: see docs/platforms.md.
 * Source: the library's session report and the platform's documentation of webhooks.
 */
export const readEnvelope: ReadEnvelope = (input) => {
  if (!isPlainObject(input)) return undefined
  if (typeof input.event === "string") {
    const isServerEvent = ["room", "participant", "egressInfo", "ingressInfo"].some((key) => isPlainObject(input[key]))
    return isServerEvent
      ? { event: eventName(input.event), isFinished: false, facts: factsOf(input, rowIn(input, "room")) }
      : undefined
  }
  const isReport =
    firstText(input.job_id, input.jobId, input.room_id, input.roomId, input.room) !== undefined ||
    Array.isArray(input.items) ||
    HOLDERS.some((key) => isPlainObject(input[key]) && Array.isArray(rowIn(input, key).items))
  return isReport ? { event: "session_report", isFinished: true, facts: factsOf(input, {}) } : undefined
}

const factsOf = (report: Row, room: Row): CallFacts => {
  const startedAt = firstInstant(
    report.started_at,
    report.startedAt,
    report.audio_recording_started_at,
    report.audioRecordingStartedAt
  )
  const participant = rowIn(report, "participant")
  const attributes = rowIn(participant, "attributes")
  const closed = rowsIn(report.events).find(({ type }) => type === "close")
  return {
    callId: firstText(
      report.call_id,
      report.job_id,
      report.jobId,
      report.room_id,
      report.roomId,
      report.room,
      room.sid
    ),
    assistantId: firstText(report.assistant_id, report.agent_name, report.agentName),
    startedAt,
    durationSeconds: firstSeconds(
      report.duration_seconds,
      report.duration,
      // The time at which the report was made, which is the end of the session.
      secondsBetween(startedAt, firstInstant(report.ended_at, report.timestamp))
    ),
    endedReason: firstText(report.call_ended_reason, report.close_reason, closed?.reason),
    customerNumber: firstText(report.customer_number, attributes["sip.phoneNumber"]),
    recordingUrl: firstText(report.stereo_recording_url, report.recording_url),
    dynamicVariables: firstObject(report.dynamic_variables),
    metadata: firstObject(report.metadata),
    results: {
      direction: report.direction,
      success: report.success,
      summary: report.summary,
      analysis: report.analysis,
      cost: report.cost,
      cost_details: report.usage ?? report.model_usage,
      latency: latenciesOf(report)
    }
  }
}

const TIMINGS = [
  "e2e_latency",
  "llm_node_ttft",
  "tts_node_ttfb",
  "transcription_delay",
  "end_of_turn_delay",
  "on_user_turn_completed_delay"
]

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** The timings of each message that has some, in seconds, in the order of the messages. */
const latenciesOf = (report: Row): unknown => {
  const key = HOLDERS.find((name) => isPlainObject(report[name]))
  const turns = rowsIn(key === undefined ? report.items : rowIn(report, key).items).flatMap((item) => {
    const metrics = rowIn(item, "metrics")
    const timings = TIMINGS.flatMap((name) => {
      const value = metrics[name] ?? metrics[camelCase(name)]
      return typeof value === "number" ? [[name, value] as const] : []
    })
    return timings.length === 0 ? [] : [{ role: item.role, ...Object.fromEntries(timings) }]
  })
  return turns.length === 0 ? undefined : { turns }
}
