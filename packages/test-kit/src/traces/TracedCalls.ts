/**
 * Calls and the spans that the tracing of each library makes of them, by the tables of attributes that the libraries
 * document: LiveKit Agents before and since version 1.7, Pipecat, and OpenTelemetry's conventions for generative AI.
 */
import type { JsonObject, Speaker } from "@earshot/core"
import * as fc from "fast-check"

/** What was said in a call, and what was measured. */
export interface TracedCall {
  readonly id: string
  readonly agentName: string
  readonly customerNumber: string
  readonly endedReason: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationSeconds: number
  readonly turns: ReadonlyArray<{
    readonly speaker: Speaker
    readonly content: string
    /** Seconds from the start of the call. */
    readonly start: number
    readonly end: number
    /** Seconds: of an agent's turn the model's first token, the speech's first byte, and from the user's end to its start. */
    readonly timings: readonly [number, number, number]
    readonly tool: string | undefined
  }>
}

export const tracingLibraries = ["livekit", "livekit_before_1_7", "pipecat", "gen_ai"] as const
export type TracingLibrary = (typeof tracingLibraries)[number]

/** A span as a library hands it to its exporter. */
export interface FixtureSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly startMillis: number
  readonly endMillis: number
  readonly attributes: JsonObject
}

const word = fc.stringMatching(/^[a-z]{2,12}$/)

/** A call whose turns alternate; the agent begins. */
export const tracedCall: fc.Arbitrary<TracedCall> = fc.record({
  id: fc.uuid(),
  agentName: fc.constant("assistant-1"),
  customerNumber: fc.stringMatching(/^\+[1-9][0-9]{7,12}$/),
  endedReason: fc.constantFrom("participant_disconnected", "user_initiated"),
  startedAt: fc.integer({ min: 1_600_000_000, max: 1_900_000_000 }).map((seconds) => seconds * 1000),
  durationSeconds: fc.integer({ min: 200, max: 400 }),
  turns: fc
    .array(
      fc.record({ content: word, tool: fc.option(word, { nil: undefined }), delay: fc.integer({ min: 1, max: 900 }) }),
      {
        minLength: 1,
        maxLength: 8
      }
    )
    .map((turns) =>
      turns.map(({ content, delay, tool }, index) => {
        const isAgent = index % 2 === 0
        return {
          speaker: isAgent ? ("main_agent" as const) : ("testing_agent" as const),
          content,
          start: index * 10 + 2,
          end: index * 10 + 8,
          timings: [delay / 1000, (delay + 50) / 1000, (delay + 100) / 500] as const,
          tool: isAgent ? tool : undefined
        }
      })
    )
})

/** Makes the spans of a trace, with ids that follow from its number. */
const makeTrace = (call: TracedCall, number = 1) => {
  const spans: Array<FixtureSpan> = []
  const traceId = `${call.id.replaceAll("-", "").slice(0, 31)}${(number % 15) + 1}`
  let count = 0
  return {
    spans,
    /** Times are seconds from the start of the call. */
    add: (
      name: string,
      parentSpanId: string | undefined,
      [start, end]: readonly [number, number],
      attributes: JsonObject
    ): string => {
      count += 1
      const spanId = `${traceId.slice(0, 8)}${String(count).padStart(8, "0")}`
      spans.push({
        name,
        traceId,
        spanId,
        parentSpanId,
        startMillis: call.startedAt + start * 1000,
        endMillis: call.startedAt + end * 1000,
        attributes
      })
      return spanId
    }
  }
}

const liveKit = (call: TracedCall, prefix: "lk.pii." | "lk."): ReadonlyArray<FixtureSpan> => {
  const isNew = prefix === "lk.pii."
  const { add, spans } = makeTrace(call)
  const session = "00000000000000a1"
  for (const { content, end, speaker, start, timings, tool } of call.turns) {
    const [token, byte, latency] = timings
    if (speaker === "testing_agent") {
      const turn = add("user_turn", session, [start, end + 0.5], {
        [`${prefix}user_transcript`]: content,
        "lk.transcript_confidence": 0.9,
        "lk.transcription_delay": token,
        [isNew ? "lk.end_of_turn_delay" : "lk.end_of_utterance_delay"]: byte
      })
      add("user_speaking", turn, [start, end], isNew ? {} : speakingTimes(call, start, end))
      if (isNew) add("eou_detection", turn, [end, end + 0.1], { "lk.eou.probability": 0.8 })
      continue
    }
    const turn = add(isNew ? "agent_turn" : "assistant_turn", session, [start - 1, end], {
      "lk.speech_id": `speech_${start}`,
      "lk.e2e_latency": latency,
      ...(isNew ? { "lk.pii.response.text": content } : {})
    })
    const model = add("llm_node", turn, [start - 1, start], {
      [`${prefix}chat_ctx`]: JSON.stringify({ items: [] }),
      [`${prefix}response.text`]: content,
      "lk.response.ttft": token
    })
    if (isNew) {
      add("llm_request", model, [start - 1, start], {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "a-model",
        "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content }] }])
      })
    }
    add("tts_node", turn, [start - 0.5, start], { [`${prefix}input_text`]: content, "lk.response.ttfb": byte })
    if (tool !== undefined) {
      add("function_tool", turn, [start - 0.75, start - 0.5], {
        "lk.function_tool.id": `call_${start}`,
        "lk.function_tool.name": tool,
        [`${prefix}function_tool.arguments`]: `{"a":"${tool}"}`,
        [`${prefix}function_tool.output`]: "done",
        "lk.function_tool.is_error": false
      })
    }
    add("agent_speaking", isNew ? turn : session, [start, end], isNew ? {} : speakingTimes(call, start, end))
  }
  add("some_new_span", session, [1, 2], { "lk.something": 1 })
  return [
    ...spans,
    {
      ...makeSession(call, spans),
      spanId: session,
      attributes: {
        "lk.job_id": call.id,
        "lk.agent_name": call.agentName,
        [`${prefix}room_name`]: `room-${call.id}`,
        [`${prefix}sip.phoneNumber`]: call.customerNumber,
        "lk.close_reason": call.endedReason
      }
    }
  ]
}

const speakingTimes = ({ startedAt }: TracedCall, start: number, end: number): JsonObject => ({
  "lk.start_time": startedAt / 1000 + start,
  "lk.end_time": startedAt / 1000 + end
})

/** The root span of a session. */
const makeSession = (call: TracedCall, spans: ReadonlyArray<FixtureSpan>): Omit<FixtureSpan, "attributes"> => ({
  name: "agent_session",
  traceId: spans[0]?.traceId ?? "",
  spanId: "",
  parentSpanId: undefined,
  startMillis: call.startedAt,
  endMillis: call.startedAt + call.durationSeconds * 1000
})

const pipecat = (call: TracedCall): ReadonlyArray<FixtureSpan> => {
  const { add, spans } = makeTrace(call)
  const conversation = "00000000000000b2"
  const exchanges = call.turns.flatMap((agent, at) =>
    agent.speaker === "main_agent" ? [{ agent, user: at === 0 ? undefined : call.turns[at - 1] }] : []
  )
  const last = call.turns.at(-1)
  const all = last?.speaker === "testing_agent" ? [...exchanges, { agent: undefined, user: last }] : exchanges
  all.forEach(({ agent, user }, at) => {
    const start = user?.start ?? agent?.start ?? 0
    const end = agent?.end ?? user?.end ?? 0
    const turn = add("turn", conversation, [start - 0.25, end + 1], {
      "turn.number": at + 1,
      "turn.type": "conversation",
      "conversation.id": call.id,
      "turn.was_interrupted": false,
      ...(user === undefined || agent === undefined ? {} : { "turn.user_bot_latency_seconds": agent.timings[2] })
    })
    if (user !== undefined) {
      add("stt", turn, [user.end, user.end + 0.25], {
        "gen_ai.operation.name": "stt",
        "gen_ai.provider.name": "deepgram",
        transcript: user.content,
        is_final: true,
        "metrics.ttfb": user.timings[0]
      })
    }
    if (agent === undefined) return
    const [token, byte] = agent.timings
    add("llm", turn, [agent.start - 1, agent.start - byte], {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      input: JSON.stringify([{ role: "user", content: user?.content ?? "" }]),
      output: agent.content,
      "metrics.ttfb": token
    })
    if (agent.tool !== undefined) {
      add("llm_tool_call", turn, [agent.start - 0.75, agent.start - 0.5], {
        "tool.function_name": agent.tool,
        "tool.call_id": `call_${agent.start}`,
        "tool.arguments": `{"a":"${agent.tool}"}`,
        "tool.result": "done",
        "tool.result_status": "success"
      })
    }
    add("tts", turn, [agent.start - byte, agent.start], {
      "gen_ai.operation.name": "tts",
      text: agent.content,
      "metrics.ttfb": byte
    })
  })
  return [
    ...spans,
    {
      ...makeSession(call, spans),
      name: "conversation",
      spanId: conversation,
      attributes: { "conversation.id": call.id, "conversation.type": "voice", "agent.name": call.agentName }
    }
  ]
}

const genAi = (call: TracedCall): ReadonlyArray<FixtureSpan> => {
  const history: Array<JsonObject> = []
  return call.turns.flatMap(({ content, end, speaker, start, timings, tool }, at) => {
    if (speaker === "testing_agent") {
      history.push({ role: "user", parts: [{ type: "text", content }] })
      // The last words of a user are in no request.
      return []
    }
    const { add, spans } = makeTrace(call, at)
    const answer = { role: "assistant", parts: [{ type: "text", content }], finish_reason: "stop" }
    const root = add("chat a-model", undefined, [start, end], {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.agent.name": call.agentName,
      "gen_ai.conversation.id": call.id,
      "gen_ai.input.messages": JSON.stringify(history),
      "gen_ai.output.messages": JSON.stringify([answer]),
      "gen_ai.response.time_to_first_chunk": timings[0]
    })
    if (tool !== undefined) {
      add(`execute_tool ${tool}`, root, [start + 0.25, start + 0.5], {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": `call_${start}`,
        "gen_ai.tool.call.arguments": `{"a":"${tool}"}`,
        "gen_ai.tool.call.result": "done"
      })
    }
    history.push(answer)
    return spans
  })
}

/** The spans of a call in the order in which they end, as exporters send them. */
export const spansOf = (library: TracingLibrary, call: TracedCall): ReadonlyArray<FixtureSpan> => {
  switch (library) {
    case "livekit":
      return liveKit(call, "lk.pii.")
    case "livekit_before_1_7":
      return liveKit(call, "lk.")
    case "pipecat":
      return pipecat(call)
    case "gen_ai":
      return genAi(call)
  }
}

const valueOf = (value: JsonObject[string]): JsonObject =>
  typeof value === "string"
    ? { stringValue: value }
    : typeof value === "boolean"
      ? { boolValue: value }
      : Number.isInteger(value)
        ? { intValue: String(Number(value)) }
        : { doubleValue: Number(value) }

const attributesOf = (attributes: JsonObject): ReadonlyArray<JsonObject> =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))

/** An export request in OTLP's JSON encoding. */
export const otlpJson = (
  spans: ReadonlyArray<FixtureSpan>,
  { resource = {}, scope = "" }: { readonly resource?: JsonObject; readonly scope?: string } = {}
): JsonObject => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [
        {
          scope: { name: scope },
          spans: spans.map(({ attributes, endMillis, name, parentSpanId = "", spanId, startMillis, traceId }) => ({
            traceId,
            spanId,
            parentSpanId,
            name,
            kind: 1,
            startTimeUnixNano: `${Math.round(startMillis * 1000)}000`,
            endTimeUnixNano: `${Math.round(endMillis * 1000)}000`,
            attributes: attributesOf(attributes),
            status: {}
          }))
        }
      ]
    }
  ]
})

/** What a call that is assembled of a library's spans has to have. */
export const expectedTurns = (library: TracingLibrary, call: TracedCall) => {
  const turns = library === "gen_ai" ? call.turns.slice(0, lastAgentTurn(call)) : call.turns
  return turns.map(({ content, speaker, tool, timings: [token, byte, latency] }, at) => {
    const isAgent = speaker === "main_agent"
    const isLiveKit = library.startsWith("livekit")
    const stages = isAgent
      ? {
          model_first_token: token,
          ...(library === "gen_ai" ? {} : { text_to_speech_first_byte: byte }),
          ...(library === "gen_ai" || tool === undefined ? {} : { tool: 0.25 }),
          ...(isLiveKit || (library === "pipecat" && at > 0) ? { end_to_end: latency } : {})
        }
      : isLiveKit
        ? { speech_to_text: token, endpointing: byte }
        : library === "pipecat"
          ? { speech_to_text: token }
          : {}
    return { speaker, content, stages }
  })
}

const lastAgentTurn = ({ turns }: TracedCall): number =>
  turns.findLastIndex(({ speaker }) => speaker === "main_agent") + 1
