import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Tells this process's worker that jobs were enqueued, so that they start at once and not at its next look. Ringing is a
 * courtesy: a worker looks by itself, since jobs come from other processes too.
 */
export class JobBell extends Context.Tag("@earshot/core/jobs/JobBell")<
  JobBell,
  {
    /** To be rung once the transaction that enqueued has been committed. */
    readonly ring: Effect.Effect<void>
    /** Waits for a ring; one that came while nobody waited counts. */
    readonly heard: Effect.Effect<void>
  }
>() {}

export const layer = Layer.sync(JobBell, () => {
  let rung = false
  let waiting: (() => void) | undefined
  return JobBell.of({
    ring: Effect.sync(() => {
      rung = true
      waiting?.()
    }),
    heard: Effect.async((resume: (heard: Effect.Effect<void>) => void) => {
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
