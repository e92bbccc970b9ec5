/** Who sends a request: its credentials, and the network it comes from. */
import { isIPv6 } from "node:net"
import type { Presented } from "@earshot/core"
import type { FastifyRequest } from "fastify"
import { sessionOf } from "./browserSession.js"

/**
 * The credentials of a request. An Authorization header with a scheme other than Bearer counts as none.
 *
 * @param isSecure whether its client is connected by TLS
 */
export const presentedCredentials = (request: FastifyRequest, isSecure: boolean): Presented => {
  const { headers } = request
  return {
    apiKey: nonEmptyHeader(headers["x-service-api-key"]),
    bearer: headers.authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(headers.authorization)?.[1],
    shareableLink: nonEmptyHeader(headers["x-shareable-link"]),
    session: sessionOf(request, isSecure)
  }
}

const nonEmptyHeader = (header: string | Array<string> | undefined): string | undefined =>
  typeof header === "string" && header !== "" ? header : undefined

/**
 * The key that failed authentication attempts are counted by: an IPv4 address, or the /64 network of an IPv6 address, since
 * one client usually has a whole /64.
 */
export const clientNetwork = (address: string): string => {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [before = [], after] = address.split("::").map((half) => (half === "" ? [] : half.split(":")))
  const zeros = after === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...(after ?? [])]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`
}
