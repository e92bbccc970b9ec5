/** Spans as OpenTelemetry exports them. */

/** The value of an attribute; bytes are left out. */
export type AttributeValue =
  string | number | boolean | null | ReadonlyArray<AttributeValue> | { readonly [key: string]: AttributeValue }

export type Attributes = ReadonlyMap<string, AttributeValue>

export interface SpanEvent {
  readonly name: string
  readonly attributes: Attributes
}

/** One span. Instants are in milliseconds since 1970, with fractions. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Undefined for the root of its trace. */
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly startMillis: number
  readonly endMillis: number
  readonly attributes: Attributes
  readonly events: ReadonlyArray<SpanEvent>
  readonly isError: boolean
  /** What is known of the process: `service.name` and more. */
  readonly resource: Attributes
  /** The library that made it. */
  readonly scope: string
}

/** The spans of one export request. */
export interface SpanBatch {
  readonly spans: ReadonlyArray<Span>
  /** Spans without valid ids, and those beyond `MAX_SPANS`. */
  readonly rejected: number
}

/** Spans of one request that are read; an exporter sends at most 512 by default. */
export const MAX_SPANS = 20_000

/** The deepest nesting of an attribute's value; what is deeper counts as null. */
export const MAX_VALUE_DEPTH = 16

/** Whether a text is an id of so many hexadecimal digits; one of zeros is none. Source: W3C Trace Context. */
const isId = (text: string, digits: number): boolean =>
  text.length === digits && /^[0-9a-f]+$/.test(text) && /[^0]/.test(text)

/** A span with valid ids; undefined without. */
export const spanOf = (span: Omit<Span, "parentSpanId"> & { readonly parentSpanId: string }): Span | undefined =>
  isId(span.traceId, 32) && isId(span.spanId, 16)
    ? { ...span, parentSpanId: isId(span.parentSpanId, 16) ? span.parentSpanId : undefined }
    : undefined
