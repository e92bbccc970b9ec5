import { createHash, randomUUID } from "node:crypto"
import { blobKey, BlobStore, type BlobStoreFailed, OrganizationId } from "@earshot/core"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import * as S3BlobStore from "@earshot/core/providers/S3BlobStore"
import { completion, errorCodeOf, listedObjects, parseS3Url, textOf } from "@earshot/core/providers/S3Messages"
import { CallKit } from "@earshot/test-kit"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { ACCESS_KEY, BUCKET, SECRET_KEY, startS3 } from "./s3Server.js"

const server = await startS3()
afterAll(() => server.close())
beforeEach(() => {
  server.answer = undefined
  server.requests.length = 0
})

const credentials = { accessKeyId: ACCESS_KEY, secretAccessKey: Redacted.make(SECRET_KEY) }

const storeAt = (prefix: string, config: Partial<S3BlobStore.S3BlobStoreConfig> = {}) =>
  S3BlobStore.layer({ bucket: BUCKET, prefix, endpoint: server.endpoint, credentials, ...config }).pipe(
    Layer.provide(OutboundHttp.layer())
  )

const residue = Effect.sync(() => server.uploads().length)

CallKit.blobStoreContract("of an S3 bucket", storeAt(""), residue)
CallKit.blobStoreContract("of an S3 bucket, with a prefix", storeAt("eu/earshot.1/"), residue)

const newKey = () => blobKey(OrganizationId.make(1), randomUUID())

const run = <A, E>(
  act: (blobs: typeof BlobStore.Service) => Effect.Effect<A, E>,
  config?: Partial<S3BlobStore.S3BlobStoreConfig>
) =>
  Effect.runPromise(
    Effect.flatMap(BlobStore, act).pipe(Effect.provide([storeAt("p/", config), Logger.remove(Logger.defaultLogger)]))
  )

const causeOf = (error: BlobStoreFailed) => {
  const { cause } = error
  return cause instanceof S3BlobStore.S3Failed ? [cause.code, cause.message] : cause
}

const MIB = 1_048_576

/** Bytes that differ from part to part. */
const large = (size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 1000) bytes.writeUInt32LE(at, Math.min(at, size - 4))
  return bytes
}

describe("S3BlobStore", () => {
  it.each([8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 20 * MIB])(
    "stores and reads %d bytes, in parts of 8 MiB",
    async (size) => {
      const bytes = large(size)
      const chunks = Stream.fromIterable(
        Array.from({ length: Math.ceil(size / 700_001) }, (_, at) => bytes.subarray(at * 700_001, (at + 1) * 700_001))
      )
      await run((blobs) =>
        Effect.gen(function* () {
          const key = newKey()
          const blob = yield* blobs.put(key, chunks)
          expect(blob).toEqual({ key, sizeBytes: size, sha256: createHash("sha256").update(bytes).digest("hex") })
          const read = Buffer.concat(Chunk.toReadonlyArray(yield* Stream.runCollect(blobs.get(key))))
          expect(read.equals(bytes)).toBe(true)
          const middle = { start: 5 * MIB, end: 8 * MIB + 1 }
          const part = Buffer.concat(Chunk.toReadonlyArray(yield* Stream.runCollect(blobs.get(key, middle))))
          expect(part.equals(bytes.subarray(middle.start, middle.end))).toBe(true)
          expect(yield* blobs.list(undefined, 1000)).toContainEqual({ key, sizeBytes: size })
          yield* blobs.remove(key)
        })
      )
      const parts = server.requests.filter((request) => request.includes("partNumber="))
      expect(parts).toHaveLength(size > 8 * MIB ? Math.ceil(size / (8 * MIB)) : 0)
    }
  )

  it("ends an upload whose content fails after the first parts", async () => {
    const content = Stream.concat(Stream.make(large(17 * MIB)), Stream.fail("cut off" as const))
    const failure = await run((blobs) => Effect.flip(blobs.put(newKey(), content)))
    expect(failure).toBe("cut off")
    expect(server.requests.some((request) => request.includes("partNumber=1"))).toBe(true)
    expect(server.uploads()).toEqual([])
  })

  it("removes unfinished uploads that began before an instant", async () => {
    // Ending fails, as when the process is killed.
    server.answer = (method) => (method === "DELETE" ? { status: 403 } : undefined)
    for (let at = 0; at < 2; at++) {
      await run((blobs) =>
        Effect.flip(blobs.put(newKey(), Stream.concat(Stream.make(large(17 * MIB)), Stream.fail(1))))
      )
    }
    server.answer = undefined
    expect(server.uploads()).toHaveLength(2)
    await run((blobs) => blobs.removeUnfinished(Date.now() - 3_600_000))
    expect(server.uploads()).toHaveLength(2)
    await run((blobs) => blobs.removeUnfinished(Date.now() + 60_000))
    expect(server.uploads()).toEqual([])
    // A server that has no such list.
    server.answer = (_, target) => (target.includes("uploads") ? { status: 501 } : undefined)
    await run((blobs) => blobs.removeUnfinished(Date.now()))
  })

  it("passes over objects that are no blobs, whatever the size of the pages", async () => {
    await run((blobs) =>
      Effect.gen(function* () {
        const keys = [newKey(), newKey()].sort()
        for (const key of keys) yield* blobs.put(key, Stream.make(Buffer.from("blob")))
        expect(yield* blobs.list(undefined, 1)).toHaveLength(1)
        const all = yield* blobs.list(undefined, 1000)
        expect(all.map(({ key }) => key)).toEqual(expect.arrayContaining(keys))
        for (const { key } of all) yield* blobs.remove(key)
        expect(yield* blobs.list(undefined, 1000)).toEqual([])
      })
    )
    server.store("p/notes.txt", "not a recording")
    server.store("q/other.txt", "of another prefix")
    const key = newKey()
    await run((blobs) => blobs.put(key, Stream.make(Buffer.from("seven b"))))
    for (const limit of [1, 1000]) {
      expect(await run((blobs) => blobs.list(undefined, limit))).toEqual([{ key, sizeBytes: 7 }])
      expect(await run((blobs) => blobs.list(key, limit))).toEqual([])
    }
    await run((blobs) => blobs.remove(key))
  })

  it("logs the server's reason for a failed read and a failed write", async () => {
    const lines: Array<unknown> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ logLevel, message }) => {
        lines.push([logLevel.label, message])
      })
    )
    server.answer = () => ({ status: 403, body: "<Error><Code>AccessDenied</Code></Error>" })
    await run((blobs) =>
      Effect.all([
        Effect.flip(blobs.put(newKey(), Stream.make(Buffer.from("x")))),
        Effect.flip(Stream.runDrain(blobs.get(newKey())))
      ]).pipe(Effect.provide(logger))
    )
    const line = (operation: string) => [
      "WARN",
      [
        "Failed to reach recordings in the bucket",
        { operation, reason: "The S3 server responded with 403 AccessDenied" }
      ]
    ]
    expect(lines).toEqual([line("put"), line("get")])
  })

  it("fails with a wrong secret", async () => {
    const wrong = { accessKeyId: ACCESS_KEY, secretAccessKey: Redacted.make("wrong") }
    const failure = await run((blobs) => Effect.flip(blobs.has(newKey())), { credentials: wrong })
    expect(causeOf(failure)).toEqual(["EIO", "The S3 server responded with 403 SignatureDoesNotMatch"])
  })

  it.each([
    ["InternalError", 500],
    ["SlowDown", 503]
  ])("tries again after %s", async (code, status) => {
    let failures = 2
    server.answer = () => (failures-- > 0 ? { status, body: `<Error><Code>${code}</Code></Error>` } : undefined)
    const key = newKey()
    await run((blobs) => blobs.put(key, Stream.make(Buffer.from("again"))))
    expect(await run((blobs) => blobs.has(key))).toBe(true)
    await run((blobs) => blobs.remove(key))
  })

  it.each([
    [{ status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }, "EIO", "responded with 403 AccessDenied"],
    [
      { status: 403, body: "<Error><Code>RequestTimeTooSkewed</Code></Error>" },
      "EIO",
      "responded with 403 RequestTimeTooSkewed"
    ],
    [{ status: 404, body: "<Error><Code>NoSuchBucket</Code></Error>" }, "EIO", "responded with 404 NoSuchBucket"],
    [
      { status: 507, body: "<Error><Code>XMinioStorageFull</Code></Error>" },
      "ENOSPC",
      "responded with 507 XMinioStorageFull"
    ],
    [
      { status: 301, body: "<Error><Code>PermanentRedirect</Code></Error>" },
      "EIO",
      "responded with 301 PermanentRedirect"
    ],
    [{ status: 503, body: "<html>" }, "EIO", "responded with 503"]
  ])("fails with %j in every operation", async (answer, code, reason) => {
    server.answer = () => answer
    const key = newKey()
    const expected = [code, `The S3 server ${reason}`]
    const fails = (act: (blobs: typeof BlobStore.Service) => Effect.Effect<unknown, unknown>) =>
      run((blobs) => Effect.flip(act(blobs)) as Effect.Effect<BlobStoreFailed>).then(causeOf)
    expect(await fails((blobs) => blobs.put(key, Stream.make(Buffer.from("x"))))).toEqual(expected)
    expect(await fails((blobs) => Stream.runDrain(blobs.get(key)))).toEqual(expected)
    expect(await fails((blobs) => Stream.runDrain(blobs.get(key, { start: 0, end: 1 })))).toEqual(expected)
    expect(await fails((blobs) => blobs.remove(key))).toEqual(expected)
    expect(await fails((blobs) => blobs.has(key))).toEqual(expected)
    expect(await fails((blobs) => blobs.list(undefined, 10))).toEqual(expected)
    expect(await fails((blobs) => blobs.removeUnfinished(0))).toEqual(expected)
  })

  it("does not take a completion for one whose body is an error, and ends the upload", async () => {
    server.answer = (method, target) =>
      method === "POST" && target.includes("uploadId=")
        ? { status: 200, body: "<Error><Code>InternalError</Code></Error>" }
        : undefined
    const failure = await run((blobs) => Effect.flip(blobs.put(newKey(), Stream.make(large(9 * MIB)))))
    expect(causeOf(failure)).toEqual(["EIO", "The S3 server responded with 200 InternalError"])
    expect(server.uploads()).toEqual([])
  })

  it("does not take a whole blob for a part of it", async () => {
    server.answer = () => ({ status: 200, body: "whole" })
    const failure = await run((blobs) => Effect.flip(Stream.runDrain(blobs.get(newKey(), { start: 1, end: 2 }))))
    expect(failure._tag).toBe("BlobStoreFailed")
  })

  it("fails as unavailable when there is no server, without a secret in the message", async () => {
    const failure = await run((blobs) => Effect.flip(blobs.has(newKey())), { endpoint: "http://127.0.0.1:1" })
    expect(causeOf(failure)).toEqual(["EIO", "The S3 server cannot be reached (ECONNREFUSED)"])
    expect(JSON.stringify(failure)).not.toContain(SECRET_KEY)
  })

  // Source: Amazon S3 API reference, "Authenticating Requests: Using the Authorization Header", the examples.
  it.each([
    ["?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
    ["?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"]
  ])("signs %s as Amazon does", async (query, signature) => {
    const headers = await S3BlobStore.signedHeaders(
      { method: "GET", url: new URL(`https://examplebucket.s3.amazonaws.com/${query}`) },
      {
        credentials: {
          accessKeyId: "AKIAIOSFODNN7EXAMPLE",
          secretAccessKey: Redacted.make("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        }
      },
      "20130524T000000Z"
    )
    expect(headers.authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`
    )
  })

  it("signs the token of temporary credentials", async () => {
    const { authorization, ...headers } = await S3BlobStore.signedHeaders(
      { method: "PUT", url: new URL("https://s3.eu-west-1.amazonaws.com/b/k"), body: Buffer.from("x") },
      { credentials: { ...credentials, sessionToken: Redacted.make("temporary") }, region: "eu-west-1" }
    )
    expect(headers["x-amz-security-token"]).toBe("temporary")
    expect(headers["x-amz-content-sha256"]).toBe(createHash("sha256").update("x").digest("hex"))
    expect(authorization).toContain(
      "/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"
    )
  })
})

describe("S3Messages", () => {
  it.each([
    ["s3://bucket", { bucket: "bucket", prefix: "" }],
    ["s3://bucket/", { bucket: "bucket", prefix: "" }],
    ["s3://my.bucket-1/eu/calls_2.x/", { bucket: "my.bucket-1", prefix: "eu/calls_2.x/" }]
  ])("reads the address %s", (url, location) => {
    expect(parseS3Url(url)).toEqual(Either.right(location))
  })

  it.each([
    "s3://",
    "s3://B",
    "s3://ab",
    "s3:///x",
    "s3://bucket//x",
    "s3://bucket/a b",
    "s3://bucket/..",
    "s3://bucket/a/./b",
    "s3://bucket?x",
    "s3://key:secret@bucket",
    "https://bucket"
  ])("rejects the address %s", (url) => {
    expect(Either.isLeft(parseS3Url(url))).toBe(true)
  })

  it("decodes and encodes texts of documents", () => {
    expect(textOf("<A>&lt;b&gt; &amp;amp; &#65;&#x42; &nope; &#x110000;</A>", "A")).toBe(
      "<b> &amp; AB &nope; &#x110000;"
    )
    expect(textOf("<A>never closed", "A")).toBeUndefined()
    expect(textOf(completion(['"<&>"']), "ETag")).toBe('"<&>"')
    expect(errorCodeOf("<Error><Code>not a code\n</Code></Error>")).toBeUndefined()
    expect(listedObjects("<Contents><Key>a</Key><Contents>")).toEqual({
      objects: [
        { key: "", sizeBytes: 0 },
        { key: "", sizeBytes: 0 }
      ],
      next: undefined
    })
  })
})
