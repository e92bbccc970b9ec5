/** How a validated body becomes a delivery. */
import { withoutRedaction } from "@earshot/redaction"
import type * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as PrintedTranscript from "../transcripts/PrintedTranscript.js"
import * as StoredTranscript from "../transcripts/StoredTranscript.js"
import { type RawTranscript, type RedactedTranscript, skippedOf } from "../transcripts/Transcript.js"
import type { CalledAgent, DeliveredTranscript, Delivery } from "./Delivery.js"
import type { ValidIngest } from "./IngestValidation.js"

/** The fields of a delivery that are never redacted. */
export const plainFields = (
  { body, hasUnreadableTranscript, metricIds }: ValidIngest,
  agent: CalledAgent,
  now: DateTime.Utc
): Pick<
  Delivery,
  | "agent"
  | "callId"
  | "traceId"
  | "timestamp"
  | "statedDurationSeconds"
  | "hasUnreadableTranscript"
  | "metricIds"
  | "receivedAt"
> => ({
  agent,
  callId: body.call_id,
  traceId: body.trace_id === "" ? undefined : body.trace_id,
  timestamp: body.timestamp ?? undefined,
  statedDurationSeconds: body.duration_seconds ?? undefined,
  hasUnreadableTranscript,
  metricIds,
  receivedAt: now
})

/** The delivery of a body without fields to redact. */
export const unredactedDelivery = (
  ingest: ValidIngest,
  agent: CalledAgent,
  recorded: Pick<Delivery, "recording" | "recordingError">,
  evaluates: boolean,
  now: DateTime.Utc
): Delivery => {
  const { body, transcript } = ingest
  const plain = plainFields(ingest, agent, now)
  // No spreads: in an object of this size they take as long as validating the body.
  return {
    agent: plain.agent,
    callId: plain.callId,
    traceId: plain.traceId,
    timestamp: plain.timestamp,
    statedDurationSeconds: plain.statedDurationSeconds,
    hasUnreadableTranscript: plain.hasUnreadableTranscript,
    metricIds: plain.metricIds,
    receivedAt: plain.receivedAt,
    recording: recorded.recording,
    recordingError: recorded.recordingError,
    customerNumber: body.customer_number ?? undefined,
    callEndedReason: body.call_ended_reason ?? undefined,
    feedback: body.feedback ?? undefined,
    metadata: body.metadata ?? undefined,
    dynamicVariables: body.dynamic_variables ?? undefined,
    transcript: transcript === undefined ? undefined : new PrintedDelivery(body.transcript_type, transcript),
    evaluates,
    redactFields: [],
    dropsRecording: false
  } satisfies Delivery & Record<keyof typeof plain | keyof typeof recorded, unknown>
}

/**
 * A transcript that is kept as its texts, from which its turns are read if someone asks for them, as a redelivery does. What
 * is kept while a call waits for its commit is copied by each collection: a few texts instead of hundreds of objects.
 */
class PrintedDelivery implements DeliveredTranscript {
  readonly printed: PrintedTranscript.PrintedTranscript
  #content: RedactedTranscript | undefined

  constructor(
    readonly type: string,
    transcript: RawTranscript
  ) {
    this.printed = PrintedTranscript.print({ ...withoutRedaction(transcript), ...skippedOf(transcript) })
  }

  get content(): RedactedTranscript {
    // A text that was printed can be parsed.
    this.#content ??= Either.getOrThrow(StoredTranscript.parse(this.printed.stored))
    return this.#content
  }
}

/** The transcript of an unredacted delivery as it was before, for one that has to be redacted after all. */
export const rawTranscript = ({ transcript }: Delivery): RawTranscript | undefined =>
  transcript === undefined
    ? undefined
    : {
        _tag: "RawTranscript",
        turns: transcript.content.turns,
        toolCalls: transcript.content.toolCalls,
        ...skippedOf(transcript.content)
      }
