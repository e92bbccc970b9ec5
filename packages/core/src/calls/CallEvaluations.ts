import { type RedactOptions, redactText } from "@earshot/redaction"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { NotFound } from "../access/AccessErrors.js"
import { orNotFound } from "../access/OrNotFound.js"
import { hostPermit, type Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import type { Claim } from "../jobs/Job.js"
import { JobFailed } from "../jobs/JobErrors.js"
import { JobQueue } from "../jobs/JobQueue.js"
import type { BatchHandler, JobHandler } from "../jobs/JobHandler.js"
import { JobSignal } from "../jobs/JobSignal.js"
import {
  decode,
  decodeInput,
  fieldError,
  type FieldErrors,
  Messages,
  NON_FIELD,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { Input } from "../kernel/Input.js"
import { type CallId, type JobId, MetricId, OrganizationId } from "../kernel/Ids.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { EvaluatedSubject } from "../metrics/EvaluatedSubject.js"
import type { Evaluated, StoredEvaluation } from "../metrics/Evaluation.js"
import { evaluateAttempt, type Unevaluated, waitingFailure } from "../metrics/EvaluationAttempt.js"
import { Evaluations } from "../metrics/Evaluations.js"
import type { Metric } from "../metrics/Metric.js"
import { decidesSuccess } from "../metrics/MetricRules.js"
import { Metrics } from "../metrics/Metrics.js"
import { Scorer } from "../metrics/Scorer.js"
import { CallDeleted } from "./CallErrors.js"
import { applyEvaluations } from "./CallOutcomeRules.js"
import type { CallRecord } from "./CallRecord.js"
import { CallStore } from "./CallStore.js"
import { redactEndedReason } from "./DetailRedaction.js"
import { metricsToEvaluate, subjectOf } from "./EvaluatedCall.js"
import * as EvaluationBatches from "./EvaluationBatches.js"
import { evaluationJob, EvaluationPayload, EXTERNAL_EVALUATION_JOB } from "./EvaluationJob.js"
import { parseMetricIds } from "./MetricIds.js"
import { RedactionWork } from "./RedactionWork.js"

/** The body of a request to evaluate a call: metric ids as in E10, or as a list. Default: all enabled metrics. */
export const EvaluationRequest = Fields.object({
  metric_ids: Fields.optional(
    Fields.nullable(
      Fields.custom<ReadonlyArray<MetricId> | null, ReadonlyArray<number | string> | string | null>(
        (input) =>
          Array.isArray(input)
            ? Either.map(decodeIds(input), unique)
            : typeof input === "string"
              ? parseMetricIds(input)
              : Either.left(fieldError(NON_FIELD, Messages.notAList)),
        (ids) => ids,
        { anyOf: [{ type: "string" }, { type: "array", items: { type: "integer" } }] }
      )
    )
  )
})

const unique = (ids: ReadonlyArray<MetricId>): ReadonlyArray<MetricId> => [...new Set(ids)]

const decodeIds = (input: ReadonlyArray<unknown>): Either.Either<ReadonlyArray<MetricId>, FieldErrors> =>
  // An empty list must not mean all metrics.
  input.length === 0
    ? Either.left(fieldError(NON_FIELD, "This list may not be empty."))
    : Either.mapLeft(decode(Fields.list(Fields.id(MetricId), { max: 200 }))(input), (errors) =>
        fieldError(NON_FIELD, ...new Set(Object.values(errors).flat()))
      )

/** A requested evaluation. */
export interface RequestedEvaluation {
  readonly callId: CallId
  readonly metricIds: ReadonlyArray<MetricId> | null
  readonly jobId: JobId
}

/** The wire form: `{call, metric_ids, job}`. */
export const encodeRequestedEvaluation = ({ callId, jobId, metricIds }: RequestedEvaluation) => ({
  call: callId,
  metric_ids: metricIds,
  job: jobId
})

/** Evaluation of production calls by metrics. */
export class CallEvaluations extends Context.Tag("@earshot/core/calls/CallEvaluations")<
  CallEvaluations,
  {
    /**
     * Enqueues an evaluation of a call by the given metrics, enabled or not, or by all enabled ones. Each metric is
     * charged once per call, however often it is evaluated.
     */
    readonly evaluate: UseCase<
      "calls.evaluate",
      [id: CallId, input?: Input<typeof EvaluationRequest>],
      RequestedEvaluation,
      ValidationFailed | NotFound | StorageError
    >
    /** All evaluations of a call, with their explanations. */
    readonly evaluations: UseCase<
      "calls.evaluations",
      [id: CallId],
      ReadonlyArray<StoredEvaluation>,
      NotFound | StorageError
    >
    /** Run the evaluation jobs: formulas of many calls together, and what needs a model or a sandbox call by call. */
    readonly handlers: readonly [BatchHandler, JobHandler]
  }
>() {}

export interface EvaluationConfig {
  /** Calls that this process evaluates concurrently by a language model or in a sandbox. Default: 4. */
  readonly concurrency?: number
  /** Calls whose formulas are evaluated together, in one transaction. Default: 64. */
  readonly batch?: number
  /** How calls are redacted for language models. Default: as deliveries are. */
  readonly redaction?: Pick<RedactOptions, "everyday" | "threshold" | "replacement"> | undefined
}

const decodePayload = Schema.decodeUnknown(EvaluationPayload)

const findCall = orNotFound("Call")

const redactedBy =
  (fields: CallRecord["redactFields"], options: RedactOptions) =>
  (text: string | null): string | null =>
    text === null ? null : redactText(text, fields, options)

/**
 * A call as it is sent to a language model. Details that the host keeps unredacted (see `DeliveryRedaction`) are redacted before
 * they leave the system.
 */
const redactSubject = (
  redaction: Context.Tag.Service<typeof RedactionWork>,
  subject: EvaluatedSubject,
  { redactFields }: CallRecord,
  options: RedactOptions
): Effect.Effect<EvaluatedSubject, JobFailed> => {
  if (redactFields.length === 0) return Effect.succeed(subject)
  const text = redactedBy(redactFields, options)
  return Effect.map(
    Effect.all([
      redaction.json(subject.metadata, redactFields, options),
      redaction.json(subject.dynamicVariables, redactFields, options)
    ]),
    ([metadata, dynamicVariables]) => ({
      ...subject,
      endedReason: subject.endedReason === null ? null : redactEndedReason(subject.endedReason, redactFields, options),
      metadata,
      dynamicVariables,
      agentDescription: text(subject.agentDescription) ?? "",
      expectedOutcome: text(subject.expectedOutcome)
    })
  ).pipe(
    Effect.mapError(
      () => new JobFailed({ reason: "The call could not be redacted for a language model.", retry: true })
    )
  )
}

/**
 * What judges and code say of a call, as it is stored: they may repeat a value that was not recognized in the transcript, in
 * a form in which it is.
 */
const redactOutcome = (
  { metric, outcome }: Evaluated,
  { redactFields }: CallRecord,
  options: RedactOptions
): Evaluated => {
  if (redactFields.length === 0) return { metric, outcome }
  const text = redactedBy(redactFields, options)
  const { detail, value } = outcome
  return {
    metric,
    outcome: {
      ...outcome,
      // The values of an enumeration are the metric's own words.
      value: typeof value === "string" && metric.evalType !== "enum" ? text(value) : value,
      detail: {
        ...detail,
        reason: text(detail.reason),
        explanation: text(detail.explanation),
        ...(detail.judgment === undefined
          ? {}
          : { judgment: { ...detail.judgment, quote: text(detail.judgment.quote) } })
      }
    }
  }
}

/** The failure of a job whose metrics wait, or failed for good; undefined if all are evaluated. */
const jobFailureOf = (unevaluated: Unevaluated, total: number): JobFailed | undefined => {
  const { failed } = unevaluated
  const [first] = failed
  return (
    waitingFailure(unevaluated, total) ??
    (first === undefined
      ? undefined
      : new JobFailed({ reason: `${failed.length} of ${total} metrics failed: ${first.error.reason}`, retry: false }))
  )
}

export const layer = (config: EvaluationConfig = {}) =>
  Layer.effect(
    CallEvaluations,
    Effect.gen(function* () {
      const calls = yield* CallStore
      const agents = yield* Agents
      const metrics = yield* Metrics
      const evaluations = yield* Evaluations
      const scorer = yield* Scorer
      const queue = yield* JobQueue
      const signal = yield* JobSignal
      const work = yield* UnitOfWork
      const redaction = yield* RedactionWork

      const { everyday, replacement, threshold } = config.redaction ?? {}
      const redactOptions = {
        ...(everyday === undefined ? {} : { everyday }),
        ...(replacement === undefined ? {} : { replacement }),
        ...(threshold === undefined ? {} : { threshold })
      }

      /** Runs steps in a transaction, provided that the job's lease is still valid. */
      const withLease = <A, E>(
        claim: Claim,
        steps: Effect.Effect<A, E | StorageError>
      ): Effect.Effect<A, E | StorageError | JobFailed> =>
        work.atomically(
          Effect.flatMap(queue.isLeaseValid(claim), (valid): Effect.Effect<A, E | StorageError | JobFailed> =>
            valid ? steps : new JobFailed({ reason: "Its lease was lost.", retry: true })
          )
        )

      /** Stores outcomes, unless the call was deleted or redacted further since it was read. */
      const store =
        (permit: Permit<"calls:write">, claim: Claim, call: CallRecord) => (outcome: ReadonlyArray<Evaluated>) =>
          withLease(
            claim,
            Effect.flatMap(
              calls.lockRedactFields(permit, call.id),
              (fields): Effect.Effect<void, StorageError | JobFailed | CallDeleted> =>
                Option.isNone(fields)
                  ? new CallDeleted()
                  : fields.value.length > call.redactFields.length
                    ? new JobFailed({ reason: "The call was redacted further while it was evaluated.", retry: true })
                    : evaluations.record(
                        permit,
                        call.id,
                        outcome.map((one) => redactOutcome(one, call, redactOptions)),
                        claim.id
                      )
            )
          )

      /** Updates success, topic and so on by all stored evaluations; completes the job if `complete`. */
      const conclude = (
        permit: Permit<"calls:write">,
        claim: Claim,
        id: CallId,
        all: ReadonlyArray<Metric>,
        complete: boolean
      ) =>
        withLease(
          claim,
          Effect.gen(function* () {
            const call = yield* calls.findForUpdate(permit, id)
            if (Option.isNone(call)) return
            const deciding = new Set(
              all.filter((metric) => decidesSuccess(metric.configuration)).map((metric) => metric.id)
            )
            const stored = yield* evaluations.ofCall(permit, id)
            const changed = applyEvaluations(
              call.value,
              stored.map((one) => ({ ...one, decidesSuccess: deciding.has(one.metricId) }))
            )
            yield* calls.saveEvaluation(permit, { ...changed, updatedAt: yield* DateTime.now })
            if (complete) yield* queue.succeed([claim])
          })
        )

      const run = (claim: Claim) =>
        Effect.gen(function* () {
          const payload = yield* decodePayload(claim.payload).pipe(
            Effect.mapError(() => new JobFailed({ reason: "The job payload names no call.", retry: false }))
          )
          const permit = yield* hostPermit(OrganizationId.make(claim.organizationId), "calls.evaluate")
          const found = yield* calls.find(permit, payload.call)
          // The call was deleted after the job was enqueued.
          if (Option.isNone(found)) return
          const call = found.value
          const all = yield* metrics.ofAgent(permit, call.agentId)
          const agent = yield* Effect.option(agents.find(permit, call.agentId))
          const stored = yield* evaluations.ofCall(permit, call.id)
          const chosen = metricsToEvaluate(
            all,
            stored.map((one) => ({ ...one, job: one.detail.job ?? null })),
            payload,
            claim.id
          )
          const description = Option.match(agent, { onNone: () => "", onSome: (one) => one.description })
          const subject = subjectOf(call, description)
          const unevaluated = yield* evaluateAttempt(scorer, claim, stored, {
            subject,
            forModel: redactSubject(redaction, subject, call, redactOptions),
            metrics: chosen,
            emit: store(permit, claim, call)
          })
          const isComplete = unevaluated.waiting.length + unevaluated.failed.length === 0
          yield* conclude(permit, claim, call.id, all, isComplete)
          const failure = jobFailureOf(unevaluated, chosen.length)
          if (failure !== undefined) return yield* failure
        }).pipe(Effect.catchTag("CallDeleted", () => Effect.void))

      /** Fails if requested metrics are not metrics of the call's agent. */
      const validateMetrics = (permit: Permit, call: CallRecord, requested: ReadonlyArray<MetricId>) =>
        Effect.flatMap(metrics.ofAgent(permit, call.agentId), (all) => {
          const known = new Set(all.map((metric) => metric.id))
          const unknown = requested.filter((one) => !known.has(one))
          return unknown.length === 0
            ? Effect.void
            : new ValidationFailed({ errors: fieldError("metric_ids", ...unknown.map(Messages.unknownId)) })
        })

      return CallEvaluations.of({
        handlers: [
          yield* EvaluationBatches.make(config.batch ?? 64),
          { kind: EXTERNAL_EVALUATION_JOB, concurrency: config.concurrency ?? 4, run }
        ],
        evaluations: useCase("calls.evaluations")((permit, id) =>
          Effect.flatMap(findCall(calls.find(permit, id)), (call) => evaluations.ofCall(permit, call.id))
        ),
        evaluate: useCase("calls.evaluate")((permit, id, input) =>
          Effect.gen(function* () {
            const call = yield* findCall(calls.find(permit, id))
            const { metric_ids: requested = null } = yield* decodeInput(EvaluationRequest, input ?? {})
            if (requested !== null) yield* validateMetrics(permit, call, requested)
            const jobId = yield* work.atomically(
              // The row lock makes ids of jobs with the same ordering key ascend in commit order.
              Effect.flatMap(calls.findForUpdate(permit, id), () =>
                queue.enqueue(evaluationJob(permit.organizationId, call.id, requested))
              )
            )
            yield* signal.notify
            return { callId: call.id, metricIds: requested, jobId }
          })
        )
      })
    })
  )
