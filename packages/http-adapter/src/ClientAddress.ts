/** Which address a request comes from, and whether its client uses TLS, behind proxies that are trusted or not. */
import type { IncomingHttpHeaders } from "node:http"
import { BlockList, isIP, isIPv6 } from "node:net"

/**
 * Whose `X-Forwarded-For` or `Forwarded` is trusted: nobody's, every peer's, the last so many proxies', or that of these
 * addresses and networks (CIDR).
 */
export type TrustProxy = boolean | number | ReadonlyArray<string>

export interface Client {
  readonly address: string
  /** Whether the client reached a trusted proxy by HTTPS. */
  readonly isSecure: boolean
}

/** The addresses and networks of a setting; undefined if one of them is neither. */
export const parseNetworks = (networks: ReadonlyArray<string>): BlockList | undefined => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = "", prefix] = network.split("/")
    const family = isIP(address)
    const bits = family === 6 ? 128 : 32
    if (family === 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)))
      return undefined
    list.addSubnet(address, prefix === undefined ? bits : Number(prefix), family === 6 ? "ipv6" : "ipv4")
  }
  return list
}

/** An IPv4 address that arrives on an IPv6 socket is `::ffff:1.2.3.4`. */
const plainAddress = (address: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address

const headerText = (header: string | Array<string> | undefined): string =>
  header === undefined ? "" : typeof header === "string" ? header : header.join(",")

/** The elements of the header `Forwarded`. Source: RFC 7239, section 4; a quoted value may have a port and brackets. */
const forwardedElements = (header: string): ReadonlyArray<ReadonlyMap<string, string>> =>
  header === ""
    ? []
    : header.split(",").map(
        (element) =>
          new Map(
            element.split(";").map((pair) => {
              const [name = "", value = ""] = pair.split("=", 2)
              return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")] as const
            })
          )
      )

/** An address without its port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text

/**
 * The addresses that proxies have noted, the client's first. Proxies usually set one of the two headers and pass the other
 * one on as the client sent it: when they disagree, neither is used.
 */
const notedAddresses = (headers: IncomingHttpHeaders): ReadonlyArray<string> => {
  const plain = headerText(headers["x-forwarded-for"])
  const listed = plain === "" ? [] : plain.split(",").map((one) => withoutPort(one.trim()))
  const elements = forwardedElements(headerText(headers.forwarded)).map((one) => withoutPort(one.get("for") ?? ""))
  if (listed.length === 0 || elements.length === 0) return listed.length === 0 ? elements : listed
  return listed.length === elements.length && listed.every((one, at) => one === elements[at]) ? listed : []
}

const isForwardedSecure = (headers: IncomingHttpHeaders): boolean => {
  const plain = headerText(headers["x-forwarded-proto"])
  const protocol =
    plain === "" ? forwardedElements(headerText(headers.forwarded)).at(-1)?.get("proto") : plain.split(",").at(-1)
  return protocol?.trim().toLowerCase() === "https"
}

/** Finds the client of a request from its peer's address and its headers. Nothing is believed unless the peer is trusted. */
export const makeClientFinder = (
  trust: TrustProxy
): ((peer: string | undefined, headers: IncomingHttpHeaders) => Client) => {
  const networks = typeof trust === "object" ? parseNetworks(trust) : undefined
  if (typeof trust === "object" && networks === undefined) {
    throw new TypeError(`Invalid address or network in trustProxy: ${trust.join(", ")}`)
  }
  const isTrusted = (address: string, hop: number): boolean =>
    typeof trust === "boolean"
      ? trust
      : typeof trust === "number"
        ? hop < trust
        : networks?.check(address, isIPv6(address) ? "ipv6" : "ipv4") === true

  return (peer, headers) => {
    let address = plainAddress(peer ?? "")
    if (trust === false || !isTrusted(address, 0)) return { address, isSecure: false }
    const noted = notedAddresses(headers)
    for (let hop = 0; hop < noted.length && isTrusted(address, hop); hop++) {
      const before = plainAddress(noted[noted.length - 1 - hop] ?? "")
      // An obfuscated identifier, or anything else that a client may have sent.
      if (isIP(before) === 0) break
      address = before
    }
    return { address, isSecure: isForwardedSecure(headers) }
  }
}
