import { hash } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { NotFound } from "../access/AccessErrors.js"
import { hostPermit, type Permit, isInScope } from "../access/Permit.js"
import { SecretSource } from "../access/SecretSource.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { JobSignal } from "../jobs/JobSignal.js"
import { JobFailed } from "../jobs/JobErrors.js"
import { JobQueue } from "../jobs/JobQueue.js"
import type { JobHandler } from "../jobs/JobHandler.js"
import type { Claim } from "../jobs/Job.js"
import { decodeInput, fieldError, type FieldErrors, Messages, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import type { MetricId } from "../kernel/Ids.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { Metrics } from "../metrics/Metrics.js"
import { PromptSimplifier } from "./PromptSimplifier.js"
import {
  progressOf,
  type Simplification,
  SimplificationDraft,
  type SimplificationProgress,
  SimplificationQuery,
  skipped
} from "./Simplification.js"
import { SIMPLIFICATION_JOB, simplificationJob, SimplificationPayload } from "./SimplificationJob.js"
import { type Simplifier, SimplificationStore } from "./SimplificationStore.js"

/** Shorter prompts for the caller's organization. They are proposals: a metric is changed by patching it. */
export class Simplifications extends Context.Tag("@earshot/core/simplification/Simplifications")<
  Simplifications,
  {
    /**
     * Interface E6: `{original_prompt}` or `{metric_id}`; `original_prompt` wins if both are given. A prompt that is
     * already a result, or from which nothing can be removed, is answered at once. Any other is simplified by a job, whose
     * `progressId` is returned. Within an organization, concurrent requests for the same prompt by credentials of the same
     * resource scopes share one job, and its result is reused for ten seconds.
     */
    readonly request: UseCase<
      "simplifications.request",
      [input: Input<typeof SimplificationDraft>],
      Simplification,
      ValidationFailed | StorageError
    >
    /**
     * `{progress_id}`: the progress of a simplification. `NotFound` for one of another organization, and for a
     * credential with resource scopes unless one with the same scopes requested it.
     */
    readonly progress: UseCase<
      "simplifications.progress",
      [query: Input<typeof SimplificationQuery>],
      SimplificationProgress,
      ValidationFailed | NotFound | StorageError
    >
    /** Runs simplification jobs. */
    readonly handler: JobHandler
  }
>() {}

/** Prompts that one process simplifies at a time. */
const CONCURRENCY = 4

/** Random bytes of a progress id, so that it cannot be guessed. */
const PROGRESS_ID_BYTES = 18

/** Days that a simplification can be read. */
const KEPT_DAYS = 90

const missing = new NotFound({ resource: "Simplification" })
const decodePayload = Schema.decodeUnknown(SimplificationPayload)

const invalid = (errors: FieldErrors) => new ValidationFailed({ errors })

/** Key of a prompt: equal only for prompts that are equal in every character. */
const hashOf = (prompt: string): string => hash("sha256", prompt, "hex")

/** A simplification without its prompts. */
const receiptOf = ({
  progressId,
  skippedSimplification
}: Pick<Simplification, "progressId" | "skippedSimplification">) => ({
  progress_id: progressId,
  skipped_simplification: skippedSimplification
})

export const layer = Layer.effect(
  Simplifications,
  Effect.gen(function* () {
    const store = yield* SimplificationStore
    const simplifier = yield* PromptSimplifier
    const metrics = yield* Metrics
    const queue = yield* JobQueue
    const signal = yield* JobSignal
    const work = yield* UnitOfWork

    /** Results of the rules count only while no language model is configured, which could shorten them further. */
    const trustedSimplifiers: ReadonlyArray<Simplifier> = simplifier.by === "model" ? ["model"] : ["rules", "model"]

    const metricOf = (permit: Permit, id: MetricId) =>
      Effect.gen(function* () {
        const unknown = invalid(fieldError("metric_id", Messages.unknownId(id)))
        const metric = yield* metrics.find(permit, id).pipe(Effect.catchTag("NotFound", () => unknown))
        return isInScope(permit, { project: metric.projectId, agent: metric.agentId }) ? metric : yield* unknown
      })

    const promptOf = (permit: Permit, input: unknown) =>
      Effect.gen(function* () {
        const draft = yield* decodeInput(SimplificationDraft, input)
        const prompt = draft.original_prompt ?? null
        const metric = draft.metric_id ?? null
        if (metric === null) {
          return (
            prompt ??
            (yield* invalid(fieldError("original_prompt", "This field is required if metric_id is left out.")))
          )
        }
        // An editor sends the text that is not saved yet, and the metric that it is for.
        const found = yield* metricOf(permit, metric)
        if (prompt !== null) return prompt
        return found.prompt.trim() === ""
          ? yield* invalid(fieldError("metric_id", "This metric has no prompt."))
          : found.prompt
      })

    /** Runs steps in a transaction, provided that the job's lease is still valid. */
    const whileHeld = (claim: Claim, steps: Effect.Effect<void, StorageError>) =>
      work.atomically(
        Effect.flatMap(queue.isLeaseValid(claim), (held): Effect.Effect<void, StorageError | JobFailed> =>
          held ? steps : new JobFailed({ reason: "Its lease was lost.", retry: true })
        )
      )

    const run = (claim: Claim) =>
      Effect.gen(function* () {
        const { progress_id: progressId } = yield* decodePayload(claim.payload).pipe(
          Effect.mapError(() => new JobFailed({ reason: "The job does not say which simplification.", retry: false }))
        )
        const permit = yield* hostPermit(claim.organizationId, "simplifications.request")
        const found = yield* store.find(permit, progressId)
        // Taken away since, or done by an attempt that ended before it could say so.
        if (Option.isNone(found) || found.value.simplifiedPrompt !== null) return
        const text = yield* simplifier.simplify(found.value.originalPrompt).pipe(
          Effect.catchTags({
            ModelUnavailable: ({ reason, retry, retryAfter }) =>
              new JobFailed({ reason, retry, ...(retryAfter === undefined ? {} : { retryAfter }) }),
            SimplificationRejected: ({ reason }) =>
              Effect.zipRight(
                whileHeld(claim, store.fail(permit, progressId, reason)),
                // It is for the log and the list of jobs, where no prompt belongs.
                new JobFailed({ reason: "The language model's answer could not be used, twice.", retry: false })
              )
          })
        )
        const now = yield* DateTime.now
        yield* whileHeld(
          claim,
          store.complete(permit, progressId, { text, hash: hashOf(text), by: simplifier.by }, now)
        )
        yield* store.tidy(DateTime.subtract(now, { days: KEPT_DAYS }))
      })

    return Simplifications.of({
      handler: { kind: SIMPLIFICATION_JOB, concurrency: CONCURRENCY, run },
      progress: useCase("simplifications.progress")(
        (permit, query) =>
          Effect.gen(function* () {
            const { progress_id: progressId } = yield* decodeInput(SimplificationQuery, query)
            const found = yield* store.find(permit, progressId)
            return Option.isNone(found) ? yield* missing : progressOf(found.value)
          }),
        // Prompts may be those of metrics.
        ({ status, ...progress }) => ({ receipt: { ...receiptOf(progress), status } })
      ),
      request: useCase("simplifications.request")(
        (permit, input) =>
          Effect.gen(function* () {
            const prompt = yield* promptOf(permit, input)
            const promptHash = hashOf(prompt)
            if (simplifier.isOptimized(prompt) || (yield* store.isResult(permit, promptHash, trustedSimplifiers))) {
              return skipped(prompt)
            }
            const source = yield* SecretSource
            const made = Buffer.from(source.bytes(PROGRESS_ID_BYTES)).toString("base64url")
            const { progressId } = yield* work.atomically(
              Effect.gen(function* () {
                const begun = yield* store.begin(permit, { progressId: made, prompt, promptHash }, yield* DateTime.now)
                if (begun.created) yield* queue.enqueue(simplificationJob(permit.organizationId, begun.progressId))
                return begun
              })
            )
            yield* signal.notify
            return { simplifiedPrompt: "", originalPrompt: prompt, skippedSimplification: false, progressId }
          }),
        (result) => ({ receipt: receiptOf(result) })
      )
    })
  })
)
