import { randomBytes } from "node:crypto"
import { Agents, encodeAgent, SecretBox, Secrets, untrusted } from "@earshot/core"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

const makeKey = () => randomBytes(32).toString("base64")

const boxOf = (...keys: ReadonlyArray<string>) =>
  AesSecretBox.layer(Either.getOrThrow(AesSecretBox.parse(Redacted.make(keys.join(",")))))

const secret = "Bearer 8f14e45fceea167a"
const token = "c4ca4238a0b923820dcc"
const endpoint = (headers: Readonly<Record<string, string>>) => ({
  chat_endpoint: { url: "https://bot.example/chat", kind: "webhook", headers }
})
const voiceEndpoint = (headers: Readonly<Record<string, string>>, authToken: string | null) => ({
  voice_endpoint: { url: "wss://bot.example/media", headers, auth_token: authToken }
})

for (const database of TestEngine.databases) {
  describe(`secrets of endpoints on ${database}`, () => {
    it.scopedLive("are sealed in the database, masked in responses, and opened for the call", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const agents = yield* Agents
        const as = TestEngine.as(actor)
        const updated = yield* as(agents.update(agent.id, untrusted(endpoint({ Authorization: secret }))))
        expect(yield* TestEngine.dump).not.toContain("8f14e45fceea167a")
        expect(JSON.stringify(updated)).not.toContain("8f14e45fceea167a")
        // Other changes keep the sealed value.
        yield* as(agents.update(agent.id, untrusted({ name: "Renamed", ...endpoint({ Authorization: "********" }) })))
        const read = yield* as(agents.read(agent.id))
        expect(Option.getOrThrow(agents.openChatEndpoint(read)).headers).toEqual({
          Authorization: Redacted.make(secret)
        })
        expect(agents.openVoiceEndpoint(read)).toEqual(Option.none())
      }).pipe(Effect.provide(TestEngine.layer(database)))
    )

    it.scopedLive("are sealed, masked and opened for voice as well, with the token", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const agents = yield* Agents
        const as = TestEngine.as(actor)
        const update = (input: object) => as(agents.update(agent.id, untrusted(input)))
        yield* update({ ...voiceEndpoint({ Authorization: secret }, token), ...endpoint({}) })
        const dump = yield* TestEngine.dump
        expect(dump).not.toContain("8f14e45fceea167a")
        expect(dump).not.toContain(token)
        const updated = yield* update({ name: "Renamed", ...voiceEndpoint({}, "********") })
        expect(encodeAgent(updated).voice_endpoint).toEqual({
          url: "wss://bot.example/media",
          protocol: "twilio",
          headers: {},
          auth_token: "********"
        })
        const opened = Option.getOrThrow(agents.openVoiceEndpoint(yield* as(agents.read(agent.id))))
        expect(opened).toEqual({
          url: "wss://bot.example/media",
          protocol: "twilio",
          headers: {},
          authToken: Redacted.make(token)
        })
        expect((yield* update(voiceEndpoint({}, null))).voiceEndpoint?.authToken).toBeNull()
        expect((yield* update({ voice_endpoint: null })).voiceEndpoint).toBeNull()
      }).pipe(Effect.provide(TestEngine.layer(database)))
    )

    it.scopedLive("are rejected without a key, while an endpoint without headers is stored", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const agents = yield* Agents
        const as = TestEngine.as(actor)
        const failure = yield* Effect.flip(as(agents.update(agent.id, untrusted(endpoint({ Authorization: secret })))))
        expect(failure).toMatchObject({
          _tag: "ValidationFailed",
          errors: { "chat_endpoint.headers": [expect.stringContaining("EARSHOT_SECRET_KEYS")] }
        })
        const updated = yield* as(agents.update(agent.id, untrusted(endpoint({}))))
        expect(updated.chatEndpoint?.url).toBe("https://bot.example/chat")
        expect(Option.isSome(agents.openChatEndpoint(updated))).toBe(true)
      }).pipe(Effect.provide(TestEngine.layer(database, { secretBox: SecretBox.layerNone })))
    )

    it.scopedLive("are sealed anew when a key is replaced, with connections' secrets", () =>
      Effect.gen(function* () {
        const [old, current] = [makeKey(), makeKey()]
        const storage = yield* Layer.build(TestEngine.storage(database))
        const engineWith = (...keys: ReadonlyArray<string>) =>
          Layer.build(
            TestEngine.engine({ secretBox: boxOf(...keys) }).pipe(Layer.provide(Layer.succeedContext(storage)))
          )
        const first = yield* engineWith(old)
        const { actor, agent } = yield* Effect.provide(TestEngine.fixture, first)
        const as = TestEngine.as(actor)
        const voiced = yield* Effect.flatMap(Agents, (agents) =>
          Effect.gen(function* () {
            yield* as(agents.update(agent.id, untrusted(endpoint({ Authorization: secret, "X-Team": "red" }))))
            const draft = {
              name: "By voice alone",
              project: agent.projectId,
              ...voiceEndpoint({ "X-Team": "blue" }, token)
            }
            return yield* as(agents.create(untrusted(draft)))
          })
        ).pipe(Effect.provide(first))

        const both = yield* engineWith(current, old)
        const reseal = Effect.flatMap(Secrets, (secrets) => secrets.reseal)
        expect(yield* Effect.provide(reseal, both)).toEqual({ current: 0, older: 4, lost: [] })
        expect(yield* Effect.provide(reseal, both)).toEqual({ current: 4, older: 0, lost: [] })

        const opened = (engine: Context.Context<Layer.Layer.Success<ReturnType<typeof TestEngine.engine>>>) =>
          Effect.gen(function* () {
            const agents = yield* Agents
            return Option.map(agents.openChatEndpoint(yield* as(agents.read(agent.id))), ({ headers }) => headers)
          }).pipe(Effect.provide(engine))
        expect(yield* opened(yield* engineWith(current))).toEqual(
          Option.some({ Authorization: Redacted.make(secret), "X-Team": Redacted.make("red") })
        )
        expect(yield* opened(first)).toEqual(Option.none())
        const openedVoice = Effect.gen(function* () {
          const agents = yield* Agents
          return agents.openVoiceEndpoint(yield* as(agents.read(voiced.id)))
        })
        expect(yield* Effect.provide(openedVoice, yield* engineWith(current))).toEqual(
          Option.some({
            url: "wss://bot.example/media",
            protocol: "twilio",
            headers: { "X-Team": Redacted.make("blue") },
            authToken: Redacted.make(token)
          })
        )
        expect(yield* Effect.provide(openedVoice, first)).toEqual(Option.none())
        expect(yield* Effect.provide(reseal, yield* engineWith(makeKey()))).toEqual({
          current: 0,
          older: 0,
          lost: [
            { kind: "agent", id: agent.id },
            { kind: "agent", id: voiced.id }
          ]
        })
      })
    )
  })
}
