import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { MAX_WAIT, mayWait, nextTurn, type ReadRequest, type WaitingRead } from "./ReadTurnRules.js"
import { NotNow } from "./Storing.js"

/** Runs reads in turn: a bounded number at a time, and a bounded number that wait, each for a bounded time. */
export interface ReadTurns {
  /** Runs an effect when it is this read's turn. The place is free again when the effect has ended, also by interruption. */
  readonly inTurn: <A, E, R>(read: ReadRequest, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>
}

interface Waiting extends WaitingRead {
  readonly read: ReadRequest
  readonly begin: () => void
}

const busy = (message: string): SqlError => new SqlError({ message, cause: new NotNow({ message }) })

/** @param places how many reads run at a time, at least 1 */
export const make = (places: number): ReadTurns => {
  const waiting: Array<Waiting> = []
  const running: Array<ReadRequest> = []

  const advance = (): void => {
    for (;;) {
      const position = nextTurn(waiting, running, places, performance.now())
      const [next] = position === undefined ? [] : waiting.splice(position, 1)
      if (next === undefined) return
      running.push(next.read)
      next.begin()
    }
  }

  const release = (read: ReadRequest) =>
    Effect.sync(() => {
      const position = running.indexOf(read)
      if (position >= 0) running.splice(position, 1)
      advance()
    })

  /** Completes when the read may run. Interrupted or failed, it has no place. */
  const acquire = (read: ReadRequest): Effect.Effect<void, SqlError> =>
    Effect.async((resume) => {
      if (!mayWait(waiting, read)) {
        resume(busy("Too many reads are waiting."))
        return undefined
      }
      const leave = () => {
        clearTimeout(timer)
        const position = waiting.indexOf(entry)
        if (position >= 0) waiting.splice(position, 1)
      }
      const timer = setTimeout(() => {
        leave()
        resume(busy("The read waited too long for its turn."))
      }, MAX_WAIT[read.kind])
      const entry: Waiting = {
        read,
        kind: read.kind,
        organizationId: read.organizationId,
        since: performance.now(),
        begin: () => {
          clearTimeout(timer)
          resume(Effect.void)
        }
      }
      waiting.push(entry)
      advance()
      // Begun and interrupted at once: the place is given back.
      return Effect.suspend(() => {
        leave()
        return running.includes(read) ? release(read) : Effect.void
      })
    })

  return {
    inTurn: (request, effect) =>
      Effect.suspend(() => {
        // An object of its own, so that two statements of one read have two places.
        const read = { kind: request.kind, organizationId: request.organizationId }
        return Effect.acquireUseRelease(
          Effect.interruptible(acquire(read)),
          () => effect,
          () => release(read)
        )
      })
  }
}
