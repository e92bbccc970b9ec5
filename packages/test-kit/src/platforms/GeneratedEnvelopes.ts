/** Generated calls and the envelopes in which each platform reports them. */
import type { Json, JsonObject, Platforms, Speaker } from "@earshot/core"
import * as fc from "fast-check"

/** What happened in a call: what its envelopes state, and what the stored call has to be. */
export interface CallTruth {
  readonly callId: string
  readonly assistantId: string
  /** Milliseconds since 1970, whole seconds. */
  readonly startedAt: number
  readonly durationSeconds: number
  readonly endedReason: string
  readonly customerNumber: string
  readonly isOutbound: boolean
  readonly dynamicVariables: JsonObject
  readonly metadata: JsonObject
  readonly success: boolean
  readonly cost: number
  readonly turns: ReadonlyArray<{ readonly speaker: Speaker; readonly content: string; readonly start: number }>
}

const word = fc.stringMatching(/^[a-z]{1,12}$/)
const object: fc.Arbitrary<JsonObject> = fc.dictionary(word, fc.oneof(word, fc.nat({ max: 99 }), fc.boolean()), {
  minKeys: 1,
  maxKeys: 3
})

export const callTruth: fc.Arbitrary<CallTruth> = fc.record({
  callId: fc.uuid(),
  assistantId: fc.constant("assistant-1"),
  startedAt: fc.integer({ min: 1_600_000_000, max: 1_900_000_000 }).map((seconds) => seconds * 1000),
  durationSeconds: fc.integer({ min: 100, max: 3_000 }),
  // Longer than the field in one of four: the call record has its beginning.
  endedReason: fc.oneof(
    { weight: 3, arbitrary: word },
    { weight: 1, arbitrary: fc.constant("pipeline-error-".repeat(9)) }
  ),
  customerNumber: fc.stringMatching(/^\+[1-9][0-9]{7,12}$/),
  isOutbound: fc.boolean(),
  dynamicVariables: object,
  metadata: object,
  success: fc.boolean(),
  cost: fc.nat({ max: 1_000 }),
  turns: fc
    .array(fc.record({ speaker: fc.constantFrom<Speaker>("main_agent", "testing_agent"), content: word }), {
      maxLength: 6
    })
    .map((turns) => turns.map((turn, index) => ({ ...turn, start: index * 5 })))
})

export interface GeneratedEnvelope {
  readonly event: string
  readonly body: JsonObject
  /** What it states of its finished call; undefined of an event during a call, of which nothing is stored. */
  readonly states: Partial<CallTruth> | undefined
}

/** An event during a call. */
const during = (event: string, body: JsonObject): GeneratedEnvelope => ({ event, body, states: undefined })

const vapi = (truth: CallTruth): ReadonlyArray<GeneratedEnvelope> => {
  const call = {
    id: truth.callId,
    orgId: "org-1",
    assistantId: truth.assistantId,
    type: truth.isOutbound ? "outboundPhoneCall" : "inboundPhoneCall",
    metadata: truth.metadata,
    customer: { number: truth.customerNumber }
  }
  const of = (type: string, more: JsonObject) => ({ message: { type, call, ...more } })
  const report = "end-of-call-report"
  return [
    during("status-update", of("status-update", { status: "in-progress" })),
    during("conversation-update", of("conversation-update", { artifact: { messages: [] } })),
    {
      event: report,
      states: truth,
      body: of(report, {
        startedAt: new Date(truth.startedAt).toISOString(),
        endedAt: new Date(truth.startedAt + truth.durationSeconds * 1000).toISOString(),
        endedReason: truth.endedReason,
        cost: truth.cost,
        analysis: { successEvaluation: String(truth.success) },
        artifact: {
          messages: truth.turns.map(({ content, speaker, start }) => ({
            role: speaker === "main_agent" ? "bot" : "user",
            message: content,
            time: truth.startedAt + start * 1000,
            secondsFromStart: start
          })),
          variableValues: truth.dynamicVariables
        }
      })
    }
  ]
}

/** A call that is in progress. */
const retellCall = (truth: CallTruth): JsonObject => ({
  call_id: truth.callId,
  agent_id: truth.assistantId,
  call_type: "phone_call",
  direction: truth.isOutbound ? "outbound" : "inbound",
  from_number: truth.isOutbound ? "+10000000000" : truth.customerNumber,
  to_number: truth.isOutbound ? truth.customerNumber : "+10000000000",
  start_timestamp: truth.startedAt,
  retell_llm_dynamic_variables: truth.dynamicVariables,
  metadata: truth.metadata
})

const retellEnded = (truth: CallTruth): JsonObject => ({
  ...retellCall(truth),
  call_status: "ended",
  duration_ms: truth.durationSeconds * 1000,
  disconnection_reason: truth.endedReason,
  call_cost: { combined_cost: truth.cost },
  transcript_object: truth.turns.map(({ content, speaker, start }) => ({
    role: speaker === "main_agent" ? "agent" : "user",
    content,
    words: [{ word: content, start }]
  }))
})

/** What the platform takes to be true at the end of a call, before its analysis. */
const beforeAnalysis = ({ success: _, ...truth }: CallTruth): Omit<CallTruth, "success"> => ({
  ...truth,
  startedAt: truth.startedAt - 1000,
  durationSeconds: truth.durationSeconds + 1,
  // Longer than the field if the true one is not, and the other way round.
  endedReason: truth.endedReason.length > 100 ? "hangup" : "error-in-pipeline-".repeat(9),
  dynamicVariables: { ...truth.dynamicVariables, preliminary: true },
  cost: 0,
  turns: truth.turns.slice(0, -1)
})

const retell = (truth: CallTruth): ReadonlyArray<GeneratedEnvelope> => {
  const early = beforeAnalysis(truth)
  const ongoing = { ...retellCall(truth), call_status: "ongoing" }
  return [
    during("call_started", { event: "call_started", call: ongoing }),
    during("transcript_updated", { event: "transcript_updated", call: ongoing }),
    {
      event: "call_ended",
      states: early,
      body: { event: "call_ended", call: retellEnded({ ...truth, ...early }) }
    },
    {
      event: "call_analyzed",
      states: truth,
      body: {
        event: "call_analyzed",
        call: { ...retellEnded(truth), call_analysis: { call_successful: truth.success } }
      }
    }
  ]
}

const pipecat = (truth: CallTruth): ReadonlyArray<GeneratedEnvelope> => [
  during("session_started", { event: "session_started", session_id: truth.callId }),
  {
    event: "call_ended",
    states: truth,
    body: {
      session_id: truth.callId,
      assistant_id: truth.assistantId,
      started_at: new Date(truth.startedAt).toISOString(),
      duration_seconds: truth.durationSeconds,
      ended_reason: truth.endedReason,
      direction: truth.isOutbound ? "outbound" : "inbound",
      from_number: truth.isOutbound ? "+10000000000" : truth.customerNumber,
      to_number: truth.isOutbound ? truth.customerNumber : "+10000000000",
      dynamic_variables: truth.dynamicVariables,
      metadata: truth.metadata,
      success: truth.success,
      cost: truth.cost,
      messages: truth.turns.map(({ content, speaker, start }) => ({
        role: speaker === "main_agent" ? "assistant" : "user",
        content,
        start_time: start
      }))
    }
  }
]

const liveKit = (truth: CallTruth): ReadonlyArray<GeneratedEnvelope> => [
  during("room_started", { event: "room_started", room: { sid: "RM_1", name: truth.callId } }),
  {
    event: "session_report",
    states: truth,
    body: {
      job_id: truth.callId,
      room: "room-1",
      agent_name: truth.assistantId,
      started_at: truth.startedAt / 1000,
      timestamp: truth.startedAt / 1000 + truth.durationSeconds,
      events: [{ type: "close", reason: truth.endedReason }],
      participant: { attributes: { "sip.phoneNumber": truth.customerNumber } },
      dynamic_variables: truth.dynamicVariables,
      metadata: truth.metadata,
      success: truth.success,
      cost: truth.cost,
      chat_history: {
        items: truth.turns.map(({ content, speaker, start }) => ({
          type: "message",
          role: speaker === "main_agent" ? "assistant" : "user",
          content: [content],
          created_at: truth.startedAt / 1000 + start
        }))
      }
    }
  }
]

const elevenLabs = (truth: CallTruth): ReadonlyArray<GeneratedEnvelope> => {
  const data = { agent_id: truth.assistantId, conversation_id: truth.callId }
  return [
    {
      event: "post_call_audio",
      states: {},
      body: { type: "post_call_audio", data: { ...data, full_audio: "bm90IGF1ZGlv" } }
    },
    {
      event: "post_call_transcription",
      // Nothing is attached to a call but its variables.
      states: { ...truth, metadata: {} },
      body: {
        type: "post_call_transcription",
        data: {
          ...data,
          status: "done",
          transcript: truth.turns.map(({ content, speaker, start }) => ({
            role: speaker === "main_agent" ? "agent" : "user",
            message: content,
            time_in_call_secs: start
          })),
          metadata: {
            start_time_unix_secs: truth.startedAt / 1000,
            call_duration_secs: truth.durationSeconds,
            termination_reason: truth.endedReason,
            cost: truth.cost,
            phone_call: { direction: truth.isOutbound ? "outbound" : "inbound", external_number: truth.customerNumber }
          },
          analysis: { call_successful: truth.success },
          conversation_initiation_client_data: { dynamic_variables: truth.dynamicVariables }
        }
      }
    }
  ]
}

const makers: Readonly<Record<Platforms.Platform, (truth: CallTruth) => ReadonlyArray<GeneratedEnvelope>>> = {
  provider_a: vapi,
  provider_b: retell,
  provider_d: pipecat,
  provider_e: liveKit,
  provider_f: elevenLabs
}

/** Every envelope about a call, in the order in which the platform sends them. The last one states the whole call. */
export const envelopesOf = (platform: Platforms.Platform, truth: CallTruth): ReadonlyArray<GeneratedEnvelope> =>
  makers[platform](truth)

/** The parts of a call that an envelope may leave out. */
export type CallPart = Exclude<keyof CallTruth, "callId" | "assistantId" | "startedAt" | "isOutbound">

const numbers = ["from_number", "to_number"]

/** Where the last envelope of a platform states each part. */
const places: Readonly<Record<Platforms.Platform, Readonly<Record<CallPart, ReadonlyArray<string>>>>> = {
  provider_a: {
    durationSeconds: ["message.endedAt"],
    endedReason: ["message.endedReason"],
    customerNumber: ["message.call.customer"],
    dynamicVariables: ["message.artifact.variableValues"],
    metadata: ["message.call.metadata"],
    success: ["message.analysis"],
    cost: ["message.cost"],
    turns: ["message.artifact.messages"]
  },
  provider_b: {
    durationSeconds: ["call.duration_ms"],
    endedReason: ["call.disconnection_reason"],
    customerNumber: numbers.map((name) => `call.${name}`),
    dynamicVariables: ["call.retell_llm_dynamic_variables"],
    metadata: ["call.metadata"],
    success: ["call.call_analysis"],
    cost: ["call.call_cost"],
    turns: ["call.transcript_object"]
  },
  provider_d: {
    durationSeconds: ["duration_seconds"],
    endedReason: ["ended_reason"],
    customerNumber: numbers,
    dynamicVariables: ["dynamic_variables"],
    metadata: ["metadata"],
    success: ["success"],
    cost: ["cost"],
    turns: ["messages"]
  },
  provider_e: {
    durationSeconds: ["timestamp"],
    endedReason: ["events"],
    customerNumber: ["participant"],
    dynamicVariables: ["dynamic_variables"],
    metadata: ["metadata"],
    success: ["success"],
    cost: ["cost"],
    turns: ["chat_history"]
  },
  provider_f: {
    durationSeconds: ["data.metadata.call_duration_secs"],
    endedReason: ["data.metadata.termination_reason"],
    customerNumber: ["data.metadata.phone_call"],
    dynamicVariables: ["data.conversation_initiation_client_data"],
    metadata: [],
    success: ["data.analysis"],
    cost: ["data.metadata.cost"],
    turns: ["data.transcript"]
  }
}

/** An envelope that leaves parts out. */
export const partialEnvelope = (
  platform: Platforms.Platform,
  { body, event, states }: GeneratedEnvelope,
  omitted: ReadonlyArray<CallPart>
): GeneratedEnvelope => ({
  event,
  body: omitted
    .flatMap((part) => places[platform][part])
    .reduce<JsonObject>((all, path) => withoutPath(all, path.split(".")), body),
  states:
    states && Object.fromEntries(Object.entries(states).filter(([part]) => !omitted.some((name) => name === part)))
})

const withoutPath = (object: JsonObject, [key = "", ...rest]: ReadonlyArray<string>): JsonObject => {
  const { [key]: found, ...others } = object
  return isObject(found) && rest.length > 0 ? { ...others, [key]: withoutPath(found, rest) } : others
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What the stored call has to be once its last envelope has arrived. */
export const expectedOf = (platform: Platforms.Platform, truth: CallTruth) => ({
  callId: truth.callId,
  startedAt: truth.startedAt,
  durationSeconds: truth.durationSeconds,
  callEndedReason: truth.endedReason.slice(0, 100),
  wholeReason: truth.endedReason.length > 100 ? truth.endedReason : undefined,
  customerNumber: truth.customerNumber,
  dynamicVariables: truth.dynamicVariables,
  // `provider_f` attaches nothing to a call but its variables.
  metadata: platform === "provider_f" ? {} : truth.metadata,
  success: platform === "provider_a" ? String(truth.success) : truth.success,
  cost: truth.cost,
  turns: truth.turns.map(({ content, speaker, start }) => [speaker, content, start])
})
