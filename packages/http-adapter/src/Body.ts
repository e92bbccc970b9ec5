/** Reads request bodies: limits, encodings, forms and files. */
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { gunzip } from "node:zlib"
import { Upload } from "@earshot/core"
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type RequestBody, type Encoding, PROTOBUF_TYPE } from "./Endpoint.js"
import { messageErrors, type HttpResponseError } from "./ErrorResponses.js"
import { type FormEntry, type FormFields, formFields } from "./FormFields.js"
import { parseJson } from "./JsonText.js"
import { alreadyReadBytes, isAlreadyRead } from "./ParsedBody.js"
import type { HttpLimits } from "./Limits.js"

/** The memory budget that the bodies of all requests share. */
export interface BodyBudget {
  /** Reserves bytes for a request until it ends; false if the budget is used up. */
  readonly reserve: (bytes: number) => boolean
}

/** A request whose body has not been read yet. */
export interface IncomingBody {
  readonly message: IncomingMessage
  readonly budget: BodyBudget
  /** Sends `100 Continue` if the client waits for it. */
  readonly sendContinue: () => void
  /** Waits, once the body is in memory, until its request may go on: those with large bodies take turns. */
  readonly turn: Effect.Effect<void>
}

type BodyReader = (incoming: IncomingBody) => Effect.Effect<unknown, HttpResponseError>

/** Reads bodies of one endpoint in any of its encodings. Nothing is read before the effect runs. */
export const bodyReader = (body: RequestBody, limits: HttpLimits): BodyReader => {
  const fields = formFields(body.schema)
  return (incoming) => {
    const { headers } = incoming.message
    const isEmpty =
      headers["transfer-encoding"] === undefined &&
      (headers["content-length"] === undefined || headers["content-length"] === "0")
    // An empty body is an empty object, so that the errors name the missing fields.
    if (isEmpty && headers["content-type"] === undefined) return Effect.succeed({})
    const limit = body.isLarge === true ? limits.multipartBytes : limits.bodyBytes
    const read = body.mayBeGzipped === true ? readDecompressed : readAll
    return Effect.flatMap(negotiateEncoding(body, headers), (encoding) => {
      switch (encoding) {
        case "json":
          return Effect.flatMap(inTurn(incoming, read(limit, incoming, "json")), (bytes) =>
            bytes.length === 0 ? Either.right({}) : Either.flatMap(parseJson(limits, bytes), rejectPrototypeKey)
          )
        case "protobuf":
          return inTurn(incoming, read(limit, incoming, "exact"))
        case "form":
          return Effect.flatMap(inTurn(incoming, readAll(limits.bodyBytes, incoming, "form")), (bytes) =>
            Either.flatMap(decodeForm(limits, fields, bytes), rejectPrototypeKey)
          )
        case "multipart":
          return Effect.flatMap(inTurn(incoming, readParts(limits, incoming)), (entries) =>
            Either.flatMap(fields.collect(limits, entries), rejectPrototypeKey)
          )
      }
    })
  }
}

const inTurn = <A>({ turn }: IncomingBody, read: Effect.Effect<A, HttpResponseError>) => Effect.zipLeft(read, turn)

/** Rejects a top-level `__proto__`, which names no field. The engine validates keys of nested objects. */
export const rejectPrototypeKey = (body: unknown): Either.Either<unknown, HttpResponseError> =>
  typeof body === "object" && body !== null && Object.hasOwn(body, "__proto__")
    ? Either.left(messageErrors.forbiddenKey)
    : Either.right(body)

const MEDIA_TYPES: ReadonlyMap<string, Encoding> = new Map([
  ["application/json", "json"],
  ["application/x-www-form-urlencoded", "form"],
  ["multipart/form-data", "multipart"],
  [PROTOBUF_TYPE, "protobuf"]
])

const negotiateEncoding = (
  { encodings: accepted, mayBeGzipped }: RequestBody,
  headers: IncomingMessage["headers"]
): Either.Either<Encoding, HttpResponseError> => {
  const header = headers["content-type"] ?? ""
  // The usual header of JSON clients needs no parsing.
  if (header === "application/json" && headers["content-encoding"] === undefined && accepted.includes("json")) {
    return Either.right("json")
  }
  const [type = "", ...parameters] = header.split(";")
  const encoding = MEDIA_TYPES.get(type.trim().toLowerCase())
  if (encoding === undefined || !accepted.includes(encoding)) {
    return Either.left(messageErrors.unsupportedMediaType(type.trim()))
  }
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1])
    .find(isDefined)
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) return Either.left(messageErrors.unsupportedCharset(charset))
  const coding = headers["content-encoding"]
  return coding !== undefined && !/^identity$/i.test(coding) && mayBeGzipped !== true
    ? Either.left(messageErrors.unsupportedCoding(coding))
    : Either.right(encoding)
}

const isDefined = (text: string | undefined): text is string => text !== undefined

/** Fields of a form-urlencoded text, in order. Invalid UTF-8 is an error, where URLSearchParams substitutes U+FFFD. */
export const decodeFormPairs = (text: string): Either.Either<ReadonlyArray<FormEntry>, "malformed"> =>
  Either.try({
    try: () =>
      text
        .split("&")
        .filter((pair) => pair !== "")
        .map((pair): FormEntry => {
          const equals = pair.indexOf("=")
          return equals === -1
            ? [percentDecode(pair), ""]
            : [percentDecode(pair.slice(0, equals)), percentDecode(pair.slice(equals + 1))]
        }),
    catch: () => "malformed" as const
  })

const percentDecode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "))

const decodeForm = (limits: HttpLimits, fields: FormFields, bytes: Buffer) => {
  if (!isUtf8(bytes)) return Either.left(messageErrors.malformedText)
  const text = bytes.toString()
  if (hasMorePairsThan(limits.parts, text)) return Either.left(messageErrors.tooManyParts(limits.parts))
  return Either.flatMap(
    Either.mapLeft(decodeFormPairs(text), () => messageErrors.malformedForm),
    (entries) => fields.collect(limits, entries)
  )
}

/** Counts before the text is split, so that an oversized form is rejected without allocating its fields. */
const hasMorePairsThan = (limit: number, text: string): boolean => {
  let count = 1
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) if (++count > limit) return true
  return false
}

/** Whether Content-Length is above the limit. Such a body is rejected unread. */
const isDeclaredLarger = (limit: number, { headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) > limit

/** Reads a body of at most `limit` bytes into memory. */
const readAll = (
  limit: number,
  { budget: holding, message, sendContinue: proceed }: IncomingBody,
  kind: "json" | "form" | "exact"
): Effect.Effect<Buffer, HttpResponseError> =>
  isDeclaredLarger(limit, message)
    ? Effect.fail(messageErrors.tooLarge(limit))
    : isAlreadyRead(message)
      ? Either.filterOrLeft(
          alreadyReadBytes(message, kind),
          (bytes) => bytes.length <= limit,
          () => messageErrors.tooLarge(limit)
        )
      : Effect.async((resume) => {
          const chunks: Array<Buffer> = []
          let received = 0
          const settle = (outcome: Effect.Effect<Buffer, HttpResponseError>) => {
            message.off("data", onData).off("end", onEnd).off("error", onDisconnect).off("close", onDisconnect)
            resume(outcome)
          }
          const onData = (chunk: Buffer) => {
            received += chunk.length
            if (received > limit) settle(Effect.fail(messageErrors.tooLarge(limit)))
            else if (!holding.reserve(chunk.length)) settle(Effect.fail(messageErrors.tooManyBytes))
            else chunks.push(chunk)
          }
          const onEnd = () => {
            const [only] = chunks
            settle(Effect.succeed(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, received)))
          }
          const onDisconnect = () => {
            settle(Effect.fail(messageErrors.malformedRequest))
          }
          message.on("data", onData).on("end", onEnd).on("error", onDisconnect).on("close", onDisconnect)
          proceed()
        })

/** Reads an undecoded body of one media type, decompressed if it is gzipped. */
export const readRaw = (
  mediaType: string,
  limit: number,
  incoming: IncomingBody
): Effect.Effect<Uint8Array, HttpResponseError> => {
  const type = (incoming.message.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
  return type === mediaType
    ? inTurn(incoming, readDecompressed(limit, incoming, "exact"))
    : Effect.fail(messageErrors.unsupportedMediaType(type))
}

/**
 * Reads a body, decompressed if it is gzipped. The limit also applies to the decompressed size, since a few kilobytes can
 * decompress to gigabytes.
 */
const readDecompressed = (
  limit: number,
  incoming: IncomingBody,
  kind: "json" | "exact"
): Effect.Effect<Buffer, HttpResponseError> => {
  const coding = (incoming.message.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (coding === "identity") return readAll(limit, incoming, kind)
  if (coding !== "gzip" && coding !== "x-gzip") return Effect.fail(messageErrors.unsupportedCoding(coding))
  return Effect.flatMap(readAll(limit, incoming, "exact"), (compressed) =>
    Effect.async((resume) => {
      gunzip(compressed, { maxOutputLength: limit }, (error, bytes) => {
        if (error === null) {
          resume(
            incoming.budget.reserve(bytes.length) ? Effect.succeed(bytes) : Effect.fail(messageErrors.tooManyBytes)
          )
        } else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
          resume(Effect.fail(messageErrors.tooLarge(limit)))
        } else resume(Effect.fail(messageErrors.malformedRequest))
      })
    })
  )
}

/** Reads a multipart body into memory: text fields as strings, files as `Upload`s. Source: RFC 7578. */
const readParts = (
  limits: HttpLimits,
  { budget: holding, message, sendContinue: proceed }: IncomingBody
): Effect.Effect<ReadonlyArray<FormEntry>, HttpResponseError> =>
  isDeclaredLarger(limits.multipartBytes, message)
    ? Effect.fail(messageErrors.tooLarge(limits.multipartBytes))
    : isAlreadyRead(message)
      ? Effect.fail(messageErrors.alreadyRead)
      : Effect.async((resume) => {
          const parser = makeParser(limits, message.headers["content-type"] ?? "")
          if (parser === undefined) {
            resume(Effect.fail(messageErrors.malformedForm))
            return
          }
          const entries: Array<FormEntry> = []
          let received = 0
          const settle = (outcome: Effect.Effect<ReadonlyArray<FormEntry>, HttpResponseError>) => {
            message.unpipe(parser)
            message.off("data", onData).off("error", onDisconnect).off("close", onDisconnect)
            parser.removeAllListeners()
            parser.on("error", noop)
            resume(outcome)
          }
          const reject = (error: HttpResponseError) => {
            settle(Effect.fail(error))
          }
          const onData = (chunk: Buffer) => {
            received += chunk.length
            if (received > limits.multipartBytes) reject(messageErrors.tooLarge(limits.multipartBytes))
            else if (!holding.reserve(chunk.length)) reject(messageErrors.tooManyBytes)
          }
          const onDisconnect = () => {
            reject(messageErrors.malformedRequest)
          }
          const onPart = (
            name: string | undefined,
            file: BusboyFileStream,
            filename: string | undefined,
            _transferEncoding: string,
            contentType: string
          ) => {
            const chunks: Array<Buffer> = []
            file.on("error", noop)
            file.on("data", (chunk: Buffer) => chunks.push(chunk))
            file.on("end", () => {
              const [only] = chunks
              const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
              if (name === undefined) reject(messageErrors.malformedForm)
              else if (filename !== undefined) {
                // A browser sends an empty name and no bytes for a file input without a file.
                if (filename !== "" || bytes.length > 0) entries.push([name, new Upload(bytes, contentType, filename)])
              } else if (isUtf8(bytes)) entries.push([name, bytes.toString()])
              else reject(messageErrors.malformedText)
            })
          }
          parser.on("file", onPart)
          parser.on("partsLimit", () => {
            reject(messageErrors.tooManyParts(limits.parts))
          })
          parser.on("error", () => {
            reject(messageErrors.malformedForm)
          })
          parser.on("finish", () => {
            settle(Effect.succeed(entries))
          })
          message.on("data", onData).on("error", onDisconnect)
          // A complete message is closed too, before the parser has finished.
          message.on("close", () => {
            if (!message.complete) onDisconnect()
          })
          message.pipe(parser)
          proceed()
        })

const noop = () => undefined

/** A parser that yields every part as bytes, since its own text decoding accepts invalid UTF-8. */
const makeParser = (limits: HttpLimits, contentType: string): BusboyInstance | undefined =>
  Either.getOrUndefined(
    Either.try(
      () =>
        new Busboy({
          headers: { "content-type": contentType },
          isPartAFile: () => true,
          limits: { parts: limits.parts, headerPairs: 20, headerSize: 16 * 1024 }
        })
    )
  )
