import { readGenAi } from "./GenAiSpans.js"
import { readLiveKit } from "./LiveKitSpans.js"
import { readPipecat } from "./PipecatSpans.js"
import type { Span } from "./Span.js"
import type { SpanReading } from "./TracePart.js"

/**
 * What a span says by the conventions of the library that made it; undefined for a span of none of them. The libraries
 * follow the general conventions too, so their own are tried first.
 */
export const readSpan = (span: Span): SpanReading | undefined =>
  readLiveKit(span) ?? readPipecat(span) ?? readGenAi(span)
