import { AgentId, Voice } from "@earshot/core"
import { connectionFailure } from "@earshot/core/providers/WebSocketVoiceConnections"
import { Properties, VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"

const ids = Voice.streamIdsOf("check")
const media = (payload: Uint8Array, streamSid = ids.streamSid): VoiceKit.AgentStep => ({
  does: "send",
  message: JSON.stringify({ event: "media", streamSid, media: { payload: Buffer.from(payload).toString("base64") } })
})
const wait = (millis: number): VoiceKit.AgentStep => ({ does: "wait", millis })

/** Checks an agent that plays a script, under a virtual clock. */
const greeting = (audio: Uint8Array | null, script: ReadonlyArray<VoiceKit.AgentStep>) =>
  Voice.checkVoice(AgentId.make(1), { url: "wss://agent.example", headers: {} }, "twilio", ids, audio).pipe(
    Effect.provide(VoiceKit.scriptedConnections(script)),
    VoiceKit.withVirtualClock
  )

const checking = (...script: ReadonlyArray<VoiceKit.AgentStep>) => greeting(null, script)

const speech = Voice.decodeMulaw(VoiceKit.speakTones("Good morning, what can I do for you?"))
/** The speech with pauses. */
const samples = [...speech.subarray(0, 4000), ...new Int16Array(8000), ...speech.subarray(4000, 8000)]
const pcm16 = (gain: number): Uint8Array => {
  const bytes = Buffer.alloc(samples.length * 2)
  samples.forEach((sample, at) => bytes.writeInt16LE(Math.round(sample * gain), at * 2))
  return bytes
}
/** ITU-T G.711, A-law. */
const toAlaw = (sample: number): number => {
  const size = Math.min(Math.abs(sample) >> 3, 4095)
  const segment = Math.max(0, 32 - Math.clz32(size) - 5)
  const mantissa = segment < 2 ? (size >> 1) & 15 : (size >> segment) & 15
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | mantissa) ^ 0x55
}

describe("a check of a voice endpoint", () => {
  it.live("succeeds when the agent is heard, with the time of its first sound", () =>
    Effect.gen(function* () {
      const check = yield* checking(wait(840), { does: "say", text: "Good morning, how can I help?" }, wait(5000))
      expect(check).toMatchObject({
        ok: true,
        problem: null,
        detail: "The agent answered: its first audio came after 0.84 s.",
        connectSeconds: 0
      })
      expect(Math.abs((check.firstAudioSeconds ?? 0) - 0.84)).toBeLessThanOrEqual(0.025)
    })
  )

  it.live("accepts an agent that says a word and hangs up", () =>
    Effect.gen(function* () {
      const check = yield* checking({ does: "say", text: "Goodbye" }, wait(400), { does: "close" })
      expect(check).toMatchObject({ ok: true, problem: null })
    })
  )

  it.live.each<readonly [string, Voice.VoiceProblem, string, ReadonlyArray<VoiceKit.AgentStep>]>([
    ["sends nothing", "no_audio", "The agent's server sent no audio for 10 seconds.", [wait(60_000)]],
    [
      "sends silence",
      "no_audio",
      "The agent's server sent nothing but silence for 10 seconds.",
      [media(Voice.silenceOf(8000)), wait(60_000)]
    ],
    [
      "closes at once",
      "closed",
      "The agent's server closed the connection before any of its audio was heard.",
      [wait(100), { does: "close" }]
    ],
    [
      "sends no JSON",
      "protocol",
      "The agent's server sent an invalid message. A message is not JSON.",
      [{ does: "send", message: "hello" }, wait(60_000)]
    ],
    [
      "sends no JSON without end",
      "protocol",
      "The agent's server sent more than 50 invalid messages. The first: A message is not JSON.",
      [...Array.from({ length: 51 }, () => ({ does: "send", message: "hello" }) as const), wait(60_000)]
    ],
    [
      "names another stream",
      "protocol",
      "The agent's server sent an invalid message. A message has another streamSid than start.",
      [media(VoiceKit.speakTones("hello"), "MZ0"), wait(60_000)]
    ],
    [
      "sends a WAV file",
      "protocol",
      "The agent's server sent an invalid message. A media message has the header of an audio file; its payload has to be raw mu-law samples.",
      [media(Buffer.from("RIFF0000WAVE")), { does: "say", text: "hello" }, wait(60_000)]
    ],
    [
      "sends samples of 16 bits",
      "encoding",
      "The agent's audio is not mu-law; it is probably 16-bit linear PCM.",
      [media(pcm16(1)), wait(60_000)]
    ],
    [
      "sends A-law",
      "encoding",
      "The agent's audio is not mu-law; it is probably A-law.",
      [media(Uint8Array.from(new Int16Array(8000), toAlaw)), wait(60_000)]
    ]
  ])("says what is wrong with an agent that %s", ([, problem, detail, script]) =>
    Effect.gen(function* () {
      const check = yield* checking(...script)
      expect(check).toMatchObject({ ok: false, problem })
      // A sentence follows that says how to correct it.
      expect(check.detail.slice(0, detail.length)).toBe(detail)
      expect(check.detail.slice(detail.length)).toMatch(/^ [A-Z].*\.$/)
    })
  )

  it.live("greets an agent that is silent for 4 seconds, and judges its answer", () =>
    Effect.gen(function* () {
      const hello = VoiceKit.speakTones("Hello?")
      const waits: ReadonlyArray<VoiceKit.AgentStep> = [
        { does: "await", text: "Hello?", delayMillis: 1000 },
        { does: "say", text: "Good morning, how can I help?" },
        wait(5000)
      ]
      const answered = yield* greeting(hello, waits)
      expect(answered).toMatchObject({ ok: true, problem: null })
      expect(Math.abs((answered.firstAudioSeconds ?? 0) - 5.24)).toBeLessThanOrEqual(0.045)
      expect(yield* greeting(null, waits)).toMatchObject({ ok: false, problem: "no_audio" })
      // One that speaks first is not greeted.
      const first = yield* greeting(hello, [wait(3500), { does: "say", text: "Good morning" }, wait(10_000)])
      expect(first).toMatchObject({ ok: true, firstAudioSeconds: expect.closeTo(3.5, 1) })
      const mute = yield* greeting(VoiceKit.speakTones("x".repeat(2000)), [wait(60_000)])
      expect(mute).toMatchObject({
        problem: "no_audio",
        detail: expect.stringMatching(
          /^The agent's server sent no audio for 10 seconds, also when it was greeted\. Check/
        )
      })
      const hungUp = yield* greeting(hello, [wait(4100), { does: "close" }])
      expect(hungUp).toMatchObject({ problem: "closed" })
    })
  )

  it.live("ends with a reason where a connection is never completed", () =>
    Effect.gen(function* () {
      const check = yield* Voice.checkVoice(
        AgentId.make(1),
        { url: "wss://agent.example", headers: {} },
        "twilio",
        ids,
        null
      ).pipe(Effect.provideService(Voice.VoiceConnections, { connect: () => Effect.never }), VoiceKit.withVirtualClock)
      expect(check).toMatchObject({ ok: false, problem: "timeout", connectSeconds: null, firstAudioSeconds: null })
    })
  )

  it("reports a connection that breaks while the agent speaks", () => {
    const end = { by: "main_agent", reason: "broke the connection", isClean: false } as const
    expect(
      Voice.findingOf({
        protocol: "twilio",
        onset: 10,
        audio: VoiceKit.speakTones("a"),
        invalid: null,
        isGreeted: false,
        end
      })
    ).toMatchObject({
      problem: "closed",
      detail: expect.stringMatching(/^The agent's server broke the connection while the agent spoke\. /)
    })
  })
})

describe("the encoding of audio", () => {
  const gain = fc.double({ min: 0.02, max: 2, noNaN: true })

  it("is mu-law for speech in mu-law, however loud, also in noise", () => {
    fc.assert(
      fc.property(gain, fc.array(fc.integer({ min: -2000, max: 2000 }), { minLength: 200 }), (factor, noise) => {
        const mixed = samples.map((sample, at) => sample * factor + (noise[at % noise.length] ?? 0))
        expect(Voice.otherEncoding(Voice.encodeMulaw(mixed))).toBeNull()
        expect(Voice.otherEncoding(Voice.encodeMulaw(noise))).toBeNull()
      }),
      Properties.parameters(50)
    )
  })

  it("is recognized for linear PCM of 16 and 8 bits and for A-law, however loud", () => {
    fc.assert(
      fc.property(gain, (factor) => {
        expect(Voice.otherEncoding(pcm16(factor))).toBe("16-bit linear PCM")
        const clipped = samples.map((sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * factor))))
        expect(Voice.otherEncoding(Uint8Array.from(clipped, (sample) => 128 + (sample >> 8)))).toBe("8-bit linear PCM")
        expect(Voice.otherEncoding(Uint8Array.from(clipped, toAlaw))).toBe("A-law")
      }),
      Properties.parameters(50)
    )
  })

  it("is not guessed from less than 20 ms", () => {
    expect(Voice.otherEncoding(new Uint8Array(159))).toBeNull()
    expect(Voice.otherEncoding(new Uint8Array(160))).toBe("16-bit linear PCM")
  })
})

describe("the reason why no connection was opened", () => {
  it.each<readonly [string | undefined, Voice.ConnectionProblem, string]>([
    ["ENOTFOUND", "dns", "cannot be found: its host name does not resolve (ENOTFOUND)"],
    ["EAI_AGAIN", "dns", "cannot be found: its host name does not resolve (EAI_AGAIN)"],
    ["ECONNREFUSED", "refused", "refused the connection (ECONNREFUSED)"],
    ["EHOSTUNREACH", "unreachable", "cannot be reached (EHOSTUNREACH)"],
    ["ECONNRESET", "unreachable", "cannot be reached (ECONNRESET)"],
    ["CERT_HAS_EXPIRED", "tls", "has an expired certificate (CERT_HAS_EXPIRED)"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls", "has a self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls", "has a certificate of another host name (ERR_TLS_CERT_ALTNAME_INVALID)"],
    ["CERT_REVOKED", "tls", "cannot be reached over TLS (CERT_REVOKED)"],
    ["EPROTO", "tls", "cannot be reached over TLS (EPROTO)"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls", "cannot be reached over TLS (ERR_SSL_WRONG_VERSION_NUMBER)"],
    ["HPE_INVALID_CONSTANT", "handshake", "answered with invalid HTTP (HPE_INVALID_CONSTANT)"],
    [undefined, "handshake", "answered with an invalid WebSocket handshake"]
  ])("is literal for %s", (code, problem, predicate) => {
    expect(connectionFailure(code)).toMatchObject({ problem, reason: `The agent's server ${predicate}.` })
  })
})
