import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { JobNotifications } from "./JobNotifications.js"

/**
 * Wakes workers when jobs were enqueued, so that they start before the next poll. Correctness does not depend on it: workers
 * poll anyway, since a notification may be lost.
 */
export class JobSignal extends Context.Tag("@earshot/core/jobs/JobSignal")<
  JobSignal,
  {
    /** Wakes the workers of all processes. Call once the transaction that enqueued has been committed. */
    readonly notify: Effect.Effect<void>
    /** Wakes this process's worker only. */
    readonly wake: Effect.Effect<void>
    /** Waits for a notification; one that came while nobody waited counts. */
    readonly wait: Effect.Effect<void>
    /** Receives the notifications of other processes while the scope is open. */
    readonly receive: Effect.Effect<void, never, Scope.Scope>
  }
>() {}

export const layer = Layer.effect(
  JobSignal,
  Effect.map(JobNotifications, (others) => {
    let isNotified = false
    let resumeWaiting: (() => void) | undefined
    const wakeNow = (): void => {
      isNotified = true
      resumeWaiting?.()
    }
    return JobSignal.of({
      notify: Effect.zipRight(Effect.sync(wakeNow), others.publish),
      wake: Effect.sync(wakeNow),
      receive: others.subscribe(wakeNow),
      wait: Effect.async((resume: (notified: Effect.Effect<void>) => void) => {
        const receive = (): void => {
          isNotified = false
          resumeWaiting = undefined
          resume(Effect.void)
        }
        if (isNotified) {
          receive()
          return undefined
        }
        resumeWaiting = receive
        return Effect.sync(() => {
          if (resumeWaiting === receive) resumeWaiting = undefined
        })
      })
    })
  })
)
