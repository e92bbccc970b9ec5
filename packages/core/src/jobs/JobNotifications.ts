import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Notifications between the processes that share a database, so that a job starts before the next poll of the process that
 * runs it. Default: none, and other processes find new jobs when they poll.
 */
export class JobNotifications extends Context.Reference<JobNotifications>()("@earshot/core/jobs/JobNotifications", {
  defaultValue: (): {
    /** Tells other processes that jobs were enqueued. It neither waits nor fails; several close calls may be one notification. */
    readonly publish: Effect.Effect<void>
    /** Calls `wake` for notifications of other processes, and after every time in which some may have been lost. */
    readonly subscribe: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
  } => ({ publish: Effect.void, subscribe: () => Effect.void })
}) {}
