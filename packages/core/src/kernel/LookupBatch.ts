import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"

export interface LookupBatchConfig<A, E> {
  /** How long keys are collected, from the first one on. */
  readonly window: Duration.DurationInput
  /** The most keys of one batch. */
  readonly maxKeys: number
  /** Finds the values of these keys; keys without a value are left out. */
  readonly find: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, A>, E>
}

interface Batch<A, E> {
  readonly keys: Set<string>
  readonly found: Deferred.Deferred<ReadonlyMap<string, A>, E>
}

/** Looks up the keys of several callers together: those that arrive within a window share one query. */
export const makeLookupBatch = <A, E>({
  find,
  maxKeys,
  window
}: LookupBatchConfig<A, E>): ((key: string) => Effect.Effect<Option.Option<A>, E>) => {
  let open: Batch<A, E> | undefined

  const start: Effect.Effect<Batch<A, E>> = Effect.suspend(() => {
    const batch: Batch<A, E> = { keys: new Set(), found: Deferred.unsafeMake(FiberId.none) }
    open = batch
    const run = Effect.suspend(() => {
      if (open === batch) open = undefined
      return find([...batch.keys])
    })
    // A daemon: the first caller may disconnect while others wait.
    return Effect.sleep(window).pipe(
      Effect.zipRight(run),
      Effect.intoDeferred(batch.found),
      Effect.forkDaemon,
      Effect.interruptible,
      Effect.as(batch)
    )
  })

  return (key) =>
    Effect.suspend(() => (open === undefined || open.keys.size >= maxKeys ? start : Effect.succeed(open))).pipe(
      Effect.tap((batch) => Effect.sync(() => batch.keys.add(key))),
      Effect.flatMap((batch) => Deferred.await(batch.found)),
      Effect.map((found) => Option.fromNullable(found.get(key)))
    )
}
