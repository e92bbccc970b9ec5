import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Forbidden, NotFound, Unauthenticated } from "../access/AccessErrors.js"
import type { CurrentActor } from "../access/Actor.js"
import { orNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import {
  decodeInput,
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  Messages,
  noFieldErrors,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import type { ResultId, RunId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { streamPages } from "../kernel/StreamPages.js"
import type { StorageError } from "../kernel/Storage.js"
import { compareResults, type Comparison } from "./Compare.js"
import { planDeletion } from "./Deletion.js"
import { type Repeats, repeatsOf } from "./Repeats.js"
import type { Capacity, ClaimedRun, NewResult, Result, Run } from "./Result.js"
import { RunIsOver } from "./ResultErrors.js"
import type { CompleteInput } from "./ReportRules.js"
import {
  BulkDeleteInput,
  type ClaimInput,
  CompareQuery,
  DeleteRunsInput,
  type FailInput,
  type HeartbeatInput,
  JUnitQuery,
  ReportQuery,
  ResultQuery,
  RunQuery
} from "./ResultInputs.js"
import { reserveBytes } from "../kernel/ResponseBytes.js"
import { sizeOfCases } from "../kernel/JUnit.js"
import { caseOfRun, printResultJUnit } from "./ResultJUnit.js"
import { printResultReport, reportedRun, type ReportFormat, sizeOfRuns } from "./ResultReport.js"
import { ResultStore, type RunState } from "./ResultStore.js"
import type { RunDetail } from "./RunDetail.js"
import { nextStatus, openStatuses } from "./RunLifecycle.js"
import { RunWork } from "./RunWork.js"
import { makeWorkerRuns, unknownOutcome } from "./WorkerRuns.js"

/** Results and runs of the caller's organization. Inputs are unvalidated; they are validated here. */
export class Results extends Context.Tag("@earshot/core/results/Results")<
  Results,
  {
    /** `{project?, agent?, cursor?, limit?}`; newest first. */
    readonly list: UseCase<
      "results.list",
      [query: Input<typeof ResultQuery>],
      Pages.Page<Result>,
      ValidationFailed | StorageError
    >
    readonly read: UseCase<"results.read", [id: ResultId], Result, NotFound | StorageError>
    /**
     * `{base, tolerance?}`: how the result differs from another one, by scenario and by metric; see `compareResults`.
     */
    readonly compare: UseCase<
      "results.compare",
      [id: ResultId, query: Input<typeof CompareQuery>],
      Comparison,
      ValidationFailed | NotFound | StorageError
    >
    /** How reliably each scenario of a result succeeds: its success rate and pass^k. */
    readonly repeats: UseCase<"results.repeats", [id: ResultId], Repeats, NotFound | StorageError>
    /** Every run of a result with its transcript and scores, oldest first; read page by page. */
    readonly export: (
      id: ResultId
    ) => Stream.Stream<RunDetail, NotFound | StorageError | Unauthenticated | Forbidden, CurrentActor>
    /**
     * A result as a JUnit report, one test case per run. A completed run with an unknown success is an error; with
     * `{allow_unjudged: true}` it is skipped.
     */
    readonly junit: UseCase<
      "results.junit",
      [id: ResultId, query?: Input<typeof JUnitQuery>],
      string,
      ValidationFailed | NotFound | StorageError
    >
    /**
     * A result for people or a CI server: `{format: "markdown" | "html" | "junit"}`, Markdown by default, with the outcome,
     * criteria and scores of each run, without transcripts. All texts are escaped.
     */
    readonly report: UseCase<
      "results.report",
      [id: ResultId, query?: Input<typeof ReportQuery>],
      { readonly format: ReportFormat; readonly text: string },
      ValidationFailed | NotFound | StorageError
    >
    /**
     * E8: `{result_ids}`, 1 to 100. Soft-deletes results with their runs and releases their capacity. Ids that do not
     * exist, are deleted or are out of scope are ignored.
     */
    readonly bulkDelete: UseCase<
      "results.bulkDelete",
      [input: Input<typeof BulkDeleteInput>],
      void,
      ValidationFailed | StorageError
    >
    /**
     * E9: `{run_ids}`, 1 to 100. Soft-deletes runs of one result, releases their capacity and re-evaluates the result. A
     * run of another result is an error, and nothing is deleted then; deleted runs are ignored.
     */
    readonly deleteRuns: UseCase<
      "results.deleteRuns",
      [id: ResultId, input: Input<typeof DeleteRunsInput>],
      void,
      ValidationFailed | NotFound | StorageError
    >
    /**
     * Cancels the open runs of a result and releases their capacity; returns the result after that. Canceling twice is no
     * error.
     */
    readonly cancel: UseCase<"results.cancel", [id: ResultId], Result, NotFound | StorageError>
    readonly capacity: UseCase<"results.capacity", [], Capacity, StorageError>
    /** `{result?, status?, cursor?, limit?}`; newest first. */
    readonly listRuns: UseCase<
      "runs.list",
      [query: Input<typeof RunQuery>],
      Pages.Page<Run>,
      ValidationFailed | StorageError
    >
    /** A run with its transcript, its scores and its success criteria. */
    readonly readRun: UseCase<"runs.read", [id: RunId], RunDetail, NotFound | StorageError>
    /** Cancels an open run; one that is canceled already is returned unchanged. */
    readonly cancelRun: UseCase<"runs.cancel", [id: RunId], Run, NotFound | RunIsOver | StorageError>
    /**
     * `{channel, limit?, lease_seconds?}`: leases queued runs to a worker, which has to send a heartbeat before each lease
     * expires. Runs whose lease expired are requeued first, or time out after their third attempt.
     */
    readonly claim: UseCase<
      "runs.claim",
      [input: Input<typeof ClaimInput>],
      ReadonlyArray<ClaimedRun>,
      ValidationFailed | StorageError
    >
    /**
     * `{lease, lease_seconds?}`: extends the lease; returns when it expires. A deleted run is not found: the worker stops
     * it. An expired lease cannot be extended, whether or not another worker has claimed the run. A run that is far beyond
     * its `max_duration` times out instead.
     */
    readonly heartbeat: UseCase<
      "runs.heartbeat",
      [id: RunId, input: Input<typeof HeartbeatInput>],
      DateTime.Utc,
      ValidationFailed | NotFound | StorageError
    >
    /**
     * `{lease, transcript_type?, transcript_json?, voice_recording?, voice_recording_url?, duration?, success?,
     * call_ended_reason?}`. A recording needs the transcript type `none-mono`, whose transcript is made from it. Where the
     * scenario has metrics or an expected outcome the run is evaluated next; otherwise it is completed.
     */
    readonly complete: UseCase<
      "runs.complete",
      [id: RunId, input: Input<typeof CompleteInput>],
      Run,
      ValidationFailed | NotFound | StorageError
    >
    /** `{lease, error}` */
    readonly fail: UseCase<
      "runs.fail",
      [id: RunId, input: Input<typeof FailInput>],
      Run,
      ValidationFailed | NotFound | StorageError
    >
    /**
     * Creates a result with its runs queued, for another use case; where the engine executes the channel itself, with a
     * job for each run. Call `notifyWorkers` once the transaction is committed.
     */
    readonly create: (permit: Permit<"results:write">, result: NewResult) => Effect.Effect<Result, StorageError>
    /** Makes this process's job runner look for due jobs now. */
    readonly notifyWorkers: Effect.Effect<void>
    /**
     * Requeues the runs of every organization whose lease expired, or times them out after the last attempt, and fails
     * those whose job is dead. Returns their number. Safe to run in several processes at once.
     */
    readonly sweep: Effect.Effect<number, StorageError>
  }
>() {}

const toleranceErrors = (tolerance: number): FieldErrors =>
  tolerance < 0
    ? fieldError("tolerance", Messages.tooSmall(0))
    : tolerance > 1
      ? fieldError("tolerance", Messages.tooLarge(1))
      : noFieldErrors

export const layer = Layer.effect(
  Results,
  Effect.gen(function* () {
    const store = yield* ResultStore
    const runWork = yield* RunWork
    const { changeRuns, findRun, findRunForUpdate, ...workers } = yield* makeWorkerRuns

    const find = (permit: Permit, id: ResultId) => orNotFound("Result")(store.find(permit, id))

    /** Ends these open runs as canceled. */
    const cancelAll = (permit: Permit<"results:write">, runs: ReadonlyArray<RunState>) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        for (const status of openStatuses) {
          const to = nextStatus(status, "cancel")
          const ids = runs.filter((run) => run.status === status).map(({ id }) => id)
          if (ids.length > 0 && to !== undefined) yield* store.end(permit, ids, status, { ...unknownOutcome, to }, now)
        }
      })

    const streamDetails = (permit: Permit<"results:read">, id: ResultId) =>
      streamPages({ at: "after", id: 0 }, (page) => store.details(permit, id, page))

    const exportRuns = useCase("results.export")((permit, id: ResultId) =>
      Effect.as(find(permit, id), streamDetails(permit, id))
    )

    /** A JUnit report. */
    const junitOf = (permit: Permit<"results:read">, result: Result, allowUnjudged: boolean) =>
      Effect.map(
        // Mapped page by page, so that no more than one page of transcripts is in memory. The totals come first in a
        // report, so all of its cases are kept, within the budget of the request.
        streamDetails(permit, result.id).pipe(
          Stream.map((run) => caseOfRun(run, allowUnjudged)),
          Stream.mapChunksEffect((some) => Effect.as(reserveBytes(sizeOfCases(some)), some)),
          Stream.runCollect
        ),
        (cases) => printResultJUnit(result, Chunk.toReadonlyArray(cases))
      )

    return Results.of({
      ...workers,
      notifyWorkers: runWork.notifyWorkers,
      compare: useCase("results.compare")((permit, id, query) =>
        Effect.gen(function* () {
          const result = yield* orNotFound("Result")(store.scores(permit, id))
          const { base, tolerance } = yield* decodeInput(CompareQuery, query)
          const other = yield* store.scores(permit, base)
          const errors = mergeFieldErrors(
            Option.isNone(other) ? fieldError("base", Messages.unknownId(base)) : noFieldErrors,
            tolerance === undefined ? noFieldErrors : toleranceErrors(tolerance)
          )
          if (Option.isNone(other) || hasFieldErrors(errors)) return yield* new ValidationFailed({ errors })
          return compareResults(other.value, result, tolerance ?? null)
        })
      ),
      export: (id) => Stream.unwrap(exportRuns(id)),
      repeats: useCase("results.repeats")((permit, id) =>
        Effect.map(orNotFound("Result")(store.scores(permit, id)), ({ scenarios }) => repeatsOf(scenarios))
      ),
      report: useCase("results.report")((permit, id, query = {}) =>
        Effect.gen(function* () {
          const result = yield* find(permit, id)
          const { allow_unjudged: allowUnjudged, format } = yield* decodeInput(ReportQuery, query)
          if (format === "junit") return { format, text: yield* junitOf(permit, result, allowUnjudged) }
          const runs = yield* streamDetails(permit, id).pipe(
            Stream.map(reportedRun),
            Stream.mapChunksEffect((some) => Effect.as(reserveBytes(sizeOfRuns(some)), some)),
            Stream.runCollect
          )
          return { format, text: printResultReport(format, result, Chunk.toReadonlyArray(runs)) }
        })
      ),
      junit: useCase("results.junit")((permit, id, query = {}) =>
        Effect.gen(function* () {
          const result = yield* find(permit, id)
          const { allow_unjudged: allowUnjudged } = yield* decodeInput(JUnitQuery, query)
          return yield* junitOf(permit, result, allowUnjudged)
        })
      ),
      create: (permit, result) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            const id = yield* store.insert(permit, result, yield* DateTime.now)
            if (result.isExecuted) yield* runWork.enqueue(permit, id, result.concurrencyLimit)
            return yield* Effect.orDie(Effect.flatten(store.find(permit, id)))
          })
        ),
      list: useCase("results.list")((permit, query) =>
        Pages.paginate(ResultQuery, query, (page, { agent = null, project = null }) =>
          store.list(permit, { projectId: project, agentId: agent }, page)
        )
      ),
      read: useCase("results.read")(find),
      bulkDelete: useCase("results.bulkDelete")((permit, input) =>
        Effect.gen(function* () {
          const { result_ids: ids } = yield* decodeInput(BulkDeleteInput, input)
          yield* changeRuns(
            permit,
            Effect.gen(function* () {
              const plan = planDeletion(yield* store.lockResultsForDeletion(permit, [...new Set(ids)]))
              yield* store.apply(permit, plan, yield* DateTime.now)
            })
          )
        })
      ),
      deleteRuns: useCase("results.deleteRuns")((permit, id, input) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            yield* find(permit, id)
            const { run_ids: given } = yield* decodeInput(DeleteRunsInput, input)
            const ids = [...new Set(given)]
            const known = yield* store.runsOf(permit, id, ids)
            const unknown = ids.filter((one) => !known.has(one))
            if (unknown.length > 0) {
              return yield* new ValidationFailed({ errors: fieldError("run_ids", ...unknown.map(Messages.unknownId)) })
            }
            const plan = planDeletion(yield* store.lockRunsForDeletion(permit, id, ids))
            yield* store.apply(permit, plan, yield* DateTime.now)
          })
        )
      ),
      cancel: useCase("results.cancel")((permit, id) =>
        changeRuns(
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
        Pages.paginate(RunQuery, query, (page, { result = null, status = null }) =>
          store.listRuns(permit, { resultId: result, status }, page)
        )
      ),
      readRun: useCase("runs.read")((permit, id) => orNotFound("Run")(store.findDetail(permit, id))),
      cancelRun: useCase("runs.cancel")((permit, id) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            const run = yield* findRunForUpdate(permit, id)
            if (nextStatus(run.status, "cancel") === undefined && run.status !== "cancelled") {
              return yield* new RunIsOver({ status: run.status })
            }
            yield* cancelAll(permit, [run])
            return yield* findRun(permit, id)
          })
        )
      )
    })
  })
)
