import { type ChatEndpoint, SealedHeader } from "@earshot/core"
import { chatEndpointOf } from "../../src/catalog/ChatEndpointRules.js"
import { MASKED } from "@earshot/core"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codePoint } from "@earshot/test-kit"

const sealed = (value: string) => SealedHeader.make(`sealed:${value}`)

const chatEndpoint = (input: Parameters<typeof chatEndpointOf>[0], kept: ChatEndpoint | null) =>
  chatEndpointOf(
    input,
    kept,
    Option.some((value) => sealed(Redacted.value(value)))
  )

const kept: ChatEndpoint = {
  url: "https://bot.example/v1/chat",
  kind: "openai",
  headers: { Authorization: sealed("Bearer secret"), "X-Team": sealed("blue") }
}

const input = (headers: Record<string, never> | Record<string, string | number>, url = kept.url) =>
  ({ url, kind: "openai", headers }) as const

const shown = (endpoint: Either.Either<ChatEndpoint | null, unknown>) =>
  Either.map(endpoint, (one) =>
    one === null
      ? null
      : Object.fromEntries(Object.entries(one.headers).map(([name, value]) => [name, value.replace("sealed:", "")]))
  )

describe("a chat endpoint", () => {
  it("stores the header values it is given, sealed", () => {
    expect(shown(chatEndpoint(input({ "X-Team": "red", "X-Empty": "" }), kept))).toEqual(
      Either.right({ "X-Team": "red", "X-Empty": "" })
    )
    expect(chatEndpoint(null, kept)).toEqual(Either.right(null))
  })

  it("keeps a masked value at the same origin, whatever else of the URL changes", () => {
    const masked = { Authorization: MASKED, "X-Team": "red" }
    for (const url of [kept.url, "https://bot.example/v2?x=1", "HTTPS://BOT.example:443/"]) {
      expect(shown(chatEndpoint(input(masked, url), kept))).toEqual(
        Either.right({ Authorization: "Bearer secret", "X-Team": "red" })
      )
    }
  })

  it("rejects a masked value when the origin changes", () => {
    for (const url of [
      "https://attacker.example/v1/chat",
      "http://bot.example/v1/chat",
      "https://bot.example:8443/",
      "https://bot.example.attacker.example/",
      "https://bot.example@attacker.example/"
    ]) {
      expect(chatEndpoint(input({ Authorization: MASKED }, url), kept)).toMatchObject({
        left: { "chat_endpoint.headers.Authorization": [expect.stringContaining("another address")] }
      })
    }
  })

  it("requires the value of a masked header that is not stored", () => {
    const missing = { left: { "chat_endpoint.headers.X-New": ["This field is required."] } }
    expect(chatEndpoint(input({ "X-New": MASKED }), kept)).toMatchObject(missing)
    expect(chatEndpoint(input({ "X-New": MASKED }), null)).toMatchObject(missing)
    expect(chatEndpoint(input({ constructor: MASKED }), kept)).toMatchObject({ _tag: "Left" })
  })

  it("rejects values that could end a header, and reports every field error", () => {
    const errors = chatEndpoint(
      input({ "X-A": "one\r\nX-B: two", "X C": "", "X-D": 4, "X-E": "\u0100", "X-F": "a".repeat(4097) }),
      null
    )
    expect(Object.keys(Either.getOrThrow(Either.flip(errors)))).toEqual([
      "chat_endpoint.headers.X-A",
      "chat_endpoint.headers",
      "chat_endpoint.headers.X-D",
      "chat_endpoint.headers.X-E",
      "chat_endpoint.headers.X-F"
    ])
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (name, value) => {
        const made = chatEndpoint(input({ [name]: value }), null)
        if (Either.isRight(made)) expect(new Headers([[name, value]]).has(name)).toBe(true)
      })
    )
  })

  it("rejects a new header value where no key seals it, and needs none where no value is new", () => {
    expect(chatEndpointOf(input({ "X-Team": "red" }), null, Option.none())).toMatchObject({
      left: { "chat_endpoint.headers": [expect.stringContaining("EARSHOT_SECRET_KEYS")] }
    })
    expect(Either.isRight(chatEndpointOf(input({}), null, Option.none()))).toBe(true)
    expect(chatEndpointOf(input({ Authorization: MASKED }), kept, Option.none())).toEqual(
      Either.right({ ...kept, headers: { Authorization: sealed("Bearer secret") } })
    )
  })

  it("rejects too many headers without validating each", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`no name ${n}`, 4]))
    expect(chatEndpoint(input(many), null)).toMatchObject({
      left: { "chat_endpoint.headers": ["Ensure this field has no more than 20 elements."] }
    })
  })
})
