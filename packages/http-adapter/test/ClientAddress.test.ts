import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeClientFinder, parseNetworks, type TrustProxy } from "../src/ClientAddress.js"

const PEER = "10.0.0.1"
const find = (trust: TrustProxy, headers: Record<string, string>, peer = PEER) => makeClientFinder(trust)(peer, headers)

describe("the client's address", () => {
  it("is the peer's, whatever headers say, unless a proxy is trusted", () => {
    const spoofed = { "x-forwarded-for": "198.51.100.1", forwarded: "for=198.51.100.1", "x-forwarded-proto": "https" }
    expect(find(false, spoofed)).toEqual({ address: PEER, isSecure: false })
    expect(find(["10.0.0.2"], spoofed)).toEqual({ address: PEER, isSecure: false })
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(find(false, { "x-forwarded-for": one, forwarded: other }).address).toBe(PEER)
      })
    )
  })

  it.each<[TrustProxy, string, string]>([
    [["10.0.0.0/8"], "198.51.100.7", "198.51.100.7"],
    // What the client sent before the first trusted proxy is not believed.
    [["10.0.0.0/8"], "203.0.113.9, 198.51.100.7", "198.51.100.7"],
    [["10.0.0.0/8"], "203.0.113.9, 198.51.100.7, 10.1.2.3", "198.51.100.7"],
    [["10.0.0.0/8", "2001:db8::/32"], "2001:db9::1, 2001:db8::7", "2001:db9::1"],
    [1, "203.0.113.9, 198.51.100.7", "198.51.100.7"],
    [2, "203.0.113.9, 198.51.100.7", "203.0.113.9"],
    [2, "198.51.100.7", "198.51.100.7"],
    [true, "203.0.113.9, 198.51.100.7", "203.0.113.9"],
    [1, "198.51.100.7:4711", "198.51.100.7"],
    [1, "[2001:db8::1]:4711", "2001:db8::1"],
    [1, "::ffff:198.51.100.7", "198.51.100.7"],
    [1, "unknown", PEER],
    [1, "", PEER]
  ])("is found with trustProxy %j in X-Forwarded-For: %s as %s", (trust, header, address) => {
    expect(find(trust, { "x-forwarded-for": header }).address).toBe(address)
  })

  it.each([
    ["for=198.51.100.7", "198.51.100.7"],
    ['for=203.0.113.9, For="[2001:db8::1]:4711";proto=https', "2001:db8::1"],
    ["for=_hidden", PEER],
    ["proto=https", PEER]
  ])("is found in Forwarded: %s as %s", (header, address) => {
    expect(find(1, { forwarded: header }).address).toBe(address)
  })

  it("is the proxy's if the two headers disagree, since a proxy passes on the one it does not set", () => {
    expect(find(1, { "x-forwarded-for": "198.51.100.7", forwarded: "for=203.0.113.9" }).address).toBe(PEER)
    expect(find(1, { "x-forwarded-for": "198.51.100.7", forwarded: "for=198.51.100.7" }).address).toBe("198.51.100.7")
  })

  it("is secure if a trusted proxy says that its client used HTTPS", () => {
    const headers = { "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "http, https" }
    expect(find(["10.0.0.0/8"], headers).isSecure).toBe(true)
    expect(find(["10.0.0.0/8"], { ...headers, "x-forwarded-proto": "https, http" }).isSecure).toBe(false)
    expect(find(["10.0.0.0/8"], { forwarded: "for=198.51.100.7;proto=https" }).isSecure).toBe(true)
  })

  it("takes addresses and networks of both families, and rejects anything else", () => {
    expect(parseNetworks(["10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32"])).toBeDefined()
    for (const invalid of ["proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", ""]) {
      expect([invalid, parseNetworks([invalid])]).toEqual([invalid, undefined])
    }
    expect(() => makeClientFinder(["proxy"])).toThrow("Invalid address or network")
  })
})
