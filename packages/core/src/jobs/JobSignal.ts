import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Wakes this process's worker when jobs were enqueued, so that they start before its next poll. Correctness does not
 * depend on it: the worker polls anyway, since jobs come from other processes too.
 */
export class JobSignal extends Context.Tag("@earshot/core/jobs/JobSignal")<
  JobSignal,
  {
    /** Call once the transaction that enqueued has been committed. */
    readonly notify: Effect.Effect<void>
    /** Waits for a notification; one that came while nobody waited counts. */
    readonly wait: Effect.Effect<void>
  }
>() {}

export const layer = Layer.sync(JobSignal, () => {
  let isNotified = false
  let wake: (() => void) | undefined
  return JobSignal.of({
    notify: Effect.sync(() => {
      isNotified = true
      wake?.()
    }),
    wait: Effect.async((resume: (notified: Effect.Effect<void>) => void) => {
      const receive = (): void => {
        isNotified = false
        wake = undefined
        resume(Effect.void)
      }
      if (isNotified) {
        receive()
        return undefined
      }
      wake = receive
      return Effect.sync(() => {
        if (wake === receive) wake = undefined
      })
    })
  })
})
