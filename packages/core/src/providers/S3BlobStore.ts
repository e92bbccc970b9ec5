import { createHash } from "node:crypto"
import { AwsV4Signer } from "aws4fetch"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { BLOB_KEY, type Blob, BlobMissing, type BlobRange, BlobStore, BlobStoreFailed } from "../calls/BlobStore.js"
import { mayPass, type OutboundError } from "./OutboundError.js"
import { type BufferedResponse, OutboundHttp, type OutboundResponse } from "./OutboundHttp.js"
import { completion, errorCodeOf, listedObjects, listedUploads, type S3Location, textOf } from "./S3Messages.js"

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  /** Of temporary credentials. */
  readonly sessionToken?: Redacted.Redacted
}

export interface S3BlobStoreConfig extends S3Location {
  readonly credentials: S3Credentials
  /** Default: us-east-1. */
  readonly region?: string
  /** The URL of the server, to which the bucket is added as a path. Default: that of Amazon S3 in the region. */
  readonly endpoint?: string
}

/** Why a request failed. Nothing of the request, which holds credentials, is repeated. */
export class S3Failed extends Data.TaggedError("S3Failed")<{
  /** The code of a file system for the same failure: whether there is no space left, or the store is unavailable. */
  readonly code: "ENOSPC" | "EIO"
  readonly reason: string
  /** Whether the same request may succeed at once. */
  readonly passes?: boolean
}> {
  override get message(): string {
    return `The S3 server ${this.reason}`
  }
}

/** Bytes of a part, of which at most two are held. Some servers demand parts of one size; at 10,000 parts a blob ends at 84 GB. */
const PART = 8_388_608

/** Objects that a server lists at a time. */
const MAX_KEYS = 1000

/** Of every request but a read: an answer is a small document. */
const SHORT = { maxBytes: 16_000_000, totalMillis: 120_000 }

/** Of a read, which a slow client may hold up. */
const LONG = { maxBytes: Number.MAX_SAFE_INTEGER, totalMillis: 86_400_000, idleMillis: 30_000 }

const FULL = ["XMinioStorageFull", "QuotaExceeded", "QuotaExceededException", "InsufficientStorage"]

const RETRIES = Schedule.intersect(Schedule.jittered(Schedule.exponential("100 millis")), Schedule.recurs(2))

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE"
  /** Without the prefix; undefined for the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** The content in parts of `PART` bytes, and a last one that is shorter. */
const partsOf = <E, R>(content: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    let held: Array<Uint8Array> = []
    let bytes = 0
    const full = Stream.mapConcat(content, (chunk) => {
      held.push(chunk)
      bytes += chunk.length
      const parts: Array<Uint8Array> = []
      if (bytes < PART) return parts
      const joined = Buffer.concat(held)
      const end = bytes - (bytes % PART)
      for (let at = 0; at < end; at += PART) parts.push(joined.subarray(at, at + PART))
      held = [Uint8Array.from(joined.subarray(end))]
      bytes -= end
      return parts
    })
    return Stream.concat(
      full,
      Stream.suspend(() => (bytes === 0 ? Stream.empty : Stream.make(Buffer.concat(held))))
    )
  })

const failure = (response: { readonly status: number }, xml: string): S3Failed => {
  const code = errorCodeOf(xml) ?? ""
  return new S3Failed({
    code: response.status === 507 || FULL.includes(code) ? "ENOSPC" : "EIO",
    reason: `responded with ${response.status} ${code}`.trimEnd(),
    passes: mayPass(response)
  })
}

const unreachable = (error: OutboundError): S3Failed =>
  new S3Failed({
    code: "EIO",
    reason: error.message,
    passes: mayPass(error)
  })

const isSuccess = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300

/** Headers of a signed request. The bytes of the body are part of the signature, so the server rejects damaged ones. */
export const signedHeaders = async (
  request: Pick<S3Request, "body" | "headers"> & { readonly method: string; readonly url: URL },
  { credentials, region = "us-east-1" }: Pick<S3BlobStoreConfig, "credentials" | "region">,
  datetime?: string
): Promise<Readonly<Record<string, string>>> => {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url.href,
    headers: { ...request.headers, "x-amz-content-sha256": sha256(request.body ?? "") },
    accessKeyId,
    secretAccessKey: Redacted.value(secretAccessKey),
    ...(sessionToken === undefined ? {} : { sessionToken: Redacted.value(sessionToken) }),
    ...(datetime === undefined ? {} : { datetime }),
    service: "s3",
    region
  })
  return Object.fromEntries((await signer.sign()).headers)
}

/**
 * Blobs as objects of a bucket of Amazon S3 or a server with its API. Buckets are addressed by path. The host is configured by the
 * operator, so it may have a private address; redirects are not followed, and no credential is sent to another host.
 */
export const layer = (config: S3BlobStoreConfig): Layer.Layer<BlobStore, never, OutboundHttp> =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const http = yield* OutboundHttp
      const { bucket, prefix, region = "us-east-1" } = config
      const endpoint = (config.endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, "")

      const signed = ({ body, headers = {}, key, method, query = {} }: S3Request) =>
        Effect.tryPromise({
          try: async () => {
            const url = new URL(key === undefined ? `${endpoint}/${bucket}` : `${endpoint}/${bucket}/${prefix}${key}`)
            for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
            const request = { method, url, headers, ...(body === undefined ? {} : { body }) }
            return { ...request, url: url.href, headers: await signedHeaders(request, config), isTrusted: true }
          },
          catch: () => new S3Failed({ code: "EIO", reason: "cannot be sent a signed request" })
        })

      /** A response that may pass is an error, so that it is tried again; CompleteMultipartUpload, a POST, is sent once. */
      const send = (request: S3Request): Effect.Effect<BufferedResponse, S3Failed> =>
        Effect.gen(function* () {
          const response = yield* Effect.mapError(
            http.send({ ...(yield* signed(request)), limits: SHORT }),
            unreachable
          )
          return mayPass(response) ? yield* failure(response, response.body.toString()) : response
        }).pipe(
          Effect.retry({ schedule: RETRIES, while: ({ passes }) => passes === true && request.method !== "POST" })
        )

      /** The response to a request, where only success is expected. */
      const expectSuccess = (request: S3Request): Effect.Effect<BufferedResponse, S3Failed> =>
        Effect.flatMap(send(request), (response) =>
          isSuccess(response) && errorCodeOf(response.body.toString("latin1")) === undefined
            ? Effect.succeed(response)
            : failure(response, response.body.toString())
        )

      /** Logged here, since a response of 503 states no reason, and logs of errors have no messages. */
      const logged = (operation: string, { message }: S3Failed) =>
        Effect.logWarning("Failed to reach recordings in the bucket", { operation, reason: message })

      const attempt = <A>(operation: string, act: Effect.Effect<A, S3Failed>): Effect.Effect<A, BlobStoreFailed> =>
        act.pipe(
          Effect.tapError((failed) => logged(operation, failed)),
          Effect.mapError((cause) => new BlobStoreFailed({ operation, cause }))
        )

      const begin = (key: string) =>
        Effect.flatMap(expectSuccess({ method: "POST", key, query: { uploads: "" } }), ({ body }) => {
          const id = textOf(body.toString(), "UploadId")
          return id === undefined
            ? new S3Failed({ code: "EIO", reason: "began an upload without an id" })
            : Effect.succeed(id)
        })

      const putPart = (key: string, uploadId: string, partNumber: number, body: Uint8Array) =>
        Effect.flatMap(
          expectSuccess({ method: "PUT", key, query: { partNumber: String(partNumber), uploadId }, body }),
          ({ headers: { etag } }) =>
            etag === undefined
              ? new S3Failed({ code: "EIO", reason: "stored a part without an entity tag" })
              : Effect.succeed(etag)
        )

      const complete = (key: string, uploadId: string, tags: ReadonlyArray<string>) =>
        Effect.suspend(() =>
          expectSuccess({ method: "POST", key, query: { uploadId }, body: Buffer.from(completion(tags)) })
        )

      /** An upload that is not there any more was ended by another process. */
      const abort = (key: string, uploadId: string) =>
        Effect.flatMap(send({ method: "DELETE", key, query: { uploadId } }), (response) =>
          isSuccess(response) || response.status === 404
            ? Effect.void
            : Effect.fail(failure(response, response.body.toString()))
        )

      const put = <E, R>(
        key: string,
        content: Stream.Stream<Uint8Array, E, R>
      ): Effect.Effect<Blob, E | BlobStoreFailed, R> =>
        Effect.suspend(() => {
          const hash = createHash("sha256")
          const tags: Array<string> = []
          let sizeBytes = 0
          let upload: string | undefined
          // One part is held until the next one shows that it is not the only one.
          let held: Uint8Array = Buffer.alloc(0)
          const store = attempt(
            "put",
            Effect.gen(function* () {
              upload ??= yield* begin(key)
              tags.push(yield* putPart(key, upload, tags.length + 1, held))
            })
          )
          return Stream.runForEach(partsOf(content), (part) =>
            Effect.suspend(() => (sizeBytes === 0 ? Effect.void : store)).pipe(
              Effect.map(() => {
                held = part
                sizeBytes += part.length
                hash.update(part)
              })
            )
          ).pipe(
            Effect.zipRight(
              Effect.suspend(() =>
                upload === undefined
                  ? attempt("put", expectSuccess({ method: "PUT", key, body: held }))
                  : Effect.zipRight(store, attempt("put", complete(key, upload, tags)))
              )
            ),
            Effect.map(() => ({ key, sizeBytes, sha256: hash.digest("hex") })),
            // Whatever is left of an upload that cannot be ended now is ended by `removeUnfinished`.
            Effect.onExit((exit) =>
              Exit.isFailure(exit) && upload !== undefined ? Effect.ignore(abort(key, upload)) : Effect.void
            )
          )
        })

      const isMissing = (response: { readonly status: number }, xml: string): boolean =>
        response.status === 404 && ["NoSuchKey", undefined].includes(errorCodeOf(xml))

      /** Reads of a part of a blob, as HTTP counts: the last byte is included. */
      const rangeOf = ({ end, start }: BlobRange) => ({ range: `bytes=${start}-${end - 1}` })

      const has = (key: string): Effect.Effect<boolean, S3Failed> =>
        // Not HEAD, whose 404 does not tell whether the object or the bucket is missing.
        Effect.flatMap(send({ method: "GET", key, headers: rangeOf({ start: 0, end: 1 }) }), (response) => {
          const xml = response.body.toString()
          if (isMissing(response, xml)) return Effect.succeed(false)
          return isSuccess(response) || response.status === 416 ? Effect.succeed(true) : failure(response, xml)
        })

      /** A response to a read whose body is still to come, or undefined if there are no bytes in the range. */
      const openBlob = (
        key: string,
        range: BlobRange | undefined
      ): Effect.Effect<OutboundResponse | undefined, S3Failed | BlobMissing, Scope.Scope> =>
        Effect.gen(function* () {
          const headers = range === undefined ? {} : rangeOf(range)
          const request = yield* signed({ method: "GET", key, headers })
          const response = yield* Effect.mapError(http.open({ ...request, limits: LONG }), unreachable)
          if (response.status === (range === undefined ? 200 : 206)) return response
          if (response.status === 416) return undefined
          const xml = yield* response.body.pipe(
            Stream.take(64),
            Stream.runCollect,
            Effect.mapBoth({
              onFailure: unreachable,
              onSuccess: (chunks) => Buffer.concat(Chunk.toReadonlyArray(chunks)).toString()
            })
          )
          if (isMissing(response, xml)) return yield* new BlobMissing({ key })
          return yield* failure(response, xml)
        })

      const readFailed = (cause: unknown) => new BlobStoreFailed({ operation: "get", cause })

      const get = (
        key: string,
        range: BlobRange | undefined
      ): Stream.Stream<Uint8Array, BlobMissing | BlobStoreFailed> =>
        Stream.unwrapScoped(
          openBlob(key, range).pipe(
            Effect.tapErrorTag("S3Failed", (failed) => logged("get", failed)),
            Effect.mapError((error) => (error._tag === "BlobMissing" ? error : readFailed(error))),
            Effect.map((response) =>
              response === undefined
                ? Stream.empty
                : Stream.mapError(response.body, (error) => readFailed(unreachable(error)))
            )
          )
        )

      /** Foreign objects of the bucket are passed over, so several pages may be read for one. */
      const list = (after: string | undefined, limit: number) =>
        Effect.gen(function* () {
          const found: Array<Omit<Blob, "sha256">> = []
          let from: Readonly<Record<string, string>> = after === undefined ? {} : { "start-after": `${prefix}${after}` }
          for (;;) {
            const query = {
              "list-type": "2",
              "max-keys": String(Math.min(limit - found.length, MAX_KEYS)),
              prefix,
              ...from
            }
            const { body } = yield* expectSuccess({ method: "GET", query })
            const { next, objects } = listedObjects(body.toString())
            for (const { key, sizeBytes } of objects) {
              const own = key.slice(prefix.length)
              if (key.startsWith(prefix) && BLOB_KEY.test(own)) found.push({ key: own, sizeBytes })
            }
            if (next === undefined || found.length >= limit) return found
            from = { "continuation-token": next }
          }
        })

      const removeUnfinished = (before: number) =>
        Effect.gen(function* () {
          let from: Readonly<Record<string, string>> = {}
          for (;;) {
            const response = yield* send({ method: "GET", query: { uploads: "", prefix, ...from } })
            const xml = response.body.toString()
            // A server without this list ends uploads by its own rules.
            if (response.status === 501 || errorCodeOf(xml) === "NotImplemented") return
            if (!isSuccess(response)) return yield* failure(response, xml)
            const { next, uploads } = listedUploads(xml)
            for (const { began, id, key } of uploads) {
              const own = key.slice(prefix.length)
              if (key.startsWith(prefix) && BLOB_KEY.test(own) && began < before) yield* abort(own, id)
            }
            if (next === undefined) return
            from = { "key-marker": next.key, "upload-id-marker": next.id }
          }
        })

      return BlobStore.of({
        put: (key, content) =>
          BLOB_KEY.test(key) ? put(key, content) : new BlobStoreFailed({ operation: "put", cause: "invalid key" }),
        get: (key, range) => {
          const missing = Stream.fail(new BlobMissing({ key }))
          if (!BLOB_KEY.test(key)) return missing
          if (range === undefined || range.end > range.start) return get(key, range)
          return Stream.unwrap(Effect.map(attempt("get", has(key)), (exists) => (exists ? Stream.empty : missing)))
        },
        remove: (key) =>
          BLOB_KEY.test(key)
            ? attempt(
                "remove",
                Effect.flatMap(send({ method: "DELETE", key }), (response) => {
                  const xml = response.body.toString()
                  return isSuccess(response) || isMissing(response, xml)
                    ? Effect.void
                    : Effect.fail(failure(response, xml))
                })
              )
            : Effect.void,
        has: (key) => (BLOB_KEY.test(key) ? attempt("has", has(key)) : Effect.succeed(false)),
        list: (after, limit) => attempt("list", list(after, limit)),
        removeUnfinished: (before) => attempt("removeUnfinished", removeUnfinished(before))
      })
    })
  )
