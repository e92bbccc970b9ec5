import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { Channel } from "../catalog/Agent.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, MetricId, type PhoneNumberId, ProjectId, ResultId, RunId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import { Direction } from "../metrics/MetricTerms.js"
import { ResultStatus } from "./Evaluate.js"
import { RunStatus } from "./RunLifecycle.js"

const RunCounts = Schema.Struct({
  queued: Schema.Int,
  running: Schema.Int,
  evaluating: Schema.Int,
  completed: Schema.Int,
  failed: Schema.Int,
  timeout: Schema.Int,

  cancelled: Schema.Int
})

/** The values of a metric in a result's runs. */
const MetricSummary = Schema.Struct({
  id: MetricId,
  name: Schema.String,
  /** Which values are better; null where neither direction is. */
  better: Schema.NullOr(Direction),
  /** The number of runs with a value. */
  runs: Schema.Int,
  /** The mean of numbers, and of booleans as 0 and 1; null for enums. */
  average: Schema.NullOr(Schema.Number)
})

/** A result: the runs of a test, and their evaluation. */
export class Result extends Schema.Class<Result>("@earshot/core/results/Result")({
  id: ResultId,
  name: Schema.String,
  projectId: Fields.named("project", ProjectId),
  agentId: Fields.named("agent", AgentId),
  agentName: Fields.named("agent_name", Schema.String),
  channel: Channel,
  status: ResultStatus,
  totalRuns: Fields.named("total_runs", Schema.Int),
  runsByStatus: Fields.named("runs_by_status", RunCounts),
  /** 0 to 1; null until the success of a run is known. */
  successRate: Fields.named("success_rate", Schema.NullOr(Schema.Number)),
  /** False from the first unsuccessful run; true once all runs are over and successful; null until it is known. */
  success: Schema.NullOr(Schema.Boolean),
  metrics: Schema.Array(MetricSummary),
  concurrencyLimit: Fields.named("concurrency_limit", Schema.NullOr(Schema.Int)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** The wire form of a result. */
export const encodeResult = Schema.encodeSync(Result)

/** One simulated call of a result. */
export class Run extends Schema.Class<Run>("@earshot/core/results/Run")({
  id: RunId,
  resultId: Fields.named("result", ResultId),
  scenarioKey: Fields.named("scenario_key", Schema.String),
  scenarioName: Fields.named("scenario_name", Schema.String),
  channel: Channel,
  status: RunStatus,
  /** The number that it calls from. */
  phoneNumber: Fields.named("phone_number", Schema.NullOr(Schema.String)),
  attempts: Schema.Int,
  /** Null until it is known. */
  success: Schema.NullOr(Schema.Boolean),
  /** Seconds. */
  duration: Schema.NullOr(Schema.Number),
  error: Schema.NullOr(Schema.String),
  startedAt: Fields.named("started_at", Schema.NullOr(Schema.DateTimeUtc)),
  endedAt: Fields.named("ended_at", Schema.NullOr(Schema.DateTimeUtc)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** The wire form of a run. */
export const encodeRun = Schema.encodeSync(Run)

/** A result to create, with its runs queued. */
export interface NewResult {
  readonly projectId: ProjectId
  readonly agentId: AgentId
  readonly name: string
  readonly channel: Channel
  readonly concurrencyLimit: number | null
  readonly providerData: JsonObject | null
  /** Whether the engine executes its runs itself. */
  readonly isExecuted: boolean
  /** The number that its runs call from. */
  readonly phoneNumberId: PhoneNumberId | null
  readonly scenarios: ReadonlyArray<{
    readonly key: string
    readonly name: string
    /** The number of runs. */
    readonly frequency: number
    /** What an executor needs to execute it. */
    readonly script: JsonObject
  }>
}

/** The capacity that an organization's runs use. Source: docs/results.md. */
export const CapacityWire = Schema.Struct({
  active_sessions: Schema.Int,
  pending_demand: Schema.Int,
  slots_in_use: Schema.Int,
  phone_numbers_held: Schema.Array(Schema.Int)
})
export interface Capacity {
  readonly activeSessions: number
  readonly pendingDemand: number
  readonly slotsInUse: number
  readonly phoneNumbersHeld: ReadonlyArray<PhoneNumberId>
}

export const encodeCapacity = (capacity: Capacity): typeof CapacityWire.Type => ({
  active_sessions: capacity.activeSessions,
  pending_demand: capacity.pendingDemand,
  slots_in_use: capacity.slotsInUse,
  phone_numbers_held: capacity.phoneNumbersHeld
})

/** A run that a worker may execute until the lease expires. */
export interface ClaimedRun {
  readonly run: Run
  /** Proves the claim to `heartbeat`, `complete` and `fail`. */
  readonly lease: string
  readonly leaseExpiresAt: number
  readonly script: JsonObject
  readonly providerData: JsonObject | null
}

/** The wire form of a claimed run: `{run, lease, lease_expires_at, scenario, provider_data}`. */
export const encodeClaimedRun = (claimed: ClaimedRun) => ({
  run: encodeRun(claimed.run),
  lease: claimed.lease,
  lease_expires_at: DateTime.formatIso(DateTime.unsafeMake(claimed.leaseExpiresAt)),
  scenario: claimed.script,
  provider_data: claimed.providerData
})

/** The wire form of what a heartbeat returns: when the lease expires. */
export const encodeLease = (until: DateTime.Utc) => ({ lease_expires_at: DateTime.formatIso(until) })
