/**
 * Long synchronous work in steps: a generator that yields where it may be interrupted, run either to its end or with a
 * turn of the event loop after every step.
 */
import * as Effect from "effect/Effect"

/** Work that yields between its steps and returns `A`. */
export type Steps<A> = Generator<void, A, void>

/** Runs all steps synchronously. */
export const runSync = <A>(steps: Steps<A>): A => {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Lets timers and sockets run; `Effect.yieldNow` lets only other fibers run. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => {
    resume(Effect.void)
  })
})

/** Runs the steps one by one and yields to the event loop in between. */
export const runYielding = <A>(steps: () => Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const work = steps()
    const next: Effect.Effect<A> = Effect.suspend(() => {
      const step = work.next()
      return step.done === true ? Effect.succeed(step.value) : Effect.zipRight(yieldToEventLoop, next)
    })
    return next
  })
