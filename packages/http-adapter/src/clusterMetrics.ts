/** The metrics of all processes that share an address: whoever is asked has those of all of them. */
import cluster, { type Worker } from "node:cluster"
import * as Schema from "effect/Schema"
import { AggregatorRegistry, type Registry } from "prom-client"

/** A process that serves asks the one that leads for the sum. */
const TotalRequest = Schema.Struct({ type: Schema.Literal("earshot:metrics-wanted"), id: Schema.Number })
/** The one that leads asks each that serves what it has. */
const RegistriesRequest = Schema.Struct({ type: Schema.Literal("earshot:metrics-question"), id: Schema.Number })
const RegistriesReport = Schema.Struct({
  type: Schema.Literal("earshot:metrics-answer"),
  id: Schema.Number,
  registries: Schema.Array(Schema.Array(Schema.Object))
})
const TotalReport = Schema.Struct({
  type: Schema.Literal("earshot:metrics-sum"),
  id: Schema.Number,
  /** Nothing if a process did not answer in time. */
  text: Schema.NullOr(Schema.String)
})
const isTotalRequest = Schema.is(TotalRequest)
const isRegistriesRequest = Schema.is(RegistriesRequest)
const isRegistriesReport = Schema.is(RegistriesReport)
const isTotalReport = Schema.is(TotalReport)

/** How long a process may take to say what it has. */
const REPORT_TIMEOUT_MILLIS = 5_000

/** Those whose metrics are added up: the processes that serve, from when they are ready until they end. */
export interface MetricsSources {
  readonly add: (worker: Worker) => void
  readonly delete: (worker: Worker) => void
}

interface Collection {
  readonly missing: Set<Worker>
  readonly registries: Array<ReadonlyArray<object>>
  readonly end: (text: string | null) => void
}

/**
 * In the process that leads: adds up what those that serve have counted, as often as one of them asks. prom-client's own
 * means ask those too that are just starting, and wait for those that ended meanwhile.
 */
export const aggregateWorkerMetrics = (): MetricsSources => {
  const counted = new Set<Worker>()
  const rounds = new Map<number, Collection>()
  let asked = 0
  const endIfAllAnswered = ({ end, missing, registries }: Collection): void => {
    if (missing.size > 0) return
    AggregatorRegistry.aggregate([...registries])
      .metrics()
      .then(end, () => {
        end(null)
      })
  }
  cluster.on("message", (worker, message: unknown) => {
    if (isRegistriesReport(message)) {
      const round = rounds.get(message.id)
      if (round?.missing.delete(worker) !== true) return
      round.registries.push(...message.registries)
      endIfAllAnswered(round)
    }
    if (!isTotalRequest(message)) return
    const id = asked++
    const end = (text: string | null): void => {
      clearTimeout(timer)
      rounds.delete(id)
      const sum: typeof TotalReport.Type = { type: "earshot:metrics-sum", id: message.id, text }
      worker.send(sum)
    }
    const timer = setTimeout(end, REPORT_TIMEOUT_MILLIS, null)
    const round: Collection = { missing: new Set(counted), registries: [], end }
    rounds.set(id, round)
    const question: typeof RegistriesRequest.Type = { type: "earshot:metrics-question", id }
    for (const one of round.missing) one.send(question)
    endIfAllAnswered(round)
  })
  return {
    add: (worker) => counted.add(worker),
    delete: (worker) => {
      counted.delete(worker)
      for (const round of rounds.values()) if (round.missing.delete(worker)) endIfAllAnswered(round)
    }
  }
}

/** In a process that is led: has these registries added up with those of the others, and asks for the sum. */
export const requestClusterMetrics = (registries: ReadonlyArray<Registry>): (() => Promise<string>) => {
  const waiting = new Map<number, (text: string | null) => void>()
  let asked = 0
  process.on("message", (message: unknown) => {
    if (isTotalReport(message)) {
      waiting.get(message.id)?.(message.text)
      waiting.delete(message.id)
    }
    if (!isRegistriesRequest(message)) return
    // One that cannot say what it has says nothing, which is a fault in time.
    void Promise.all(registries.map((registry) => registry.getMetricsAsJSON())).then(
      (found) => {
        const answer: typeof RegistriesReport.Type = {
          type: "earshot:metrics-answer",
          id: message.id,
          registries: found
        }
        process.send?.(answer)
      },
      () => undefined
    )
  })
  return () =>
    new Promise((resolve, reject) => {
      const id = asked++
      waiting.set(id, (text) => {
        if (text === null) reject(new Error("Not every process of the server said what it counted."))
        else resolve(text)
      })
      const wanted: typeof TotalRequest.Type = { type: "earshot:metrics-wanted", id }
      process.send?.(wanted)
    })
}
