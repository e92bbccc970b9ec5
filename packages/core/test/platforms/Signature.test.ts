import { Platforms } from "@earshot/core"
import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const NOW = 1_741_107_600_000
const SECRET = "the-secret-of-the-platform"
const body = Buffer.from('{"event":"call_ended"}')

const hmac = (secret: string | Buffer, ...parts: ReadonlyArray<string | Uint8Array>) => {
  const digest = createHmac("sha256", secret)
  for (const part of parts) digest.update(part)
  return digest
}

type Sign = (secret: string, at: number, content: Uint8Array) => Readonly<Record<string, string>>

const schemes: ReadonlyArray<readonly [string, Platforms.Platform, number, Sign]> = [
  [
    "x-retell-signature",
    "provider_b",
    Platforms.WINDOWS.provider_b,
    (secret, at, content) => ({
      "x-retell-signature": `v=${at},d=${hmac(secret, content, String(at)).digest("hex")}`
    })
  ],
  [
    "elevenlabs-signature",
    "provider_f",
    Platforms.WINDOWS.provider_f,
    (secret, at, content) => ({
      "elevenlabs-signature": `t=${at / 1000},v0=${hmac(secret, `${at / 1000}.`, content).digest("hex")}`
    })
  ],
  [
    "Standard Webhooks",
    "provider_e",
    Platforms.WINDOWS.standard,
    (secret, at, content) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(at / 1000),
      "webhook-signature": `v1,${hmac(secret, `msg_1.${at / 1000}.`, content).digest("base64")}`
    })
  ]
]

describe.each(schemes)("a signature by %s", (_, platform, window, sign) => {
  const check = (
    headers: Readonly<Record<string, string>>,
    content: Uint8Array = body,
    now = NOW,
    secrets = [SECRET]
  ) => Platforms.validSignature(platform, secrets, { headers, body: content }, now)

  it("is valid under the secret, and under either of two", () => {
    expect(check(sign(SECRET, NOW, body))?.replay?.expiresAt).toBe(NOW + window)
    expect(check(sign(SECRET, NOW, body), body, NOW, ["other", SECRET])).toBeDefined()
    expect(check(sign("other", NOW, body), body, NOW, ["other", SECRET])).toBeDefined()
  })

  it("is valid within its window and not beyond it", () => {
    for (const off of [0, window, -window]) expect(check(sign(SECRET, NOW + off, body))).toBeDefined()
    for (const off of [window + 1000, -window - 1000, 1e12])
      expect(check(sign(SECRET, NOW + off, body))).toBeUndefined()
  })

  it("is invalid under another secret, for another body or another time", () => {
    expect(check(sign("other", NOW, body))).toBeUndefined()
    expect(check(sign(SECRET, NOW, body), Buffer.from('{"event":"call_ended" }'))).toBeUndefined()
    const headers = Object.fromEntries(
      Object.entries(sign(SECRET, NOW, body)).map(([name, value]) => [
        name,
        value.replace(String(NOW), String(NOW + 1000)).replace(String(NOW / 1000), String(NOW / 1000 + 1))
      ])
    )
    expect(check(headers)).toBeUndefined()
  })

  it("is invalid with any bit of the body changed", () => {
    const headers = sign(SECRET, NOW, body)
    fc.assert(
      fc.property(fc.nat({ max: body.length * 8 - 1 }), (bit) => {
        const changed = Buffer.from(body)
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        return check(headers, changed) === undefined
      })
    )
  })

  it("is invalid for any other text in its headers", () => {
    const names = Object.keys(sign(SECRET, NOW, body))
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 100 }), { minLength: names.length, maxLength: names.length }),
        (texts) => {
          return check(Object.fromEntries(names.map((name, at) => [name, texts[at] ?? ""]))) === undefined
        }
      )
    )
    expect(check({})).toBeUndefined()
    expect(check(Object.fromEntries(names.map((name) => [name, "x".repeat(100_000)])))).toBeUndefined()
  })

  it("identifies the request, so that it is processed once", () => {
    expect(check(sign(SECRET, NOW, body))?.replay?.key).toBe(check(sign(SECRET, NOW, body))?.replay?.key)
    expect(check(sign(SECRET, NOW, body))?.replay?.key).not.toBe(check(sign(SECRET, NOW - 1000, body))?.replay?.key)
  })
})

describe("a secret in a header of provider_a", () => {
  const check = (headers: Readonly<Record<string, string>>) =>
    Platforms.validSignature("provider_a", [SECRET], { headers, body }, NOW)

  it("is valid in x-vapi-secret and as a bearer token", () => {
    expect(check({ "x-vapi-secret": SECRET })).toEqual({ replay: undefined })
    expect(check({ authorization: `Bearer ${SECRET}` })).toEqual({ replay: undefined })
  })

  it("is invalid when it differs or is missing", () => {
    expect(check({ "x-vapi-secret": `${SECRET} ` })).toBeUndefined()
    expect(check({ "x-vapi-secret": "" })).toBeUndefined()
    expect(check({ authorization: `Basic ${SECRET}` })).toBeUndefined()
    expect(check({})).toBeUndefined()
  })
})

describe("Standard Webhooks", () => {
  it("reads a secret with whsec_ as base64, as the specification's example has it", () => {
    // Source: standardwebhooks.com, the example of the specification.
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    const content = Buffer.from('{"test": 2432232314}')
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    }
    const check = (now: number) => Platforms.validSignature("provider_d", [secret], { headers, body: content }, now)
    expect(check(1_614_265_330_000)).toBeDefined()
    expect(check(1_614_265_330_000 + 301_000)).toBeUndefined()
  })
})
