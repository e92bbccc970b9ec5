/** What was received of the OpenTelemetry spans of each call. */
import { resourceActions } from "./Resource.js"

export const { list, show } = resourceActions({
  noun: "trace",
  path: "/observability/v1/traces/",
  columns: [
    { name: "STATE", of: (trace) => trace.state },
    { name: "AGENT", of: (trace) => String(trace.agent ?? ""), right: true },
    { name: "CALL", of: (trace) => String(trace.call ?? ""), right: true },
    { name: "SPANS", of: (trace) => String(trace.spans), right: true },
    { name: "UNKNOWN", of: (trace) => String(trace.unknown_spans), right: true },
    { name: "LAST SPAN", of: (trace) => trace.last_span_at.slice(0, 19).replace("T", " ") },
    { name: "ERROR", of: (trace) => trace.error ?? "", least: 16 }
  ]
})
