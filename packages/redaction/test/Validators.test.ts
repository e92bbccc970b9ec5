import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const { isAbaRouting, isCardNumber, isIban, isIpv4, isIpv6, isItin, isLuhn, isNpi, isSsn, isVin } = Redaction.Validators

describe("validators", () => {
  it("accept the examples of the standards", () => {
    expect(isCardNumber("4111111111111111")).toBe(true)
    expect(isCardNumber("378282246310005")).toBe(true)
    expect(isCardNumber("4111111111111112")).toBe(false)
    expect(isCardNumber("0000000000000000")).toBe(false)
    expect(isIban("GB82WEST12345698765432")).toBe(true)
    expect(isIban("de89370400440532013000")).toBe(true)
    expect(isIban("GB82WEST12345698765431")).toBe(false)
    expect(isAbaRouting("021000021")).toBe(true)
    expect(isAbaRouting("021000022")).toBe(false)
    expect(isVin("1HGCM82633A004352")).toBe(true)
    expect(isVin("1HGCM82633A004353")).toBe(false)
    expect(isNpi("1234567893")).toBe(true)
    expect(isNpi("1234567894")).toBe(false)
    expect(isSsn("078051120")).toBe(true)
    expect(["000123456", "666123456", "900123456", "123004567", "123450000"].some(isSsn)).toBe(false)
    expect(isItin("912501234")).toBe(true)
    expect(isIpv4("192.168.1.1")).toBe(true)
    expect(isIpv4("192.168.1.256")).toBe(false)
    expect(isIpv6("2001:db8::1")).toBe(true)
    expect(isIpv6("1:2:3")).toBe(false)
  })

  it("detect any single wrong digit of a card number", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{15}$/), fc.nat(15), fc.integer({ min: 1, max: 9 }), (body, at, by) => {
        const check = [..."0123456789"].find((digit) => isLuhn(body + digit))
        const right = body + (check ?? "")
        const wrong = right.slice(0, at) + String((Number(right[at]) + by) % 10) + right.slice(at + 1)
        return isLuhn(right) && !isLuhn(wrong)
      })
    )
  })
})
