/**
 * Long work on the event loop, cut into steps: a generator that yields wherever it may be interrupted by others, run
 * either to its end at once or with a breath for the whole process after every step.
 */
import * as Effect from "effect/Effect"

/** Work that yields between its steps and answers `A`. */
export type Steps<A> = Generator<void, A, void>

/** Does all of it at once. */
export const runSync = <A>(steps: Steps<A>): A => {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Lets timers and sockets have their turn, which `Effect.yieldNow` does not: that one goes back to fibers alone. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => {
    resume(Effect.void)
  })
})

/** Does it step by step, the event loop running in between. */
export const runYielding = <A>(steps: () => Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const work = steps()
    const next: Effect.Effect<A> = Effect.suspend(() => {
      const step = work.next()
      return step.done === true ? Effect.succeed(step.value) : Effect.zipRight(yieldToEventLoop, next)
    })
    return next
  })
