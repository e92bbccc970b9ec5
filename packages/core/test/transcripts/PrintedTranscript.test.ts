import {
  encodeCallRecord,
  printCallRecord,
  type RedactedTranscript,
  StoredTranscript,
  TranscriptView
} from "@earshot/core"
import { TranscriptArbitraries } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { firstRecord } from "../../src/calls/RedeliveryRules.js"
import { AgentId, CallId, OrganizationId, ProjectId } from "../../src/kernel/Ids.js"
import { print } from "../../src/transcripts/PrintedTranscript.js"

const { decodedToolCalls, decodedTurns } = TranscriptArbitraries.Conversations

/** Texts with what JSON escapes and what ends a line, and numbers of any notation. */
const texts = fc.string({
  unit: fc.constantFrom(...'aZ "\\/\b\f\n\r\t\v\u0000\u001f\u007f\u0085\u00a0\u2028\u2029é好😀', "\ud800"),
  maxLength: 12
})
const times = fc.option(fc.oneof(fc.double(), fc.nat(6000), fc.constantFrom(-0, 1e21, 1e-7)), { nil: undefined })
const anyTurns = fc.array(
  fc.record({
    speaker: fc.constantFrom("main_agent" as const, "testing_agent" as const),
    content: texts,
    startTime: times,
    endTime: times,
    words: fc.constant([])
  }),
  { maxLength: 5 }
)

const transcripts: fc.Arbitrary<RedactedTranscript> = fc.record({
  _tag: fc.constant("RedactedTranscript" as const),
  turns: fc.oneof(anyTurns, decodedTurns),
  toolCalls: decodedToolCalls
})
const withSkipped: fc.Arbitrary<RedactedTranscript> = fc
  .tuple(transcripts, fc.array(texts, { minLength: 1, maxLength: 2 }))
  .map(([transcript, skipped]) => ({ ...transcript, skipped }))

describe("a printed transcript", () => {
  it("has the texts of the stored form and of call records", () => {
    fc.assert(
      fc.property(fc.oneof(transcripts, withSkipped), (transcript) => {
        expect(print(transcript)).toStrictEqual({
          stored: StoredTranscript.print(transcript),
          text: JSON.stringify(TranscriptView.transcriptText(transcript)),
          items: JSON.stringify(TranscriptView.transcriptObject(transcript)),
          end: TranscriptView.endOf(transcript),
          skipped: transcript.skipped
        })
      }),
      { numRuns: 500 }
    )
  })

  it("is part of the text of a call record", () => {
    fc.assert(
      fc.property(transcripts, texts, fc.option(texts, { nil: undefined }), (content, callId, feedback) => {
        const call = firstRecord(
          {
            agent: {
              id: AgentId.make(3),
              organizationId: OrganizationId.make(1),
              projectId: ProjectId.make(2),
              name: callId
            },
            callId,
            traceId: undefined,
            timestamp: undefined,
            customerNumber: feedback,
            callEndedReason: undefined,
            feedback,
            metadata: undefined,
            dynamicVariables: undefined,
            transcript: { type: "service", content },
            recording: undefined,
            recordingError: undefined,
            metricIds: undefined,
            evaluates: true,
            redactFields: [],
            dropsRecording: false,
            receivedAt: DateTime.unsafeMake(0)
          },
          CallId.make(7)
        )
        expect(printCallRecord(call, print(content))).toBe(JSON.stringify(encodeCallRecord(call)))
      })
    )
  })
})
