import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import {
  failIfFieldErrors,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  noFieldErrors,
  Messages
} from "../kernel/FieldErrors.js"
import { type ChatEndpoint, type ChatEndpointInput, MASKED } from "./Agent.js"

const MAX_HEADERS = 20
const MAX_HEADER_VALUE = 4096
/** RFC 9110, section 5: a header's name is a token; its value holds visible characters, spaces and tabs. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The chat endpoint to keep. A header sent as `********` keeps the value that `kept` has for it, as long as the address
 * is still of the same origin: otherwise whoever may change an agent could have its secrets sent to themselves.
 */
export const chatEndpointOf = (
  input: ChatEndpointInput,
  kept: ChatEndpoint | null
): Either.Either<ChatEndpoint | null, FieldErrors> => {
  if (input === null) return Either.right(null)
  const names = Object.keys(input.headers)
  if (names.length > MAX_HEADERS) return Either.left(fieldError("chat_endpoint.headers", Messages.tooMany(MAX_HEADERS)))
  const sameOrigin = kept !== null && new URL(kept.url).origin === new URL(input.url).origin
  const keptHeaders = new Map(Object.entries(kept?.headers ?? {}))
  const headers = new Map<string, Redacted.Redacted>()
  const faults = names.map((name) => {
    const value = input.headers[name]
    const path = `chat_endpoint.headers.${name}`
    if (!HEADER_NAME.test(name)) return fieldError("chat_endpoint.headers", Messages.notAChoice(name))
    if (typeof value !== "string") return fieldError(path, Messages.notAString)
    if (value.length > MAX_HEADER_VALUE) return fieldError(path, Messages.tooLong(MAX_HEADER_VALUE))
    if (!HEADER_VALUE.test(value)) return fieldError(path, "Enter a valid header value.")
    const secret = value === MASKED ? keptHeaders.get(name) : Redacted.make(value)
    if (secret === undefined) return fieldError(path, Messages.required)
    if (value === MASKED && !sameOrigin)
      return fieldError(path, "Give the value again: the kept one is for another address.")
    headers.set(name, secret)
    return noFieldErrors
  })
  return failIfFieldErrors(mergeFieldErrors(...faults), () => ({
    url: input.url,
    kind: input.kind,
    headers: Object.fromEntries(headers)
  }))
}
