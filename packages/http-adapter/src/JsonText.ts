import { isUtf8 } from "node:buffer"
import * as Either from "effect/Either"
import { messageErrors, type HttpResponseError } from "./ErrorResponses.js"
import type { HttpLimits } from "./Limits.js"

/** Texts up to this size are parsed before they are checked, since the values they can expand to are few. */
const PARSE_FIRST_BYTES = 64 * 1024

/**
 * Parses an untrusted JSON text. Limits its depth, so that code that handles the value may recurse, and the number of its
 * values, which bounds the memory it can expand to.
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

/** Whether a value is nested deeper than a limit. Recurses no deeper than the limit. */
const isDeeperThan = (limit: number, value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (limit === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(limit - 1, item)) return true
    return false
  }
  // A parsed object inherits nothing that is enumerable; a list of its values would be garbage for every object of a body.
  for (const key in value) if (isDeeperThan(limit - 1, Reflect.get(value, key))) return true
  return false
}

/** Checks depth and number of values of a JSON text without parsing it. */
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
