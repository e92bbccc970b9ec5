/** The heap of a process that serves. A program that embeds the engine decides about its own. */
import { Session } from "node:inspector"
import v8 from "node:v8"
import * as Effect from "effect/Effect"

/**
 * V8 collects its old generation when it has grown to twice what was in use. By default it waits for up to four times on
 * a machine with much memory, since it takes its factor from the largest heap that the machine allows.
 */
export const limitHeapGrowth = Effect.sync(() => {
  v8.setFlagsFromString("--heap-growing-percent=100")
})

/**
 * Gives memory back to the system that was needed to start: V8's young generation grows meanwhile, and it shrinks it only in
 * this kind of collection, which nothing but the inspector's protocol requests.
 */
export const shrinkHeap = Effect.async((resume: (done: Effect.Effect<void>) => void) => {
  const session = new Session()
  session.connect()
  session.post("HeapProfiler.collectGarbage", () => {
    // Disconnecting within the callback would block the process for good.
    setImmediate(() => {
      session.disconnect()
      resume(Effect.void)
    })
  })
})
