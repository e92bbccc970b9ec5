import { Tracing } from "@earshot/core"
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { TraceKit } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const part = (writer: BinaryWriter, field: number, write: (inner: BinaryWriter) => unknown): BinaryWriter => {
  writer.tag(field, WireType.LengthDelimited).fork()
  write(writer)
  return writer.join()
}

const text = (writer: BinaryWriter, field: number, value: string) =>
  writer.tag(field, WireType.LengthDelimited).string(value)

const hex = (writer: BinaryWriter, field: number, value: string) =>
  writer.tag(field, WireType.LengthDelimited).bytes(Buffer.from(value, "hex"))

const writeValue = (writer: BinaryWriter, value: unknown): void => {
  if (typeof value === "string") text(writer, 1, value)
  else if (typeof value === "boolean") writer.tag(2, WireType.Varint).bool(value)
  else if (typeof value === "number" && Number.isInteger(value)) writer.tag(3, WireType.Varint).int64(value)
  else if (typeof value === "number") writer.tag(4, WireType.Bit64).double(value)
  else if (Array.isArray(value)) {
    part(writer, 5, () => value.forEach((one) => part(writer, 1, () => writeValue(writer, one))))
  } else if (typeof value === "object" && value !== null) {
    part(writer, 6, () => Object.entries(value).forEach(([key, one]) => writePair(writer, 1, key, one)))
  }
}

const writePair = (writer: BinaryWriter, field: number, key: string, value: unknown) =>
  part(writer, field, () => {
    text(writer, 1, key)
    part(writer, 2, () => writeValue(writer, value))
  })

/** An export request in protobuf, written by the definition of the protocol. */
const protobuf = (spans: ReadonlyArray<TraceKit.FixtureSpan>, resource: object = {}): Uint8Array => {
  const writer = new BinaryWriter()
  part(writer, 1, () => {
    part(writer, 2, () => {
      part(writer, 1, () => text(writer, 1, "a-scope"))
      for (const span of spans) {
        part(writer, 2, () => {
          hex(writer, 1, span.traceId)
          hex(writer, 2, span.spanId)
          if (span.parentSpanId !== undefined) hex(writer, 4, span.parentSpanId)
          text(writer, 5, span.name)
          writer.tag(6, WireType.Varint).int32(1)
          writer.tag(7, WireType.Bit64).fixed64(BigInt(Math.round(span.startMillis * 1000)) * 1000n)
          writer.tag(8, WireType.Bit64).fixed64(BigInt(Math.round(span.endMillis * 1000)) * 1000n)
          for (const [key, value] of Object.entries(span.attributes)) writePair(writer, 9, key, value)
          part(writer, 11, () => {
            writer.tag(1, WireType.Bit64).fixed64(1n)
            text(writer, 2, "an-event")
            writePair(writer, 3, "k", "v")
          })
          part(writer, 13, () => hex(writer, 1, span.traceId))
          part(writer, 15, () => writer.tag(3, WireType.Varint).int32(2))
          // A field of a later version.
          text(writer, 99, "later")
        })
      }
    })
    // The resource may come after the spans.
    part(writer, 1, () => Object.entries(resource).forEach(([key, value]) => writePair(writer, 1, key, value)))
  })
  return writer.finish()
}

const sample = (seed: number) => TraceKit.spansOf("livekit", fc.sample(TraceKit.tracedCall, { numRuns: 1, seed })[0]!)

const rounded = ({ spans }: Tracing.SpanBatch) =>
  spans.map(({ endMillis, startMillis, ...span }) => ({
    ...span,
    startMillis: Math.round(startMillis),
    endMillis: Math.round(endMillis)
  }))

describe("a trace request in protobuf", () => {
  it("has the same spans as in JSON", () => {
    fc.assert(
      fc.property(TraceKit.tracedCall, fc.constantFrom(...TraceKit.tracingLibraries), (call, library) => {
        const spans = TraceKit.spansOf(library, call)
        const binary = Either.getOrThrow(Tracing.decodeProtobuf(protobuf(spans, { "service.name": "desk" })))
        const json = Either.getOrThrow(
          Tracing.decodeJson(TraceKit.otlpJson(spans, { resource: { "service.name": "desk" }, scope: "a-scope" }))
        )
        expect(binary.rejected).toBe(0)
        expect(rounded(binary)).toEqual(
          rounded(json).map((span) => ({
            ...span,
            isError: true,
            events: [{ name: "an-event", attributes: new Map([["k", "v"]]) }]
          }))
        )
      }),
      { numRuns: 30 }
    )
  })

  it("has values of every kind, nested to a limit", () => {
    const nested = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], "deep")
    const attributes = { list: ["a", 1, true, 1.5], object: { a: { b: "c" } }, large: -5, nested } as never
    const { spans } = Either.getOrThrow(Tracing.decodeProtobuf(protobuf([{ ...sample(1)[0]!, attributes }])))
    const found = Object.fromEntries(spans[0]!.attributes)
    expect(found).toMatchObject({ list: ["a", 1, true, 1.5], object: { a: { b: "c" } }, large: -5 })
    expect(JSON.stringify(found.nested)).not.toContain("deep")
  })

  it("that is cut off anywhere is an error or has fewer spans, and nothing else happens", () => {
    const bytes = protobuf(sample(2))
    for (let length = 1; length < bytes.length; length += 7) {
      const cut = Tracing.decodeProtobuf(bytes.subarray(0, length))
      expect(Either.isLeft(cut)).toBe(true)
    }
    expect(Either.getOrThrow(Tracing.decodeProtobuf(new Uint8Array()))).toEqual({ spans: [], rejected: 0 })
  })

  it("of random bytes never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat({ max: 400 }), (noise, at) => {
        const bytes = Uint8Array.from(protobuf(sample(3)))
        Tracing.decodeProtobuf(noise)
        bytes.set(noise.subarray(0, Math.max(0, bytes.length - at)), at)
        Tracing.decodeProtobuf(bytes)
      }),
      { numRuns: 300 }
    )
  })
})

describe("a trace request in JSON", () => {
  it("of any shape is read without throwing", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue({ maxDepth: 4 }), (one, other) => {
        for (const input of [
          one,
          { resourceSpans: one },
          { resourceSpans: [{ scopeSpans: [{ spans: [one, other] }] }] }
        ]) {
          const decoded = Tracing.decodeJson(input)
          if (Either.isRight(decoded)) Tracing.groupSpans(decoded.right.spans)
        }
      }),
      { numRuns: 500 }
    )
    expect(Tracing.decodeJson([])).toEqual(Either.left("it is not an object"))
    expect(Tracing.decodeJson({ resourceSpans: {} })).toEqual(Either.left("resourceSpans is not a list"))
  })

  it("rejects spans without valid ids, and those beyond the limit", () => {
    const spans = sample(4)
    const invalid = ["", "0".repeat(32), "g".repeat(32), "a"].map((traceId) => ({ ...spans[0]!, traceId }))
    expect(Either.getOrThrow(Tracing.decodeJson(TraceKit.otlpJson([...invalid, ...spans])))).toMatchObject({
      rejected: 4
    })
    const many = Array.from({ length: 20_010 }, () => spans[0]!)
    expect(Either.getOrThrow(Tracing.decodeJson(TraceKit.otlpJson(many)))).toMatchObject({ rejected: 10 })
    expect(Either.getOrThrow(Tracing.decodeProtobuf(protobuf(many)))).toMatchObject({ rejected: 10 })
  })
})

describe("responses", () => {
  it("are empty unless spans were rejected", () => {
    expect(Tracing.encodeResponse(0, "")).toHaveLength(0)
    expect(Tracing.responseJson(0, "")).toEqual({})
    expect(Tracing.responseJson(3, "Too many.")).toEqual({
      partialSuccess: { rejectedSpans: "3", errorMessage: "Too many." }
    })
    expect(Buffer.from(Tracing.encodeResponse(3, "no")).toString("hex")).toBe("0a06080312026e6f")
    expect(Buffer.from(Tracing.encodeStatus("no")).toString("hex")).toBe("12026e6f")
  })
})
