import { createHmac } from "node:crypto"
import * as Redacted from "effect/Redacted"
import type { OpenVoiceEndpoint } from "../../catalog/Agent.js"

/** Where an agent is called. */
export interface VoiceAddress {
  /** `ws:` or `wss:` */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const SIGNATURE = "X-Twilio-Signature"

/**
 * Where an agent is called, with the headers of its endpoint. With a token the request has Twilio's signature, the base64 form
 * of the HMAC-SHA1 of the URL as it is stored; it replaces a header of the same name.
 *
 * Source: https://www.twilio.com/docs/usage/security
 */
export const voiceAddressOf = ({ authToken, headers, url }: OpenVoiceEndpoint): VoiceAddress => {
  const opened = Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)] as const)
  if (authToken === null) return { url, headers: Object.fromEntries(opened) }
  const signature = createHmac("sha1", Redacted.value(authToken)).update(url).digest("base64")
  const others = opened.filter(([name]) => name.toLowerCase() !== SIGNATURE.toLowerCase())
  return { url, headers: { ...Object.fromEntries(others), [SIGNATURE]: signature } }
}
