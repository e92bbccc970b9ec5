import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Something that is done over and over, and that does no harm when it fails now and then. */
export interface Upkeep<E, R> {
  /** A sentence for the log of what could not be done. */
  readonly failure: string
  readonly every: Duration.DurationInput
  readonly run: Effect.Effect<unknown, E, R>
}

/** After how many failures in a row somebody should look: one or two are put right by the next try. */
const WORTH_A_WARNING = 3

/** Does it for ever. That it failed is a debug line, and a warning once it fails again and again. */
export const upkeep = <E, R>({ every, failure, run }: Upkeep<E, R>): Effect.Effect<never, never, R> =>
  Effect.suspend(() => {
    let failures = 0
    return run.pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          failures = 0
        })
      ),
      Effect.catchAll((error) => {
        failures += 1
        return failures < WORTH_A_WARNING
          ? Effect.logDebug(failure, { error })
          : Effect.logWarning(failure, { failures, error })
      }),
      Effect.repeat(Schedule.spaced(every)),
      Effect.zipRight(Effect.never)
    )
  })
