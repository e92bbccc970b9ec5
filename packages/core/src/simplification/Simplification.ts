import * as Schema from "effect/Schema"
import type { JobState } from "../jobs/Job.js"
import * as Fields from "../kernel/Fields.js"
import { MetricId } from "../kernel/Ids.js"
import { MAX_PROMPT } from "../metrics/Metric.js"

/** Status of a simplification. The interface (E6) does not list its values. */
export const SimplificationStatus = Schema.Literal("queued", "processing", "completed", "failed")
export type SimplificationStatus = typeof SimplificationStatus.Type

/** Request for a simplification: a prompt, or a metric whose prompt is used. Source: interface, E6. */
export const SimplificationDraft = Fields.object({
  original_prompt: Fields.optional(Fields.nullable(Fields.text({ max: MAX_PROMPT, blank: false }))),
  metric_id: Fields.optional(Fields.nullable(Fields.id(MetricId)))
})
export type SimplificationDraft = typeof SimplificationDraft.Type

/** Request for the progress of a simplification. */
export const SimplificationQuery = Fields.object({ progress_id: Fields.text({ blank: false }) })

/** A prompt and its simplified form. Source: interface, Simplify-prompt result. */
export interface Simplification {
  /** Blank until the job has succeeded. */
  readonly simplifiedPrompt: string
  readonly originalPrompt: string
  /** Whether nothing could be removed. */
  readonly skippedSimplification: boolean
  /** Id to poll progress with; blank if the result is already final. */
  readonly progressId: string
}

export interface SimplificationProgress extends Simplification {
  readonly status: SimplificationStatus
  /** Why it failed, as readable text. */
  readonly error: string | null
}

/** The result for a prompt from which nothing can be removed. */
export const skipped = (prompt: string): Simplification => ({
  simplifiedPrompt: prompt,
  originalPrompt: prompt,
  skippedSimplification: true,
  progressId: ""
})

/** A stored simplification and the state of its job, which is null once retention has deleted the job. */
export interface StoredSimplification {
  readonly progressId: string
  readonly originalPrompt: string
  readonly simplifiedPrompt: string | null
  readonly error: string | null
  readonly job: { readonly state: JobState; readonly lastError: string | null } | null
}

const WITHOUT_RESULT = "The job ended without a result."

const statusOf = ({ job, simplifiedPrompt }: StoredSimplification): SimplificationStatus => {
  if (simplifiedPrompt !== null) return "completed"
  if (job?.state === "queued") return "queued"
  return job?.state === "running" ? "processing" : "failed"
}

/** The progress of a simplification: by its result or, without one, by its job. */
export const progressOf = (stored: StoredSimplification): SimplificationProgress => {
  const status = statusOf(stored)
  return {
    simplifiedPrompt: stored.simplifiedPrompt ?? "",
    originalPrompt: stored.originalPrompt,
    skippedSimplification: stored.simplifiedPrompt === stored.originalPrompt,
    progressId: stored.progressId,
    status,
    error: status === "failed" ? (stored.error ?? stored.job?.lastError ?? WITHOUT_RESULT) : null
  }
}

/** The wire form of a result. */
export const SimplificationWire = Schema.Struct({
  simplified_prompt: Schema.String,
  original_prompt: Schema.String,
  skipped_simplification: Schema.Boolean,
  progress_id: Schema.String
})

/** The wire form of a progress. */
export const SimplificationProgressWire = Schema.Struct({
  ...SimplificationWire.fields,
  status: SimplificationStatus,
  error: Schema.NullOr(Schema.String)
})

export const encodeSimplification = (result: Simplification): typeof SimplificationWire.Encoded => ({
  simplified_prompt: result.simplifiedPrompt,
  original_prompt: result.originalPrompt,
  skipped_simplification: result.skippedSimplification,
  progress_id: result.progressId
})

export const encodeSimplificationProgress = (
  progress: SimplificationProgress
): typeof SimplificationProgressWire.Encoded => ({
  ...encodeSimplification(progress),
  status: progress.status,
  error: progress.error
})
