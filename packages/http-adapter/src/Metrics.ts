import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client"
import { requestClusterMetrics } from "./clusterMetrics.js"
import { workerRole } from "./Cluster.js"

/** What the server counts, as Prometheus reads it. */
export interface HttpMetrics {
  readonly contentType: string
  /** Counts a request that was answered; `route` is an endpoint's path, so that there are few of them. */
  readonly observe: (method: string, route: string, status: number, seconds: number) => void
  readonly print: () => Promise<string>
}

/** What is read at the moment when somebody asks. */
export interface GaugeReaders {
  readonly requestsInFlight: () => number
  readonly bodyBytesInFlight: () => number
}

/** Seconds; the first ones tell ingestion's milliseconds apart, the last ones widgets over years of calls. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

let processRegistry: Registry | undefined

/** Memory, processor time, event loop delay: once a process, since their collectors cannot be taken back. */
const getProcessRegistry = (): Registry => {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}

export const makeMetrics = (levels: GaugeReaders): HttpMetrics => {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: "earshot_http_requests_total",
    help: "Requests that were answered; status 499 where the client went away first",
    labelNames: ["method", "route", "status"],
    registers
  })
  const durations = new Histogram({
    name: "earshot_http_request_duration_seconds",
    help: "From a request's headers to the end of its answer",
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
  level("earshot_http_requests_in_flight", "Requests that are being answered", levels.requestsInFlight)
  level("earshot_http_body_bytes_in_flight", "Bytes of bodies that are held in memory", levels.bodyBytesInFlight)

  // Looking a child up by its labels takes longer than counting; there are as many as endpoints and statuses.
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
    print:
      workerRole() === undefined
        ? async () => `${await registry.metrics()}${await getProcessRegistry().metrics()}`
        : requestClusterMetrics([registry, getProcessRegistry()])
  }
}
