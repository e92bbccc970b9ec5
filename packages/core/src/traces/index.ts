export { assembleCall, type AssembledCall } from "./AssembleCall.js"
export { groupSpans, type GroupedSpans, type SpanGroup } from "./GroupSpans.js"
export { decodeJson, responseJson } from "./OtlpJson.js"
export { decodeProtobuf, encodeResponse, encodeStatus } from "./OtlpProtobuf.js"
export { redactParts } from "./RedactParts.js"
export { readSpan } from "./ReadSpan.js"
export type { Attributes, AttributeValue, Span, SpanBatch } from "./Span.js"
export { encodeTrace, type StoredTrace, Trace, type TraceAddress, TraceQuery, TraceState } from "./Trace.js"
export { TRACE_JOB } from "./TraceJob.js"
export { type SpanReading, TracePart, TraceSource } from "./TracePart.js"
export {
  type SpanCount,
  type TraceConfig,
  TraceOptions,
  type TraceReceipt,
  type TraceRequest,
  Traces
} from "./Traces.js"
export { TraceStore } from "./TraceStore.js"
