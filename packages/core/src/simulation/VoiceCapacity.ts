/** Whether this process has the means for another call by voice: whether the frames of its calls are sent in time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { addFrame, isLate, noLateness } from "./voice/Lateness.js"

export interface VoiceCapacity {
  /** Counts a call until its scope closes; the function is to be called with the lateness of each of its frames. */
  readonly enter: Effect.Effect<(lateMillis: number) => void, never, Scope.Scope>
  /** True without calls: one can always be begun. */
  readonly hasCapacity: Effect.Effect<boolean>
}

const LATE =
  "Frames of calls by voice are sent late: this process starts no further runs. Lower the concurrency of runs, or add processes or cores."

/** Measures the calls of a process. */
export const makeVoiceCapacity = (maxLateMillis: number): VoiceCapacity => {
  let calls = 0
  let lateness = noLateness
  let wasLate = false
  const enter = Effect.acquireRelease(
    Effect.map(Effect.clock, (clock) => {
      calls++
      return (lateMillis: number) => {
        lateness = addFrame(lateness, clock.unsafeCurrentTimeMillis() / 1000, lateMillis > maxLateMillis)
      }
    }),
    () =>
      Effect.sync(() => {
        calls--
        if (calls === 0) lateness = noLateness
      })
  )
  const hasCapacity = Effect.gen(function* () {
    const late = calls > 0 && isLate(lateness, (yield* Clock.currentTimeMillis) / 1000)
    if (late && !wasLate) yield* Effect.logWarning(LATE, { calls })
    wasLate = late
    return !late
  })
  return { enter, hasCapacity }
}
