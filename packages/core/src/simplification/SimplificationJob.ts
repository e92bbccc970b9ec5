/** The job that simplifies a prompt. */
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import type { OrganizationId } from "../kernel/Ids.js"

export const SIMPLIFICATION_JOB = "simplify_prompt"

/** Payload of the job. */
export const SimplificationPayload = Schema.Struct({ progress_id: Schema.String })

/** The job of a simplification; its key is the progress id. */
export const simplificationJob = (organizationId: OrganizationId, progressId: string): NewJob => ({
  organizationId,
  kind: SIMPLIFICATION_JOB,
  key: progressId,
  payload: { progress_id: progressId }
})
