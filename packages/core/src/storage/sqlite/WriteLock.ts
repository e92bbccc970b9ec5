import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isLocked } from "../sql/Storing.js"

/** How long a statement waits for a lock that another process holds, in milliseconds. */
const MAX_WAIT = 5000

/** Between two attempts, in milliseconds. */
const PAUSE = 10

/**
 * Repeats what fails because another process holds SQLite's lock, for 5 seconds. It waits as a fiber and holds nothing
 * meanwhile: SQLite's own busy timeout would block the whole process, and a connection that is kept would block its
 * reads, which need no lock. Of those that wait, only the first one tries again, so that a hundred cost no more than one.
 */
export const make: Effect.Effect<<A, R>(attempt: Effect.Effect<A, SqlError, R>) => Effect.Effect<A, SqlError, R>> =
  Effect.gen(function* () {
    const first = yield* Effect.makeSemaphore(1)
    return <A, R>(attempt: Effect.Effect<A, SqlError, R>) => {
      const inLine = Effect.gen(function* () {
        const until = (yield* Clock.currentTimeMillis) + MAX_WAIT
        const tried = (): Effect.Effect<A, SqlError, R> =>
          Effect.catchIf(attempt, isLocked, (error) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              now >= until ? Effect.fail(error) : Effect.zipRight(Effect.sleep(PAUSE), Effect.suspend(tried))
            )
          )
        return yield* first.withPermits(1)(Effect.suspend(tried))
      })
      return Effect.catchIf(attempt, isLocked, () => inLine)
    }
  })
