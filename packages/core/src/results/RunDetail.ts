import * as Schema from "effect/Schema"
import type { Agent } from "../catalog/Agent.js"
import * as Fields from "../kernel/Fields.js"
import type { JsonObject } from "../kernel/Json.js"
import { encodeEvaluation, EvaluationJson, type StoredEvaluation } from "../metrics/Evaluation.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import { transcriptObject, transcriptText } from "../transcripts/TranscriptView.js"
import { Run } from "./Result.js"

/** Something that the testing agent did beside speaking, and when. */
export const RunMoment = Schema.Struct({
  /** `condition` is an item of conditional actions that was acted on; the others are markers of its action. */
  kind: Schema.Literal("condition", "silence", "hold", "laughter", "endcall"),
  /** Seconds from the start of the conversation. */
  at_second: Schema.Number,
  /** How long it lasts; null where it takes no time. */
  seconds: Schema.NullOr(Schema.Number),
  /** The item's id; null for what no item asked for. */
  condition: Schema.NullOr(Schema.Int)
}).annotations({ identifier: "RunMoment" })
export type RunMoment = typeof RunMoment.Type

/** One of the things that decide whether a run was a success. */
export const Criterion = Schema.Struct({
  /** `metric:SLUG`, `metric:ID` for one without a slug, or `reported`: what the worker that executed the run said. */
  criterion: Schema.String,
  name: Schema.String,
  /** Null where it came to nothing. */
  passed: Schema.NullOr(Schema.Boolean),
  reason: Schema.NullOr(Schema.String)
}).annotations({ identifier: "Criterion" })
export type Criterion = typeof Criterion.Type

/** What a run came to beside its status. */
export interface RunOutcome {
  /** How the conversation ended, in snake_case where the engine says so. */
  readonly endedReason: string | null
  readonly moments: ReadonlyArray<RunMoment>
  readonly criteria: ReadonlyArray<Criterion>
}

/** A run with what an executor needs to play it, and with what was said in it, once it was. */
export interface PlayableRun {
  readonly run: Run
  readonly agent: Pick<Agent, "id" | "projectId">
  readonly script: JsonObject
  readonly transcript: RedactedTranscript | null
}

const Said = Schema.Struct({
  role: Schema.String,
  content: Schema.String,
  start_time: Schema.NullOr(Schema.Number),
  end_time: Schema.NullOr(Schema.Number)
})

/** A run as it is read by itself: with its transcript, what metrics said of it, and why it was a success or not. */
export class RunDetail extends Run.extend<RunDetail>("@earshot/core/results/RunDetail")({
  endedReason: Fields.named("ended_reason", Schema.NullOr(Schema.String)),
  criteria: Schema.Array(Criterion),
  moments: Schema.Array(RunMoment),
  metrics: Schema.Array(EvaluationJson),
  /** As in a call record: a line a turn. */
  transcript: Schema.String,
  transcriptObject: Fields.named("transcript_object", Schema.NullOr(Schema.Array(Said)))
}) {}

/** A run with its details as it travels. */
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
