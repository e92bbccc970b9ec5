/**
 * Spans of LiveKit Agents. Source: the library's `telemetry/trace_types`, and docs.livekit.io "OpenTelemetry traces". Since
 * version 1.7 attributes with content begin with `lk.pii.` instead of `lk.`; both are read.
 */
import type { Span } from "./Span.js"
import { defined, documentAt, jsonAt, placeOf, secondsAt, textAt } from "./SpanValues.js"
import { traceKey } from "./TraceKeys.js"
import type { SpanReading, TracePart } from "./TracePart.js"
import { isPlainObject } from "../kernel/Json.js"

type Kind = TracePart["kind"] | "none"

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["agent_session", "session"],
  // It begins before the session and ends after it.
  ["job_entrypoint", "facts"],
  ["user_turn", "user_turn"],
  ["agent_turn", "agent_turn"],
  // The name before version 1.3.
  ["assistant_turn", "agent_turn"],
  ["user_speaking", "user_speech"],
  ["agent_speaking", "agent_speech"],
  ["llm_node", "model"],
  ["tts_node", "speech"],
  ["function_tool", "tool"],
  ...[
    "answering_machine_detection",
    "drain_agent_activity",
    "eou_detection",
    "eou_wait",
    "event_loop_blocked",
    "job_dispatch",
    "job_shutdown",
    "keyterm_detection",
    "llm_request",
    "llm_request_run",
    "on_enter",
    "on_exit",
    "on_session_end",
    "on_user_turn_completed",
    "pause_agent_activity",
    "publish_audio_output",
    "realtime_inference",
    "realtime_metrics",
    "resume_agent_activity",
    "room_connect",
    "room_disconnect",
    "rpc_call",
    "rpc_handler",
    "session_close",
    "session_end_upload",
    "session_start",
    "setup_toolsets",
    "shutdown_callback",
    "start_agent_activity",
    "tts_request",
    "tts_request_run",
    "update_agent",
    "wait_for_audio_track",
    "wait_for_participant"
  ].map((name) => [name, "none"] as const)
])

/** Scopes of the library's tracers, in Python and JavaScript. */
const SCOPE = /livekit/i

/** Names such as `on_enter` may be anybody's; those of spans with a part in the conversation are the library's own. */
const kindOf = ({ attributes, name, scope }: Span): Kind | undefined => {
  const kind = KINDS.get(name)
  return kind !== "none" || SCOPE.test(scope) || [...attributes.keys()].some((key) => key.startsWith("lk."))
    ? kind
    : undefined
}

/** The two names of an attribute with content. */
const content = (name: string): readonly [string, string] => [`lk.pii.${name}`, `lk.${name}`]

/** What a span says; undefined for one that is not the library's, or of a kind that is not known. */
export const readLiveKit = (span: Span): SpanReading | undefined => {
  const kind = kindOf(span)
  if (kind === undefined) return undefined
  return {
    keys: keysOf(span),
    part: kind === "none" && closeReason(span) === undefined ? undefined : partOf(kind, span),
    endsCall: kind === "session" || kind === "facts"
  }
}

const closeReason = ({ attributes }: Span): string | undefined => textAt(attributes, "lk.close_reason")

const roomNameOf = ({ attributes }: Span): string | undefined =>
  textAt(attributes, ...content("room_name"), "room_name", "livekit.room.name")

const jobIdOf = ({ attributes }: Span): string | undefined => textAt(attributes, "lk.job_id", "job_id")
const roomIdOf = ({ attributes }: Span): string | undefined => textAt(attributes, "lk.room_sid", "room_id")

/** The most specific of what identifies the call; a room's name may be used again by another call. */
const keysOf = (span: Span): ReadonlyArray<string> => {
  const job = jobIdOf(span)
  if (job !== undefined) return [traceKey("job", job)]
  const room = roomIdOf(span)
  if (room !== undefined) return [traceKey("room", room)]
  const name = roomNameOf(span)
  return name === undefined ? [] : [traceKey("room name", name)]
}

/** A time of a document of metrics that is an attribute. */
const metricAt = (span: Span, attribute: string, key: string): unknown => {
  const metrics = jsonAt(span.attributes, attribute)
  return isPlainObject(metrics) ? metrics[key] : undefined
}

const firstSeconds = (...values: ReadonlyArray<unknown>): number | undefined =>
  values.find((value): value is number => typeof value === "number" && value >= 0)

const partOf = (kind: Kind, span: Span): TracePart => {
  const { attributes } = span
  const base = { ...placeOf(span), source: "livekit" as const }
  switch (kind) {
    case "session":
      return { ...base, kind, facts: factsOf(span) }
    case "facts":
    case "none":
      return { ...base, kind: "facts", facts: factsOf(span) }
    case "user_turn":
      return {
        ...base,
        kind,
        ...defined({
          text: textAt(attributes, ...content("user_transcript")),
          speech_to_text: secondsAt(attributes, "lk.transcription_delay"),
          endpointing: secondsAt(attributes, "lk.end_of_turn_delay", "lk.end_of_utterance_delay")
        })
      }
    case "agent_turn":
      return {
        ...base,
        kind,
        ...defined({
          text: textAt(attributes, ...content("response.text")),
          end_to_end: secondsAt(attributes, "lk.e2e_latency")
        })
      }
    case "model":
      return {
        ...base,
        kind,
        ...defined({
          text: textAt(attributes, ...content("response.text")),
          model_first_token: firstSeconds(
            secondsAt(attributes, "lk.response.ttft", "gen_ai.response.time_to_first_chunk"),
            metricAt(span, "lk.llm_metrics", "ttft")
          )
        })
      }
    case "speech":
      return {
        ...base,
        kind,
        ...defined({
          text: textAt(attributes, ...content("input_text")),
          text_to_speech_first_byte: firstSeconds(
            secondsAt(attributes, "lk.response.ttfb"),
            metricAt(span, "lk.tts_metrics", "ttfb")
          )
        })
      }
    case "tool":
      return { ...base, kind, tools: [toolOf(span)] }
    default:
      return { ...base, kind, ...spokenTimes(span) }
  }
}

const toolOf = ({ attributes, isError }: Span): NonNullable<TracePart["tools"]>[number] => ({
  name: textAt(attributes, "lk.function_tool.name", "gen_ai.tool.name") ?? "",
  ...defined({
    id: textAt(attributes, "lk.function_tool.id", "gen_ai.tool.call.id"),
    arguments: documentAt(attributes, ...content("function_tool.arguments"), "gen_ai.tool.call.arguments"),
    result: documentAt(attributes, ...content("function_tool.output"), "gen_ai.tool.call.result")
  }),
  failed: attributes.get("lk.function_tool.is_error") === true || isError
})

/** When somebody spoke: as the span states it in seconds since 1970, otherwise as long as the span lasted. */
const spokenTimes = ({
  attributes,
  endMillis,
  startMillis
}: Span): { readonly start: number; readonly end: number } => {
  const at = (name: string, otherwise: number): number => {
    const value = attributes.get(name)
    return typeof value === "number" && value > 1e8 ? value * 1000 : otherwise
  }
  const start = at("lk.start_time", startMillis)
  return { start, end: Math.max(start, at("lk.end_time", endMillis)) }
}

const factsOf = (span: Span): TracePart["facts"] => {
  const { attributes, resource } = span
  const agent = textAt(attributes, "lk.agent_name", "gen_ai.agent.name")
  const service = textAt(resource, "service.name")
  return {
    assistantIds: [agent, service].filter((id) => id !== undefined),
    ...defined({
      callId: jobIdOf(span) ?? roomIdOf(span) ?? roomNameOf(span),
      customerNumber: textAt(attributes, ...content("sip.phoneNumber"), "sip.phoneNumber"),
      endedReason: closeReason(span),
      roomName: roomNameOf(span)
    })
  }
}
