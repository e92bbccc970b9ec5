/** Where agents are called: which addresses, headers and secrets an agent may have, and how their secrets are kept. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { NO_SECRET_BOX, type Sealing } from "../access/SecretBox.js"
import {
  failIfFieldErrors,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  noFieldErrors,
  Messages
} from "../kernel/FieldErrors.js"
import type { OrganizationId } from "../kernel/Ids.js"
import {
  type AgentEndpoints,
  type ChatEndpoint,
  type ChatEndpointInput,
  MASKED,
  MAX_SECRET,
  type OpenChatEndpoint,
  type OpenVoiceEndpoint,
  SealedValue,
  type VoiceEndpoint,
  type VoiceEndpointInput
} from "./Agent.js"

const MAX_HEADERS = 20
/** RFC 9110, section 5: a header's name is a token; its value holds visible characters, spaces and tabs. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** What an endpoint is for. Its secrets are sealed for that alone. */
export type EndpointKind = "chat" | "voice"

const purposeOf = (kind: EndpointKind, organizationId: OrganizationId): string => `${kind}-endpoint/${organizationId}`

/** Seals a secret of an endpoint. */
export type SealSecret = (kind: EndpointKind, value: Redacted.Redacted) => SealedValue

/** Seals secrets of an organization's endpoints. */
export const sealSecret =
  (sealing: Sealing, organizationId: OrganizationId): SealSecret =>
  (kind, value) =>
    SealedValue.make(sealing.seal(purposeOf(kind, organizationId), value))

type Open = (kind: EndpointKind, sealed: SealedValue) => Option.Option<Redacted.Redacted>

/** Opens secrets of an organization's endpoints; none if the key that sealed one is missing. */
export const openSecret =
  (sealing: Option.Option<Sealing>, organizationId: OrganizationId): Open =>
  (kind, sealed) =>
    Option.flatMap(sealing, (one) => one.open(purposeOf(kind, organizationId), sealed))

/** Why an endpoint cannot be called whose secrets do not open. */
export const keyMissing = (kind: EndpointKind): string =>
  `The secrets of the agent's ${kind} endpoint cannot be decrypted: the key that sealed them is missing. Set them again.`

const openHeaders = (open: Open, kind: EndpointKind, headers: Readonly<Record<string, SealedValue>>) =>
  Option.map(
    Option.all(
      Object.entries(headers).map(([name, sealed]) => Option.map(open(kind, sealed), (value) => [name, value] as const))
    ),
    (opened): Readonly<Record<string, Redacted.Redacted>> => Object.fromEntries(opened)
  )

/** Opens the headers; none if the key that sealed one of them is missing. */
export const openChatEndpoint = (open: Open, endpoint: ChatEndpoint): Option.Option<OpenChatEndpoint> =>
  Option.map(openHeaders(open, "chat", endpoint.headers), (headers) => ({ ...endpoint, headers }))

/** Opens the headers and the token; none if the key that sealed one of them is missing. */
export const openVoiceEndpoint = (open: Open, { authToken, headers, protocol, url }: VoiceEndpoint) =>
  Option.all({
    url: Option.some(url),
    protocol: Option.some(protocol),
    headers: openHeaders(open, "voice", headers),
    authToken: authToken === null ? Option.some(null) : open("voice", authToken)
  }) satisfies Option.Option<OpenVoiceEndpoint>

/** How the secrets of an endpoint that is sent are stored. */
interface Storing {
  readonly kind: EndpointKind
  readonly field: `${EndpointKind}_endpoint`
  /** Whether the stored endpoint is of the same origin. */
  readonly sameOrigin: boolean
  /** None if the engine has no `SecretBox`. */
  readonly seal: Option.Option<SealSecret>
}

const storingOf = (
  kind: EndpointKind,
  url: string,
  kept: { readonly url: string } | null,
  seal: Option.Option<SealSecret>
): Storing => ({
  kind,
  field: `${kind}_endpoint`,
  sameOrigin: kept !== null && new URL(kept.url).origin === new URL(url).origin,
  seal
})

/**
 * A secret as it is stored. Sent as `********` it keeps the value that is stored already, as long as the address is still of
 * the same origin: otherwise anyone who may change an agent could have its secrets sent to themselves.
 */
const sealedOf = (
  sent: string,
  kept: SealedValue | undefined,
  at: { readonly path: string; readonly withoutKey: string },
  { kind, sameOrigin, seal }: Storing
): Either.Either<SealedValue, FieldErrors> => {
  if (sent !== MASKED) {
    return Option.match(seal, {
      onNone: () => Either.left(fieldError(at.withoutKey, NO_SECRET_BOX)),
      onSome: (sealing) => Either.right(sealing(kind, Redacted.make(sent)))
    })
  }
  if (kept === undefined) return Either.left(fieldError(at.path, Messages.required))
  return sameOrigin
    ? Either.right(kept)
    : Either.left(fieldError(at.path, "Enter the value again: the stored one belongs to another address."))
}

const headersOf = (
  input: Readonly<Record<string, unknown>>,
  kept: Readonly<Record<string, SealedValue>>,
  storing: Storing
): Either.Either<Readonly<Record<string, SealedValue>>, FieldErrors> => {
  const names = Object.keys(input)
  const field = `${storing.field}.headers`
  if (names.length > MAX_HEADERS) return Either.left(fieldError(field, Messages.tooMany(MAX_HEADERS)))
  const keptHeaders = new Map(Object.entries(kept))
  const headers = new Map<string, SealedValue>()
  const errors = names.map((name) => {
    const value = input[name]
    const path = `${field}.${name}`
    if (!HEADER_NAME.test(name)) return fieldError(field, Messages.notAHeader(name))
    if (typeof value !== "string") return fieldError(path, Messages.notAString)
    if (value.length > MAX_SECRET) return fieldError(path, Messages.tooLong(MAX_SECRET))
    if (!HEADER_VALUE.test(value)) return fieldError(path, "Enter a valid header value.")
    return Either.match(sealedOf(value, keptHeaders.get(name), { path, withoutKey: field }, storing), {
      onLeft: (error) => error,
      onRight: (sealed) => {
        headers.set(name, sealed)
        return noFieldErrors
      }
    })
  })
  return failIfFieldErrors(mergeFieldErrors(...errors), () => Object.fromEntries(headers))
}

const chatEndpointOf = (
  input: ChatEndpointInput,
  kept: ChatEndpoint | null,
  seal: Option.Option<SealSecret>
): Either.Either<ChatEndpoint | null, FieldErrors> => {
  if (input === null) return Either.right(null)
  const { kind, url } = input
  const headers = headersOf(input.headers, kept?.headers ?? {}, storingOf("chat", url, kept, seal))
  return Either.map(headers, (sealed) => ({ url, kind, headers: sealed }))
}

const voiceEndpointOf = (
  input: VoiceEndpointInput,
  kept: VoiceEndpoint | null,
  seal: Option.Option<SealSecret>
): Either.Either<VoiceEndpoint | null, FieldErrors> => {
  if (input === null) return Either.right(null)
  const { auth_token: token, protocol, url } = input
  const storing = storingOf("voice", url, kept, seal)
  const path = "voice_endpoint.auth_token"
  const headers = headersOf(input.headers, kept?.headers ?? {}, storing)
  const authToken =
    token === null
      ? Either.right(null)
      : protocol === "twilio"
        ? sealedOf(token, kept?.authToken ?? undefined, { path, withoutKey: path }, storing)
        : Either.left(
            fieldError(path, "Only with the protocol twilio. Put credentials of other protocols into headers.")
          )
  return Either.isRight(headers) && Either.isRight(authToken)
    ? Either.right({ url, protocol, headers: headers.right, authToken: authToken.right })
    : Either.left(mergeFieldErrors(errorsOf(headers), errorsOf(authToken)))
}

const errorsOf = (either: Either.Either<unknown, FieldErrors>): FieldErrors =>
  Either.match(either, { onLeft: (errors) => errors, onRight: () => noFieldErrors })

/** Endpoints as they are sent; one left out is unchanged. */
export interface EndpointsInput {
  readonly chat_endpoint?: ChatEndpointInput | undefined
  readonly voice_endpoint?: VoiceEndpointInput | undefined
}

/**
 * The endpoints to store: see `sealedOf` for their secrets.
 *
 * @param seal seals new secrets; none if the engine has no `SecretBox`: then a new one is a field error
 */
export const endpointsOf = (
  input: EndpointsInput,
  kept: AgentEndpoints,
  seal: Option.Option<SealSecret>
): Either.Either<AgentEndpoints, FieldErrors> => {
  const chat =
    input.chat_endpoint === undefined
      ? Either.right(kept.chatEndpoint)
      : chatEndpointOf(input.chat_endpoint, kept.chatEndpoint, seal)
  const voice =
    input.voice_endpoint === undefined
      ? Either.right(kept.voiceEndpoint)
      : voiceEndpointOf(input.voice_endpoint, kept.voiceEndpoint, seal)
  return Either.isRight(chat) && Either.isRight(voice)
    ? Either.right({ chatEndpoint: chat.right, voiceEndpoint: voice.right })
    : Either.left(mergeFieldErrors(errorsOf(chat), errorsOf(voice)))
}

/** A secret of an endpoint with the purpose that it is sealed for. */
export interface EndpointSecret {
  readonly purpose: string
  readonly sealed: SealedValue
}

/** All secrets of an agent's endpoints. */
export const secretsOf = (
  { chatEndpoint, voiceEndpoint }: AgentEndpoints,
  organizationId: OrganizationId
): ReadonlyArray<EndpointSecret> => {
  const token = voiceEndpoint?.authToken ?? null
  const of = (kind: EndpointKind, all: ReadonlyArray<SealedValue>) =>
    all.map((sealed) => ({ purpose: purposeOf(kind, organizationId), sealed }))
  return [
    ...of("chat", Object.values(chatEndpoint?.headers ?? {})),
    ...of("voice", [...Object.values(voiceEndpoint?.headers ?? {}), ...(token === null ? [] : [token])])
  ]
}

/** The endpoints with each of their secrets replaced. */
export const mapSecrets = (
  { chatEndpoint, voiceEndpoint }: AgentEndpoints,
  replace: (sealed: SealedValue) => SealedValue
): AgentEndpoints => {
  const replaced = (headers: Readonly<Record<string, SealedValue>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, sealed]) => [name, replace(sealed)]))
  return {
    chatEndpoint: chatEndpoint && { ...chatEndpoint, headers: replaced(chatEndpoint.headers) },
    voiceEndpoint: voiceEndpoint && {
      ...voiceEndpoint,
      headers: replaced(voiceEndpoint.headers),
      authToken: voiceEndpoint.authToken && replace(voiceEndpoint.authToken)
    }
  }
}
