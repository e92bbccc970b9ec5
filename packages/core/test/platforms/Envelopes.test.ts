import { Platforms } from "@earshot/core"
import { PlatformKit } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const limits = { callEndedReason: 100, customerNumber: 100 }

const statedBy = (platform: Platforms.Platform, body: unknown) => {
  const event = Platforms.readEnvelope(platform, body)
  if (event === undefined) throw new Error("not an envelope")
  return Platforms.statedFields(platform, event, limits)
}

const documented = (platform: Platforms.Platform, event: string) => {
  const found = PlatformKit.documentedEvents[platform].find((one) => one.event === event)
  if (found === undefined) throw new Error(event)
  return statedBy(platform, found.body)
}

describe("reading the envelopes of platforms", () => {
  for (const platform of Platforms.platforms) {
    it.each(PlatformKit.documentedEvents[platform].map((one) => [one.event, one] as const))(
      `${platform}: recognizes the documented event %s, and whether its call has ended`,
      (_, { body, event, isFinished }) => {
        expect(Platforms.readEnvelope(platform, body)).toMatchObject({ event, isFinished })
      }
    )

    it(`${platform}: reads any value without throwing`, () => {
      fc.assert(
        fc.property(fc.anything({ withNullPrototype: true }), (value) => {
          const event = Platforms.readEnvelope(platform, value)
          if (event !== undefined) Platforms.statedFields(platform, event, limits)
        }),
        { numRuns: 500 }
      )
    })

    it(`${platform}: reads envelopes with parts of other types without throwing`, () => {
      const bodies = PlatformKit.documentedEvents[platform].map(({ body }) => JSON.stringify(body))
      fc.assert(
        fc.property(fc.constantFrom(...bodies), fc.nat(), fc.jsonValue(), (text, at, value) => {
          let left = at % 40
          const damaged: unknown = JSON.parse(text, (_, part: unknown) => (left-- === 0 ? value : part))
          const event = Platforms.readEnvelope(platform, damaged)
          if (event !== undefined) Platforms.statedFields(platform, event, limits)
        }),
        { numRuns: 500 }
      )
    })
  }

  it("reads a provider_a report", () => {
    expect(documented("provider_a", "end-of-call-report")).toStrictEqual({
      call_id: "7420f27a-30fd-4f49-a995-5549ae7cc00d",
      assistant_id: "asst-1",
      timestamp: "2025-03-04T17:00:00.000Z",
      duration_seconds: 44.3,
      call_ended_reason: "customer-ended-call",
      customer_number: "+15551230000",
      voice_recording_url: "https://storage.example/stereo.wav",
      dynamic_variables: { name: "Ada" },
      metadata: {
        region: "eu",
        platform: {
          name: "provider_a",
          event: "end-of-call-report",
          status: "ended",
          direction: "inbound",
          success: "true",
          summary: "A table was booked.",
          analysis: { summary: "A table was booked.", successEvaluation: "true", structuredData: { guests: 2 } },
          cost: 0.0425,
          cost_details: { stt: 0.01, llm: 0.01, tts: 0.02, vapi: 0.0025, total: 0.0425 },
          latency: {
            turnLatencies: [
              {
                modelLatency: 400,
                voiceLatency: 200,
                transcriberLatency: 100,
                endpointingLatency: 300,
                turnLatency: 1000
              }
            ],
            turnLatencyAverage: 1000
          }
        }
      }
    })
  })

  it("reads a provider_b call after its analysis, with the called number of an outbound call", () => {
    expect(documented("provider_b", "call_analyzed")).toMatchObject({
      call_id: "Jabr9TXYYJHfvl6Syypi88rdAHYHmcq6",
      assistant_id: "agent-1",
      timestamp: "2025-03-04T17:00:00.000Z",
      duration_seconds: 44.3,
      call_ended_reason: "user_hangup",
      customer_number: "+12137771235",
      voice_recording_url: "https://storage.example/stereo.wav",
      dynamic_variables: { customer_name: "John Doe" },
      metadata: {
        region: "eu",
        platform: { name: "provider_b", event: "call_analyzed", direction: "outbound", success: true, cost: 70 }
      }
    })
  })

  it("reads a provider_d body and a provider_e report", () => {
    expect(documented("provider_d", "call_ended")).toMatchObject({
      call_id: "s1",
      assistant_id: "agent-1",
      timestamp: "2025-03-04T17:00:00.000Z",
      duration_seconds: 44.3,
      call_ended_reason: "client_disconnected",
      customer_number: "+15551230000"
    })
    expect(documented("provider_e", "session_report")).toMatchObject({
      call_id: "AJ_1",
      assistant_id: "agent-1",
      timestamp: "2025-03-04T17:00:00.000Z",
      duration_seconds: 44.3,
      call_ended_reason: "participant_disconnected",
      metadata: { platform: { latency: { turns: [{ role: "assistant", e2e_latency: 0.9, llm_node_ttft: 0.4 }] } } }
    })
  })

  it("reads a provider_f transcription, and a call that could not be placed", () => {
    expect(documented("provider_f", "post_call_transcription")).toMatchObject({
      call_id: "conv-1",
      assistant_id: "agent-1",
      timestamp: "2025-03-04T17:00:00.000Z",
      duration_seconds: 44,
      call_ended_reason: "Client disconnected: 1000",
      customer_number: "+15551230000",
      dynamic_variables: { user_name: "Ada" },
      metadata: {
        platform: {
          status: "done",
          direction: "inbound",
          success: "success",
          summary: "A table was booked.",
          cost: 296,
          latency: {
            turns: [
              { role: "agent", time_in_call_secs: 1, metrics: { convai_llm_service_ttfb: { elapsed_time: 0.4 } } }
            ]
          }
        }
      }
    })
    expect(documented("provider_f", "call_initiation_failure")).toMatchObject({
      call_id: "conv-2",
      timestamp: "2025-03-04T17:01:40.000Z",
      call_ended_reason: "busy",
      customer_number: "+15551230000"
    })
  })

  it("reads call objects of the platforms' APIs, for a backfill", () => {
    const call = {
      id: "c1",
      orgId: "o",
      status: "ended",
      endedAt: "2025-03-04T17:00:10Z",
      startedAt: "2025-03-04T17:00:00Z"
    }
    expect(statedBy("provider_a", call)).toMatchObject({ call_id: "c1", duration_seconds: 10 })
    expect(Platforms.readEnvelope("provider_a", { ...call, status: "queued", endedAt: null })).toMatchObject({
      isFinished: false
    })
    expect(Platforms.readEnvelope("provider_b", { call_id: "c1", call_status: "ongoing" })).toMatchObject({
      event: "call",
      isFinished: false
    })
    expect(
      Platforms.readEnvelope("provider_f", { conversation_id: "c1", agent_id: "a", status: "done" })
    ).toMatchObject({
      event: "conversation",
      isFinished: true
    })
  })

  it("cuts a reason that is too long, and keeps the whole in the metadata", () => {
    const reason = "😀".repeat(121)
    const stated = statedBy("provider_a", {
      message: { type: "end-of-call-report", call: { id: "1" }, endedReason: reason }
    })
    expect(stated.call_ended_reason).toBe("😀".repeat(100))
    expect(Platforms.platformPart(stated.metadata)?.ended_reason).toBe(reason)
  })

  it("leaves out details that cannot be stored", () => {
    const stated = statedBy("provider_b", {
      event: "call_ended",
      call: {
        call_id: "1",
        disconnection_reason: "a\0b",
        duration_ms: -5,
        start_timestamp: "soon",
        latency: { id: 2 ** 60 }
      }
    })
    expect(stated).toStrictEqual({
      call_id: "1",
      metadata: { platform: { name: "provider_b", event: "call_ended" } }
    })
  })

  it("names the platforms that a body looks like", () => {
    for (const platform of Platforms.platforms) {
      for (const { body } of PlatformKit.documentedEvents[platform])
        expect(Platforms.platformsOf(body)).toStrictEqual([platform])
    }
  })
})

describe("merging the metadata of two events", () => {
  const part = (event: string, more: object = {}) => ({ platform: { name: "provider_b", event, ...more } })
  const neither = { ended_reason: false, customer_number: false }

  it("keeps what either states, and prefers the later event whichever arrives first", () => {
    const ended = { ...part("call_ended", { cost: 1, latency: 2 }), a: 1 }
    const analyzed = { ...part("call_analyzed", { cost: 3, success: true }), b: 2 }
    const merged = { ...part("call_analyzed", { cost: 3, latency: 2, success: true }), a: 1, b: 2 }
    expect(Platforms.mergeMetadata(ended, analyzed, neither)).toStrictEqual(merged)
    expect(Platforms.mergeMetadata(analyzed, ended, neither)).toEqual(merged)
  })

  it("has the whole texts of the fields that it is told of, whichever event states others", () => {
    const ended = part("call_ended", { ended_reason: "long", customer_number: "1" })
    const analyzed = part("call_analyzed", { ended_reason: "longer" })
    const merged = (one: object, other: object, ended_reason: boolean) =>
      Platforms.mergeMetadata({ ...one }, { ...other }, { ended_reason, customer_number: false })
    expect(merged(ended, analyzed, true)).toEqual(
      part("call_analyzed", { ended_reason: "longer", customer_number: "1" })
    )
    expect(merged(ended, part("call_analyzed"), true)).toEqual(part("call_analyzed", { customer_number: "1" }))
    expect(merged(part("call_analyzed"), ended, false)).toEqual(part("call_analyzed"))
  })

  it("replaces metadata that no platform stated", () => {
    expect(Platforms.mergeMetadata({ a: 1 }, { b: 2 }, neither)).toStrictEqual({ b: 2 })
    expect(Platforms.mergeMetadata(part("call_ended"), { b: 2 }, neither)).toStrictEqual({ b: 2 })
    expect(Platforms.mergeMetadata({ a: 1 }, part("call_ended"), neither)).toStrictEqual({
      a: 1,
      ...part("call_ended")
    })
    expect(Platforms.mergeMetadata({ platform: "mine" }, part("call_ended"), neither)).toStrictEqual(part("call_ended"))
  })
})
