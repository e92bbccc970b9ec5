/** Bodies, from the socket to what an endpoint is told. */
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { gunzip } from "node:zlib"
import { Upload } from "@earshot/core"
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { RequestBody, Encoding } from "./Endpoint.js"
import { messageErrors, type HttpResponseError } from "./ErrorResponses.js"
import { type FormEntry, type FormFields, formFields } from "./FormFields.js"
import { parseJson } from "./JsonText.js"
import type { HttpLimits } from "./Limits.js"

/** The bytes of one request's body that are held in memory, out of those of all requests together. */
export interface BodyBudget {
  /** Whether there is room for so many bytes more; if so, they are held from now on. */
  readonly reserve: (bytes: number) => boolean
}

/** A request's body on its way in. */
export interface IncomingBody {
  readonly message: IncomingMessage
  readonly budget: BodyBudget
  /** Tells a client that asked to be told (`Expect: 100-continue`) that its body is wanted. */
  readonly sendContinue: () => void
}

type BodyReader = (incoming: IncomingBody) => Effect.Effect<unknown, HttpResponseError>

/** Reads the body of one endpoint, in any of its encodings. Nothing is read before the effect runs. */
export const bodyReader = (body: RequestBody, limits: HttpLimits): BodyReader => {
  const fields = formFields(body.schema)
  return (incoming) => {
    const { headers } = incoming.message
    const isEmpty =
      headers["transfer-encoding"] === undefined &&
      (headers["content-length"] === undefined || headers["content-length"] === "0")
    // An empty body is an empty object, so that its faults are those of the fields that it lacks.
    if (isEmpty && headers["content-type"] === undefined) return Effect.succeed({})
    return Effect.flatMap(negotiateEncoding(body.encodings, headers), (encoding) => {
      switch (encoding) {
        case "json":
          return Effect.flatMap(readAll(limits.bodyBytes, incoming), (bytes) =>
            bytes.length === 0 ? Either.right({}) : Either.flatMap(parseJson(limits, bytes), rejectPrototypeKey)
          )
        case "form":
          return Effect.flatMap(readAll(limits.bodyBytes, incoming), (bytes) =>
            Either.flatMap(decodeForm(limits, fields, bytes), rejectPrototypeKey)
          )
        case "multipart":
          return Effect.flatMap(readParts(limits, incoming), (entries) =>
            Either.flatMap(fields.collect(limits, entries), rejectPrototypeKey)
          )
      }
    })
  }
}

/** A key that names no field anywhere, and is sent for one purpose only. Deeper ones are the engine's to judge. */
const rejectPrototypeKey = (body: unknown): Either.Either<unknown, HttpResponseError> =>
  typeof body === "object" && body !== null && Object.hasOwn(body, "__proto__")
    ? Either.left(messageErrors.forbiddenKey)
    : Either.right(body)

const MEDIA_TYPES: ReadonlyMap<string, Encoding> = new Map([
  ["application/json", "json"],
  ["application/x-www-form-urlencoded", "form"],
  ["multipart/form-data", "multipart"]
])

const negotiateEncoding = (
  accepted: ReadonlyArray<Encoding>,
  headers: IncomingMessage["headers"]
): Either.Either<Encoding, HttpResponseError> => {
  const header = headers["content-type"] ?? ""
  // What every client of the hot way in sends, without taking it apart.
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
  return coding !== undefined && !/^identity$/i.test(coding)
    ? Either.left(messageErrors.unsupportedCoding(coding))
    : Either.right(encoding)
}

const isDefined = (text: string | undefined): text is string => text !== undefined

/** Fields of a form-urlencoded text, in their order. Strict where URLSearchParams puts U+FFFD for what is no UTF-8. */
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

/** Asked before the text is split: a thousand times as many pairs would be made first and refused afterwards. */
const hasMorePairsThan = (limit: number, text: string): boolean => {
  let count = 1
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) if (++count > limit) return true
  return false
}

/** Whether the body is said to be larger than the limit, so that not a byte of it need be read. */
const isDeclaredLarger = (limit: number, { headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) > limit

/** A body read into memory, of at most so many bytes. */
const readAll = (
  limit: number,
  { budget: holding, message, sendContinue: proceed }: IncomingBody
): Effect.Effect<Buffer, HttpResponseError> =>
  isDeclaredLarger(limit, message)
    ? Effect.fail(messageErrors.tooLarge(limit))
    : Effect.async((resume) => {
        const chunks: Array<Buffer> = []
        let received = 0
        const settle = (outcome: Effect.Effect<Buffer, HttpResponseError>) => {
          message.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost)
          resume(outcome)
        }
        const onData = (chunk: Buffer) => {
          received += chunk.length
          if (received > limit) settle(Effect.fail(messageErrors.tooLarge(limit)))
          else if (!holding.reserve(chunk.length)) settle(Effect.fail(messageErrors.busy))
          else chunks.push(chunk)
        }
        const onEnd = () => {
          const [only] = chunks
          settle(Effect.succeed(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, received)))
        }
        // Nobody is there any more to be answered.
        const onLost = () => {
          settle(Effect.fail(messageErrors.malformedRequest))
        }
        message.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost)
        proceed()
      })

/**
 * A body of one media type as it is, unpacked where it comes gzipped. The limit holds for what it is unpacked to as well:
 * a few kilobytes can unpack to gigabytes.
 */
export const readRaw = (
  mediaType: string,
  limits: HttpLimits,
  incoming: IncomingBody
): Effect.Effect<Uint8Array, HttpResponseError> => {
  const { headers } = incoming.message
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""
  if (type !== mediaType) return Effect.fail(messageErrors.unsupportedMediaType(type))
  const coding = (headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (coding === "identity") return readAll(limits.bodyBytes, incoming)
  if (coding !== "gzip" && coding !== "x-gzip") return Effect.fail(messageErrors.unsupportedCoding(coding))
  return Effect.flatMap(readAll(limits.bodyBytes, incoming), (packed) =>
    Effect.async((resume) => {
      gunzip(packed, { maxOutputLength: limits.bodyBytes }, (error, bytes) => {
        if (error === null) resume(Effect.succeed(bytes))
        else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
          resume(Effect.fail(messageErrors.tooLarge(limits.bodyBytes)))
        } else resume(Effect.fail(messageErrors.malformedRequest))
      })
    })
  )
}

/** A multipart body read into memory: texts as they are, files as `Upload`s. Source: RFC 7578. */
const readParts = (
  limits: HttpLimits,
  { budget: holding, message, sendContinue: proceed }: IncomingBody
): Effect.Effect<ReadonlyArray<FormEntry>, HttpResponseError> =>
  isDeclaredLarger(limits.multipartBytes, message)
    ? Effect.fail(messageErrors.tooLarge(limits.multipartBytes))
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
          message.off("data", onData).off("error", onLost).off("close", onLost)
          parser.removeAllListeners()
          parser.on("error", noop)
          resume(outcome)
        }
        const refuse = (refused: HttpResponseError) => {
          settle(Effect.fail(refused))
        }
        const onData = (chunk: Buffer) => {
          received += chunk.length
          if (received > limits.multipartBytes) refuse(messageErrors.tooLarge(limits.multipartBytes))
          else if (!holding.reserve(chunk.length)) refuse(messageErrors.busy)
        }
        const onLost = () => {
          refuse(messageErrors.malformedRequest)
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
            if (name === undefined) refuse(messageErrors.malformedForm)
            else if (filename !== undefined) {
              // What a browser sends for a file that nobody chose.
              if (filename !== "" || bytes.length > 0) entries.push([name, new Upload(bytes, contentType, filename)])
            } else if (isUtf8(bytes)) entries.push([name, bytes.toString()])
            else refuse(messageErrors.malformedText)
          })
        }
        parser.on("file", onPart)
        parser.on("partsLimit", () => {
          refuse(messageErrors.tooManyParts(limits.parts))
        })
        parser.on("error", () => {
          refuse(messageErrors.malformedForm)
        })
        parser.on("finish", () => {
          settle(Effect.succeed(entries))
        })
        message.on("data", onData).on("error", onLost)
        // A body that has arrived whole is closed too, before the parser is done with it.
        message.on("close", () => {
          if (!message.complete) onLost()
        })
        message.pipe(parser)
        proceed()
      })

const noop = () => undefined

/** A parser that hands over every part as bytes: its own reading of texts lets through what is no UTF-8. */
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
