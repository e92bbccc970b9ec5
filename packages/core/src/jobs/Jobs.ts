import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NotFound } from "../access/AccessErrors.js"
import { orNotFound } from "../access/OrNotFound.js"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import * as Fields from "../kernel/Fields.js"
import type { JobId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type Job, JobState } from "./Job.js"
import { JobActivity, type KindActivity } from "./JobActivity.js"
import type { JobCounts } from "./JobCounts.js"
import { JobSignal } from "./JobSignal.js"
import { JobNotDead } from "./JobErrors.js"
import { JobStore } from "./JobStore.js"

/** The query of a list of jobs. */
export const JobQuery = Fields.object({
  ...Pages.PageQuery.fields,
  state: Fields.optional(Fields.choice(JobState.literals)),
  kind: Fields.optional(Fields.text({ max: 100 }))
})

/** The jobs of the caller's organization, for its operators. */
export class Jobs extends Context.Tag("@earshot/core/jobs/Jobs")<
  Jobs,
  {
    /** `{state?, kind?, cursor?, limit?}` */
    readonly list: UseCase<
      "jobs.list",
      [query: Input<typeof JobQuery>],
      Pages.Page<Job>,
      ValidationFailed | StorageError
    >
    /** Queues a dead job again with all its attempts. */
    readonly retry: UseCase<"jobs.retry", [id: JobId], Job, NotFound | JobNotDead | StorageError>
    /** For the operator's metrics: the jobs of all organizations by kind. */
    readonly counts: Effect.Effect<ReadonlyArray<JobCounts>, StorageError>
    /** For the operator's metrics: what this process's workers did, by kind; it changes as they work. */
    readonly activity: ReadonlyMap<string, KindActivity>
  }
>() {}

export const layer = Layer.effect(
  Jobs,
  Effect.gen(function* () {
    const store = yield* JobStore
    const work = yield* UnitOfWork
    const signal = yield* JobSignal

    const { byKind } = yield* JobActivity

    const find = (permit: Permit, id: JobId) => orNotFound("Job")(store.find(permit, id))

    return Jobs.of({
      activity: byKind(),
      counts: Effect.flatMap(store.now, store.counts),
      list: useCase("jobs.list")((permit, query) =>
        Pages.paginate(JobQuery, query, (page, { kind, state }) => store.list(permit, { state, kind }, page))
      ),
      retry: useCase("jobs.retry")((permit, id) =>
        work
          .atomically(
            Effect.gen(function* () {
              const job = yield* find(permit, id)
              const now = DateTime.toEpochMillis(yield* DateTime.now)
              if (!(yield* store.requeue(permit, id, now))) return yield* new JobNotDead({ state: job.state })
              return yield* find(permit, id)
            })
          )
          .pipe(Effect.zipLeft(signal.notify))
      )
    })
  })
)
