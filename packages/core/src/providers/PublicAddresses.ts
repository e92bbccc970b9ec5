/** Which addresses may be requested when the URL came from outside. */
import * as dns from "node:dns"
import type { LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"

/** Public by its range, but Azure's address for services of the virtual machine itself. */
const NOT_PUBLIC = new Set(["168.63.129.16"])

/** IPv4 addresses in the deprecated compatible notation of IPv6 (RFC 4291, 2.5.5.1), which the ranges below do not name. */
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR("::/96")

/**
 * Whether an address is one of the public internet. Every other range is excluded: private, loopback, link-local,
 * unspecified, multicast, carrier-grade NAT, and the notations that contain an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address) || NOT_PUBLIC.has(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === "unicast" && !(parsed instanceof ipaddr.IPv6 && parsed.match(IPV4_COMPATIBLE))
}

/** The error of a lookup whose name resolves to an address that is not public. */
export class AddressNotPublic extends Error {}

/** Resolves a name, and fails when any of its addresses is not public; the socket connects to what it returns. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, "")
      return
    }
    const first = addresses[0]
    if (first === undefined || !addresses.every(({ address }) => isPublic(address)))
      callback(new AddressNotPublic(), "")
    else if (options.all === true) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
