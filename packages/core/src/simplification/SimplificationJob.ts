/** The job that simplifies a prompt. */
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import type { OrganizationId } from "../kernel/Ids.js"

export const SIMPLIFICATION_JOB = "simplify_prompt"

/** What the job needs to know. */
export const SimplificationPayload = Schema.Struct({ progress_id: Schema.String })

/** Its key is the progress id, by which the job is found again. */
export const simplificationJob = (organizationId: OrganizationId, progressId: string): NewJob => ({
  organizationId,
  kind: SIMPLIFICATION_JOB,
  key: progressId,
  payload: { progress_id: progressId }
})
