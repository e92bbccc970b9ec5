import type { ChatEndpoint } from "@earshot/core"
import { chatEndpointOf } from "../../src/catalog/ChatEndpointRules.js"
import { MASKED } from "@earshot/core"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const kept: ChatEndpoint = {
  url: "https://bot.example/v1/chat",
  kind: "openai",
  headers: { Authorization: Redacted.make("Bearer secret"), "X-Team": Redacted.make("blue") }
}

const input = (headers: Record<string, never> | Record<string, string | number>, url = kept.url) =>
  ({ url, kind: "openai", headers }) as const

const shown = (endpoint: Either.Either<ChatEndpoint | null, unknown>) =>
  Either.map(endpoint, (one) =>
    one === null
      ? null
      : Object.fromEntries(Object.entries(one.headers).map(([name, value]) => [name, Redacted.value(value)]))
  )

describe("a chat endpoint", () => {
  it("keeps the header values it is given", () => {
    expect(shown(chatEndpointOf(input({ "X-Team": "red", "X-Empty": "" }), kept))).toEqual(
      Either.right({ "X-Team": "red", "X-Empty": "" })
    )
    expect(chatEndpointOf(null, kept)).toEqual(Either.right(null))
  })

  it("keeps a concealed value at the same origin, whatever else of the address changes", () => {
    const concealed = { Authorization: MASKED, "X-Team": "red" }
    for (const url of [kept.url, "https://bot.example/v2?x=1", "HTTPS://BOT.example:443/"]) {
      expect(shown(chatEndpointOf(input(concealed, url), kept))).toEqual(
        Either.right({ Authorization: "Bearer secret", "X-Team": "red" })
      )
    }
  })

  it("gives a kept secret to no other origin", () => {
    for (const url of [
      "https://attacker.example/v1/chat",
      "http://bot.example/v1/chat",
      "https://bot.example:8443/",
      "https://bot.example.attacker.example/",
      "https://bot.example@attacker.example/"
    ]) {
      expect(chatEndpointOf(input({ Authorization: MASKED }, url), kept)).toMatchObject({
        left: { "chat_endpoint.headers.Authorization": [expect.stringContaining("another address")] }
      })
    }
  })

  it("asks for the value where none is kept", () => {
    const missing = { left: { "chat_endpoint.headers.X-New": ["This field is required."] } }
    expect(chatEndpointOf(input({ "X-New": MASKED }), kept)).toMatchObject(missing)
    expect(chatEndpointOf(input({ "X-New": MASKED }), null)).toMatchObject(missing)
    expect(chatEndpointOf(input({ constructor: MASKED }), kept)).toMatchObject({ _tag: "Left" })
  })

  it("takes nothing that could end a header, and reports every fault", () => {
    const faults = chatEndpointOf(
      input({ "X-A": "one\r\nX-B: two", "X C": "", "X-D": 4, "X-E": "\u0100", "X-F": "a".repeat(4097) }),
      null
    )
    expect(Object.keys(Either.getOrThrow(Either.flip(faults)))).toEqual([
      "chat_endpoint.headers.X-A",
      "chat_endpoint.headers",
      "chat_endpoint.headers.X-D",
      "chat_endpoint.headers.X-E",
      "chat_endpoint.headers.X-F"
    ])
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, value) => {
        const made = chatEndpointOf(input({ [name]: value }), null)
        if (Either.isRight(made)) expect(new Headers([[name, value]]).has(name)).toBe(true)
      })
    )
  })

  it("does not look at headers that are too many", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`no name ${n}`, 4]))
    expect(chatEndpointOf(input(many), null)).toMatchObject({
      left: { "chat_endpoint.headers": ["Ensure this field has no more than 20 elements."] }
    })
  })
})
