/** Evaluates the formulas of many calls together: reads, computes, saves and charges in a few statements for all. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { hostPermit, type Permit } from "../access/Permit.js"
import { Agents } from "../catalog/Agents.js"
import type { Claim } from "../jobs/Job.js"
import { JobFailed } from "../jobs/JobErrors.js"
import type { BatchHandler, BatchOutcome } from "../jobs/JobHandler.js"
import { JobQueue } from "../jobs/JobQueue.js"
import type { AgentId, CallId, OrganizationId } from "../kernel/Ids.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { Evaluated, EvaluationSummary } from "../metrics/Evaluation.js"
import { Evaluations } from "../metrics/Evaluations.js"
import type { Metric } from "../metrics/Metric.js"
import { decidesSuccess } from "../metrics/MetricRules.js"
import { Metrics } from "../metrics/Metrics.js"
import { Scorer } from "../metrics/Scorer.js"
import { applyEvaluations, type RatedEvaluation } from "./CallOutcomeRules.js"
import { CallEvaluationStore, type LockedCall } from "./CallEvaluationStore.js"
import type { CallRecord } from "./CallRecord.js"
import { metricsToEvaluate, subjectOf } from "./EvaluatedCall.js"
import { EvaluationPace } from "./EvaluationPace.js"
import { EVALUATION_JOB, EvaluationPayload, EXTERNAL_EVALUATION_JOB } from "./EvaluationJob.js"

/** A job and what it is about. */
interface Task {
  readonly claim: Claim
  readonly payload: EvaluationPayload
}

/** What a job computed, before it is saved. */
interface Computed {
  readonly claim: Claim
  readonly call: Pick<CallRecord, "id" | "redactFields">
  readonly evaluated: ReadonlyArray<Evaluated>
  readonly hasMore: boolean
  /** The metrics of the call's agent that decide whether a call succeeded. */
  readonly deciding: ReadonlySet<number>
}

/** An agent's metrics and description. */
interface AgentData {
  readonly metrics: ReadonlyArray<Metric>
  readonly description: string
  readonly deciding: ReadonlySet<number>
}

type Outcomes = ReadonlyArray<BatchOutcome>

/** Calls whose transcripts are in memory together: each may have two million characters. */
const READ_TOGETHER = 8

const decodePayload = Schema.decodeUnknownEither(EvaluationPayload)

const failed = (claim: Claim, error: JobFailed | StorageError): BatchOutcome => ({
  claim,
  outcome: Either.left(error)
})

const byOrganization = (tasks: ReadonlyArray<Task>): ReadonlyArray<readonly [OrganizationId, ReadonlyArray<Task>]> => {
  const groups = new Map<OrganizationId, Array<Task>>()
  for (const task of tasks) {
    const group = groups.get(task.claim.organizationId)
    if (group === undefined) groups.set(task.claim.organizationId, [task])
    else group.push(task)
  }
  return [...groups]
}

/** The evaluations of a call after some were added, as they decide its success. */
const rated = (
  earlier: ReadonlyArray<EvaluationSummary>,
  added: ReadonlyArray<Evaluated>,
  deciding: ReadonlySet<number>
): ReadonlyArray<RatedEvaluation> => {
  const all = new Map<number, RatedEvaluation>()
  for (const { metricId, metricName, slug, status, value } of earlier) {
    all.set(metricId, { metricId, metricName, slug, status, value, decidesSuccess: deciding.has(metricId) })
  }
  for (const { metric, outcome } of added) {
    all.set(metric.id, {
      metricId: metric.id,
      metricName: metric.name,
      slug: metric.slug,
      status: outcome.status,
      value: outcome.value,
      decidesSuccess: deciding.has(metric.id)
    })
  }
  return [...all.values()]
}

/** @param batch the most calls that are evaluated together */
export const make = (batch: number) =>
  Effect.gen(function* () {
    const calls = yield* CallEvaluationStore
    const agents = yield* Agents
    const metrics = yield* Metrics
    const evaluations = yield* Evaluations
    const scorer = yield* Scorer
    const queue = yield* JobQueue
    const work = yield* UnitOfWork
    const pace = yield* EvaluationPace

    const readAgent = (permit: Permit, id: AgentId): Effect.Effect<AgentData, StorageError> =>
      Effect.gen(function* () {
        const all = yield* metrics.ofAgent(permit, id)
        const agent = yield* Effect.option(agents.find(permit, id))
        return {
          metrics: all,
          description: Option.match(agent, { onNone: () => "", onSome: (one) => one.description }),
          deciding: new Set(all.filter((one) => decidesSuccess(one.configuration)).map((one) => one.id))
        }
      })

    const compute = ({ claim, payload }: Task, call: CallRecord, agent: AgentData, earlier: Earlier) =>
      Effect.suspend(() => {
        const chosen = metricsToEvaluate(agent.metrics, earlier.get(call.id) ?? [], payload, claim.id)
        return Effect.map(
          scorer.immediate(subjectOf(call, agent.description), chosen),
          ({ evaluated, remaining }): Computed => ({
            claim,
            call: { id: call.id, redactFields: call.redactFields },
            evaluated,
            hasMore: remaining.length > 0,
            deciding: agent.deciding
          })
        )
      })

    /** The failure of a job whose computation ended with a defect; the others go on. */
    const defective = (claim: Claim, cause: Cause.Cause<never>) => {
      const defect = Cause.squash(cause)
      return Effect.as(
        Effect.logError("Job failed with a defect", { job: claim.id, kind: claim.kind }, cause),
        failed(
          claim,
          new JobFailed({
            reason: `Unexpected: ${defect instanceof Error ? defect.name : "defect"}.`,
            retry: true
          })
        )
      )
    }

    /** Reads and computes the calls of one organization; deleted calls are left out. */
    const computeAll = (permit: Permit<"calls:write">, tasks: ReadonlyArray<Task>) =>
      Effect.gen(function* () {
        const ids = [...new Set(tasks.map(({ payload }) => payload.call))]
        const earlier = yield* evaluations.summaries(permit, ids)
        const byAgent = new Map<AgentId, AgentData>()
        const computed: Array<Computed> = []
        const failures: Array<BatchOutcome> = []
        for (const part of Arr.chunksOf(tasks, READ_TOGETHER)) {
          const wanted = [...new Set(part.map(({ payload }) => payload.call))]
          const found = new Map((yield* pace.evaluate(calls.findAll(permit, wanted))).map((call) => [call.id, call]))
          for (const task of part) {
            const call = found.get(task.payload.call)
            if (call === undefined) continue
            const agent = byAgent.get(call.agentId) ?? (yield* readAgent(permit, call.agentId))
            byAgent.set(call.agentId, agent)
            const exit = yield* Effect.exit(pace.evaluate(compute(task, call, agent, earlier)))
            if (Exit.isSuccess(exit)) computed.push(exit.value)
            else failures.push(yield* defective(task.claim, exit.cause))
            // Requests are answered between two calls.
            yield* Effect.yieldNow()
          }
        }
        return { computed, failures }
      })

    /** Saves what was computed for the calls of one organization, in the caller's transaction. */
    const save = (permit: Permit<"calls:write">, all: ReadonlyArray<Computed>): Effect.Effect<Outcomes, StorageError> =>
      Effect.gen(function* () {
        const ids = [...new Set(all.map(({ call }) => call.id))]
        const locked = new Map<CallId, LockedCall>((yield* calls.lockAll(permit, ids)).map((one) => [one.id, one]))
        const isStale = ({ call }: Computed) =>
          (locked.get(call.id)?.redactFields.length ?? 0) > call.redactFields.length
        const kept = all.filter((one) => locked.has(one.call.id) && !isStale(one))
        const earlier = yield* evaluations.summaries(
          permit,
          kept.map(({ call }) => call.id)
        )
        const recorded = yield* evaluations.recordAll(
          permit,
          kept.map(({ call, claim, evaluated }) => ({ call: call.id, job: claim.id, evaluated }))
        )
        const outcomes = kept.flatMap(({ call, deciding }, i) => {
          const current = locked.get(call.id)
          return current === undefined
            ? []
            : [applyEvaluations(current, rated(earlier.get(call.id) ?? [], recorded[i]?.evaluated ?? [], deciding))]
        })
        yield* calls.saveAll(permit, outcomes, yield* DateTime.now)
        const handedOver = kept.filter(({ hasMore }) => hasMore).map(({ claim }) => claim)
        if (handedOver.length > 0) yield* queue.handOver(handedOver, EXTERNAL_EVALUATION_JOB)
        return all
          .filter(isStale)
          .map(({ claim }) =>
            failed(
              claim,
              new JobFailed({ reason: "The call was redacted further while it was evaluated.", retry: true })
            )
          )
      })

    const permitOf = (organization: OrganizationId) => hostPermit(organization, "calls.evaluate")

    const evaluateTasks = (tasks: ReadonlyArray<Task>): Effect.Effect<Outcomes, StorageError> =>
      Effect.gen(function* () {
        const groups = yield* Effect.forEach(byOrganization(tasks), ([organization, own]) =>
          Effect.gen(function* () {
            const permit = yield* permitOf(organization)
            return { permit, ...(yield* computeAll(permit, own)) }
          })
        )
        const failures = groups.flatMap((group) => group.failures)
        const ended = new Set(failures.map(({ claim }) => claim.id))
        const stale = yield* pace.evaluate(
          work.atomically(
            Effect.gen(function* () {
              const claims = tasks.map(({ claim }) => claim).filter(({ id }) => !ended.has(id))
              const valid = yield* queue.validLeases(claims)
              const late = yield* Effect.forEach(groups, ({ computed, permit }) =>
                save(
                  permit,
                  computed.filter(({ claim }) => valid.has(claim.id))
                )
              )
              const rejected = late.flat()
              const unfinished = new Set(rejected.map(({ claim }) => claim.id))
              for (const { computed } of groups) {
                for (const { claim, hasMore } of computed) if (hasMore) unfinished.add(claim.id)
              }
              // Jobs about calls that were deleted have succeeded as well.
              yield* queue.succeed(claims.filter(({ id }) => valid.has(id) && !unfinished.has(id)))
              return rejected
            })
          )
        )
        return [...failures, ...stale]
      })

    /** A storage failure may come from one call alone, so the calls are then evaluated one by one. */
    const evaluateAll = (tasks: ReadonlyArray<Task>): Effect.Effect<Outcomes, StorageError> =>
      tasks.length < 2
        ? evaluateTasks(tasks)
        : Effect.catchTag(evaluateTasks(tasks), "StorageFailed", () =>
            Effect.map(
              Effect.forEach(tasks, (task) =>
                Effect.catchAll(evaluateTasks([task]), (error) => Effect.succeed([failed(task.claim, error)]))
              ),
              (outcomes) => outcomes.flat()
            )
          )

    const runAll = (claims: ReadonlyArray<Claim>): Effect.Effect<Outcomes, StorageError> =>
      Effect.gen(function* () {
        const tasks: Array<Task> = []
        const unreadable: Array<BatchOutcome> = []
        for (const claim of claims) {
          const payload = decodePayload(claim.payload)
          if (Either.isRight(payload)) tasks.push({ claim, payload: payload.right })
          else unreadable.push(failed(claim, new JobFailed({ reason: "The job payload names no call.", retry: false })))
        }
        const outcomes = tasks.length === 0 ? [] : yield* evaluateAll(tasks)
        return [...unreadable, ...outcomes]
      })

    return { kind: EVALUATION_JOB, concurrency: 2 * batch, batch, pause: pace.pause, runAll } satisfies BatchHandler
  })

type Earlier = ReadonlyMap<CallId, ReadonlyArray<EvaluationSummary>>
