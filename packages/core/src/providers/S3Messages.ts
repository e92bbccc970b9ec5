/**
 * The messages of the S3 API that a blob store exchanges. Source: Amazon S3 API reference, 2006-03-01. The documents are
 * flat, without attributes besides the namespace, so that elements are found by their names.
 */
import * as Either from "effect/Either"

/** Where blobs are in a bucket. */
export interface S3Location {
  readonly bucket: string
  /** What keys begin with: empty, or names that each end with a slash. */
  readonly prefix: string
}

/** Characters that every server accepts in keys and that no encoding changes. */
const PREFIX = /^(?:[\w.-]{1,100}\/)*$/

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

export const isS3Url = (text: string): boolean => text.startsWith("s3://")

/** Reads `s3://bucket` or `s3://bucket/prefix`; the left is what is wrong with it. */
export const parseS3Url = (text: string): Either.Either<S3Location, string> => {
  const [bucket = "", ...names] = text.slice("s3://".length).replace(/\/$/, "").split("/")
  const prefix = names.map((name) => `${name}/`).join("")
  if (!isS3Url(text) || !BUCKET.test(bucket)) {
    return Either.left(`"${text}" does not name a bucket. Give s3://BUCKET or s3://BUCKET/PREFIX.`)
  }
  if (!PREFIX.test(prefix) || names.some((name) => name === "." || name === "..")) {
    return Either.left(`"${text}" has an invalid prefix. Use letters, digits, ".", "_", "-" and "/".`)
  }
  return Either.right({ bucket, prefix })
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name)] ?? whole
    const point = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
    return point <= 0x10_ffff ? String.fromCodePoint(point) : whole
  })

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** The text of the first element of a name. */
export const textOf = (xml: string, name: string): string | undefined => {
  const open = xml.indexOf(`<${name}>`)
  const close = xml.indexOf(`</${name}>`, open)
  return open < 0 || close < 0 ? undefined : decoded(xml.slice(open + name.length + 2, close))
}

/** The contents of every element of a name, in order. */
const elementsOf = (xml: string, name: string): ReadonlyArray<string> =>
  xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => rest.slice(0, Math.max(0, rest.indexOf(`</${name}>`))))

const isTruncated = (xml: string): boolean => textOf(xml, "IsTruncated") === "true"

/** A response of ListObjectsV2. */
export const listedObjects = (xml: string) => ({
  objects: elementsOf(xml, "Contents").map((object) => ({
    key: textOf(object, "Key") ?? "",
    sizeBytes: Number(textOf(object, "Size") ?? 0)
  })),
  /** Where the next page begins, if there is one. */
  next: isTruncated(xml) ? textOf(xml, "NextContinuationToken") : undefined
})

/** A response of ListMultipartUploads. */
export const listedUploads = (xml: string) => {
  const uploads = elementsOf(xml, "Upload").map((upload) => ({
    key: textOf(upload, "Key") ?? "",
    id: textOf(upload, "UploadId") ?? "",
    /** Epoch milliseconds; NaN if the server does not tell. */
    began: Date.parse(textOf(upload, "Initiated") ?? "")
  }))
  const key = textOf(xml, "NextKeyMarker") ?? ""
  return {
    uploads,
    next: isTruncated(xml) && key !== "" ? { key, id: textOf(xml, "NextUploadIdMarker") ?? "" } : undefined
  }
}

/** The body of CompleteMultipartUpload: the entity tags of the parts, from the first. */
export const completion = (tags: ReadonlyArray<string>): string =>
  `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${tags
    .map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`)
    .join("")}</CompleteMultipartUpload>`

/** The code of an error document, such as `NoSuchKey`; also of one that comes with status 200, as CompleteMultipartUpload may send. */
export const errorCodeOf = (xml: string): string | undefined => {
  const error = xml.indexOf("<Error>")
  const code = error < 0 ? undefined : textOf(xml.slice(error), "Code")
  return code !== undefined && /^\w{1,100}$/.test(code) ? code : undefined
}
