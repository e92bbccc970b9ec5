import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { retryDelay } from "../jobs/Backoff.js"
import { ColumnStore, type ColumnStoreUnavailable } from "./Projection.js"
import { countFailure } from "./ProjectionMetrics.js"
import { RETRIES } from "./ProjectionRules.js"

/** Whether the column store works, as this process knows it. What projects and what asks share it. */
export class ColumnStoreHealth extends Context.Tag("@earshot/core/analytics/ColumnStoreHealth")<
  ColumnStoreHealth,
  {
    /** Whether it may be used now: it has not failed, or the time until it is tried again is over. */
    readonly isUsable: Effect.Effect<boolean>
    /** Why it failed the last time, if it has not worked since. */
    readonly failure: Effect.Effect<ColumnStoreUnavailable | undefined>
    /**
     * The generation of its tables. They are prepared and checked when they are first used, and again after a failure or
     * after `invalidate`.
     */
    readonly generation: (installation: string) => Effect.Effect<string, ColumnStoreUnavailable>
    /** Has `generation` ask the column store again. */
    readonly invalidate: Effect.Effect<void>
    /** Records that it failed: logs a warning unless it has not worked since the one before. */
    readonly failed: (error: ColumnStoreUnavailable) => Effect.Effect<void>
    /** Records that it works. */
    readonly worked: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<ColumnStoreHealth, never, ColumnStore> = Layer.effect(
  ColumnStoreHealth,
  Effect.map(ColumnStore, (store) => {
    let failures = 0
    let retryAt = 0
    let last: ColumnStoreUnavailable | undefined
    let generation: string | undefined
    return ColumnStoreHealth.of({
      isUsable: Effect.map(Clock.currentTimeMillis, (now) => last === undefined || now >= retryAt),
      failure: Effect.sync(() => last),
      generation: (installation) =>
        Effect.suspend(() =>
          generation === undefined
            ? Effect.map(store.prepare(installation), (prepared) => (generation = prepared.generation))
            : Effect.succeed(generation)
        ),
      invalidate: Effect.sync(() => {
        generation = undefined
      }),
      failed: (error) =>
        Effect.gen(function* () {
          const isFirst = last === undefined
          last = error
          generation = undefined
          failures += 1
          retryAt = (yield* Clock.currentTimeMillis) + retryDelay(failures, RETRIES, yield* Random.next)
          yield* countFailure(error.reason)
          if (isFirst) {
            yield* Effect.logWarning("The column store cannot be used: the primary database answers charts", {
              reason: error.reason,
              operation: error.operation,
              cause: error.cause
            })
          }
        }),
      worked: Effect.suspend(() => {
        failures = 0
        if (last === undefined) return Effect.void
        last = undefined
        return Effect.logInfo("The column store can be used again")
      })
    })
  })
)
