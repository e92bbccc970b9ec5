import type { RawTranscript } from "@earshot/core"
import { TranscriptArbitraries } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Delivery } from "../../src/calls/Delivery.js"
import { rawTranscript, unredactedDelivery } from "../../src/calls/DeliveryRules.js"
import type { ValidIngest } from "../../src/calls/IngestValidation.js"
import { firstRecord } from "../../src/calls/RedeliveryRules.js"
import { AgentId, CallId, OrganizationId, ProjectId } from "../../src/kernel/Ids.js"

const { decodedToolCalls, decodedTurns } = TranscriptArbitraries.Conversations

const transcripts: fc.Arbitrary<RawTranscript> = fc
  .tuple(decodedTurns, decodedToolCalls, fc.array(fc.string(), { maxLength: 2 }))
  .map(([turns, toolCalls, skipped]) => ({
    _tag: "RawTranscript",
    turns,
    toolCalls,
    ...(skipped.length === 0 ? {} : { skipped })
  }))

const ingestOf = (transcript: RawTranscript | undefined): ValidIngest => ({
  body: {
    call_id: "call-1",
    trace_id: "",
    agent: AgentId.make(3),
    assistant_id: null,
    voice_recording: null,
    voice_recording_url: null,
    transcript_type: "service",
    call_ended_reason: null,
    customer_number: null,
    duration_seconds: null,
    metadata: null,
    timestamp: null,
    dynamic_variables: null,
    feedback: null,
    redact_fields: null,
    metric_ids: null,
    main_agent_channel_index: null
  },
  agent: { agent: AgentId.make(3) },
  transcript,
  hasUnreadableTranscript: false,
  recording: undefined,
  recordingError: undefined,
  redact: [],
  transcribe: false,
  metricIds: undefined
})

const agent = {
  id: AgentId.make(3),
  organizationId: OrganizationId.make(1),
  projectId: ProjectId.make(2),
  name: "Agent"
}

const deliveryOf = (transcript: RawTranscript | undefined): Delivery =>
  unredactedDelivery(
    ingestOf(transcript),
    agent,
    { recording: undefined, recordingError: undefined },
    true,
    DateTime.unsafeMake(0)
  )

describe("the transcript of an unredacted delivery", () => {
  it("is read from its text as it was", () => {
    fc.assert(
      fc.property(transcripts, (transcript) => {
        const delivery = deliveryOf(transcript)
        expect(delivery.transcript?.content).toEqual({ ...transcript, _tag: "RedactedTranscript" })
        expect(rawTranscript(delivery)).toEqual(transcript)
      })
    )
    expect(rawTranscript(deliveryOf(undefined))).toBeUndefined()
  })

  it("gives a new call the duration, error message and transcript that its turns give", () => {
    fc.assert(
      fc.property(transcripts, (transcript) => {
        const delivery = deliveryOf(transcript)
        const content = { ...transcript, _tag: "RedactedTranscript" as const }
        const record = firstRecord(delivery, CallId.make(7))
        expect(record).toEqual(firstRecord({ ...delivery, transcript: { type: "service", content } }, CallId.make(7)))
        expect(Object.keys(record)).toContain("transcript")
      })
    )
  })
})
