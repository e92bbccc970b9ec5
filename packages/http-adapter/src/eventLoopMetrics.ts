import { performance } from "node:perf_hooks"
import { Counter, Histogram, type Registry } from "prom-client"

/** How often the delay is measured, in milliseconds. */
const SAMPLE_MILLIS = 100

const BUCKETS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Measures the event loop, in place of prom-client's gauges: those are reset by every scrape, so that they are NaN and
 * 9.2e15 after a scrape that follows another one at once, and their means cannot be added up over processes.
 */
export const measureEventLoop = (registry: Registry): void => {
  for (const metric of registry.getMetricsAsArray()) {
    if (metric.name.startsWith("nodejs_eventloop_lag")) registry.removeSingleMetric(metric.name)
  }
  const delays = new Histogram({
    name: "earshot_event_loop_delay_seconds",
    help: "How much later than due a timer ran, measured ten times a second",
    buckets: BUCKETS,
    registers: [registry]
  })
  let due = performance.now() + SAMPLE_MILLIS
  setInterval(() => {
    const now = performance.now()
    delays.observe(Math.max(0, now - due) / 1000)
    due = now + SAMPLE_MILLIS
  }, SAMPLE_MILLIS).unref()
  new Counter({
    name: "earshot_event_loop_active_seconds_total",
    help: "Time that the event loop was not idle",
    registers: [registry],
    collect() {
      this.reset()
      this.inc(performance.eventLoopUtilization().active / 1000)
    }
  })
}
