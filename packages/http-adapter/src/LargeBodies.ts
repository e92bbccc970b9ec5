/** Turns of requests with large bodies. */
import { FairSemaphore } from "@earshot/core"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Bytes of a large body. Reading, storing and answering one takes the event loop tens of milliseconds for each megabyte, so
 * that requests with large bodies take turns: others wait for one of them, not for all that have arrived.
 */
export const LARGE_BODY_BYTES = 256 * 1024

/** The longest turn: a request may wait for a recording that it names by URL. */
const LONGEST_TURN = "250 millis"

export interface Turns {
  /**
   * Waits for a turn, in which senders alternate. It ends when the returned effect runs, or when it has taken too long.
   *
   * @param sender an organization, or an address
   */
  readonly begin: (sender: string) => Effect.Effect<Effect.Effect<void>>
}

export const makeTurns = (longest: Duration.DurationInput = LONGEST_TURN): Turns => {
  const semaphore = FairSemaphore.make({ permits: 1, perKey: 1 })
  return {
    begin: (sender) =>
      Effect.gen(function* () {
        const begun = yield* Effect.makeLatch()
        const ended = yield* Effect.makeLatch()
        const turn = yield* begun.open.pipe(
          Effect.zipRight(Effect.timeoutOption(ended.await, longest)),
          semaphore.withPermit(sender),
          Effect.interruptible,
          Effect.forkDaemon
        )
        yield* Effect.onInterrupt(begun.await, () => Fiber.interruptFork(turn))
        return Effect.asVoid(ended.open)
      })
  }
}
