import { redactionTotals } from "@earshot/core"
import * as Effect from "effect/Effect"
import { Counter, type Registry } from "prom-client"

/** What redaction did in this process, read from Effect's metrics at scrape time. */
export const registerRedactionMetrics = (registry: Registry): void => {
  const registers = [registry]
  const read = () => Effect.runSync(redactionTotals)
  new Counter({
    name: "earshot_redactions_total",
    help: "Values redacted in transcripts and tool calls of deliveries, by field",
    labelNames: ["field"],
    registers,
    collect() {
      this.reset()
      for (const [field, count] of read().redactions) this.inc({ field }, count)
    }
  })
  const total = (name: string, help: string, value: (totals: ReturnType<typeof read>) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(value(read()))
      }
    })
  total("earshot_redaction_calls_total", "Deliveries that were redacted", ({ calls }) => calls)
  total("earshot_redaction_seconds_total", "Time that redacting deliveries took", ({ seconds }) => seconds)
  total(
    "earshot_redaction_recordings_dropped_total",
    "Recordings that were not stored because they could not be muted",
    ({ recordingsDropped }) => recordingsDropped
  )
}
