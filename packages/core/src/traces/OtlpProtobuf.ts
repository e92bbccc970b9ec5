/**
 * The protobuf encoding of OTLP: reads a trace request and writes its responses.
 * Source: opentelemetry-proto 1.x, `collector/trace/v1/trace_service.proto`, `trace/v1/trace.proto`, `common/v1/common.proto`.
 */
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import * as Either from "effect/Either"
import { endOfPart, isPart, readMessage } from "../kernel/Protobuf.js"
import {
  type Attributes,
  type AttributeValue,
  MAX_SPANS,
  MAX_VALUE_DEPTH,
  type Span,
  type SpanBatch,
  type SpanEvent,
  spanOf
} from "./Span.js"

/** Nanoseconds since 1970 as milliseconds; a double is exact to about a microsecond. */
const readInstant = (reader: BinaryReader): number => {
  const low = reader.fixed32()
  return (reader.fixed32() * 2 ** 32 + low) / 1e6
}

const readHex = (reader: BinaryReader): string => Buffer.from(reader.bytes()).toString("hex")

const readInteger = (reader: BinaryReader): number | string => {
  const value = BigInt(reader.int64())
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

const readValue = (reader: BinaryReader, end: number, depth: number): AttributeValue => {
  let value: AttributeValue = null
  readMessage(reader, end, (field, type) => {
    if (field === 1 && isPart(type)) value = reader.string()
    else if (field === 2 && type === WireType.Varint) value = reader.bool()
    else if (field === 3 && type === WireType.Varint) value = readInteger(reader)
    else if (field === 4 && type === WireType.Bit64) value = reader.double()
    else if (field === 5 && isPart(type)) value = readList(reader, endOfPart(reader, end), depth + 1)
    else if (field === 6 && isPart(type)) {
      const pairs = new Map<string, AttributeValue>()
      readPairs(reader, endOfPart(reader, end), pairs, depth + 1)
      value = Object.fromEntries(pairs)
    } else return false
    return true
  })
  return value
}

const readList = (reader: BinaryReader, end: number, depth: number): ReadonlyArray<AttributeValue> => {
  const values: Array<AttributeValue> = []
  if (depth > MAX_VALUE_DEPTH) {
    reader.pos = end
    return values
  }
  readMessage(reader, end, (field, type) => {
    if (field !== 1 || !isPart(type)) return false
    values.push(readValue(reader, endOfPart(reader, end), depth))
    return true
  })
  return values
}

/** A message whose field 1 is a list of pairs. */
const readPairs = (reader: BinaryReader, end: number, into: Map<string, AttributeValue>, depth: number): void => {
  if (depth > MAX_VALUE_DEPTH) {
    reader.pos = end
    return
  }
  readMessage(reader, end, (field, type) => {
    if (field !== 1 || !isPart(type)) return false
    readPair(reader, endOfPart(reader, end), into, depth)
    return true
  })
}

const readPair = (reader: BinaryReader, end: number, into: Map<string, AttributeValue>, depth = 0): void => {
  let key = ""
  let value: AttributeValue = null
  readMessage(reader, end, (field, type) => {
    if (field === 1 && isPart(type)) key = reader.string()
    else if (field === 2 && isPart(type)) value = readValue(reader, endOfPart(reader, end), depth)
    else return false
    return true
  })
  into.set(key, value)
}

const readEvent = (reader: BinaryReader, end: number): SpanEvent => {
  let name = ""
  const attributes = new Map<string, AttributeValue>()
  readMessage(reader, end, (field, type) => {
    if (field === 2 && isPart(type)) name = reader.string()
    else if (field === 3 && isPart(type)) readPair(reader, endOfPart(reader, end), attributes)
    else return false
    return true
  })
  return { name, attributes }
}

const STATUS_ERROR = 2

const readStatus = (reader: BinaryReader, end: number): boolean => {
  let code = 0
  readMessage(reader, end, (field, type) => {
    if (field !== 3 || type !== WireType.Varint) return false
    code = reader.int32()
    return true
  })
  return code === STATUS_ERROR
}

const readSpan = (reader: BinaryReader, end: number, resource: Attributes, scope: string): Span | undefined => {
  const attributes = new Map<string, AttributeValue>()
  const events: Array<SpanEvent> = []
  const texts = { traceId: "", spanId: "", parentSpanId: "", name: "" }
  let startMillis = 0
  let endMillis = 0
  let isError = false
  readMessage(reader, end, (field, type) => {
    if (isPart(type)) {
      if (field === 1) texts.traceId = readHex(reader)
      else if (field === 2) texts.spanId = readHex(reader)
      else if (field === 4) texts.parentSpanId = readHex(reader)
      else if (field === 5) texts.name = reader.string()
      else if (field === 9) readPair(reader, endOfPart(reader, end), attributes)
      else if (field === 11) events.push(readEvent(reader, endOfPart(reader, end)))
      else if (field === 15) isError = readStatus(reader, endOfPart(reader, end))
      else return false
      return true
    }
    if (type !== WireType.Bit64) return false
    if (field === 7) startMillis = readInstant(reader)
    else if (field === 8) endMillis = readInstant(reader)
    else return false
    return true
  })
  return spanOf({ ...texts, startMillis, endMillis, isError, attributes, events, resource, scope })
}

/** What is read of a request so far. */
interface Reading {
  readonly spans: Array<Span>
  rejected: number
}

const readScopeSpans = (reader: BinaryReader, end: number, resource: Attributes, reading: Reading): void => {
  let scope = ""
  readMessage(reader, end, (field, type) => {
    if (!isPart(type)) return false
    if (field === 1) {
      const scopeEnd = endOfPart(reader, end)
      readMessage(reader, scopeEnd, (part, partType) => {
        if (part !== 1 || !isPart(partType)) return false
        scope = reader.string()
        return true
      })
    } else if (field === 2) {
      const spanEnd = endOfPart(reader, end)
      if (reading.spans.length >= MAX_SPANS) {
        reader.pos = spanEnd
        reading.rejected += 1
        return true
      }
      const span = readSpan(reader, spanEnd, resource, scope)
      if (span === undefined) reading.rejected += 1
      else reading.spans.push(span)
    } else return false
    return true
  })
}

/** Spans may come before the resource that they belong to, so their places are noted first. */
const readResourceSpans = (reader: BinaryReader, end: number, reading: Reading): void => {
  const resource = new Map<string, AttributeValue>()
  const places: Array<readonly [start: number, end: number]> = []
  readMessage(reader, end, (field, type) => {
    if (!isPart(type) || (field !== 1 && field !== 2)) return false
    const partEnd = endOfPart(reader, end)
    if (field === 1) readPairs(reader, partEnd, resource, 0)
    else {
      places.push([reader.pos, partEnd])
      reader.pos = partEnd
    }
    return true
  })
  for (const [start, placeEnd] of places) {
    reader.pos = start
    readScopeSpans(reader, placeEnd, resource, reading)
  }
  reader.pos = end
}

/** The spans of an `ExportTraceServiceRequest`, or why the bytes are none. Fields that it does not know are skipped. */
export const decodeProtobuf = (bytes: Uint8Array): Either.Either<SpanBatch, string> =>
  Either.try({
    try: () => {
      const reader = new BinaryReader(bytes)
      const reading: Reading = { spans: [], rejected: 0 }
      readMessage(reader, bytes.length, (field, type) => {
        if (field !== 1 || !isPart(type)) return false
        readResourceSpans(reader, endOfPart(reader, bytes.length), reading)
        return true
      })
      return reading
    },
    catch: (error) => (error instanceof Error ? error.message : "malformed")
  })

/** An `ExportTraceServiceResponse`; empty if nothing is reported. */
export const encodeResponse = (rejected: number, message: string): Uint8Array => {
  const writer = new BinaryWriter()
  if (rejected === 0 && message === "") return writer.finish()
  writer.tag(1, WireType.LengthDelimited).fork()
  if (rejected > 0) writer.tag(1, WireType.Varint).int64(rejected)
  if (message !== "") writer.tag(2, WireType.LengthDelimited).string(message)
  return writer.join().finish()
}

/** A `google.rpc.Status` with a message, the body of an error. */
export const encodeStatus = (message: string): Uint8Array =>
  new BinaryWriter().tag(2, WireType.LengthDelimited).string(message).finish()
