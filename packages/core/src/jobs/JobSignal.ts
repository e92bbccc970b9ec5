import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Tells this process's worker that jobs were enqueued, so that they start at once and not at its next look. Ringing is a
 * courtesy: a worker looks by itself, since jobs come from other processes too.
 */
export class JobSignal extends Context.Tag("@earshot/core/jobs/JobSignal")<
  JobSignal,
  {
    /** To be rung once the transaction that enqueued has been committed. */
    readonly notify: Effect.Effect<void>
    /** Waits for a ring; one that came while nobody waited counts. */
    readonly wait: Effect.Effect<void>
  }
>() {}

export const layer = Layer.sync(JobSignal, () => {
  let rung = false
  let waiting: (() => void) | undefined
  return JobSignal.of({
    notify: Effect.sync(() => {
      rung = true
      waiting?.()
    }),
    wait: Effect.async((resume: (heard: Effect.Effect<void>) => void) => {
      const hear = (): void => {
        rung = false
        waiting = undefined
        resume(Effect.void)
      }
      if (rung) {
        hear()
        return undefined
      }
      waiting = hear
      return Effect.sync(() => {
        if (waiting === hear) waiting = undefined
      })
    })
  })
})
