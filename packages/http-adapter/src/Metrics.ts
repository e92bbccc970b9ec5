import { Jobs } from "@earshot/core"
import * as Effect from "effect/Effect"
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client"
import { registerAnalyticsMetrics } from "./analyticsMetrics.js"
import { reportClusterMetrics, requestClusterMetrics } from "./clusterMetrics.js"
import { workerRole } from "./Cluster.js"
import type { ClosedConnection, ConnectionGuard } from "./ConnectionGuard.js"
import { measureEventLoop } from "./eventLoopMetrics.js"
import { type JobReaders, registerJobMetrics } from "./jobMetrics.js"
import { registerRedactionMetrics } from "./redactionMetrics.js"

/** The server's Prometheus metrics. */
export interface HttpMetrics {
  readonly contentType: string
  /** Counts an answered request. `route` is the endpoint's path template, which bounds the number of series. */
  readonly observe: (method: string, route: string, status: number, seconds: number) => void
  /** Counts a 503 or 507; `reason` is the tag of the error, which bounds the number of series. */
  readonly countUnavailable: (reason: string) => void
  readonly print: () => Promise<string>
}

/** Gauges that are read at scrape time. */
export interface GaugeReaders {
  readonly requestsInFlight: () => number
  readonly bodyBytesInFlight: () => number
  readonly connections: Pick<ConnectionGuard, "openConnections" | "closed">
  readonly responseBytesInFlight: () => number
}

/** Counts of webhooks that are read at scrape time. */
export interface WebhookCounters {
  readonly counts: () => ReadonlyArray<{ readonly platform: string; readonly outcome: string; readonly count: number }>
  readonly refusals: () => number
}

/** Counts of spans that are read at scrape time. */
interface SpanCounters {
  readonly counts: () => ReadonlyArray<{ readonly outcome: string; readonly count: number }>
}

/** Seconds: from ingestion, which takes milliseconds, to widgets over years of calls. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const CLOSED_REASONS: ReadonlyArray<ClosedConnection> = ["rejected_total", "rejected_address", "closed_for_new"]

let processRegistry: Registry | undefined

/** Memory, processor time, event loop delay. One registry per process, since the collectors cannot be removed. */
const getProcessRegistry = (): Registry => {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
    measureEventLoop(processRegistry)
  }
  return processRegistry
}

/** In a worker that runs background jobs: adds its counters to the cluster's metrics. */
export const reportJobMetrics: Effect.Effect<void, never, Jobs> = Effect.map(Jobs, ({ activity }) => {
  const registry = new Registry()
  // The workers that serve ask the database for its counts.
  registerJobMetrics(registry, { activity, counts: () => Promise.resolve([]) })
  registerRedactionMetrics(registry)
  registerAnalyticsMetrics(registry)
  reportClusterMetrics([registry, getProcessRegistry()])
})

export const makeMetrics = (
  levels: GaugeReaders,
  webhooks: WebhookCounters,
  spans: SpanCounters,
  jobs: JobReaders
): HttpMetrics => {
  const registry = new Registry()
  registerJobMetrics(registry, jobs)
  const registers = [registry]
  const requests = new Counter({
    name: "earshot_http_requests_total",
    help: "Answered requests; status 499 if the client disconnected first",
    labelNames: ["method", "route", "status"],
    registers
  })
  const durations = new Histogram({
    name: "earshot_http_request_duration_seconds",
    help: "Time from a request's headers to the end of its response",
    labelNames: ["method", "route"],
    buckets: BUCKETS,
    registers
  })
  const level = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      }
    })
  new Counter({
    name: "earshot_webhook_events_total",
    help: "Events of platforms' webhooks by outcome",
    labelNames: ["platform", "outcome"],
    registers,
    collect() {
      this.reset()
      for (const { count, outcome, platform } of webhooks.counts()) this.inc({ platform, outcome }, count)
    }
  })
  new Counter({
    name: "earshot_webhook_refusals_total",
    help: "Requests to addresses of integrations that were refused because their signature was missing or invalid",
    registers,
    collect() {
      this.reset()
      this.inc(webhooks.refusals())
    }
  })
  new Counter({
    name: "earshot_trace_spans_total",
    help: "OpenTelemetry spans that were received, by outcome; ignored are those without a part in a conversation",
    labelNames: ["outcome"],
    registers,
    collect() {
      this.reset()
      for (const { count, outcome } of spans.counts()) this.inc({ outcome }, count)
    }
  })
  registerRedactionMetrics(registry)
  registerAnalyticsMetrics(registry)
  level("earshot_http_requests_in_flight", "Requests in flight", levels.requestsInFlight)
  level("earshot_http_body_bytes_in_flight", "Bytes of request bodies in memory", levels.bodyBytesInFlight)
  level(
    "earshot_http_response_bytes_in_flight",
    "Bytes of stored documents in memory for responses",
    levels.responseBytesInFlight
  )

  level("earshot_http_connections", "Open connections", levels.connections.openConnections)
  new Counter({
    name: "earshot_http_connections_closed_total",
    help: "Connections that were rejected, or closed for a new one",
    labelNames: ["reason"],
    registers,
    collect() {
      this.reset()
      for (const reason of CLOSED_REASONS) this.inc({ reason }, levels.connections.closed(reason))
    }
  })
  const unavailable = new Counter({
    name: "earshot_http_unavailable_total",
    help: "Requests that were answered with 503 or 507, by reason",
    labelNames: ["reason"],
    registers
  })

  // Cached, since looking up a child by its labels takes longer than counting.
  const children = new Map<string, { readonly count: () => void; readonly time: (seconds: number) => void }>()
  const childOf = (method: string, route: string, status: number) => {
    const key = `${method} ${status} ${route}`
    const known = children.get(key)
    if (known !== undefined) return known
    const request = requests.labels(method, route, String(status))
    const duration = durations.labels(method, route)
    const child = {
      count: () => {
        request.inc()
      },
      time: (seconds: number) => {
        duration.observe(seconds)
      }
    }
    children.set(key, child)
    return child
  }

  return {
    contentType: registry.contentType,
    observe: (method, route, status, seconds) => {
      const child = childOf(method, route, status)
      child.count()
      child.time(seconds)
    },
    countUnavailable: (reason) => {
      unavailable.inc({ reason })
    },
    print:
      workerRole() === undefined
        ? async () => `${await registry.metrics()}${await getProcessRegistry().metrics()}`
        : requestClusterMetrics([registry, getProcessRegistry()])
  }
}
