import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Option from "effect/Option"

/** For callers that have sent many invalid credentials: how long their lookups are collected, and the most of one statement. */
export const SUSPECTS = { window: "100 millis", maxKeys: 200 } as const

export interface LookupBatchConfig<A, E> {
  /** How long keys are collected, from the first one on. */
  readonly window: Duration.DurationInput
  /** The most keys of one batch. */
  readonly maxKeys: number
  /** Finds the values of these keys; keys without a value are left out. */
  readonly find: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, A>, E>
}

type Resume<A, E> = (found: Effect.Effect<Option.Option<A>, E>) => void

const valueOf = <A>(value: A | undefined): Effect.Effect<Option.Option<A>> =>
  value === undefined ? Effect.succeedNone : Effect.succeedSome(value)

/** The callers of a batch by their key. They are callbacks: a suspended fiber for each would cost more than the query. */
type Batch<A, E> = Map<string, Array<Resume<A, E>>>

/** Looks up the keys of several callers together: those that arrive within a window share one query. */
export const makeLookupBatch = <A, E>({
  find,
  maxKeys,
  window
}: LookupBatchConfig<A, E>): ((key: string) => Effect.Effect<Option.Option<A>, E>) => {
  let open: Batch<A, E> | undefined

  const answer = (batch: Batch<A, E>, exit: Exit.Exit<ReadonlyMap<string, A>, E>): void => {
    for (const [key, callers] of batch) {
      const found = Exit.isFailure(exit) ? Exit.failCause(exit.cause) : valueOf(exit.value.get(key))
      for (const resume of callers) resume(found)
    }
    // V8's collections of young objects keep what an old batch refers to although nothing refers to it, the next batch through
    // its callers included: without this, each caller left 1 KB to the collection of the whole heap.
    batch.clear()
  }

  /** Looks up a batch when its window has ended. A daemon: the first caller may disconnect while others wait for it. */
  const run = (batch: Batch<A, E>) =>
    Effect.sleep(window).pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          if (open === batch) open = undefined
          return find([...batch.keys()])
        })
      ),
      Effect.onExit((exit) => Effect.sync(() => answer(batch, exit))),
      Effect.interruptible,
      Effect.forkDaemon
    )

  return (key) =>
    // Others may join a batch before it runs: whoever opens it is not interrupted in between.
    Effect.uninterruptibleMask((restore) => {
      const isFirst = open === undefined || open.size >= maxKeys
      const batch: Batch<A, E> = open === undefined || isFirst ? new Map() : open
      open = batch
      // A caller that is interrupted stays in its batch, where resuming it has no effect: removing it would cost each caller more
      // than it saves in a window.
      const found = restore(
        Effect.async<Option.Option<A>, E>((resume) => {
          const callers = batch.get(key)
          if (callers === undefined) batch.set(key, [resume])
          else callers.push(resume)
        })
      )
      return isFirst ? Effect.zipRight(run(batch), found) : found
    })
}
