/** Metrics of a cluster: any worker that is scraped returns the totals of all workers. */
import cluster, { type Worker } from "node:cluster"
import * as Schema from "effect/Schema"
import { AggregatorRegistry, type Registry } from "prom-client"

/** A worker asks the primary for the totals. */
const TotalRequest = Schema.Struct({ type: Schema.Literal("earshot:metrics-total-request"), id: Schema.Number })
/** The primary asks every worker for its registries. */
const RegistriesRequest = Schema.Struct({
  type: Schema.Literal("earshot:metrics-registries-request"),
  id: Schema.Number
})
const RegistriesReport = Schema.Struct({
  type: Schema.Literal("earshot:metrics-registries-report"),
  id: Schema.Number,
  registries: Schema.Array(Schema.Array(Schema.Object))
})
const TotalReport = Schema.Struct({
  type: Schema.Literal("earshot:metrics-total-report"),
  id: Schema.Number,
  /** Null if a worker did not report in time. */
  text: Schema.NullOr(Schema.String)
})
const isTotalRequest = Schema.is(TotalRequest)
const isRegistriesRequest = Schema.is(RegistriesRequest)
const isRegistriesReport = Schema.is(RegistriesReport)
const isTotalReport = Schema.is(TotalReport)

/** How long the primary waits for a worker's registries. */
const REPORT_TIMEOUT_MILLIS = 5_000

/** The workers whose metrics are added up, from when they are ready until they exit. */
export interface MetricsSources {
  readonly add: (worker: Worker) => void
  readonly delete: (worker: Worker) => void
}

interface Collection {
  readonly missing: Set<Worker>
  readonly registries: Array<ReadonlyArray<object>>
  readonly finish: (text: string | null) => void
}

/**
 * In the primary: adds up the workers' metrics whenever one of them asks. prom-client's own cluster support also
 * asks workers that are still starting, and waits for workers that have exited meanwhile.
 */
export const aggregateWorkerMetrics = (): MetricsSources => {
  const sources = new Set<Worker>()
  const collections = new Map<number, Collection>()
  let nextId = 0
  const finishIfComplete = ({ finish, missing, registries }: Collection): void => {
    if (missing.size > 0) return
    AggregatorRegistry.aggregate([...registries])
      .metrics()
      .then(finish, () => {
        finish(null)
      })
  }
  cluster.on("message", (worker, message: unknown) => {
    if (isRegistriesReport(message)) {
      const collection = collections.get(message.id)
      if (collection?.missing.delete(worker) !== true) return
      collection.registries.push(...message.registries)
      finishIfComplete(collection)
    }
    if (!isTotalRequest(message)) return
    const id = nextId++
    const finish = (text: string | null): void => {
      clearTimeout(timer)
      collections.delete(id)
      const report: typeof TotalReport.Type = { type: "earshot:metrics-total-report", id: message.id, text }
      worker.send(report)
    }
    const timer = setTimeout(finish, REPORT_TIMEOUT_MILLIS, null)
    const collection: Collection = { missing: new Set(sources), registries: [], finish }
    collections.set(id, collection)
    const request: typeof RegistriesRequest.Type = { type: "earshot:metrics-registries-request", id }
    for (const source of collection.missing) source.send(request)
    finishIfComplete(collection)
  })
  return {
    add: (worker) => sources.add(worker),
    delete: (worker) => {
      sources.delete(worker)
      for (const collection of collections.values()) {
        if (collection.missing.delete(worker)) finishIfComplete(collection)
      }
    }
  }
}

/** In a worker: reports these registries when the primary asks. */
export const reportClusterMetrics = (registries: ReadonlyArray<Registry>): void => {
  process.on("message", (message: unknown) => {
    if (!isRegistriesRequest(message)) return
    // A worker whose registries cannot be read sends nothing, and the primary's timeout reports it.
    void Promise.all(registries.map((registry) => registry.getMetricsAsJSON())).then(
      (metrics) => {
        const report: typeof RegistriesReport.Type = {
          type: "earshot:metrics-registries-report",
          id: message.id,
          registries: metrics
        }
        process.send?.(report)
      },
      () => undefined
    )
  })
}

/** As `reportClusterMetrics`; returns a function that requests the totals. */
export const requestClusterMetrics = (registries: ReadonlyArray<Registry>): (() => Promise<string>) => {
  reportClusterMetrics(registries)
  const waiting = new Map<number, (text: string | null) => void>()
  let nextId = 0
  process.on("message", (message: unknown) => {
    if (!isTotalReport(message)) return
    waiting.get(message.id)?.(message.text)
    waiting.delete(message.id)
  })
  return () =>
    new Promise((resolve, reject) => {
      const id = nextId++
      waiting.set(id, (text) => {
        if (text === null) reject(new Error("A worker process did not report its metrics in time."))
        else resolve(text)
      })
      const request: typeof TotalRequest.Type = { type: "earshot:metrics-total-request", id }
      process.send?.(request)
    })
}
