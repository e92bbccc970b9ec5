import * as Schema from "effect/Schema"
import type { Agent } from "../catalog/Agent.js"
import * as Fields from "../kernel/Fields.js"
import type { JsonObject } from "../kernel/Json.js"
import { encodeEvaluation, EvaluationJson, type StoredEvaluation } from "../metrics/Evaluation.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import { transcriptObject, transcriptText } from "../transcripts/TranscriptView.js"
import { Run } from "./Result.js"

/** Something that the testing agent did other than speaking, and when. */
export const RunMoment = Schema.Struct({
  /** `condition` is an item of conditional actions that was triggered; the others are markers of its action. */
  kind: Schema.Literal("condition", "silence", "hold", "laughter", "endcall"),
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
}

/** A run with what an executor needs to execute it, and with its transcript once there is one. */
export interface PlayableRun {
  readonly run: Run
  readonly agent: Pick<Agent, "id" | "projectId">
  readonly script: JsonObject
  readonly transcript: RedactedTranscript | null
}

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
  metrics: Schema.Array(EvaluationJson),
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
  }
): RunDetail =>
  new RunDetail({
    ...run,
    endedReason: of.outcome.endedReason,
    criteria: of.outcome.criteria,
    moments: of.outcome.moments,
    metrics: of.scores.map(encodeEvaluation),
    transcript: of.transcript === null ? "" : transcriptText(of.transcript),
    transcriptObject: of.transcript === null ? null : transcriptObject(of.transcript)
  })
