/**
 * The JSON encoding of OTLP: names in camel case, ids in hexadecimal, 64-bit integers as texts or numbers. Unknown names are
 * ignored, and so is a part that is not what it should be.
 * Source: OTLP specification 1.x, "JSON Protobuf Encoding".
 */
import * as Either from "effect/Either"
import { isPlainObject } from "../kernel/Json.js"
import {
  type Attributes,
  type AttributeValue,
  MAX_SPANS,
  MAX_VALUE_DEPTH,
  type Span,
  type SpanBatch,
  spanOf
} from "./Span.js"

type Row = Readonly<Record<string, unknown>>

const none: Row = {}
const rowIn = (row: Row, key: string): Row => {
  const value = row[key]
  return isPlainObject(value) ? value : none
}

const rowsIn = (row: Row, key: string): ReadonlyArray<Row> => {
  const value = row[key]
  return Array.isArray(value) ? value.filter((one: unknown): one is Row => isPlainObject(one)) : []
}

const textIn = (row: Row, key: string): string => {
  const value = row[key]
  return typeof value === "string" ? value : ""
}

const instantIn = (row: Row, key: string): number => {
  const value = row[key]
  const nanos = typeof value === "string" && /^\d{1,20}$/.test(value) ? Number(value) : value
  return typeof nanos === "number" && nanos >= 0 ? nanos / 1e6 : 0
}

const integerOf = (value: unknown): AttributeValue => {
  if (typeof value === "number") return value
  if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value)) return null
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

const valueOf = (value: Row, depth: number): AttributeValue => {
  if (depth > MAX_VALUE_DEPTH) return null
  if (typeof value.stringValue === "string") return value.stringValue
  if (typeof value.boolValue === "boolean") return value.boolValue
  if (value.intValue !== undefined) return integerOf(value.intValue)
  if (typeof value.doubleValue === "number") return value.doubleValue
  if (isPlainObject(value.arrayValue)) return rowsIn(value.arrayValue, "values").map((one) => valueOf(one, depth + 1))
  return isPlainObject(value.kvlistValue)
    ? Object.fromEntries(attributesIn(value.kvlistValue, "values", depth + 1))
    : null
}

const attributesIn = (row: Row, key: string, depth = 0): Attributes =>
  new Map(rowsIn(row, key).map((pair) => [textIn(pair, "key"), valueOf(rowIn(pair, "value"), depth)]))

const spanIn = (row: Row, resource: Attributes, scope: string): Span | undefined =>
  spanOf({
    traceId: textIn(row, "traceId").toLowerCase(),
    spanId: textIn(row, "spanId").toLowerCase(),
    parentSpanId: textIn(row, "parentSpanId").toLowerCase(),
    name: textIn(row, "name"),
    startMillis: instantIn(row, "startTimeUnixNano"),
    endMillis: instantIn(row, "endTimeUnixNano"),
    attributes: attributesIn(row, "attributes"),
    events: rowsIn(row, "events").map((event) => ({
      name: textIn(event, "name"),
      attributes: attributesIn(event, "attributes")
    })),
    isError: rowIn(row, "status").code === 2 || rowIn(row, "status").code === "STATUS_CODE_ERROR",
    resource,
    scope
  })

/** The spans of a trace request, or why it is none. */
export const decodeJson = (input: unknown): Either.Either<SpanBatch, string> => {
  if (!isPlainObject(input)) return Either.left("it is not an object")
  if (input.resourceSpans !== undefined && !Array.isArray(input.resourceSpans)) {
    return Either.left("resourceSpans is not a list")
  }
  const spans: Array<Span> = []
  let rejected = 0
  for (const resourceSpans of rowsIn(input, "resourceSpans")) {
    const resource = attributesIn(rowIn(resourceSpans, "resource"), "attributes")
    for (const scopeSpans of rowsIn(resourceSpans, "scopeSpans")) {
      const scope = textIn(rowIn(scopeSpans, "scope"), "name")
      for (const row of rowsIn(scopeSpans, "spans")) {
        const span = spans.length < MAX_SPANS ? spanIn(row, resource, scope) : undefined
        if (span === undefined) rejected += 1
        else spans.push(span)
      }
    }
  }
  return Either.right({ spans, rejected })
}

/** The response to a request; empty if nothing is reported. */
export const responseJson = (rejected: number, message: string) =>
  rejected === 0 && message === "" ? {} : { partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } }
