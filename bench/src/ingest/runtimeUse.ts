import { type EventLoopUtilization, performance, PerformanceObserver } from "node:perf_hooks"
import * as Schema from "effect/Schema"

/** Milliseconds so far of a process's main thread: in its event loop's callbacks, and in garbage collections among them. */
export const RuntimeUse = Schema.Struct({ activeMs: Schema.Number, collectionMs: Schema.Number })
export type RuntimeUse = typeof RuntimeUse.Type

/** Begins to count this process's collections; returns what reads the counts. */
export const countRuntimeUse = (): (() => RuntimeUse) => {
  const start: EventLoopUtilization = performance.eventLoopUtilization()
  let collectionMs = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectionMs += duration
  }).observe({ entryTypes: ["gc"] })
  return () => ({ activeMs: performance.eventLoopUtilization(start).active, collectionMs })
}

/** The share of collections in what was active between two readings. */
export const collectionShare = (before: RuntimeUse, after: RuntimeUse): number =>
  (after.collectionMs - before.collectionMs) / (after.activeMs - before.activeMs)
