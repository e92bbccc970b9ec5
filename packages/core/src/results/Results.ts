import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { NotFound } from "../access/AccessErrors.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Channel } from "../catalog/Agent.js"
import { decodeInput, fault, mergeFaults, Said, underPath, ValidationFailed } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, ProjectId, ResultId, RunId } from "../kernel/Ids.js"
import { Json } from "../kernel/Json.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { keepAll } from "../redaction/KeepAll.js"
import * as TranscriptFormat from "../transcripts/TranscriptFormat.js"
import { planDeletion } from "./Deletion.js"
import type { Capacity, ClaimedRun, NewResult, Result, Run } from "./Result.js"
import { type HeldRun, ResultStore, type RunEnd } from "./ResultStore.js"
import { after, onLostLease, type RunEvent, RunStatus } from "./RunLifecycle.js"

/** Source: interface, Limits. */
export const MAX_DELETED = 100

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

/** E8's body. Naming one twice is no fault: the second time it is deleted already. */
export const BulkDeleteInput = Fields.object({
  result_ids: Fields.list(Fields.id(ResultId), { min: 1, max: MAX_DELETED })
})

/** E9's body. */
export const DeleteRunsInput = Fields.object({ run_ids: Fields.list(Fields.id(RunId), { min: 1, max: MAX_DELETED }) })

const leaseSeconds = Fields.withDefault(Fields.integer({ min: 1, max: 3600 }), 60)

export const ClaimInput = Fields.object({
  channel: Fields.choice(Channel.literals),
  limit: Fields.withDefault(Fields.integer({ min: 1, max: 100 }), 1),
  /** How long the claim holds without a heartbeat. */
  lease_seconds: leaseSeconds
})

const lease = Fields.text({ max: 100, blank: false })

export const HeartbeatInput = Fields.object({ lease, lease_seconds: leaseSeconds })

export const CompleteInput = Fields.object({
  lease,
  transcript_type: Fields.withDefault(TranscriptFormat.TranscriptType, TranscriptFormat.DEFAULT_TYPE),
  transcript_json: Fields.optional(Json),
  /** Seconds. */
  duration: Fields.withDefault(Fields.nullable(Fields.number), null),
  success: Fields.withDefault(Fields.nullable(Fields.boolean), null)
})

export const FailInput = Fields.object({ lease, error: Fields.text({ max: 10_000, blank: false }) })

/** Results and runs of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Results extends Context.Tag("@earshot/core/results/Results")<
  Results,
  {
    /** `{project?, agent?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<"results.list", [query: unknown], Pages.Page<Result>, ValidationFailed | StorageFault>
    readonly read: UseCase<"results.read", [id: ResultId], Result, NotFound | StorageFault>
    /**
     * E8: `{result_ids}`, 1 to 100. Takes results and their runs out of sight, and gives back what they hold. Ids of
     * nothing, of what is deleted and of what is out of reach are passed over in silence.
     */
    readonly bulkDelete: UseCase<"results.bulkDelete", [input: unknown], void, ValidationFailed | StorageFault>
    /**
     * E9: `{run_ids}`, 1 to 100. Takes runs of one result out of sight, gives back what they hold, and the result is what
     * the others come to. Runs that are not the result's are a fault, and then nothing is deleted; runs deleted already
     * are passed over.
     */
    readonly deleteRuns: UseCase<
      "results.deleteRuns",
      [id: ResultId, input: unknown],
      void,
      ValidationFailed | NotFound | StorageFault
    >
    readonly capacity: UseCase<"results.capacity", [], Capacity, StorageFault>
    /** `{result?, status?, cursor?, limit?}`; newest first. */
    readonly listRuns: UseCase<"runs.list", [query: unknown], Pages.Page<Run>, ValidationFailed | StorageFault>
    readonly readRun: UseCase<"runs.read", [id: RunId], Run, NotFound | StorageFault>
    /**
     * `{channel, limit?, lease_seconds?}`: gives queued runs to a worker, which has to send a heartbeat before each lease
     * is over. Runs whose worker was lost go back into the queue first, or time out after their third try.
     */
    readonly claim: UseCase<"runs.claim", [input: unknown], ReadonlyArray<ClaimedRun>, ValidationFailed | StorageFault>
    /** `{lease, lease_seconds?}`; answers when the lease ends now. A run that was deleted is not found: stop it. */
    readonly heartbeat: UseCase<
      "runs.heartbeat",
      [id: RunId, input: unknown],
      DateTime.Utc,
      ValidationFailed | NotFound | StorageFault
    >
    /** `{lease, transcript_type?, transcript_json?, duration?, success?}` */
    readonly complete: UseCase<
      "runs.complete",
      [id: RunId, input: unknown],
      Run,
      ValidationFailed | NotFound | StorageFault
    >
    /** `{lease, error}` */
    readonly fail: UseCase<"runs.fail", [id: RunId, input: unknown], Run, ValidationFailed | NotFound | StorageFault>
    /** Makes a result with its runs queued, for another use case that knows what to run. */
    readonly open: (permit: Permit<"results:write">, result: NewResult) => Effect.Effect<Result, StorageFault>
  }
>() {}

const lostLease = new ValidationFailed({ faults: fault("lease", "This lease does not hold any more.") })

export const layer = Layer.effect(
  Results,
  Effect.gen(function* () {
    const store = yield* ResultStore
    const work = yield* UnitOfWork

    const there = <A>(resource: string, found: Effect.Effect<Option.Option<A>, StorageFault>) =>
      found.pipe(
        Effect.flatten,
        Effect.catchTag("NoSuchElementException", () => new NotFound({ resource }))
      )
    const find = (permit: Permit, id: ResultId) => there("Result", store.find(permit, id))
    const findRun = (permit: Permit, id: RunId) => there("Run", store.findRun(permit, id))

    /** Steps that change runs: one transaction, one after the other within an organisation. */
    const changing = <A, E>(permit: Permit, steps: Effect.Effect<A, E>) =>
      work.atomically(Effect.zipRight(store.holdCapacity(permit), steps))

    /** Moves one run on, where the table of transitions lets it. */
    const moved = (
      permit: Permit<"results:write">,
      run: HeldRun,
      event: RunEvent,
      end: Omit<RunEnd, "to">
    ): Effect.Effect<void, ValidationFailed | StorageFault> =>
      Effect.gen(function* () {
        const to = after(run.status, event)
        if (to === undefined) return yield* lostLease
        yield* store.end(permit, [run.id], run.status, { ...end, to }, yield* DateTime.now)
      })

    /** The run, if it is still the one that was claimed under this lease. */
    const claimed = (permit: Permit, id: RunId, token: string) =>
      Effect.filterOrFail(
        there("Run", store.holdRun(permit, id)),
        (run) => run.status === "running" && run.lease === token,
        () => lostLease
      )

    const nothingKnown = { success: null, durationSeconds: null, error: null, transcript: null }

    /** Runs whose workers were lost are tried again, or given up. */
    const takeBack = (permit: Permit<"results:write">, now: DateTime.Utc) =>
      Effect.gen(function* () {
        const lost = yield* store.lost(permit, now)
        const again = lost.filter(({ attempts }) => onLostLease(attempts) === "requeue")
        const over = lost.filter(({ attempts }) => onLostLease(attempts) === "expire")
        if (again.length > 0) {
          yield* store.requeue(
            permit,
            again.map(({ id }) => id),
            now
          )
        }
        if (over.length > 0) {
          yield* store.end(
            permit,
            over.map(({ id }) => id),
            "running",
            { ...nothingKnown, to: "timeout", error: "Nobody who took it up reported back." },
            now
          )
        }
      })

    return Results.of({
      open: (permit, result) =>
        changing(
          permit,
          Effect.gen(function* () {
            const id = yield* store.insert(permit, result, yield* DateTime.now)
            return yield* Effect.orDie(Effect.flatten(store.find(permit, id)))
          })
        ),
      list: useCase("results.list")((permit, query) =>
        Effect.gen(function* () {
          const asked = yield* decodeInput(ResultQuery, query)
          const page = yield* Pages.decodeRequest(query)
          const of = { projectId: asked.project ?? null, agentId: asked.agent ?? null }
          return Pages.pageOf(page, yield* store.list(permit, of, page), ({ id }) => id)
        })
      ),
      read: useCase("results.read")(find),
      bulkDelete: useCase("results.bulkDelete")((permit, input) =>
        Effect.gen(function* () {
          const { result_ids: ids } = yield* decodeInput(BulkDeleteInput, input)
          yield* changing(
            permit,
            Effect.gen(function* () {
              const plan = planDeletion(yield* store.doomedResults(permit, [...new Set(ids)]))
              yield* store.apply(permit, plan, yield* DateTime.now)
            })
          )
        })
      ),
      deleteRuns: useCase("results.deleteRuns")((permit, id, input) =>
        changing(
          permit,
          Effect.gen(function* () {
            yield* find(permit, id)
            const { run_ids: given } = yield* decodeInput(DeleteRunsInput, input)
            const ids = [...new Set(given)]
            const known = yield* store.runsOf(permit, id, ids)
            const strange = ids.filter((one) => !known.has(one))
            if (strange.length > 0) {
              return yield* new ValidationFailed({ faults: fault("run_ids", ...strange.map(Said.unknownId)) })
            }
            const plan = planDeletion(yield* store.doomedRuns(permit, id, ids))
            yield* store.apply(permit, plan, yield* DateTime.now)
          })
        )
      ),
      capacity: useCase("results.capacity")((permit) => store.capacity(permit)),
      listRuns: useCase("runs.list")((permit, query) =>
        Effect.gen(function* () {
          const asked = yield* decodeInput(RunQuery, query)
          const page = yield* Pages.decodeRequest(query)
          const of = { resultId: asked.result ?? null, status: asked.status ?? null }
          return Pages.pageOf(page, yield* store.listRuns(permit, of, page), ({ id }) => id)
        })
      ),
      readRun: useCase("runs.read")(findRun),
      claim: useCase("runs.claim")((permit, input) =>
        Effect.gen(function* () {
          const asked = yield* decodeInput(ClaimInput, input)
          const token = randomUUID()
          return yield* changing(
            permit,
            Effect.gen(function* () {
              const now = yield* DateTime.now
              yield* takeBack(permit, now)
              const ids = yield* store.startable(permit, asked.channel, asked.limit)
              const until = now.epochMillis + asked.lease_seconds * 1000
              return ids.length === 0 ? [] : yield* store.start(permit, ids, { token, until }, now)
            })
          )
        })
      ),
      heartbeat: useCase("runs.heartbeat")((permit, id, input) =>
        changing(
          permit,
          Effect.gen(function* () {
            const asked = yield* decodeInput(HeartbeatInput, input)
            yield* claimed(permit, id, asked.lease)
            const until = DateTime.add(yield* DateTime.now, { seconds: asked.lease_seconds })
            yield* store.prolong(permit, id, until.epochMillis)
            return until
          })
        )
      ),
      complete: useCase("runs.complete")((permit, id, input) =>
        changing(
          permit,
          Effect.gen(function* () {
            const report = yield* decodeInput(CompleteInput, input)
            const run = yield* claimed(permit, id, report.lease)
            const decoded =
              report.transcript_json === undefined || report.transcript_json === null
                ? Either.right(null)
                : TranscriptFormat.builtIn.decode(report.transcript_type, report.transcript_json)
            if (Either.isLeft(decoded)) {
              return yield* new ValidationFailed({ faults: mergeFaults(underPath("transcript_json", decoded.left)) })
            }
            const end = {
              success: report.success,
              durationSeconds: report.duration,
              error: null,
              transcript:
                decoded.right === null ? null : { type: report.transcript_type, turns: keepAll(decoded.right) }
            }
            yield* moved(permit, run, "report", end)
            yield* moved(permit, { ...run, status: "evaluating" }, "score", { ...end, transcript: null })
            return yield* findRun(permit, id)
          })
        )
      ),
      fail: useCase("runs.fail")((permit, id, input) =>
        changing(
          permit,
          Effect.gen(function* () {
            const report = yield* decodeInput(FailInput, input)
            const run = yield* claimed(permit, id, report.lease)
            yield* moved(permit, run, "fail", { ...nothingKnown, success: false, error: report.error })
            return yield* findRun(permit, id)
          })
        )
      )
    })
  })
)
