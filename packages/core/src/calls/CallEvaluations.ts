import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { NotFound } from "../access/AccessErrors.js"
import { hostPermit, type Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Agents } from "../catalog/Agents.js"
import type { Claim } from "../jobs/Job.js"
import { JobSignal } from "../jobs/JobSignal.js"
import { JobFailed } from "../jobs/JobErrors.js"
import type { JobHandler } from "../jobs/JobRunner.js"
import { JobQueue } from "../jobs/JobQueue.js"
import {
  decode,
  decodeInput,
  fieldError,
  type FieldErrors,
  NON_FIELD,
  Messages,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { type CallId, type JobId, MetricId, OrganizationId } from "../kernel/Ids.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { expectedOutcomeOf, fillVariables, type EvaluatedSubject } from "../metrics/EvaluatedSubject.js"
import { type StoredEvaluation, outcomes } from "../metrics/Evaluation.js"
import { Evaluations } from "../metrics/Evaluations.js"
import { type Evaluated, Scorer } from "../metrics/Scorer.js"
import type { Metric } from "../metrics/Metric.js"
import { decidesSuccess } from "../metrics/MetricRules.js"
import { Metrics } from "../metrics/Metrics.js"
import { redactJson, type RedactOptions, redactText } from "@earshot/redaction"
import type { CallRecord } from "./CallRecord.js"
import { CallStore } from "./CallStore.js"
import { applyEvaluations } from "./CallOutcomeRules.js"
import { EVALUATION_JOB, evaluationJob, EvaluationPayload } from "./EvaluationJob.js"
import { parseMetricIds } from "./MetricIds.js"

/** What asks for an evaluation: metric ids as E10 takes them, or as a list; all that are enabled where left out. */
export const EvaluationRequest = Fields.object({
  metric_ids: Fields.optional(
    Fields.nullable(
      Fields.custom<ReadonlyArray<MetricId> | null>(
        (input) =>
          Array.isArray(input)
            ? Either.map(readIds(input), unique)
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

const readIds = (input: ReadonlyArray<unknown>): Either.Either<ReadonlyArray<MetricId>, FieldErrors> =>
  // Whoever lists no metrics asked for none of them, and surely not for all.
  input.length === 0
    ? Either.left(fieldError(NON_FIELD, "This list may not be empty."))
    : Either.mapLeft(decode(Fields.list(Fields.id(MetricId), { max: 200 }))(input), (faults) =>
        fieldError(NON_FIELD, ...new Set(Object.values(faults).flat()))
      )

/** An evaluation that was asked for. */
export interface RequestedEvaluation {
  readonly callId: CallId
  readonly metricIds: ReadonlyArray<MetricId> | null
  readonly jobId: JobId
}

/** Calls and what metrics say of them. */
export class CallEvaluations extends Context.Tag("@earshot/core/calls/CallEvaluations")<
  CallEvaluations,
  {
    /**
     * Evaluates a call again, once a worker gets to it: the metrics that are named, enabled or not, or all that are
     * enabled. Each metric is charged once a call, however often it is asked.
     */
    readonly evaluate: UseCase<
      "calls.evaluate",
      [id: CallId, input: unknown],
      RequestedEvaluation,
      ValidationFailed | NotFound | StorageError
    >
    /** Everything that metrics said of a call, with what explains it. */
    readonly evaluations: UseCase<
      "calls.evaluations",
      [id: CallId],
      ReadonlyArray<StoredEvaluation>,
      NotFound | StorageError
    >
    /** Does the jobs that evaluate calls. */
    readonly handler: JobHandler
  }
>() {}

export interface EvaluationConfig {
  /** Calls that this process evaluates at a time; 4 unless told. */
  readonly concurrency?: number
  /** How a judge is kept from what was asked to be redacted; as deliveries are unless told. */
  readonly redaction?: Pick<RedactOptions, "everyday" | "threshold" | "replacement"> | undefined
}

/** The call was deleted while it was evaluated. */
class CallDeleted extends Data.TaggedError("CallDeleted") {}

const missing = new NotFound({ resource: "Call" })
const decodePayload = Schema.decodeUnknown(EvaluationPayload)

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
      const bell = yield* JobSignal
      const work = yield* UnitOfWork

      const find = (permit: Permit, id: CallId) =>
        Effect.flatMap(
          calls.find(permit, id),
          Option.match({ onNone: () => missing, onSome: (call) => Effect.succeed(call) })
        )

      const subjectOf = (call: CallRecord, description: string): EvaluatedSubject => ({
        name: call.callId,
        transcript: call.transcript ?? { _tag: "RedactedTranscript", turns: [], toolCalls: [] },
        durationSeconds: call.durationSeconds,
        startedAt: DateTime.toEpochMillis(call.timestamp),
        endedReason: call.callEndedReason,
        metadata: call.metadata,
        dynamicVariables: call.dynamicVariables,
        agentDescription: fillVariables(description, call.dynamicVariables),
        expectedOutcome: expectedOutcomeOf(call.metadata)
      })

      const { everyday, replacement, threshold } = config.redaction ?? {}
      const redaction = {
        ...(everyday === undefined ? {} : { everyday }),
        ...(replacement === undefined ? {} : { replacement }),
        ...(threshold === undefined ? {} : { threshold })
      }

      /**
       * A call as it is put to a language model. The record's details stay as they were sent, since hosts look calls up by
       * them (see `RedactDelivery`); what leaves the house is redacted by what was asked for, wherever it stands.
       */
      const outside = (subject: EvaluatedSubject, { redactFields }: CallRecord): EvaluatedSubject => {
        if (redactFields.length === 0) return subject
        const text = (value: string | null) => (value === null ? null : redactText(value, redactFields, redaction))
        return {
          ...subject,
          endedReason: text(subject.endedReason),
          metadata: redactJson(subject.metadata, redactFields, redaction),
          dynamicVariables: redactJson(subject.dynamicVariables, redactFields, redaction),
          agentDescription: text(subject.agentDescription) ?? "",
          expectedOutcome: text(subject.expectedOutcome)
        }
      }

      /** Runs steps in a transaction in which nobody else can have the job; without it, nothing is done. */
      const whileHeld = <A, E>(
        claim: Claim,
        steps: Effect.Effect<A, E | StorageError>
      ): Effect.Effect<A, E | StorageError | JobFailed> =>
        work.atomically(
          Effect.flatMap(queue.isLeaseValid(claim), (held): Effect.Effect<A, E | StorageError | JobFailed> =>
            held ? steps : new JobFailed({ reason: "Its lease was lost.", retry: true })
          )
        )

      /** Success, topic and the like, by everything that was said of the call, now and before; ends the job if it is over. */
      const conclude = (
        permit: Permit<"calls:write">,
        claim: Claim,
        id: CallId,
        all: ReadonlyArray<Metric>,
        over: boolean
      ) =>
        whileHeld(
          claim,
          Effect.gen(function* () {
            const call = yield* calls.findForUpdate(permit, id)
            if (Option.isNone(call)) return
            const deciding = new Set(
              all.filter((metric) => decidesSuccess(metric.configuration)).map((metric) => metric.id)
            )
            const said = yield* evaluations.ofCall(permit, id)
            const changed = applyEvaluations(
              call.value,
              said.map((one) => ({ ...one, decidesSuccess: deciding.has(one.metricId) }))
            )
            yield* calls.saveEvaluation(permit, { ...changed, updatedAt: yield* DateTime.now })
            if (over) yield* queue.succeed(claim)
          })
        )

      const run = (claim: Claim) =>
        Effect.gen(function* () {
          const payload = yield* decodePayload(claim.payload).pipe(
            Effect.mapError(() => new JobFailed({ reason: "The job does not say which call.", retry: false }))
          )
          const permit = yield* hostPermit(OrganizationId.make(claim.organizationId), "calls.evaluate")
          const found = yield* calls.find(permit, payload.call)
          // Deleted since.
          if (Option.isNone(found)) return
          const call = found.value
          const all = yield* metrics.ofAgent(permit, call.agentId)
          const agent = yield* Effect.option(agents.find(permit, call.agentId))
          const said = yield* evaluations.ofCall(permit, call.id)
          // What an earlier attempt of this very job came to stands: a judge is not asked twice.
          const done = new Set(
            said.filter((one) => one.detail.job === claim.id && one.status !== "failed").map((one) => one.metricId)
          )
          const asked = payload.metrics === null ? undefined : new Set(payload.metrics)
          const before = new Set(payload.again ? said.map((one) => one.metricId) : [])
          const chosen = all.filter(
            (metric) =>
              ((asked === undefined ? metric.observabilityEnabled : asked.has(metric.id)) || before.has(metric.id)) &&
              !done.has(metric.id)
          )
          // What was made of text that is to be gone by now must not be written down behind its back.
          const keep = (outcome: ReadonlyArray<Evaluated>) =>
            whileHeld(
              claim,
              Effect.flatMap(
                calls.lockRedactFields(permit, call.id),
                (fields): Effect.Effect<void, StorageError | JobFailed | CallDeleted> =>
                  Option.isNone(fields)
                    ? new CallDeleted()
                    : fields.value.length > call.redactFields.length
                      ? new JobFailed({ reason: "More of the call was redacted while it was evaluated.", retry: true })
                      : evaluations.record(permit, call.id, outcome, claim.id)
              )
            )
          const results = new Map(
            said.flatMap((one) => {
              const result = { value: one.value, status: one.status, explanation: one.detail.explanation }
              return [
                [String(one.metricId), result] as const,
                ...(one.slug === null ? [] : [[one.slug, result] as const])
              ]
            })
          )
          const last = claim.attempt >= claim.maxAttempts
          const subject = subjectOf(
            call,
            Option.match(agent, { onNone: () => "", onSome: ({ description }) => description })
          )
          const postponed = yield* scorer.evaluate({
            subject,
            forModel: () => outside(subject, call),
            metrics: chosen,
            previousResults: results,
            isLastAttempt: last,
            emit: keep
          })
          const [hopeless, waiting] = [
            postponed.filter(({ error: why }) => last || !why.retry),
            postponed.filter(({ error: why }) => !last && why.retry)
          ]
          if (hopeless.length > 0) {
            yield* keep(
              hopeless.map(({ error: why, metric }) => ({
                metric,
                outcome: outcomes.withoutValue("failed", why.reason)
              }))
            )
          }
          yield* conclude(permit, claim, call.id, all, postponed.length === 0)
          const [first] = waiting
          if (first !== undefined) {
            const retryAfter = Math.max(...waiting.map(({ error: why }) => why.retryAfter ?? 0))
            return yield* new JobFailed({
              reason: `${waiting.length} of ${chosen.length} metrics wait: ${first.error.reason}`,
              retry: true,
              retryAfter
            })
          }
          const [why] = hopeless
          if (why !== undefined) {
            return yield* new JobFailed({
              reason: `${hopeless.length} of ${chosen.length} metrics failed: ${why.error.reason}`,
              retry: false
            })
          }
        }).pipe(Effect.catchTag("CallDeleted", () => Effect.void))

      return CallEvaluations.of({
        handler: { kind: EVALUATION_JOB, concurrency: config.concurrency ?? 4, run },
        evaluations: useCase("calls.evaluations")((permit, id) =>
          Effect.flatMap(find(permit, id), (call) => evaluations.ofCall(permit, call.id))
        ),
        evaluate: useCase("calls.evaluate")((permit, id, input) =>
          Effect.gen(function* () {
            const call = yield* find(permit, id)
            const { metric_ids: asked = null } = yield* decodeInput(EvaluationRequest, input ?? {})
            if (asked !== null) {
              const known = new Set((yield* metrics.ofAgent(permit, call.agentId)).map((metric) => metric.id))
              const unknown = asked.filter((one) => !known.has(one))
              if (unknown.length > 0) {
                return yield* new ValidationFailed({
                  errors: fieldError("metric_ids", ...unknown.map(Messages.unknownId))
                })
              }
            }
            const jobId = yield* work.atomically(
              // Held, so that the jobs of its lane get their ids in the order in which they appear.
              Effect.flatMap(calls.findForUpdate(permit, id), () =>
                queue.enqueue(evaluationJob(permit.organizationId, call.id, asked))
              )
            )
            yield* bell.notify
            return { callId: call.id, metricIds: asked, jobId }
          })
        )
      })
    })
  )
