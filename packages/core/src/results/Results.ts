import { randomUUID } from "node:crypto"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Forbidden, NotFound, type Unauthenticated } from "../access/AccessErrors.js"
import type { CurrentActor } from "../access/Actor.js"
import { hostPermit, type Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { Channel } from "../catalog/Agent.js"
import { decodeInput, fault, isFaulty, mergeFaults, noFaults, Messages, ValidationFailed } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, ProjectId, ResultId, RunId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { keepAll } from "../redaction/KeepAll.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import { endOf } from "../transcripts/TranscriptView.js"
import { compareResults, type Comparison } from "./Compare.js"
import { planDeletion } from "./Deletion.js"
import { PlayedChannels } from "./PlayedChannels.js"
import { CompleteInput, judgeReport, type RunAudio } from "./ReportRules.js"
import { RunTranscriber } from "./RunTranscriber.js"
import type { RunDetail } from "./RunDetail.js"
import { RunWork } from "./RunWork.js"
import type { Capacity, ClaimedRun, NewResult, Result, Run } from "./Result.js"
import { caseOfRun, printResultJUnit } from "./ResultJUnit.js"
import { RunIsOver } from "./ResultErrors.js"
import { type HeldRun, ResultStore, type RunEnd } from "./ResultStore.js"
import { after, onLostLease, openStatuses, type RunEvent, RunStatus } from "./RunLifecycle.js"

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

/** What a comparison takes: the result that is compared with, and what difference counts as none (0 to 1). */
export const CompareQuery = Fields.object({
  base: Fields.id(ResultId),
  tolerance: Fields.withDefault(Fields.number, 0)
})

/** Runs that an export reads at a time; each carries its transcript. */
const EXPORT_PAGE = 200

const leaseSeconds = Fields.withDefault(Fields.integer({ min: 1, max: 3600 }), 60)

export const ClaimInput = Fields.object({
  channel: Fields.choice(Channel.literals),
  limit: Fields.withDefault(Fields.integer({ min: 1, max: 100 }), 1),
  /** How long the claim holds without a heartbeat. */
  lease_seconds: leaseSeconds
})

const lease = Fields.text({ max: 100, blank: false })

export const HeartbeatInput = Fields.object({ lease, lease_seconds: leaseSeconds })

export const FailInput = Fields.object({ lease, error: Fields.text({ max: 10_000, blank: false }) })

/** Results and runs of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Results extends Context.Tag("@earshot/core/results/Results")<
  Results,
  {
    /** `{project?, agent?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<"results.list", [query: unknown], Pages.Page<Result>, ValidationFailed | StorageFault>
    readonly read: UseCase<"results.read", [id: ResultId], Result, NotFound | StorageFault>
    /**
     * `{base, tolerance?}`: the result as it differs from another one, scenario by scenario and metric by metric; see
     * `compareResults`.
     */
    readonly compare: UseCase<
      "results.compare",
      [id: ResultId, query: unknown],
      Comparison,
      ValidationFailed | NotFound | StorageFault
    >
    /** Every run of a result, oldest first, with its transcript and what metrics said of it; read page by page. */
    readonly export: (
      id: ResultId
    ) => Stream.Stream<RunDetail, NotFound | StorageFault | Unauthenticated | Forbidden, CurrentActor>
    /** A result as a JUnit report, a case a run. */
    readonly junit: UseCase<"results.junit", [id: ResultId], string, NotFound | StorageFault>
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
    /**
     * Cancels the runs of a result that are not over, and gives back what they hold; the others stay as they are. Answers
     * the result as it is then. Cancelling twice is no fault.
     */
    readonly cancel: UseCase<"results.cancel", [id: ResultId], Result, NotFound | StorageFault>
    readonly capacity: UseCase<"results.capacity", [], Capacity, StorageFault>
    /** `{result?, status?, cursor?, limit?}`; newest first. */
    readonly listRuns: UseCase<"runs.list", [query: unknown], Pages.Page<Run>, ValidationFailed | StorageFault>
    /** A run with its transcript, its scores and what decided its success. */
    readonly readRun: UseCase<"runs.read", [id: RunId], RunDetail, NotFound | StorageFault>
    /** Cancels a run that is not over; one that was cancelled already is answered as it is. */
    readonly cancelRun: UseCase<"runs.cancel", [id: RunId], Run, NotFound | RunIsOver | StorageFault>
    /**
     * `{channel, limit?, lease_seconds?}`: gives queued runs to a worker, which has to send a heartbeat before each lease
     * is over. Runs whose worker was lost go back into the queue first, or time out after their third try.
     */
    readonly claim: UseCase<"runs.claim", [input: unknown], ReadonlyArray<ClaimedRun>, ValidationFailed | StorageFault>
    /**
     * `{lease, lease_seconds?}`; answers when the lease ends now. A run that was deleted is not found: stop it. A lease
     * that has ended cannot be prolonged, whether or not the run was given to somebody else since. Neither can one of a run
     * that has long been over its `max_duration`: it is a timeout then.
     */
    readonly heartbeat: UseCase<
      "runs.heartbeat",
      [id: RunId, input: unknown],
      DateTime.Utc,
      ValidationFailed | NotFound | StorageFault
    >
    /**
     * `{lease, transcript_type?, transcript_json?, voice_recording?, voice_recording_url?, duration?, success?,
     * call_ended_reason?}`. A recording is taken with the transcript type `none-mono`, which is made from it. Where the
     * scenario has metrics or an expected outcome the run waits for its scores; otherwise it is completed at once.
     */
    readonly complete: UseCase<
      "runs.complete",
      [id: RunId, input: unknown],
      Run,
      ValidationFailed | NotFound | StorageFault
    >
    /** `{lease, error}` */
    readonly fail: UseCase<"runs.fail", [id: RunId, input: unknown], Run, ValidationFailed | NotFound | StorageFault>
    /**
     * Makes a result with its runs queued, for another use case that knows what to run: with a job each, where the engine
     * plays the channel itself. Ring `ring` once the transaction is committed.
     */
    readonly open: (permit: Permit<"results:write">, result: NewResult) => Effect.Effect<Result, StorageFault>
    /** Has this process's worker look at once. */
    readonly ring: Effect.Effect<void>
    /**
     * Takes back the runs of every organisation whose leases have ended: into the queue, or to their end as timeouts after
     * the last try. Fails those whose job is dead. Answers how many. For whoever runs the engine; any number of processes may do it at once.
     */
    readonly sweep: Effect.Effect<number, StorageFault>
  }
>() {}

const lostLease = new ValidationFailed({ faults: fault("lease", "This lease does not hold any more.") })

const overdue = (error: string): ValidationFailed =>
  new ValidationFailed({ faults: fault("lease", `${error} Stop executing it.`) })

const endedLease = (until: number): ValidationFailed =>
  new ValidationFailed({
    faults: fault(
      "lease",
      `This lease ended at ${DateTime.formatIso(DateTime.unsafeMake(until))}; stop executing the run.`
    )
  })

export const layer = Layer.effect(
  Results,
  Effect.gen(function* () {
    const store = yield* ResultStore
    const work = yield* UnitOfWork
    const runWork = yield* RunWork
    const transcriber = yield* RunTranscriber
    const played = yield* PlayedChannels

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
      Effect.gen(function* () {
        const run = yield* there("Run", store.holdRun(permit, id))
        if (run.status !== "running" || run.lease !== token) return yield* lostLease
        // Over is over, also before anybody took notice: what a worker may do must not depend on when others look.
        if (run.leaseUntil !== null && run.leaseUntil <= (yield* DateTime.now).epochMillis) {
          return yield* endedLease(run.leaseUntil)
        }
        return run
      })

    /** The transcript of a run's audio; what cannot be used is a fault of the field that it came in. */
    const transcribed = (audio: RunAudio): Effect.Effect<RawTranscript | null, ValidationFailed> =>
      Option.match(transcriber.transcribe, {
        onNone: () => Effect.succeed(null),
        onSome: (transcribe) =>
          Effect.mapError(
            transcribe(audio),
            ({ reason }) =>
              new ValidationFailed({
                faults: fault(audio.from === "upload" ? "voice_recording" : "voice_recording_url", reason)
              })
          )
      })

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
        return lost.length
      })

    /** Ends these runs, which are not over, as cancelled. */
    const cancelAll = (permit: Permit<"results:write">, runs: ReadonlyArray<HeldRun>) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        for (const status of openStatuses) {
          const to = after(status, "cancel")
          const ids = runs.filter((run) => run.status === status).map(({ id }) => id)
          if (ids.length > 0 && to !== undefined) yield* store.end(permit, ids, status, { ...nothingKnown, to }, now)
        }
      })

    const exporting = (permit: Permit<"results:read">, id: ResultId) =>
      Stream.paginateChunkEffect(null, (last: RunId | null) =>
        Effect.map(
          store.details(permit, id, last, EXPORT_PAGE),
          (found): readonly [Chunk.Chunk<RunDetail>, Option.Option<RunId | null>] => [
            Chunk.unsafeFromArray(found),
            found.length < EXPORT_PAGE
              ? Option.none()
              : Option.map(Option.fromNullable(found[found.length - 1]), ({ id: lastId }) => lastId)
          ]
        )
      )

    const exported = useCase("results.export")((permit, id: ResultId) =>
      Effect.as(find(permit, id), exporting(permit, id))
    )

    return Results.of({
      compare: useCase("results.compare")((permit, id, query) =>
        Effect.gen(function* () {
          const result = yield* there("Result", store.scores(permit, id))
          const { base, tolerance } = yield* decodeInput(CompareQuery, query)
          const other = yield* store.scores(permit, base)
          const faults = mergeFaults(
            Option.isNone(other) ? fault("base", Messages.unknownId(base)) : noFaults,
            tolerance < 0
              ? fault("tolerance", Messages.tooSmall(0))
              : tolerance > 1
                ? fault("tolerance", Messages.tooLarge(1))
                : noFaults
          )
          if (Option.isNone(other) || isFaulty(faults)) return yield* new ValidationFailed({ faults })
          return compareResults(other.value, result, tolerance)
        })
      ),
      export: (id) => Stream.unwrap(exported(id)),
      junit: useCase("results.junit")((permit, id) =>
        Effect.gen(function* () {
          const result = yield* find(permit, id)
          // Without the transcripts, which a report has no place for.
          const cases = yield* Stream.runCollect(Stream.map(exporting(permit, id), caseOfRun))
          return printResultJUnit(result, Chunk.toReadonlyArray(cases))
        })
      ),
      sweep: Effect.gen(function* () {
        let taken = 0
        for (const organization of yield* store.organizationsWithLost(yield* DateTime.now)) {
          const permit = yield* hostPermit(organization, "runs.claim")
          taken += yield* changing(
            permit,
            Effect.flatMap(DateTime.now, (now) => takeBack(permit, now))
          )
        }
        return taken + (yield* runWork.failStranded)
      }),
      ring: runWork.ring,
      open: (permit, result) =>
        changing(
          permit,
          Effect.gen(function* () {
            const id = yield* store.insert(permit, result, yield* DateTime.now)
            if (played.includes(result.channel)) yield* runWork.enqueue(permit, id, result.concurrencyLimit)
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
              return yield* new ValidationFailed({ faults: fault("run_ids", ...strange.map(Messages.unknownId)) })
            }
            const plan = planDeletion(yield* store.doomedRuns(permit, id, ids))
            yield* store.apply(permit, plan, yield* DateTime.now)
          })
        )
      ),
      cancel: useCase("results.cancel")((permit, id) =>
        changing(
          permit,
          Effect.gen(function* () {
            yield* find(permit, id)
            yield* cancelAll(permit, yield* store.openRuns(permit, id))
            return yield* find(permit, id)
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
      readRun: useCase("runs.read")((permit, id) => there("Run", runWork.detail(permit, id))),
      cancelRun: useCase("runs.cancel")((permit, id) =>
        changing(
          permit,
          Effect.gen(function* () {
            const run = yield* there("Run", store.holdRun(permit, id))
            if (after(run.status, "cancel") === undefined && run.status !== "cancelled") {
              return yield* new RunIsOver({ status: run.status })
            }
            yield* cancelAll(permit, [run])
            return yield* findRun(permit, id)
          })
        )
      ),
      claim: useCase("runs.claim")((permit, input) =>
        Effect.gen(function* () {
          const asked = yield* decodeInput(ClaimInput, input)
          if (played.includes(asked.channel)) {
            return yield* new ValidationFailed({
              faults: fault("channel", `Runs by ${asked.channel} are played by the engine itself.`)
            })
          }
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
            const held = yield* claimed(permit, id, asked.lease)
            const exceeded = yield* runWork.exceeded(permit, id)
            if (exceeded !== null) {
              const error = `The run took longer than its ${exceeded} seconds.`
              yield* moved(permit, held, "expire", { ...nothingKnown, error })
              // The refusal comes after the transaction, or it would undo this.
              return Either.left(overdue(error))
            }
            const until = DateTime.add(yield* DateTime.now, { seconds: asked.lease_seconds })
            yield* store.prolong(permit, id, until.epochMillis)
            return Either.right(until)
          })
        ).pipe(Effect.flatten)
      ),
      complete: useCase("runs.complete")((permit, id, input) =>
        Effect.gen(function* () {
          const report = yield* decodeInput(CompleteInput, input)
          // Before a recording is transcribed, which takes its time; and again when the report is kept.
          yield* claimed(permit, id, report.lease)
          const speech = judgeReport(report, { transcribes: Option.isSome(transcriber.transcribe) })
          if (Either.isLeft(speech)) return yield* new ValidationFailed({ faults: speech.left })
          const { audio, transcript } = speech.right
          const said = audio === null ? transcript : yield* transcribed(audio)
          return yield* changing(
            permit,
            Effect.gen(function* () {
              const run = yield* claimed(permit, id, report.lease)
              yield* runWork.settle(permit, run, {
                outcome: "ended",
                reason: report.call_ended_reason,
                transcript: said === null ? null : { type: report.transcript_type, turns: keepAll(said) },
                moments: [],
                durationSeconds: report.duration ?? (said === null ? null : (endOf(said) ?? null)),
                success: report.success
              })
              return yield* findRun(permit, id)
            })
          )
        }).pipe(Effect.zipLeft(runWork.ring))
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
