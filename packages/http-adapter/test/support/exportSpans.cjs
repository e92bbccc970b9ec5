/**
 * Exports spans as a voice agent does, with OpenTelemetry's own tracer, batches and exporter. A program of its own, since
 * the modules that a bundler's conditions select of these packages do not load in Node. Reads `{encoding, url, headers, spans}` from
 * its input.
 */
const { readFileSync } = require("node:fs")
const { ROOT_CONTEXT, SpanKind, trace, TraceFlags } = require("@opentelemetry/api")
const { OTLPTraceExporter: JsonExporter } = require("@opentelemetry/exporter-trace-otlp-http")
const { OTLPTraceExporter: ProtobufExporter } = require("@opentelemetry/exporter-trace-otlp-proto")
const { resourceFromAttributes } = require("@opentelemetry/resources")
const { BasicTracerProvider, BatchSpanProcessor } = require("@opentelemetry/sdk-trace-base")

const { encoding, headers, spans, url } = JSON.parse(readFileSync(0, "utf8"))
const Exporter = encoding === "json" ? JsonExporter : ProtobufExporter
let next = 0
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": "voice-agent" }),
  spanProcessors: [new BatchSpanProcessor(new Exporter({ url, headers, compression: "gzip" }))],
  idGenerator: { generateSpanId: () => spans[next].spanId, generateTraceId: () => spans[next].traceId }
})
const tracer = provider.getTracer("livekit-agents")
for (const { attributes, endMillis, name, parentSpanId, startMillis, traceId } of spans) {
  const parent =
    parentSpanId === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED })
  tracer.startSpan(name, { kind: SpanKind.INTERNAL, startTime: startMillis, attributes }, parent).end(endMillis)
  next += 1
}
provider.shutdown().catch((error) => {
  process.stderr.write(`${error}\n`)
  process.exitCode = 1
})
