/** Properties of merging deliveries into call records. */
import {
  AgentId,
  CallId,
  type CallRecord,
  type Delivery,
  MetricId,
  OrganizationId,
  ProjectId,
  type RedeliveryOutcome
} from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { expectEqual, type Property, property, expectEvery, expectPresent, print } from "../Property.js"
import { decodedTurns } from "../transcripts/Conversations.js"
import { document } from "./IngestBodies.js"

/** The functions under test. */
export interface MergeDeliveries {
  /** The record that a first delivery creates. */
  readonly first: (delivery: Delivery, id: CallId) => CallRecord
  /** Merges a redelivery into a record. */
  readonly again: (existing: CallRecord, delivery: Delivery) => RedeliveryOutcome
}

const agent: Delivery["agent"] = {
  id: AgentId.make(1),
  organizationId: OrganizationId.make(1),
  projectId: ProjectId.make(1),
  name: "Agent"
}

const at = (minute: number) => DateTime.unsafeMake(minute * 60_000)

const maybe = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(arbitrary, { nil: undefined })

// eslint-disable-next-line typescript/consistent-type-assertions -- the arbitrary makes JSON alone
const json = document.filter((value) => value !== null) as fc.Arbitrary<NonNullable<Delivery["metadata"]>>

const recordingOf = (sha256: string, durationSeconds: number | null = 10) =>
  fc.constantFrom("1", "2").map((copy) => ({
    blobKey: `${sha256}-${copy}`,
    contentType: "audio/wav",
    sizeBytes: 1,
    sha256,
    durationSeconds,
    channels: 2,
    mainAgentChannelIndex: null
  }))

const turns = fc.oneof({ weight: 5, arbitrary: decodedTurns }, { weight: 1, arbitrary: fc.constant([]) })

/** Deliveries of one call, without fields to redact. */
export const delivery: fc.Arbitrary<Delivery> = fc.record({
  agent: fc.constant(agent),
  callId: fc.constant("a"),
  traceId: maybe(fc.stringMatching(/^[0-9a-f]{32}$/)),
  timestamp: maybe(fc.integer({ min: 0, max: 1e6 }).map(at)),
  customerNumber: maybe(fc.string()),
  callEndedReason: maybe(fc.string()),
  statedDurationSeconds: maybe(fc.nat({ max: 100 })),
  feedback: maybe(fc.string()),
  metadata: maybe(json),
  dynamicVariables: maybe(json),
  transcript: maybe(
    turns.map((all) => ({
      type: "service",
      content: { _tag: "RedactedTranscript" as const, turns: all, toolCalls: [] }
    }))
  ),
  recording: maybe(fc.oneof(recordingOf("x"), recordingOf("y"), recordingOf("z", null))),
  recordingError: maybe(fc.constantFrom("The recording is missing.")),
  hasUnreadableTranscript: fc.boolean(),
  metricIds: maybe(fc.uniqueArray(fc.integer({ min: 1, max: 9 }).map((id) => MetricId.make(id)))),
  evaluates: fc.boolean(),
  redactFields: fc.constant([]),
  dropsRecording: fc.constant(false),
  receivedAt: fc.integer({ min: 0, max: 1e6 }).map(at)
})

const redactFields = fc.subarray([...Redaction.sensitiveFields.slice(0, 4)])

const ID = CallId.make(1)

/** The expected details after a merge: stated values replace, omitted ones stay. */
const expectedDetails = (existing: CallRecord, { timestamp, ...delivery }: Delivery) => [
  delivery.traceId ?? existing.traceId,
  (timestamp ?? existing.timestamp).epochMillis,
  delivery.customerNumber ?? existing.customerNumber,
  delivery.callEndedReason ?? existing.callEndedReason,
  delivery.metadata ?? existing.metadata,
  delivery.dynamicVariables ?? existing.dynamicVariables
]

const detailsOf = ({ callEndedReason, customerNumber, dynamicVariables, metadata, timestamp, traceId }: CallRecord) => [
  traceId,
  timestamp.epochMillis,
  customerNumber,
  callEndedReason,
  metadata,
  dynamicVariables
]

const sorted = (all: ReadonlyArray<number> | null): ReadonlyArray<number> | null =>
  all?.toSorted((a, b) => a - b) ?? null

/** Source: interface, E10; a redelivery updates the one record. */
export const redeliveryProperties = ({ again, first }: MergeDeliveries): ReadonlyArray<Property> => {
  const start = (one: Delivery) => first(one, ID)
  return [
    property("a new call has the values of its delivery", [delivery], (one) => {
      const record = start(one)
      const blank: CallRecord = {
        ...record,
        traceId: "",
        timestamp: one.receivedAt,
        customerNumber: null,
        callEndedReason: null,
        metadata: null,
        dynamicVariables: null
      }
      expectEqual("detailsOf(record)", detailsOf(record), expectedDetails(blank, one))
      expectEqual("record.feedback", record.feedback, one.feedback ?? null)
      expectEqual("record.transcript", record.transcript, one.transcript?.content ?? null)
      expectEqual("record.recording", record.recording, one.recording ?? null)
      expectEqual("record.requestedMetrics", sorted(record.requestedMetrics), sorted(one.metricIds ?? null))
    }),
    property(
      "merging a delivery again changes nothing",
      [delivery, fc.array(delivery, { maxLength: 3 }), delivery],
      (one, rest, last) => {
        const record = rest.reduce((call, next) => again(call, next).call, start(one))
        const settled = again(record, last).call
        const repeated = again(settled, { ...last, receivedAt: at(2e6) })
        expectEqual("repeated.call", repeated.call, settled)
        expectEqual("repeated.changed", repeated.changed, false)
        expectEqual("repeated.transcriptChanged", repeated.transcriptChanged, false)
        expectEqual("repeated.recordingChanged", repeated.recordingChanged, false)
        expectEqual("repeated.evaluationDue", repeated.evaluationDue, false)
        expectEqual("repeated.redactionExtended", repeated.redactionExtended, false)
        expectEqual("repeated.missingRedaction.length", repeated.missingRedaction.length, 0)
        expectEvery("repeated.released", repeated.released, (key) => key !== settled.recording?.blobKey)
      }
    ),
    property("stated values replace stored ones, and omitted values stay", [delivery, delivery], (one, two) => {
      const before = start(one)
      const after = again(before, two).call
      expectEqual("detailsOf(after)", detailsOf(after), expectedDetails(before, two))
      expectEqual("after.feedback", after.feedback, two.feedback ?? before.feedback)
      expectEqual(
        "after.requestedMetrics",
        sorted(after.requestedMetrics),
        sorted(two.metricIds ?? before.requestedMetrics)
      )
    }),
    property(
      "a transcript is replaced by one with turns, and never by an empty one",
      [delivery, delivery],
      (one, two) => {
        const before = start(one)
        const { call, transcriptChanged } = again(before, two)
        const isTaken =
          two.transcript !== undefined && (before.transcript === null || two.transcript.content.turns.length > 0)
        const expected = isTaken ? two.transcript.content : before.transcript
        expectEqual("call.transcript", call.transcript, expected)
        expectEqual("transcriptChanged", transcriptChanged, !isDeepStrictEqual(before.transcript, call.transcript))
        if (!(before.durationSeconds === null)) {
          expectPresent("call.durationSeconds", call.durationSeconds)
        }
      }
    ),
    property("a person's review and feedback stay", [delivery, delivery, fc.option(fc.string())], (one, two, words) => {
      const reviewed: CallRecord = {
        ...start(one),
        success: true,
        isReviewed: true,
        feedback: words,
        feedbackByPerson: true,
        dropoffPoint: "greeting",
        topic: "billing"
      }
      const { dropoffPoint, feedback, feedbackByPerson, isReviewed, success, topic } = again(reviewed, two).call
      expectEqual(
        "[success, isReviewed, feedback, feedbackByPerson, dropoffPoint, topic]",
        [success, isReviewed, feedback, feedbackByPerson, dropoffPoint, topic],
        [true, true, words, true, "greeting", "billing"]
      )
    }),
    property(
      "an evaluation is due when the transcript or the set of requested metrics changes",
      [delivery, delivery],
      (one, two) => {
        const before = start(one)
        const { call, evaluationDue } = again(before, two)
        const isOther =
          !isDeepStrictEqual(before.transcript, call.transcript) ||
          print(sorted(before.requestedMetrics)) !== print(sorted(two.metricIds ?? before.requestedMetrics))
        expectEqual("evaluation is due", evaluationDue, two.evaluates && isOther)
      }
    ),
    property(
      "a recording is replaced by a different one, stays when it is delivered again, and unreferenced blobs are released",
      [delivery, delivery],
      (one, two) => {
        const before = start(one)
        const { call, recordingChanged, released } = again(before, two)
        const isSame = before.recording?.sha256 === two.recording?.sha256
        const stays = isSame || two.recording === undefined ? before.recording : two.recording
        const keys = [before.recording, two.recording].flatMap((sound) => (sound ? [sound.blobKey] : []))
        const expectedReleased = new Set(keys.filter((key) => key !== stays?.blobKey))
        expectEqual("call.recording?.blobKey", call.recording?.blobKey, stays?.blobKey)
        expectEqual("recordingChanged", recordingChanged, stays?.blobKey !== before.recording?.blobKey)
        expectEqual("new Set(released)", new Set(released), expectedReleased)
      }
    ),
    property(
      "the error message of a recording or transcript stays until the recording or transcript arrives",
      [delivery, delivery],
      (one, two) => {
        const { call } = again(start({ ...one, recording: undefined }), two)
        const ofRecording = call.recording === null ? (two.recordingError ?? one.recordingError) : undefined
        const isUnreadable = one.hasUnreadableTranscript === true || two.hasUnreadableTranscript === true
        const ofTranscript = call.transcript === null && isUnreadable ? "The transcript could not be read." : undefined
        const parts = [ofRecording, ofTranscript].filter((part) => part !== undefined)
        expectEqual("call.errorMessage", call.errorMessage, parts.length === 0 ? null : parts.join(" "))
      }
    ),
    property("updatedAt changes if and only if the call changes", [delivery, delivery], (one, two) => {
      const before = start(one)
      const { call, changed } = again(before, two)
      const isOther = !isDeepStrictEqual({ ...call, updatedAt: before.updatedAt }, before)
      expectEqual("changed", changed, isOther)
      expectEqual("call.createdAt.epochMillis", call.createdAt.epochMillis, before.createdAt.epochMillis)
      expectEqual(
        "call.updatedAt.epochMillis",
        call.updatedAt.epochMillis,
        (changed ? two.receivedAt : before.updatedAt).epochMillis
      )
    }),
    property(
      "redacted fields accumulate, and a delivery without all of them is incomplete",
      [delivery, redactFields, delivery, redactFields],
      (one, asked, two, more) => {
        const before = start({ ...one, redactFields: asked })
        const { call, missingRedaction, redactionExtended } = again(before, { ...two, redactFields: more })
        const all = Redaction.inInterfaceOrder([...asked, ...more])
        expectEqual("call.redactFields", call.redactFields, all)
        expectEqual("redactionExtended", redactionExtended, all.length > asked.length)
        if (!(all.length === more.length)) {
          expectEqual("missingRedaction", missingRedaction, all)
        }
      }
    )
  ]
}
