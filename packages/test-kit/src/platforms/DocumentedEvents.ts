/** An envelope of every kind of event that the platforms document, written from their documentation. */
import type { JsonObject, Platforms } from "@earshot/core"

export interface DocumentedEvent {
  readonly event: string
  /** Whether it is about a call that has ended or failed. */
  readonly isFinished: boolean
  readonly body: JsonObject
}

const vapiCall = {
  id: "7420f27a-30fd-4f49-a995-5549ae7cc00d",
  orgId: "eb166faa-7145-46ef-8044-589b47ae3b56",
  type: "inboundPhoneCall",
  assistantId: "asst-1",
  createdAt: "2025-03-04T16:59:58.000Z",
  customer: { number: "+15551230000" }
}

const vapi = (type: string, more: JsonObject = {}): DocumentedEvent => ({
  event: type,
  isFinished: type === "end-of-call-report",
  body: { message: { type, timestamp: 1_741_107_600_000, call: { ...vapiCall, status: "in-progress" }, ...more } }
})

/** An event about a chat or a session, which has no call. */
const vapiOfOther = (type: string, subject: "chat" | "session"): DocumentedEvent => ({
  event: type,
  isFinished: false,
  body: { message: { type, timestamp: 1_741_107_600_000, [subject]: { id: "5c1b0d9e", orgId: vapiCall.orgId } } }
})

const vapiReport = vapi("end-of-call-report", {
  call: { ...vapiCall, status: "ended", metadata: { region: "eu" } },
  endedReason: "customer-ended-call",
  startedAt: "2025-03-04T17:00:00.000Z",
  endedAt: "2025-03-04T17:00:44.300Z",
  cost: 0.0425,
  costBreakdown: { stt: 0.01, llm: 0.01, tts: 0.02, vapi: 0.0025, total: 0.0425 },
  analysis: { summary: "A table was booked.", successEvaluation: "true", structuredData: { guests: 2 } },
  artifact: {
    messages: [
      { role: "system", message: "Be kind.", time: 1_741_107_600_000, secondsFromStart: 0 },
      { role: "bot", message: "Hello.", time: 1_741_107_601_500, endTime: 1_741_107_602_000, secondsFromStart: 1.5 },
      { role: "user", message: "A table for two.", time: 1_741_107_604_000, secondsFromStart: 4, duration: 1_200 },
      {
        role: "tool_calls",
        toolCalls: [{ id: "t1", type: "function", function: { name: "book", arguments: '{"guests":2}' } }],
        time: 1_741_107_605_500,
        secondsFromStart: 5.5
      },
      {
        role: "tool_call_result",
        toolCallId: "t1",
        name: "book",
        result: "ok",
        time: 1_741_107_606_000,
        secondsFromStart: 6
      },
      { role: "voicemail_detection", time: 1_741_107_607_000, secondsFromStart: 7 }
    ],
    stereoRecordingUrl: "https://storage.example/stereo.wav",
    recordingUrl: "https://storage.example/mono.wav",
    variableValues: { name: "Ada" },
    performanceMetrics: {
      turnLatencies: [
        { modelLatency: 400, voiceLatency: 200, transcriberLatency: 100, endpointingLatency: 300, turnLatency: 1_000 }
      ],
      turnLatencyAverage: 1_000
    }
  }
})

const retellCall = {
  call_type: "phone_call",
  call_id: "Jabr9TXYYJHfvl6Syypi88rdAHYHmcq6",
  agent_id: "agent-1",
  direction: "outbound",
  from_number: "+12137771234",
  to_number: "+12137771235",
  metadata: { region: "eu" },
  retell_llm_dynamic_variables: { customer_name: "John Doe" },
  start_timestamp: 1_741_107_600_000
}

const retellEnded = {
  ...retellCall,
  call_status: "ended",
  end_timestamp: 1_741_107_644_300,
  duration_ms: 44_300,
  disconnection_reason: "user_hangup",
  transcript_object: [
    { role: "agent", content: "Hello.", words: [{ word: "Hello.", start: 1.5, end: 2 }] },
    { role: "user", content: "A table for two.", words: [{ word: "A", start: 4, end: 5.2 }] }
  ],
  transcript_with_tool_calls: [
    { role: "agent", content: "Hello.", words: [{ word: "Hello.", start: 1.5, end: 2 }] },
    { role: "user", content: "A table for two.", words: [{ word: "A", start: 4, end: 5.2 }] },
    { role: "tool_call_invocation", tool_call_id: "t1", name: "book", arguments: '{"guests":2}', time_sec: 5.5 },
    { role: "tool_call_result", tool_call_id: "t1", content: "ok", successful: true, time_sec: 6 }
  ],
  recording_url: "https://storage.example/mono.wav",
  recording_multi_channel_url: "https://storage.example/stereo.wav",
  latency: { e2e: { p50: 800, values: [700, 900], num: 2 }, llm: { p50: 400 } },
  call_cost: {
    combined_cost: 70,
    total_duration_seconds: 44.3,
    product_costs: [{ product: "elevenlabs_tts", cost: 60 }]
  }
}

const retell = (event: string, call: JsonObject, isFinished = false): DocumentedEvent => ({
  event,
  isFinished,
  body: { event, call }
})

const elevenLabs = (type: string, data: JsonObject): DocumentedEvent => ({
  event: type,
  isFinished: true,
  body: { type, event_timestamp: 1_741_107_700, data }
})

const liveKitRoom = { sid: "RM_1", name: "room-1", creationTime: "1741107600" }

const liveKit = (event: string, more: JsonObject = {}): DocumentedEvent => ({
  event,
  isFinished: false,
  body: { event, id: "EV_1", createdAt: "1741107600", room: liveKitRoom, ...more }
})

/** Source: each platform's documentation of its webhooks; of `provider_d`, docs/platforms.md. */
export const documentedEvents: Readonly<Record<Platforms.Platform, ReadonlyArray<DocumentedEvent>>> = {
  provider_a: [
    vapi("assistant-request"),
    vapi("assistant.speechStarted", { text: "Hello.", turn: 0, source: "model" }),
    vapi("assistant.started"),
    vapi("call.delete.failed"),
    vapi("call.deleted"),
    vapi("call.endpointing.request"),
    vapiOfOther("chat.created", "chat"),
    vapiOfOther("chat.deleted", "chat"),
    vapi("conversation-update", { messages: [], artifact: { messages: [] } }),
    vapi("function-call", { functionCall: { name: "f", parameters: {} } }),
    vapi("handoff-destination-request"),
    vapi("hang"),
    vapi("knowledge-base-request"),
    vapi("language-change-detected", { language: "de" }),
    vapi("language-changed", { language: "de" }),
    vapi("model-output", { output: "Hel" }),
    vapi("phone-call-control", { request: "hang-up" }),
    vapiOfOther("session.created", "session"),
    vapiOfOther("session.deleted", "session"),
    vapiOfOther("session.updated", "session"),
    vapi("speech-update", { status: "started", role: "assistant" }),
    vapi("status-update", { status: "in-progress" }),
    vapi("tool-calls", { toolCallList: [] }),
    vapi('transcript[transcriptType="final"]', { role: "user", transcriptType: "final", transcript: "Hi" }),
    vapi("transcript", { role: "user", transcriptType: "final", transcript: "Hi" }),
    vapi("transfer-destination-request"),
    vapi("transfer-update"),
    vapi("user-interrupted"),
    vapi("voice-input", { input: "Hi" }),
    vapi("voice-request", { text: "Hi" }),
    vapiReport
  ],
  provider_b: [
    retell("call_started", { ...retellCall, call_status: "ongoing" }),
    retell("transcript_updated", { ...retellCall, call_status: "ongoing" }),
    retell("transfer_started", { ...retellCall, call_status: "ongoing" }),
    retell("transfer_bridged", { ...retellCall, call_status: "ongoing" }),
    retell("transfer_cancelled", { ...retellCall, call_status: "ongoing" }),
    retell("transfer_ended", { ...retellCall, call_status: "ongoing" }),
    ...["chat_started", "chat_ended", "chat_analyzed"].map((event) => ({
      event,
      isFinished: false,
      body: { event, chat: { chat_id: "c1", agent_id: "agent-1", transcript: "Agent: Hello." } }
    })),
    retell("call_ended", retellEnded, true),
    retell(
      "call_analyzed",
      {
        ...retellEnded,
        call_analysis: { call_summary: "A table was booked.", call_successful: true, user_sentiment: "Positive" }
      },
      true
    )
  ],
  provider_d: [
    { event: "session_started", isFinished: false, body: { event: "session_started", session_id: "s1" } },
    {
      event: "call_ended",
      isFinished: true,
      body: {
        session_id: "s1",
        assistant_id: "agent-1",
        started_at: "2025-03-04T17:00:00Z",
        ended_at: "2025-03-04T17:00:44.300Z",
        ended_reason: "client_disconnected",
        customer_number: "+15551230000",
        messages: [
          { role: "system", content: "Be kind." },
          { role: "assistant", content: "Hello.", timestamp: "2025-03-04T17:00:01.500Z" },
          { role: "user", content: "A table for two.", timestamp: "2025-03-04T17:00:04.000Z" }
        ],
        metrics: { ttfb: [{ processor: "llm", value: 0.4 }] }
      }
    }
  ],
  provider_e: [
    liveKit("room_started"),
    liveKit("room_finished"),
    liveKit("participant_joined", { participant: { sid: "PA_1", identity: "caller" } }),
    liveKit("participant_left", { participant: { sid: "PA_1", identity: "caller" } }),
    liveKit("participant_connection_aborted", { participant: { sid: "PA_1", identity: "caller" } }),
    liveKit("track_published", { participant: { sid: "PA_1" }, track: { sid: "TR_1" } }),
    liveKit("track_unpublished", { participant: { sid: "PA_1" }, track: { sid: "TR_1" } }),
    liveKit("egress_started", { egressInfo: { egressId: "EG_1" } }),
    liveKit("egress_updated", { egressInfo: { egressId: "EG_1" } }),
    liveKit("egress_ended", { egressInfo: { egressId: "EG_1" } }),
    liveKit("ingress_started", { ingressInfo: { ingressId: "IN_1" } }),
    liveKit("ingress_ended", { ingressInfo: { ingressId: "IN_1" } }),
    {
      event: "session_report",
      isFinished: true,
      body: {
        job_id: "AJ_1",
        room_id: "RM_1",
        room: "room-1",
        agent_name: "agent-1",
        started_at: 1_741_107_600,
        timestamp: 1_741_107_644.3,
        options: { allow_interruptions: true },
        events: [{ type: "close", reason: "participant_disconnected", created_at: 1_741_107_644 }],
        chat_history: {
          items: [
            {
              id: "item_1",
              type: "message",
              role: "assistant",
              content: ["Hello."],
              created_at: 1_741_107_601.5,
              metrics: {
                started_speaking_at: 1_741_107_601.5,
                stopped_speaking_at: 1_741_107_602,
                e2e_latency: 0.9,
                llm_node_ttft: 0.4
              }
            },
            { id: "item_2", type: "message", role: "user", content: ["A table for two."], created_at: 1_741_107_604 },
            {
              id: "item_3",
              type: "function_call",
              call_id: "t1",
              name: "book",
              arguments: "{}",
              created_at: 1_741_107_605.5
            },
            {
              id: "item_4",
              type: "function_call_output",
              call_id: "t1",
              name: "book",
              output: "ok",
              is_error: false,
              created_at: 1_741_107_606
            },
            { id: "item_5", type: "agent_handoff", new_agent_id: "x" }
          ]
        }
      }
    }
  ],
  provider_f: [
    elevenLabs("post_call_transcription", {
      agent_id: "agent-1",
      conversation_id: "conv-1",
      status: "done",
      transcript: [
        {
          role: "agent",
          message: "Hello.",
          time_in_call_secs: 1,
          conversation_turn_metrics: { metrics: { convai_llm_service_ttfb: { elapsed_time: 0.4 } } }
        },
        { role: "user", message: "A table for two.", time_in_call_secs: 4 },
        {
          role: "agent",
          message: null,
          time_in_call_secs: 5,
          tool_calls: [{ request_id: "t1", tool_name: "book", params_as_json: '{"guests":2}' }],
          tool_results: [{ request_id: "t1", tool_name: "book", result_value: "ok", is_error: false }]
        }
      ],
      metadata: {
        start_time_unix_secs: 1_741_107_600,
        call_duration_secs: 44,
        cost: 296,
        termination_reason: "Client disconnected: 1000",
        charging: { dev_discount: true },
        phone_call: { direction: "inbound", external_number: "+15551230000", agent_number: "+15559990000" }
      },
      analysis: { call_successful: "success", transcript_summary: "A table was booked." },
      conversation_initiation_client_data: { dynamic_variables: { user_name: "Ada" } }
    }),
    elevenLabs("post_call_audio", { agent_id: "agent-1", conversation_id: "conv-1", full_audio: "SUQzBAAAAAAAAA==" }),
    elevenLabs("call_initiation_failure", {
      agent_id: "agent-1",
      conversation_id: "conv-2",
      failure_reason: "busy",
      metadata: { type: "twilio", body: { CallStatus: "busy", To: "+15551230000", From: "+15559990000" } }
    })
  ]
}
