import * as Schema from "effect/Schema"
import { MetricId } from "../kernel/Ids.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import { transcriptObject, transcriptText } from "../transcripts/TranscriptView.js"
import { encodeRun, Run } from "./Result.js"

/** A run with what was said in it and what metrics said of it: a line of an export. */
export interface RunReport {
  readonly run: Run
  readonly transcript: RedactedTranscript | null
  readonly metrics: ReadonlyArray<{
    readonly id: MetricId
    readonly name: string
    /** Null where there is none. */
    readonly value: number | boolean | string | null
  }>
}

/** A report as it travels, for API descriptions. */
export const RunReportJson = Schema.extend(
  Schema.encodedSchema(Run),
  Schema.Struct({
    transcript: Schema.String,
    transcript_object: Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          role: Schema.String,
          content: Schema.String,
          start_time: Schema.NullOr(Schema.Number),
          end_time: Schema.NullOr(Schema.Number)
        })
      )
    ),
    metrics: Schema.Array(
      Schema.Struct({
        id: MetricId,
        name: Schema.String,
        value: Schema.NullOr(Schema.Union(Schema.Number, Schema.Boolean, Schema.String))
      })
    )
  })
)

export const encodeRunReport = ({ metrics, run, transcript }: RunReport) => ({
  ...encodeRun(run),
  transcript: transcript === null ? "" : transcriptText(transcript),
  transcript_object: transcript === null ? null : transcriptObject(transcript),
  metrics
})
