/**
 * Responses of OTLP in protobuf. Written by hand, since they have three fields and are needed before the library that reads
 * requests is loaded: for a request without a credential, too.
 * Source: opentelemetry-proto 1.x, `collector/trace/v1/trace_service.proto`; google/rpc/status.proto.
 */

/** Wire types of fields, as the encoding of protobuf numbers them. */
const VARINT = 0
const LENGTH_DELIMITED = 2

/** A non-negative integer, seven bits a byte, the lowest first. */
const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

const tag = (field: number, type: number): number => field * 8 + type

const bytesField = (field: number, bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([tag(field, LENGTH_DELIMITED), ...varint(bytes.length), ...bytes])

const textField = (field: number, text: string): Uint8Array => bytesField(field, Buffer.from(text))

/** An `ExportTraceServiceResponse`: empty unless spans were rejected or there is something to say. */
export const encodeResponse = (rejected: number, message: string): Uint8Array =>
  rejected === 0 && message === ""
    ? new Uint8Array()
    : bytesField(
        1,
        Buffer.concat([
          Uint8Array.from(rejected > 0 ? [tag(1, VARINT), ...varint(rejected)] : []),
          message === "" ? new Uint8Array() : textField(2, message)
        ])
      )

/** A `google.rpc.Status` with a message, the body of an error. */
export const encodeStatus = (message: string): Uint8Array => textField(2, message)
