import { type CallRecord, type Delivery, type RedactedTranscript } from "@earshot/core"
import { CallKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import { describe, expect, it } from "vitest"
import { firstRecord, mergeRedelivery } from "../../src/calls/RedeliveryRules.js"
import { AgentId, CallId, OrganizationId, ProjectId } from "../../src/kernel/Ids.js"

const agent = {
  id: AgentId.make(1),
  organizationId: OrganizationId.make(1),
  projectId: ProjectId.make(1),
  name: "Agent"
}

const at = (minute: number) => DateTime.unsafeMake(minute * 60_000)

const silent = CallKit.delivery(agent, "a", { receivedAt: at(0) })

const transcript = (content: string, endTime = 1): RedactedTranscript => ({
  _tag: "RedactedTranscript",
  turns: [{ speaker: "main_agent", content, startTime: 0, endTime, words: [] }],
  toolCalls: []
})

const sound = (sha256: string, blobKey = sha256, durationSeconds: number | null = 10) => ({
  blobKey,
  contentType: "audio/wav",
  sizeBytes: 1,
  sha256,
  durationSeconds,
  channels: 2,
  mainAgentChannelIndex: null
})

const first = (stated: Partial<Delivery> = {}): CallRecord => firstRecord({ ...silent, ...stated }, CallId.make(1))
const again = (call: CallRecord, stated: Partial<Delivery> = {}) =>
  mergeRedelivery(call, { ...silent, receivedAt: at(5), ...stated })

describe("merging a redelivery", () => {
  for (const { check, name } of CallKit.redeliveryProperties({ first: firstRecord, again: mergeRedelivery }))
    it(name, check)

  it("keeps feedback that a person removed", () => {
    const call: CallRecord = { ...first({ feedback: "automatic" }), feedback: null, feedbackByPerson: true }
    expect(again(call, { feedback: "automatic" })).toMatchObject({ changed: false, call: { feedback: null } })
  })

  it("applies stated values and updates updatedAt", () => {
    const result = again(first({ customerNumber: "1", callEndedReason: "hangup" }), { customerNumber: "2" })
    expect(result).toMatchObject({
      changed: true,
      call: { customerNumber: "2", callEndedReason: "hangup", createdAt: at(0), updatedAt: at(5) }
    })
  })

  it("keeps the transcript when an event without one arrives late", () => {
    const call = first({ transcript: { type: "service", content: transcript("Hello") } })
    const empty = { type: "service", content: { ...transcript(""), turns: [] } }
    expect(again(call, { transcript: empty })).toMatchObject({ changed: false, transcriptChanged: false })
  })

  it("requests an evaluation when the transcript or the requested metrics change", () => {
    const call = first({ transcript: { type: "service", content: transcript("Hello", 5) } })
    const result = again(call, { transcript: { type: "provider_b", content: transcript("Hello there", 70) } })
    expect(result).toMatchObject({
      transcriptChanged: true,
      call: { durationSeconds: 70, transcriptType: "provider_b" }
    })
  })

  it("keeps the stored recording when the same audio is delivered again, and releases the copy", () => {
    const result = again(first({ recording: sound("x", "kept") }), { recording: sound("x", "copy") })
    expect(result).toMatchObject({ changed: false, released: ["copy"], call: { recording: { blobKey: "kept" } } })
  })

  it("replaces a recording by a different one and releases the old blob", () => {
    const result = again(first({ recording: sound("x") }), { recording: sound("y") })
    expect(result).toMatchObject({ recordingChanged: true, released: ["x"], call: { recording: { blobKey: "y" } } })
  })

  it("removes the error message when the recording arrives", () => {
    const missing = first({ recordingError: "The recording is missing: the server answered 404." })
    expect(missing.errorMessage).toContain("404")
    const fetched = again(missing, { recording: sound("x") }).call
    expect(fetched.errorMessage).toBeNull()
    expect(again(fetched, { recordingError: "The recording is missing." })).toMatchObject({ changed: false })
  })

  it("computes the duration from the later end of transcript and recording", () => {
    expect(first({ transcript: { type: "service", content: transcript("a", 30) } }).durationSeconds).toBe(30)
    expect(first({ recording: sound("x") }).durationSeconds).toBe(10)
    expect(
      first({ transcript: { type: "service", content: transcript("a", 30) }, recording: sound("x") }).durationSeconds
    ).toBe(30)
    expect(
      first({ transcript: { type: "service", content: transcript("a", 3) }, recording: sound("x") }).durationSeconds
    ).toBe(10)
    expect(first().durationSeconds).toBeNull()
  })
})
