/** Metrics about background jobs. */
import type { JobCounts, KindActivity } from "@earshot/core"
import { Counter, Gauge, type Registry } from "prom-client"

/** What the metrics about jobs are read from. */
export interface JobReaders {
  /** The jobs of all organizations and processes; null if the database cannot be asked. */
  readonly counts: () => Promise<ReadonlyArray<JobCounts> | null>
  /** What this process did. */
  readonly activity: ReadonlyMap<string, KindActivity>
}

/**
 * Registers the metrics. The counts are those of the database, equal in every process, so that a cluster shows the largest of
 * them and not their sum; the counters are of one process each.
 */
export const registerJobMetrics = (registry: Registry, { activity, counts }: JobReaders): void => {
  const registers = [registry]
  const labelNames = ["kind"] as const
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames, registers, aggregator: "max" as const })
  const states = new Gauge({
    name: "earshot_jobs",
    help: "Jobs by kind and state: waiting, running, dead; each up to 100,000",
    labelNames: ["kind", "state"],
    registers,
    aggregator: "max",
    async collect() {
      const found = await counts()
      states.reset()
      oldest.reset()
      for (const { dead, kind, oldestWaitingSeconds, running, waiting } of found ?? []) {
        states.set({ kind, state: "waiting" }, waiting)
        states.set({ kind, state: "running" }, running)
        states.set({ kind, state: "dead" }, dead)
        oldest.set({ kind }, oldestWaitingSeconds)
      }
    }
  })
  const oldest = gauge("earshot_jobs_oldest_waiting_seconds", "How long the job that is due longest has waited")
  const counter = (name: string, help: string, read: (kind: KindActivity) => number) =>
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const [kind, did] of activity) this.inc({ kind }, read(did))
      }
    })
  counter("earshot_jobs_claimed_total", "Jobs that this process claimed", ({ claimed }) => claimed)
  counter("earshot_jobs_ended_total", "Attempts that ended in this process", ({ ended }) => ended)
  counter(
    "earshot_jobs_duration_seconds_total",
    "Seconds that these attempts took; the jobs of a batch count with its whole time",
    ({ seconds }) => seconds
  )
  counter("earshot_jobs_retried_total", "Attempts that failed and are retried", ({ retried }) => retried)
  counter("earshot_jobs_dead_total", "Jobs that failed their last attempt in this process", ({ dead }) => dead)
  counter("earshot_jobs_lost_leases_total", "Jobs whose lease this process lost", ({ lostLeases }) => lostLeases)
}
