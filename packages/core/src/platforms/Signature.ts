/** Checks that a webhook comes from whoever knows the secret: over the raw bytes, in constant time. Pure. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { Platform } from "./Platform.js"

/** A request as it arrived. Header names are lower-case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Uint8Array
}

/** A valid signature: what identifies the request, so that it is not processed twice, and when it stops being valid. */
export interface ValidSignature {
  /**
   * The key is of the signed bytes: requests with one key have the same body, whichever of two secrets they are signed with.
   * Undefined for a secret in a header, which is the same in every request.
   */
  readonly replay: { readonly key: string; readonly expiresAt: number } | undefined
}

/** How far the time of a signature may be from now, in milliseconds. Source: each platform's documentation. */
export const WINDOWS = { provider_b: 300_000, provider_f: 1_800_000, standard: 300_000 } as const

/**
 * The signature of a request that is valid under one of some secrets at `now` (milliseconds since 1970); undefined without
 * one. `provider_a` sends the secret in `x-vapi-secret` or as a bearer token, `provider_b` signs in `x-retell-signature`,
 * `provider_f` in `elevenlabs-signature`. Requests with a `webhook-signature` are checked by Standard Webhooks, whatever
 * platform they are about.
 */
export const validSignature = (
  platform: Platform,
  secrets: ReadonlyArray<string>,
  request: SignedRequest,
  now: number
): ValidSignature | undefined => {
  const header = headerOf(request, "webhook-signature")
  if (header !== undefined) return standard(secrets, header, request, now)
  switch (platform) {
    case "provider_a":
      return inHeader(secrets, request)
    case "provider_b":
      return timed(
        /^v=(\d{1,16}),d=([0-9a-f]{64})$/i,
        "x-retell-signature",
        1,
        WINDOWS.provider_b,
        secrets,
        request,
        now,
        {
          prefix: () => "",
          suffix: (time) => time
        }
      )
    case "provider_f":
      return timed(
        /^t=(\d{1,13}),v0=([0-9a-f]{64})$/i,
        "elevenlabs-signature",
        1000,
        WINDOWS.provider_f,
        secrets,
        request,
        now,
        {
          prefix: (time) => `${time}.`,
          suffix: () => ""
        }
      )
    case "provider_d":
    case "provider_e":
      return undefined
  }
}

const SIGNATURE_HEADERS = [
  "webhook-signature",
  "x-retell-signature",
  "elevenlabs-signature",
  "x-vapi-secret",
  "authorization"
]

/** Whether a request has a header that may be a signature; without one its body need not be read. */
export const isSigned = (headers: SignedRequest["headers"]): boolean =>
  SIGNATURE_HEADERS.some((name) => headers[name] !== undefined)

/** Longer headers are no signature of any scheme. */
const MAX_HEADER = 2_000

const headerOf = ({ headers }: SignedRequest, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" && value !== "" && value.length <= MAX_HEADER ? value : undefined
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

const inHeader = (secrets: ReadonlyArray<string>, request: SignedRequest): ValidSignature | undefined => {
  const bearer = /^bearer +(\S+) *$/i.exec(headerOf(request, "authorization") ?? "")?.[1]
  const given = headerOf(request, "x-vapi-secret") ?? bearer
  if (given === undefined) return undefined
  const hashed = sha256(given)
  return secrets.some((secret) => timingSafeEqual(sha256(secret), hashed)) ? { replay: undefined } : undefined
}

const isWithin = (window: number, time: number, now: number): boolean => Math.abs(now - time) <= window

const isSame = (expected: Buffer, given: Buffer): boolean =>
  expected.length === given.length && timingSafeEqual(expected, given)

/** A header with a time and the hexadecimal HMAC-SHA256 of the body and that time. */
const timed = (
  form: RegExp,
  name: string,
  unit: number,
  window: number,
  secrets: ReadonlyArray<string>,
  request: SignedRequest,
  now: number,
  signed: { readonly prefix: (time: string) => string; readonly suffix: (time: string) => string }
): ValidSignature | undefined => {
  const header = headerOf(request, name)
  const [, time = "", digest = ""] = header === undefined ? [] : (form.exec(header.trim()) ?? [])
  const at = Number(time) * unit
  // Checked first: an old signature costs no hash of the body.
  if (digest === "" || !isWithin(window, at, now)) return undefined
  const given = Buffer.from(digest, "hex")
  const isValid = secrets.some((secret) =>
    isSame(
      createHmac("sha256", secret)
        .update(signed.prefix(time))
        .update(request.body)
        .update(signed.suffix(time))
        .digest(),
      given
    )
  )
  return isValid ? { replay: { key: digest.toLowerCase(), expiresAt: at + window } } : undefined
}

/** Standard Webhooks: HMAC-SHA256 in base64 of id, time and body. Source: standardwebhooks.com, specification 1.0. */
const standard = (
  secrets: ReadonlyArray<string>,
  signatures: string,
  request: SignedRequest,
  now: number
): ValidSignature | undefined => {
  const id = headerOf(request, "webhook-id")
  const time = headerOf(request, "webhook-timestamp")
  if (id === undefined || time === undefined || !/^\d{1,13}$/.test(time)) return undefined
  const at = Number(time) * 1000
  if (!isWithin(WINDOWS.standard, at, now)) return undefined
  const given = signatures
    .split(" ")
    .flatMap((one) => (one.startsWith("v1,") ? [Buffer.from(one.slice(3), "base64")] : []))
  const isValid = secrets.some((secret) => {
    const expected = createHmac("sha256", standardKey(secret)).update(`${id}.${time}.`).update(request.body).digest()
    return given.some((one) => isSame(expected, one))
  })
  if (!isValid) return undefined
  // Not one of the signatures: a request may have several, of which a repeated one could leave out the first.
  const key = createHash("sha256").update(`${id}.${time}.`).update(request.body).digest("hex")
  return { replay: { key, expiresAt: at + WINDOWS.standard } }
}

const STANDARD_PREFIX = "whsec_"

/** The bytes of a secret `whsec_BASE64`; any other text is the key itself. */
const standardKey = (secret: string): Buffer =>
  secret.startsWith(STANDARD_PREFIX) ? Buffer.from(secret.slice(STANDARD_PREFIX.length), "base64") : Buffer.from(secret)

/** A new secret, of 32 random bytes. */
export const printStandardSecret = (bytes: Uint8Array): string =>
  `${STANDARD_PREFIX}${Buffer.from(bytes).toString("base64")}`
