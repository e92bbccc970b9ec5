import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"

/** So many wide rows take a few milliseconds to decode or to print; the `TurnScheduler` may end a turn after each slice. */
const SIZE = 64

/** What `work` makes of the items, a slice at a time, so that many of them do not keep the event loop busy. */
export const inSlices = <A, B, E, R>(
  items: ReadonlyArray<A>,
  work: (slice: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E, R>
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  items.length <= SIZE
    ? work(items)
    : Effect.map(
        Effect.forEach(Arr.chunksOf(items, SIZE), (slice) => Effect.zipLeft(work(slice), Effect.yieldNow())),
        Arr.flatten
      )
