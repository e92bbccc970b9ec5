import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { isLocked } from "../sql/Storing.js"

/** How long a statement waits for a lock that another process holds, in milliseconds. */
const MAX_WAIT = 5000

/** Between two attempts, in milliseconds. */
const PAUSE = 10

interface Waiting {
  readonly begin: () => void
}

/**
 * Repeats what fails because another process holds SQLite's lock, for 5 seconds. It waits as a fiber and holds nothing
 * meanwhile: SQLite's own busy timeout would block the whole process, and a connection that is kept would block its
 * reads, which need no lock. Of those that wait, only the first one tries again, so that a hundred cost no more than one; the
 * others fail when their time is over, whoever is first by then.
 */
export const make: Effect.Effect<<A, R>(attempt: Effect.Effect<A, SqlError, R>) => Effect.Effect<A, SqlError, R>> =
  Effect.sync(() => {
    const line: Array<Waiting> = []

    const leave = (waiting: Waiting): void => {
      const position = line.indexOf(waiting)
      if (position < 0) return
      line.splice(position, 1)
      if (position === 0) line[0]?.begin()
    }

    /** Joins the line; completes with the place in it when that is the first one, or without one when the time is over. */
    const join = (until: number): Effect.Effect<Waiting | undefined> =>
      Effect.async((resume) => {
        const waiting: Waiting = {
          begin: () => {
            clearTimeout(timer)
            resume(Effect.succeed(waiting))
          }
        }
        const timer = setTimeout(() => {
          leave(waiting)
          resume(Effect.succeed(undefined))
        }, until - performance.now())
        line.push(waiting)
        if (line[0] === waiting) waiting.begin()
        return Effect.sync(() => {
          clearTimeout(timer)
          leave(waiting)
        })
      })

    return <A, R>(attempt: Effect.Effect<A, SqlError, R>) => {
      const repeated = (until: number): Effect.Effect<A, SqlError, R> =>
        Effect.catchIf(attempt, isLocked, (error) =>
          performance.now() >= until
            ? Effect.fail(error)
            : Effect.zipRight(
                Effect.sleep(PAUSE),
                Effect.suspend(() => repeated(until))
              )
        )
      return Effect.catchIf(attempt, isLocked, (error) =>
        Effect.suspend(() => {
          const until = performance.now() + MAX_WAIT
          return Effect.acquireUseRelease(
            Effect.interruptible(join(until)),
            (waiting): Effect.Effect<A, SqlError, R> => (waiting === undefined ? Effect.fail(error) : repeated(until)),
            (waiting) => Effect.sync(() => (waiting === undefined ? undefined : leave(waiting)))
          )
        })
      )
    }
  })
