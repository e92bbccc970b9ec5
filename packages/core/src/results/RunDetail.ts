import * as Schema from "effect/Schema"
import type { Agent } from "../catalog/Agent.js"
import { VoiceBehavior } from "../catalog/VoiceBehavior.js"
import * as Fields from "../kernel/Fields.js"
import type { JsonObject } from "../kernel/Json.js"
import { encodeEvaluation, EvaluationJson, type StoredEvaluation } from "../metrics/Evaluation.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import { transcriptObject, transcriptText } from "../transcripts/TranscriptView.js"
import { Run } from "./Result.js"

/** Something that the testing agent did other than speaking, and when. */
export const RunMoment = Schema.Struct({
  /**
   * `condition` is an item of conditional actions that was triggered; `interruption` and `backchannel` are speech while the
   * agent spoke; the others are markers of an action. A `silence` without a condition may be the behavior of the caller.
   */
  kind: Schema.Literal("condition", "silence", "hold", "laughter", "endcall", "interruption", "backchannel"),
  /** Seconds from the start of the conversation. */
  at_second: Schema.Number,
  /** The duration in seconds; null where it has none. */
  seconds: Schema.NullOr(Schema.Number),
  /** The item's id; null where no item triggered it. */
  condition: Schema.NullOr(Schema.Int)
}).annotations({ identifier: "RunMoment" })
export type RunMoment = typeof RunMoment.Type

/** A criterion of a run's success. */
export const Criterion = Schema.Struct({
  /**
   * `metric:SLUG`, `metric:ID` for a metric without a slug, `assertion:POSITION` in the scenario's list, or `reported`: the
   * worker's own report.
   */
  criterion: Schema.String,
  name: Schema.String,
  /** Null where it is unknown. */
  passed: Schema.NullOr(Schema.Boolean),
  reason: Schema.NullOr(Schema.String)
}).annotations({ identifier: "Criterion" })
export type Criterion = typeof Criterion.Type

/** The outcome of a run beside its status. */
export interface RunOutcome {
  /** How the conversation ended; in snake_case where the engine set it. */
  readonly endedReason: string | null
  readonly moments: ReadonlyArray<RunMoment>
  readonly criteria: ReadonlyArray<Criterion>
  /** How the caller behaved by voice, with the seed that repeats it; null where its personality states nothing. */
  readonly voiceBehavior: VoiceBehavior | null
}

/** A run with what an executor needs to execute it, and with its transcript once there is one. */
export interface PlayableRun {
  readonly run: Run
  readonly agent: Pick<Agent, "id" | "projectId">
  readonly script: JsonObject
  readonly transcript: RedactedTranscript | null
}

/** The recording of a run by voice: stereo, the testing agent left and the main agent right. */
export interface RunRecording {
  /** The key in the blob store; never shared. */
  readonly blobKey: string
  readonly contentType: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
  readonly durationSeconds: number | null
  readonly channels: number | null
}

const RecordingJson = Schema.Struct({
  content_type: Schema.String.annotations({ description: "Media type of the recording." }),
  size_bytes: Schema.Int.annotations({ description: "Size of the recording in bytes." }),
  duration_s: Schema.NullOr(Schema.Number).annotations({ description: "Seconds; null if unknown." }),
  channels: Schema.NullOr(Schema.Int).annotations({ description: "Number of audio channels; null if unknown." })
}).annotations({ identifier: "RunRecording" })

const WireTurn = Schema.Struct({
  role: Schema.String,
  content: Schema.String,
  start_time: Schema.NullOr(Schema.Number),
  end_time: Schema.NullOr(Schema.Number)
})

/** A run with its transcript, its scores and its success criteria. */
export class RunDetail extends Run.extend<RunDetail>("@earshot/core/results/RunDetail")({
  endedReason: Fields.named("ended_reason", Schema.NullOr(Schema.String)),
  criteria: Schema.Array(Criterion),
  moments: Schema.Array(RunMoment),
  voiceBehavior: Fields.named("voice_behavior", Schema.NullOr(VoiceBehavior)),
  metrics: Schema.Array(EvaluationJson),
  /** Null if there is none. */
  recording: Schema.NullOr(RecordingJson),
  /** As in a call record: one line per turn. */
  transcript: Schema.String,
  transcriptObject: Fields.named("transcript_object", Schema.NullOr(Schema.Array(WireTurn)))
}) {}

/** The wire form of a run with its details. */
export const encodeRunDetail = Schema.encodeSync(RunDetail)

export const runDetail = (
  run: Run,
  of: {
    readonly outcome: RunOutcome
    readonly transcript: RedactedTranscript | null
    readonly scores: ReadonlyArray<StoredEvaluation>
    readonly recording: RunRecording | null
  }
): RunDetail =>
  new RunDetail({
    ...run,
    endedReason: of.outcome.endedReason,
    criteria: of.outcome.criteria,
    moments: of.outcome.moments,
    voiceBehavior: of.outcome.voiceBehavior,
    metrics: of.scores.map(encodeEvaluation),
    recording: of.recording && {
      content_type: of.recording.contentType,
      size_bytes: of.recording.sizeBytes,
      duration_s: of.recording.durationSeconds,
      channels: of.recording.channels
    },
    transcript: of.transcript === null ? "" : transcriptText(of.transcript),
    transcriptObject: of.transcript === null ? null : transcriptObject(of.transcript)
  })
