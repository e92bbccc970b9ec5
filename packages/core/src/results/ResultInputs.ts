/** The bodies and queries of the use cases over results and runs. */
import { Channel } from "../catalog/Agent.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, ProjectId, ResultId, RunId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { RunStatus } from "./RunLifecycle.js"
import { reportFormats } from "./ResultReport.js"

/** Source: interface, Limits. */
const MAX_DELETED = 100

export const ResultQuery = Fields.object({
  ...Pages.PageQuery.fields,
  project: Fields.optional(Fields.id(ProjectId)),
  agent: Fields.optional(Fields.id(AgentId))
})

export const RunQuery = Fields.object({
  ...Pages.PageQuery.fields,
  result: Fields.optional(Fields.id(ResultId)),
  status: Fields.optional(Fields.choice(RunStatus.literals))
})

/** E8's body. A repeated id is no error. */
export const BulkDeleteInput = Fields.object({
  result_ids: Fields.list(Fields.id(ResultId), { min: 1, max: MAX_DELETED })
})

/** E9's body. */
export const DeleteRunsInput = Fields.object({ run_ids: Fields.list(Fields.id(RunId), { min: 1, max: MAX_DELETED }) })

/** The result to compare with, and the difference below which values count as the same (0 to 1); see `compareResults`. */
export const CompareQuery = Fields.object({
  base: Fields.id(ResultId),
  tolerance: Fields.optional(Fields.number)
})

/** Whether completed runs with an unknown success are reported as skipped instead of as errors. */
export const JUnitQuery = Fields.object({ allow_unjudged: Fields.withDefault(Fields.boolean, false) })

/** The format of a report; `allow_unjudged` as in `JUnitQuery`. */
export const ReportQuery = Fields.object({
  format: Fields.withDefault(Fields.choice(reportFormats), "markdown"),
  ...JUnitQuery.fields
})

const leaseSeconds = Fields.withDefault(Fields.integer({ min: 1, max: 3600 }), 60)

export const ClaimInput = Fields.object({
  channel: Fields.choice(Channel.literals),
  limit: Fields.withDefault(Fields.integer({ min: 1, max: 100 }), 1),
  /** The time until the lease expires without a heartbeat. */
  lease_seconds: leaseSeconds
})

const lease = Fields.text({ max: 100, blank: false })

export const HeartbeatInput = Fields.object({ lease, lease_seconds: leaseSeconds })

export const FailInput = Fields.object({ lease, error: Fields.text({ max: 10_000, blank: false }) })
