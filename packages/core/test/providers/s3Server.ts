/**
 * A server with the part of the S3 API that a blob store uses, in memory. It verifies signatures and checksums of bodies,
 * rejects parts that are too small, lists in pages, and fails on demand. Source: Amazon S3 API reference, 2006-03-01.
 */
import { createHash, createHmac, randomUUID } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"

export const BUCKET = "recordings"
export const ACCESS_KEY = "test-access-key"
export const SECRET_KEY = "test-secret-key"

export interface S3Answer {
  readonly status: number
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export interface S3Server {
  readonly endpoint: string
  /** Ids of uploads in parts that are neither complete nor ended. */
  readonly uploads: () => ReadonlyArray<string>
  /** Stores an object without the client. */
  readonly store: (key: string, body: string) => void
  /** The methods and targets that were requested. */
  readonly requests: Array<string>
  /** What is answered in place of the server, by the request. */
  answer: ((method: string, target: string) => S3Answer | undefined) | undefined
  readonly close: () => Promise<void>
}

interface S3Call {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Upload {
  readonly key: string
  readonly began: string
  readonly parts: Map<number, Buffer>
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const error = (status: number, code: string): S3Answer => ({
  status,
  body: `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>for the test</Message></Error>`
})

const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest()
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
const tagOf = (bytes: Uint8Array) => `"${createHash("md5").update(bytes).digest("hex")}"`

/** The failure of a request's signature, version 4. */
const signatureFailure = ({ body, headers, method, url }: S3Call): S3Answer | undefined => {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[\w-]+\/s3\/aws4_request), SignedHeaders=([\w;-]+), Signature=([\da-f]{64})$/.exec(
      headers.authorization ?? ""
    )
  if (given === null) return error(403, "AccessDenied")
  const [, accessKey = "", scope = "", names = "", signature = ""] = given
  if (accessKey !== ACCESS_KEY) return error(403, "InvalidAccessKeyId")
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&")
  const path = url.pathname.split("/").map((part) => encoded(decodeURIComponent(part)))
  const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const checksum = String(headers["x-amz-content-sha256"])
  const canonical = [method, path.join("/"), query, signed.join(""), names, checksum].join("\n")
  const date = String(headers["x-amz-date"])
  const key = scope.split("/").reduce<string | Uint8Array>((secret, part) => hmac(secret, part), `AWS4${SECRET_KEY}`)
  const expected = hmac(key, ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")).toString("hex")
  if (signature !== expected) return error(403, "SignatureDoesNotMatch")
  return checksum === sha256(body) ? undefined : error(400, "XAmzContentSHA256Mismatch")
}

const MIN_PART = 5_242_880

const makeBucket = () => {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Upload>()

  const list = (query: URLSearchParams): S3Answer => {
    const prefix = query.get("prefix") ?? ""
    const token = query.get("continuation-token")
    const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64").toString()
    const limit = Math.min(Number(query.get("max-keys") ?? 1000), 1000)
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, limit)
    const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`)
    const next = Buffer.from(page[page.length - 1] ?? "").toString("base64")
    const body = `<ListBucketResult><IsTruncated>${keys.length > limit}</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>${contents.join("")}</ListBucketResult>`
    return { status: 200, body }
  }

  /** A page of one, so that every list has pages. */
  const listUploads = (query: URLSearchParams): S3Answer => {
    const marker = query.get("upload-id-marker") ?? ""
    const ids = [...uploads.keys()].filter((id) => id > marker).sort()
    const [id = ""] = ids
    const upload = uploads.get(id)
    const item =
      upload === undefined
        ? ""
        : `<NextKeyMarker>${upload.key}</NextKeyMarker><NextUploadIdMarker>${id}</NextUploadIdMarker><Upload><Key>${upload.key}</Key><UploadId>${id}</UploadId><Initiated>${upload.began}</Initiated></Upload>`
    const body = `<ListMultipartUploadsResult><IsTruncated>${ids.length > 1}</IsTruncated>${item}</ListMultipartUploadsResult>`
    return { status: 200, body }
  }

  const read = (key: string, range: string | undefined): S3Answer => {
    const bytes = objects.get(key)
    if (bytes === undefined) return error(404, "NoSuchKey")
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? []
    if (start === undefined) return { status: 200, body: bytes }
    return Number(start) >= bytes.length
      ? error(416, "InvalidRange")
      : { status: 206, body: bytes.subarray(Number(start), Number(end) + 1) }
  }

  const complete = (id: string, { key, parts }: Upload, body: Buffer): S3Answer => {
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&#34;(\w+)&#34;<\/ETag>/g)]
    const found = named.map(([, number, tag]) => ({ part: parts.get(Number(number)), tag: `"${tag}"` }))
    if (found.length === 0 || found.some(({ part, tag }) => part === undefined || tagOf(part) !== tag)) {
      return error(400, "InvalidPart")
    }
    const bytes = found.flatMap(({ part }) => part ?? [])
    if (bytes.slice(0, -1).some(({ length }) => length < MIN_PART)) return error(400, "EntityTooSmall")
    objects.set(key, Buffer.concat(bytes))
    uploads.delete(id)
    return { status: 200, body: "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>" }
  }

  const ofUpload = (id: string, { body, method, url }: S3Call): S3Answer => {
    const upload = uploads.get(id)
    if (upload === undefined) return error(404, "NoSuchUpload")
    if (method === "POST") return complete(id, upload, body)
    if (method === "DELETE") {
      uploads.delete(id)
      return { status: 204 }
    }
    upload.parts.set(Number(url.searchParams.get("partNumber")), body)
    return { status: 200, headers: { etag: tagOf(body) } }
  }

  const ofObject = (key: string, { body, headers, method, url }: S3Call): S3Answer => {
    if (method === "GET") return read(key, headers.range)
    if (method === "POST" && url.searchParams.has("uploads")) {
      const id = randomUUID()
      uploads.set(id, { key, began: new Date().toISOString(), parts: new Map() })
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`
      }
    }
    if (method === "PUT") objects.set(key, body)
    else objects.delete(key)
    return method === "PUT" ? { status: 200, headers: { etag: tagOf(body) } } : { status: 204 }
  }

  const answer = (call: S3Call): S3Answer => {
    const { searchParams } = call.url
    const [bucket, ...names] = call.url.pathname.slice(1).split("/")
    if (bucket !== BUCKET) return error(404, "NoSuchBucket")
    const key = names.join("/")
    if (key === "") return searchParams.has("uploads") ? listUploads(searchParams) : list(searchParams)
    const id = searchParams.get("uploadId")
    return id === null ? ofObject(key, call) : ofUpload(id, call)
  }
  return { objects, uploads, answer }
}

export const startS3 = async (): Promise<S3Server> => {
  const { answer, objects, uploads } = makeBucket()
  const requests: Array<string> = []
  const control: { answer: S3Server["answer"] } = { answer: undefined }
  const server = createServer((request, response) => {
    const { headers, method = "GET", url: target = "/" } = request
    requests.push(`${method} ${target}`)
    bodyOf(request).then(
      (content) => {
        const call = { method, url: new URL(target, "http://s3"), headers, body: content }
        const given = control.answer?.(method, target) ?? signatureFailure(call) ?? answer(call)
        response.writeHead(given.status, given.headers).end(given.body)
      },
      () => response.destroy()
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return Object.assign(control, {
    endpoint: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    uploads: () => [...uploads.keys()],
    store: (key: string, body: string) => {
      objects.set(key, Buffer.from(body))
    },
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
}
