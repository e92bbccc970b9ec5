import { type ProjectionTotals, projectionTotals } from "@earshot/core"
import * as Effect from "effect/Effect"
import { Counter, Gauge, type Registry } from "prom-client"

/** What this process did with the column store, read from Effect's metrics at scrape time. */
export const registerAnalyticsMetrics = (registry: Registry): void => {
  const registers = [registry]
  const read = () => Effect.runSync(projectionTotals)
  const total = (name: string, help: string, value: (totals: ProjectionTotals) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(value(read()))
      }
    })
  const level = (name: string, help: string, value: (totals: ProjectionTotals) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value(read()))
      }
    })
  new Counter({
    name: "earshot_analytics_answers_total",
    help: "Charts and dashboards answered with a column store, by it or, for the reason, by the database",
    labelNames: ["source", "reason"],
    registers,
    collect() {
      this.reset()
      for (const [answer, count] of read().answers) {
        if (answer === "column-store") this.inc({ source: answer, reason: "" }, count)
        else this.inc({ source: "row-store", reason: answer }, count)
      }
    }
  })
  new Counter({
    name: "earshot_column_store_failures_total",
    help: "Uses of the column store that failed, by reason",
    labelNames: ["reason"],
    registers,
    collect() {
      this.reset()
      for (const [reason, count] of read().failures) this.inc({ reason }, count)
    }
  })
  total("earshot_projection_calls_total", "Calls written to the column store", ({ calls }) => calls)
  total("earshot_projection_deletes_total", "Calls deleted from the column store", ({ deletes }) => deletes)
  total("earshot_projection_batches_total", "Batches applied to the column store", ({ batches }) => batches)
  total("earshot_projection_seconds_total", "Time that applying batches took", ({ seconds }) => seconds)
  total("earshot_projection_erasures_total", "Erasures of the column store's files", ({ erasures }) => erasures)
  level(
    "earshot_projection_pending",
    "Changes not applied to the column store when this process last applied some",
    ({ pending }) => pending
  )
  level(
    "earshot_projection_lag_seconds",
    "Changes older than this are applied to the column store, as this process last saw",
    ({ lagSeconds }) => lagSeconds
  )
}
