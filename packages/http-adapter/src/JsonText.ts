import { isUtf8 } from "node:buffer"
import * as Either from "effect/Either"
import { messageErrors, type HttpResponseError } from "./ErrorResponses.js"
import type { HttpLimits } from "./Limits.js"

/** Texts up to this size are parsed before they are looked into: what they can blow up to is small. */
const PARSE_FIRST_BYTES = 64 * 1024

/**
 * A JSON text from outside, parsed. Nothing in it nests deeper than the limit, so whatever later walks the value may
 * recurse, and there are no more values than the limit, which bounds the memory that a text can blow up to.
 */
export const parseJson = (limits: HttpLimits, bytes: Buffer): Either.Either<unknown, HttpResponseError> => {
  if (!isUtf8(bytes)) return Either.left(messageErrors.malformedText)
  const isSmall = bytes.length <= PARSE_FIRST_BYTES
  if (!isSmall) {
    const excess = findExcess(limits, bytes)
    if (excess !== undefined) return Either.left(excess)
  }
  return Either.flatMap(
    Either.try({
      try: (): unknown => JSON.parse(withoutByteOrderMark(bytes)),
      catch: () => messageErrors.malformedJson
    }),
    (value) =>
      isSmall && isDeeperThan(limits.jsonDepth, value) ? Either.left(messageErrors.tooDeep) : Either.right(value)
  )
}

const withoutByteOrderMark = (bytes: Buffer): string =>
  bytes.toString("utf8", bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)

/** Whether a value nests deeper than a limit. It stops there, so it recurses no deeper itself. */
const isDeeperThan = (limit: number, value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (limit === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(limit - 1, item)) return true
    return false
  }
  for (const item of Object.values(value)) if (isDeeperThan(limit - 1, item)) return true
  return false
}

/** What is too much in a JSON text, found without parsing it. What stands in strings does not count. */
const findExcess = (limits: HttpLimits, json: Uint8Array): HttpResponseError | undefined => {
  let depth = 0
  let nodes = 1
  for (let i = 0; i < json.length; i++) {
    switch (json[i]) {
      case 0x22: // A string: skip to its closing quote.
        for (i++; i < json.length && json[i] !== 0x22; i++) if (json[i] === 0x5c) i++
        break
      case 0x5b:
      case 0x7b:
        nodes++
        if (++depth > limits.jsonDepth) return messageErrors.tooDeep
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
      case 0x2c:
        if (++nodes > limits.jsonNodes) return messageErrors.tooManyValues(limits.jsonNodes)
        break
      default:
    }
  }
  return undefined
}
