import { createHmac } from "node:crypto"
import { Agents, encodeAgent, type Permission, SecretBox, Voice, VoiceChecks } from "@earshot/core"
import { TestEngine, VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const URL = "wss://agent.example/media"
const endpoint = { url: URL, auth_token: "12345", headers: { Authorization: "Bearer secret" } }

/** Connections that complete when they are let, and the addresses that were called. */
const waitingConnections = Effect.gen(function* () {
  const called = yield* Deferred.make<Voice.VoiceAddress>()
  const open = yield* Deferred.make<undefined>()
  const agent = VoiceKit.scriptedConnection([{ does: "say", text: "Good morning to you" }])
  return {
    called,
    open,
    layer: Layer.succeed(Voice.VoiceConnections, {
      connect: (address) =>
        Deferred.succeed(called, address).pipe(
          Effect.zipRight(Deferred.await(open)),
          Effect.zipRight(Effect.map(agent, ({ connection }) => connection))
        )
    })
  }
})

for (const database of TestEngine.databases) {
  describe(`checks of voice endpoints on ${database}`, () => {
    it.scopedLive("call the agent with its secrets, one at a time in an organization", () =>
      Effect.gen(function* () {
        const { called, layer, open } = yield* waitingConnections
        const spoken: Array<string> = []
        const textToSpeech = Layer.succeed(Voice.TextToSpeech, {
          identity: "silence",
          speak: ({ text }) =>
            Stream.sync(() => {
              spoken.push(text)
              return Voice.silenceOf(800)
            })
        })
        yield* Effect.gen(function* () {
          const [{ actor, agent }, other] = [yield* TestEngine.fixture, yield* TestEngine.fixture]
          const [agents, checks] = yield* Effect.all([Agents, VoiceChecks])
          const as = TestEngine.as(actor)
          yield* as(agents.update(agent.id, { voice_endpoint: endpoint }))
          const first = yield* Effect.fork(as(checks.check(agent.id)))
          expect(yield* Deferred.await(called)).toEqual({
            url: URL,
            headers: {
              Authorization: "Bearer secret",
              "X-Twilio-Signature": createHmac("sha1", "12345").update(URL).digest("base64")
            }
          })
          expect(yield* Effect.flip(as(checks.check(agent.id)))).toMatchObject({ _tag: "VoiceCheckInProgress" })
          const asOther = TestEngine.as(other.actor)
          yield* asOther(agents.update(other.agent.id, { voice_endpoint: { url: URL } }))
          const elsewhere = yield* Effect.fork(asOther(checks.check(other.agent.id)))
          yield* Deferred.succeed(open, undefined)
          expect(yield* Fiber.join(first)).toMatchObject({ agentId: agent.id, ok: true, problem: null })
          expect(yield* Fiber.join(elsewhere)).toMatchObject({ agentId: other.agent.id, ok: true })
          // A check that is interrupted does not keep others from starting.
          const interrupted = yield* Effect.fork(as(checks.check(agent.id)))
          yield* Effect.yieldNow()
          yield* Fiber.interrupt(interrupted)
          expect(yield* as(checks.check(agent.id))).toMatchObject({ ok: true })
          // Before the call: an agent that waits for the caller is greeted at once.
          expect(new Set(spoken)).toEqual(new Set(["Hello?"]))
        }).pipe(Effect.provide(TestEngine.layer(database, { voiceConnections: layer, textToSpeech })))
      })
    )

    it.scopedLive(
      "need an endpoint whose secrets open, of the caller's organization, and the permission to write",
      () =>
        Effect.gen(function* () {
          const storage = yield* Layer.build(TestEngine.storage(database))
          const on = (ports: Parameters<typeof TestEngine.engine>[0]) =>
            TestEngine.engine({
              ...ports,
              voiceConnections: Layer.succeed(Voice.VoiceConnections, { connect: () => Effect.dieMessage("called") })
            }).pipe(Layer.provide(Layer.succeedContext(storage)))
          const { actor, agent } = yield* Effect.gen(function* () {
            const [mine, other] = [yield* TestEngine.fixture, yield* TestEngine.fixture]
            const [agents, checks] = yield* Effect.all([Agents, VoiceChecks])
            const as = TestEngine.as(mine.actor)
            const failed = (actor: typeof mine.actor) => Effect.flip(TestEngine.as(actor)(checks.check(mine.agent.id)))
            expect(yield* failed(mine.actor)).toMatchObject({
              errors: { voice_endpoint: ["The agent has no voice endpoint: set it first."] }
            })
            expect(encodeAgent(yield* as(agents.update(mine.agent.id, { voice_endpoint: endpoint })))).toMatchObject({
              voice_endpoint: { auth_token: "********" }
            })
            expect(yield* failed(other.actor)).toMatchObject({ _tag: "NotFound" })
            const reading = new Set<Permission>(["catalog:read", "results:write"])
            expect(yield* failed({ ...mine.actor, permissions: reading })).toMatchObject({ _tag: "Forbidden" })
            return mine
          }).pipe(Effect.provide(on({})))
          yield* Effect.gen(function* () {
            const checks = yield* VoiceChecks
            expect(yield* Effect.flip(TestEngine.as(actor)(checks.check(agent.id)))).toMatchObject({
              errors: { voice_endpoint: [expect.stringContaining("the key that sealed them is missing")] }
            })
          }).pipe(Effect.provide(on({ secretBox: SecretBox.layerNone })))
        })
    )
  })
}
