/**
 * Opaque secrets: API keys, shareable links, browser sessions, sign-in links and keys of repositories that this
 * machine serves. A secret is a prefix of its
 * kind, 256 random bits and a checksum, in letters and digits only, so that a double click selects all of it and secret
 * scanners can find a leaked one.
 */
import * as Redacted from "effect/Redacted"
import { hash, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"

/** The kind of a secret, its first part: so one kind is never looked up as another. */
export type SecretPrefix = "ear_" | "earlink_" | "earcheckout_" | "earsession_" | "earsignin_"

/** Random bytes in a secret. */
export const SECRET_BYTES = 32

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const BODY_LENGTH = 43
const CHECKSUM_LENGTH = 6

const base62 = (number: bigint, length: number): string => {
  let digits = ""
  for (let rest = number; digits.length < length; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits
  return digits
}

/** In numbers, which cost a fifth of `bigint`s: it is computed of texts that anybody can send. */
const checksum = (text: string): string => {
  let digits = ""
  for (let rest = crc32(text); digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    digits = ALPHABET.charAt(rest % 62) + digits
  return digits
}

/** No secret of any kind is longer. */
export const MAX_SECRET_LENGTH = 64

/** Encodes 32 random bytes as a secret. */
export const printSecret = (prefix: SecretPrefix, bytes: Uint8Array): string => {
  const body = prefix + base62(BigInt(`0x${Buffer.from(bytes).toString("hex")}`), BODY_LENGTH)
  return body + checksum(body)
}

/** Whether a text has the form of a secret of this kind; otherwise it is rejected without a query. */
export const looksLikeSecret = (prefix: SecretPrefix, text: string): boolean => {
  if (text.length !== prefix.length + BODY_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return checksum(body) === text.slice(-CHECKSUM_LENGTH)
}

/**
 * What is stored of a secret: SHA-256 in hexadecimal. A slow password hash would add nothing, since
 * 2^256 secrets cannot be tried, and would slow down every request.
 */
export const hashSecret = (secret: string): string => hash("sha256", secret, "hex")

/** Compares two hashes in constant time. */
export const sameHash = (a: string, b: string): boolean => {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

/** A new secret, and what is stored of it. */
export interface MintedSecret {
  readonly secret: Redacted.Redacted
  readonly secretHash: string
  readonly hint: string
}

/** Makes a secret of 32 random bytes. */
export const mintSecret = (prefix: SecretPrefix, bytes: Uint8Array): MintedSecret => {
  const secret = printSecret(prefix, bytes)
  return { secret: Redacted.make(secret), secretHash: hashSecret(secret), hint: hintOf(prefix, secret) }
}

/** What is shown of a secret after it was issued: its prefix and last four characters. */
const hintOf = (prefix: SecretPrefix, secret: string): string => `${prefix}...${secret.slice(-4)}`
