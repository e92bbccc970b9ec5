/** The job that removes what belongs to a deleted project. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import { JobFailed } from "../jobs/JobErrors.js"
import type { JobHandler } from "../jobs/JobHandler.js"
import { type OrganizationId, ProjectId, type ResultId } from "../kernel/Ids.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { ProjectPurgeStore } from "./ProjectPurgeStore.js"

export const PROJECT_DELETION_JOB = "delete_project"

const Payload = Schema.Struct({ project: ProjectId })

/** Milliseconds before the first attempt: by then no process has the project's agents in its cache (`CacheTtl`). */
const DELETION_DELAY = 15_000

/** With the backoff between them they outlast an outage of a day. */
const ATTEMPTS = 60

/** Checkouts of an agent are released within half a minute of its deletion. */
const HELD_RETRY = 60_000

const RESULTS_AT_A_TIME = 100

export const projectDeletionJob = (organizationId: OrganizationId, project: ProjectId, now: number): NewJob => ({
  organizationId,
  kind: PROJECT_DELETION_JOB,
  key: String(project),
  payload: { project },
  notBefore: now + DELETION_DELAY,
  maxAttempts: ATTEMPTS
})

/**
 * @param deleteResults deletes results of an organization as its host, which gives back the capacity that their runs hold
 */
export const makeHandler = (
  deleteResults: (organization: OrganizationId, results: ReadonlyArray<ResultId>) => Effect.Effect<void, StorageError>
): Effect.Effect<JobHandler, never, ProjectPurgeStore | UnitOfWork> =>
  Effect.gen(function* () {
    const store = yield* ProjectPurgeStore
    const work = yield* UnitOfWork
    return {
      kind: PROJECT_DELETION_JOB,
      concurrency: 1,
      // Every step deletes what is left, in a transaction of its own: an attempt that ends anywhere is continued.
      run: ({ organizationId, payload }) =>
        Effect.gen(function* () {
          const { project } = yield* Schema.decodeUnknown(Payload)(payload).pipe(
            Effect.mapError(() => new JobFailed({ reason: "The payload is invalid.", retry: false }))
          )
          if (!(yield* store.isDue(organizationId, project))) return
          for (;;) {
            const results = yield* store.liveResults(project, RESULTS_AT_A_TIME)
            if (results.length === 0) break
            yield* deleteResults(organizationId, results)
          }
          for (;;) {
            const step = yield* work.atomically(store.purge(organizationId, project))
            if (step === "done") return
            if (step === "held") {
              return yield* new JobFailed({
                reason: "Checkouts of the project's agents are still being released at their code host.",
                retry: true,
                retryAfter: HELD_RETRY
              })
            }
          }
        })
    }
  })
