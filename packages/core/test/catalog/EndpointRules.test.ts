import {
  type AgentEndpoints,
  type ChatEndpoint,
  MASKED,
  OrganizationId,
  SealedValue,
  type VoiceEndpoint
} from "@earshot/core"
import {
  type EndpointKind,
  endpointsOf,
  type EndpointsInput,
  mapSecrets,
  type SealSecret,
  secretsOf
} from "../../src/catalog/EndpointRules.js"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codePoint } from "@earshot/test-kit"

const sealed = (value: string) => SealedValue.make(`sealed:${value}`)

const sealing: SealSecret = (_, value) => sealed(Redacted.value(value))

const chatEndpoint = (
  chat: NonNullable<EndpointsInput["chat_endpoint"]> | null,
  known: ChatEndpoint | null,
  seal: Option.Option<SealSecret> = Option.some(sealing)
) =>
  Either.map(
    endpointsOf({ chat_endpoint: chat }, { chatEndpoint: known, voiceEndpoint: null }, seal),
    (endpoints) => endpoints.chatEndpoint
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
    expect(chatEndpoint(input({ "X-Team": "red" }), null, Option.none())).toMatchObject({
      left: { "chat_endpoint.headers": [expect.stringContaining("EARSHOT_SECRET_KEYS")] }
    })
    expect(Either.isRight(chatEndpoint(input({}), null, Option.none()))).toBe(true)
    expect(chatEndpoint(input({ Authorization: MASKED }), kept, Option.none())).toEqual(
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

describe("a voice endpoint", () => {
  const stored: VoiceEndpoint = {
    url: "wss://bot.example/media",
    protocol: "twilio",
    headers: { Authorization: sealed("Bearer secret") },
    authToken: sealed("token")
  }
  const sent = (changes: Partial<NonNullable<EndpointsInput["voice_endpoint"]>> = {}) => ({
    url: stored.url,
    protocol: "twilio" as const,
    headers: {},
    auth_token: null,
    ...changes
  })
  const voiceEndpoint = (
    voice: EndpointsInput["voice_endpoint"],
    known: VoiceEndpoint | null,
    seal: Option.Option<SealSecret> = Option.some(sealing)
  ) => endpointsOf({ voice_endpoint: voice }, { chatEndpoint: kept, voiceEndpoint: known }, seal)

  it("has its secrets sealed for voice, and leaves the chat endpoint as it is", () => {
    const kinds: Array<EndpointKind> = []
    const made = voiceEndpoint(
      sent({ headers: { "X-Team": "red" }, auth_token: "new" }),
      stored,
      Option.some((kind, value) => {
        kinds.push(kind)
        return sealing(kind, value)
      })
    )
    expect(made).toEqual(
      Either.right({
        chatEndpoint: kept,
        voiceEndpoint: {
          url: stored.url,
          protocol: "twilio",
          headers: { "X-Team": sealed("red") },
          authToken: sealed("new")
        }
      })
    )
    expect(kinds).toEqual(["voice", "voice"])
    expect(voiceEndpoint(null, stored)).toEqual(Either.right({ chatEndpoint: kept, voiceEndpoint: null }))
    expect(voiceEndpoint(undefined, stored)).toEqual(Either.right({ chatEndpoint: kept, voiceEndpoint: stored }))
  })

  it("keeps a masked token at the same origin alone", () => {
    expect(voiceEndpoint(sent({ url: "wss://BOT.example:443/other", auth_token: MASKED }), stored)).toMatchObject({
      right: { voiceEndpoint: { authToken: sealed("token") } }
    })
    for (const url of ["ws://bot.example/media", "wss://attacker.example/media", "wss://bot.example:444/media"]) {
      expect(voiceEndpoint(sent({ url, auth_token: MASKED }), stored)).toEqual(
        Either.left({
          "voice_endpoint.auth_token": ["Enter the value again: the stored one belongs to another address."]
        })
      )
    }
    expect(voiceEndpoint(sent({ auth_token: MASKED }), { ...stored, authToken: null })).toEqual(
      Either.left({ "voice_endpoint.auth_token": ["This field is required."] })
    )
  })

  it("has a token only in the protocol whose requests are signed", () => {
    expect(voiceEndpoint(sent({ protocol: "pipecat", auth_token: "t" }), stored)).toEqual(
      Either.left({
        "voice_endpoint.auth_token": ["Only with the protocol twilio. Put credentials of other protocols into headers."]
      })
    )
    expect(voiceEndpoint(sent({ protocol: "elevenlabs", headers: { "xi-api-key": "k" } }), stored)).toMatchObject({
      right: { voiceEndpoint: { protocol: "elevenlabs", authToken: null } }
    })
  })

  it("is rejected with every error of its headers and its token, where no key seals them", () => {
    const errors = voiceEndpoint(sent({ headers: { "X-A": "a" }, auth_token: "t" }), null, Option.none())
    expect(Object.keys(Either.getOrThrow(Either.flip(errors)))).toEqual([
      "voice_endpoint.headers",
      "voice_endpoint.auth_token"
    ])
  })

  it("has each of its secrets sealed anew, and those of the chat endpoint", () => {
    const both: AgentEndpoints = { chatEndpoint: kept, voiceEndpoint: stored }
    expect(secretsOf(both, OrganizationId.make(7))).toEqual([
      { purpose: "chat-endpoint/7", sealed: sealed("Bearer secret") },
      { purpose: "chat-endpoint/7", sealed: sealed("blue") },
      { purpose: "voice-endpoint/7", sealed: sealed("Bearer secret") },
      { purpose: "voice-endpoint/7", sealed: sealed("token") }
    ])
    const anew = mapSecrets(both, (old) => SealedValue.make(`anew:${old}`))
    expect(secretsOf(anew, OrganizationId.make(7)).map((one) => one.sealed)).toEqual(
      secretsOf(both, OrganizationId.make(7)).map((one) => `anew:${one.sealed}`)
    )
    expect(mapSecrets({ chatEndpoint: null, voiceEndpoint: { ...stored, authToken: null } }, (old) => old)).toEqual({
      chatEndpoint: null,
      voiceEndpoint: { ...stored, authToken: null }
    })
    expect(secretsOf({ chatEndpoint: null, voiceEndpoint: null }, OrganizationId.make(7))).toEqual([])
  })
})

/** Addresses with the origin of each; those of one origin are written differently. */
const ADDRESSES: ReadonlyArray<readonly [url: string, origin: number]> = [
  ["wss://bot.example/media", 1],
  ["WSS://BOT.example:443/other?x=1", 1],
  ["ws://bot.example/media", 2],
  ["wss://bot.example:444/media", 3],
  ["wss://bot.example.attacker.example/media", 4],
  ["wss://bot.example@attacker.example/media", 5]
]

describe("the secrets of endpoints", () => {
  const address = fc.constantFrom(...ADDRESSES)
  const names = ["A", "B", "constructor", "__proto__"]
  const secrets = fc.dictionary(fc.constantFrom(...names), fc.constantFrom("one", "two", ""))
  const sent = fc.dictionary(fc.constantFrom(...names), fc.constantFrom("one", "three", MASKED))
  const token = fc.constantFrom(null, "token", MASKED)

  it("are those that were sent, and masked ones those that are stored for the same origin, or the endpoint is rejected", () => {
    fc.assert(
      fc.property(
        fc.option(fc.tuple(address, secrets, fc.constantFrom(null, "kept"))),
        address,
        sent,
        token,
        fc.boolean(),
        (stored, [url, origin], headers, auth_token, hasKey) => {
          const known: VoiceEndpoint | null =
            stored === null
              ? null
              : {
                  url: stored[0][0],
                  protocol: "twilio",
                  headers: Object.fromEntries(Object.entries(stored[1]).map(([name, value]) => [name, sealed(value)])),
                  authToken: stored[2] === null ? null : sealed(stored[2])
                }
          const expected = (value: string, old: string | null | undefined): string | undefined =>
            value !== MASKED
              ? hasKey
                ? sealed(value)
                : undefined
              : stored?.[0][1] === origin && old !== null && old !== undefined
                ? sealed(old)
                : undefined
          const ofHeaders = Object.entries(headers).map(
            ([name, value]) => [name, expected(value, new Map(Object.entries(stored?.[1] ?? {})).get(name))] as const
          )
          const ofToken = auth_token === null ? null : expected(auth_token, stored?.[2])
          const made = endpointsOf(
            { voice_endpoint: { url, protocol: "twilio", headers, auth_token } },
            { chatEndpoint: kept, voiceEndpoint: known },
            hasKey ? Option.some(sealing) : Option.none()
          )
          if (ofToken === undefined || ofHeaders.some(([, value]) => value === undefined)) {
            expect(Either.isLeft(made)).toBe(true)
          } else {
            expect(made).toEqual(
              Either.right({
                chatEndpoint: kept,
                voiceEndpoint: { url, protocol: "twilio", headers: Object.fromEntries(ofHeaders), authToken: ofToken }
              })
            )
          }
        }
      ),
      { numRuns: 1000 }
    )
  })
})
