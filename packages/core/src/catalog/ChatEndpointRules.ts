import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import {
  failIfFieldErrors,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  noFieldErrors,
  Messages
} from "../kernel/FieldErrors.js"
import { NO_SECRET_BOX, type Sealing } from "../access/SecretBox.js"
import type { OrganizationId } from "../kernel/Ids.js"
import { type ChatEndpoint, type ChatEndpointInput, MASKED, type OpenChatEndpoint, SealedHeader } from "./Agent.js"

const MAX_HEADERS = 20
const MAX_HEADER_VALUE = 4096
/** RFC 9110, section 5: a header's name is a token; its value holds visible characters, spaces and tabs. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** What the headers of an organization's chat endpoints are sealed for. */
export const headerPurpose = (organizationId: OrganizationId): string => `chat-endpoint/${organizationId}`

/** Seals header values of an organization. */
export const sealHeader =
  (sealing: Sealing, organizationId: OrganizationId) =>
  (value: Redacted.Redacted): SealedHeader =>
    SealedHeader.make(sealing.seal(headerPurpose(organizationId), value))

/** Opens the headers; none if the key that sealed one of them is missing. */
export const openChatEndpoint = (
  sealing: Option.Option<Sealing>,
  organizationId: OrganizationId,
  endpoint: ChatEndpoint
): Option.Option<OpenChatEndpoint> =>
  Option.map(
    Option.all(
      Object.entries(endpoint.headers).map(([name, sealed]) =>
        sealing.pipe(
          Option.flatMap((one) => one.open(headerPurpose(organizationId), sealed)),
          Option.map((value) => [name, value] as const)
        )
      )
    ),
    (headers) => ({ ...endpoint, headers: Object.fromEntries(headers) })
  )

/**
 * The chat endpoint to store. A header sent as `********` keeps the value that `kept` has for it, as long as the address
 * is still of the same origin: otherwise anyone who may change an agent could have its secrets sent to themselves.
 *
 * @param seal seals new values; undefined if the engine has no `SecretBox`: then a new value is a field error
 */
export const chatEndpointOf = (
  input: ChatEndpointInput,
  kept: ChatEndpoint | null,
  seal: Option.Option<(value: Redacted.Redacted) => SealedHeader>
): Either.Either<ChatEndpoint | null, FieldErrors> => {
  if (input === null) return Either.right(null)
  const names = Object.keys(input.headers)
  if (names.length > MAX_HEADERS) return Either.left(fieldError("chat_endpoint.headers", Messages.tooMany(MAX_HEADERS)))
  const sameOrigin = kept !== null && new URL(kept.url).origin === new URL(input.url).origin
  const keptHeaders = new Map(Object.entries(kept?.headers ?? {}))
  const headers = new Map<string, SealedHeader>()
  const errors = names.map((name) => {
    const value = input.headers[name]
    const path = `chat_endpoint.headers.${name}`
    if (!HEADER_NAME.test(name)) return fieldError("chat_endpoint.headers", Messages.notAChoice(name))
    if (typeof value !== "string") return fieldError(path, Messages.notAString)
    if (value.length > MAX_HEADER_VALUE) return fieldError(path, Messages.tooLong(MAX_HEADER_VALUE))
    if (!HEADER_VALUE.test(value)) return fieldError(path, "Enter a valid header value.")
    if (value !== MASKED && Option.isNone(seal)) return fieldError("chat_endpoint.headers", NO_SECRET_BOX)
    const secret =
      value === MASKED
        ? keptHeaders.get(name)
        : Option.getOrUndefined(Option.map(seal, (sealed) => sealed(Redacted.make(value))))
    if (secret === undefined) return fieldError(path, Messages.required)
    if (value === MASKED && !sameOrigin)
      return fieldError(path, "Enter the value again: the stored one belongs to another address.")
    headers.set(name, secret)
    return noFieldErrors
  })
  return failIfFieldErrors(mergeFieldErrors(...errors), () => ({
    url: input.url,
    kind: input.kind,
    headers: Object.fromEntries(headers)
  }))
}
