import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Voice } from "@earshot/core"
import * as OpenAiTextToSpeech from "@earshot/core/providers/OpenAiTextToSpeech"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import * as SpeechCache from "@earshot/core/providers/SpeechCache"
import { CallKit, ProviderKit, VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const Asked = Schema.parseJson(
  Schema.Struct({
    model: Schema.String,
    input: Schema.String,
    voice: Schema.String,
    response_format: Schema.String,
    speed: Schema.optional(Schema.Number)
  })
)
type Asked = typeof Asked.Type
const decodeAsked = Schema.decodeUnknownSync(Asked)

type Answer = (asked: Asked, response: ServerResponse, attempt: number) => void

const audio =
  (body: Uint8Array, contentType = "audio/wav"): Answer =>
  (_asked, response) => {
    response.writeHead(200, { "content-type": contentType }).end(body)
  }

const status =
  (code: number): Answer =>
  (_asked, response) => {
    response.writeHead(code, { "content-type": "application/json" }).end('{"error":{"message":"secret detail"}}')
  }

/** A tone of 24 kHz, 50 ms for each character, as 16-bit PCM. */
const pcmOf = (text: string, rate = 24_000): Uint8Array => {
  const samples = new Int16Array((text.length * rate) / 20)
  for (let at = 0; at < samples.length; at++) samples[at] = Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / rate))
  return new Uint8Array(samples.buffer)
}

const wavOf = (text: string): Uint8Array => {
  const pcm = pcmOf(text)
  return Buffer.concat([CallKit.wav(pcm.length / 48_000, { rate: 24_000 }).subarray(0, 44), pcm])
}

/** A speech server, and what it was asked. */
const serving = (answer: Answer) => {
  const asked: Array<Asked & { readonly url: string | undefined; readonly key: string | undefined }> = []
  return Effect.acquireRelease(
    Effect.async<Server>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const body = decodeAsked(Buffer.concat(chunks).toString())
          asked.push({ ...body, url: request.url, key: request.headers.authorization })
          answer(body, response, asked.length)
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => ({ asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/` })))
}

const provider = (baseUrl: string, config: Partial<OpenAiTextToSpeech.OpenAiTextToSpeechConfig> = {}) =>
  OpenAiTextToSpeech.layer({ baseUrl, model: "speech-1", voice: "nova", apiKey: Redacted.make("key"), ...config }).pipe(
    Layer.provide(OutboundHttp.layer())
  )

const spoken = (
  baseUrl: string,
  config: Partial<OpenAiTextToSpeech.OpenAiTextToSpeechConfig> = {},
  utterance: Voice.Utterance = { text: "my number is 555-0100" }
) =>
  Effect.flatMap(Voice.TextToSpeech, ({ speak }) => Voice.wholeSpeech(speak(utterance))).pipe(
    Effect.provide(provider(baseUrl, config))
  )

const served = (answer: Answer) => Layer.unwrapScoped(Effect.map(serving(answer), ({ baseUrl }) => provider(baseUrl)))

const speaking: Answer = ({ input }, response) => {
  response.writeHead(200, { "content-type": "audio/wav" }).end(wavOf(input))
}

ProviderKit.textToSpeechContract("a server", { speaking: served(speaking), failing: served(status(401)) })

ProviderKit.textToSpeechContract("a server, with a cache", {
  speaking: SpeechCache.layer().pipe(Layer.provide(served(speaking))),
  failing: SpeechCache.layer().pipe(Layer.provide(served(status(401))))
})

describe("speech of a server", () => {
  it.scopedLive("asks for the model, the voice and the speed, and reads WAV", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* serving(speaking)
      const codes = yield* spoken(baseUrl, {}, { text: " Hello\0 there ", voice: "onyx", speed: 1.25 })
      expect(asked).toEqual([
        {
          url: "/v1/audio/speech",
          key: "Bearer key",
          model: "speech-1",
          input: "Hello there",
          voice: "onyx",
          response_format: "wav",
          speed: 1.25
        }
      ])
      expect(codes).toHaveLength(11 * 400)
      const samples = Voice.decodeMulaw(codes).subarray(400, 4000)
      expect(samples.reduce((most, sample) => Math.max(most, sample), 0)).toBeGreaterThan(7500)
      yield* spoken(baseUrl, {}, { text: "Hello", speed: 1 })
      expect(asked[1]).toMatchObject({ voice: "nova" })
      expect(asked[1]).not.toHaveProperty("speed", 1)
    })
  )

  it.scopedLive("reads raw PCM of its rate, and a WAV file that a server sends instead", () =>
    Effect.gen(function* () {
      const text = "Hello"
      const expected = yield* spoken((yield* serving(audio(wavOf(text)))).baseUrl)
      const raw = yield* serving(audio(pcmOf(text), "audio/pcm"))
      expect(yield* spoken(raw.baseUrl, { format: "pcm" })).toEqual(expected)
      expect(raw.asked[0]).toMatchObject({ response_format: "pcm" })
      expect(yield* spoken((yield* serving(audio(wavOf(text)))).baseUrl, { format: "pcm" })).toEqual(expected)
      const rated = yield* serving(audio(pcmOf(text, 16_000), "audio/pcm;rate=16000"))
      expect(yield* spoken(rated.baseUrl, { format: "pcm" })).toHaveLength(expected.length)
      const configured = yield* serving(audio(pcmOf(text, 8000), "application/octet-stream"))
      expect(yield* spoken(configured.baseUrl, { format: "pcm", pcmRate: 8000 })).toHaveLength(expected.length)
    })
  )

  it.scopedLive("reads WAV files of a stream, whose sizes are placeholders", () =>
    Effect.gen(function* () {
      const expected = yield* spoken((yield* serving(audio(wavOf("Hello")))).baseUrl)
      for (const size of [0xffff_ffff, 0x7fff_ffff, 0]) {
        const file = Buffer.from(wavOf("Hello"))
        file.writeUInt32LE(size, 4)
        file.writeUInt32LE(size, 40)
        expect(yield* spoken((yield* serving(audio(file))).baseUrl), `${size}`).toEqual(expected)
      }
    })
  )

  it.scopedLive.each(["wav", "pcm"] as const)("is spoken while the server still synthesizes it (%s)", (format) =>
    Effect.gen(function* () {
      const text = "A long answer"
      const file = Buffer.from(wavOf(text))
      file.writeUInt32LE(0xffff_ffff, 40)
      const body = format === "wav" ? file : pcmOf(text)
      const type = format === "wav" ? "audio/wav" : "audio/pcm"
      const expected = yield* spoken((yield* serving(audio(wavOf(text)))).baseUrl, {}, { text })
      const isPlayed = yield* Deferred.make<undefined>()
      const { baseUrl } = yield* serving((_asked, response) => {
        response.writeHead(200, { "content-type": type })
        // Parts that end within the header and within a sample; the last one is sent when audio has come.
        for (const [from, to] of [
          [0, 7],
          [7, 43],
          [43, 4001]
        ] as const)
          response.write(body.subarray(from, to))
        Effect.runFork(Effect.andThen(Deferred.await(isPlayed), () => response.end(body.subarray(4001))))
      })
      const { speak } = Context.get(yield* Layer.build(provider(baseUrl, { format })), Voice.TextToSpeech)
      const parts = yield* Stream.runCollect(Stream.tap(speak({ text }), () => Deferred.succeed(isPlayed, undefined)))
      expect(Chunk.size(parts)).toBeGreaterThan(1)
      expect(Buffer.concat([...parts])).toEqual(Buffer.from(expected))
    })
  )

  it.scopedLive("ends with the reason where a response breaks off, and is not asked for again", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* serving(({ input }, response) => {
        response.writeHead(200, { "content-type": "audio/pcm" })
        response.write(pcmOf(input).subarray(0, 20_000), () => response.destroy())
      })
      const { speak } = Context.get(yield* Layer.build(provider(baseUrl, { format: "pcm" })), Voice.TextToSpeech)
      let received = 0
      const failure = yield* Effect.flip(
        Stream.runForEach(speak({ text: "Good morning" }), (part) =>
          Effect.sync(() => {
            received += part.length
          })
        )
      )
      expect(failure.reason).toMatch(/^the speech server .*\.$/)
      expect(received).toBeGreaterThan(2000)
      expect(asked).toHaveLength(1)
    })
  )

  it.scopedLive("does not repeat what the server rejects", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* serving(status(401))
      expect((yield* Effect.flip(spoken(baseUrl))).reason).toBe("the speech server answered HTTP 401.")
      expect(asked).toHaveLength(1)
    })
  )

  it.scopedLive("repeats requests that fail in passing, three times in all", () =>
    Effect.gen(function* () {
      const busy = yield* serving((asked, response, attempt) =>
        (attempt === 1 ? status(429) : attempt === 2 ? status(500) : speaking)(asked, response, attempt)
      )
      expect(yield* spoken(busy.baseUrl)).not.toHaveLength(0)
      expect(busy.asked).toHaveLength(3)
      const broken = yield* serving(status(500))
      expect((yield* Effect.flip(spoken(broken.baseUrl))).reason).toBe("the speech server answered HTTP 500.")
      expect(broken.asked).toHaveLength(3)
    })
  )

  it.live("fails for audio that cannot be read", () =>
    Effect.forEach(
      [
        ["wav", audio(Buffer.from("my number is 555-0100")), "the speech server sent invalid audio."],
        ["wav", audio(pcmOf("Hello"), "audio/pcm"), "the speech server sent invalid audio."],
        ["wav", audio(CallKit.wav(0)), "the speech server sent no audio."],
        ["wav", audio(wavOf("Hello").subarray(0, 30)), "the speech server sent invalid audio."],
        [
          "wav",
          audio(CallKit.wav(1, { rate: 1000 })),
          "the speech server sent audio of 1000 Hz; 4000 to 48000 Hz can be read."
        ],
        ["pcm", audio(new Uint8Array(0), "audio/pcm"), "the speech server sent no audio."],
        ["pcm", audio(Uint8Array.of(1, 2, 3), "audio/pcm"), "the speech server sent invalid audio."],
        ["pcm", audio(Buffer.from('{"error":1}'), "application/json"), "the speech server sent invalid audio."],
        ["pcm", audio(Buffer.from("ID3 file"), "application/octet-stream"), "the speech server sent invalid audio."],
        ["pcm", audio(Buffer.alloc(8), "audio/mpeg"), "the speech server sent invalid audio."]
      ] as const,
      ([format, answer, reason]) =>
        Effect.gen(function* () {
          const { baseUrl } = yield* serving(answer)
          expect((yield* Effect.flip(spoken(baseUrl, { format }))).reason).toBe(reason)
        }).pipe(Effect.scoped),
      { concurrency: "unbounded" }
    )
  )

  it.scopedLive("ends what is too large or too slow", () =>
    Effect.gen(function* () {
      const large = yield* serving(speaking)
      const error = yield* Effect.flip(spoken(large.baseUrl, { maxBytes: 1000 }))
      expect(error.reason).toBe("the speech server sent more than 1000 bytes.")
      expect(large.asked).toHaveLength(1)
      const long = yield* serving(audio(new Uint8Array(4000 * 2 * 601), "audio/pcm"))
      const lasting = yield* Effect.flip(spoken(long.baseUrl, { format: "pcm", pcmRate: 4000 }))
      expect(lasting.reason).toBe("the speech server sent more than 600 seconds of audio.")
      const silent = yield* serving(() => undefined)
      const slow = yield* Effect.flip(spoken(silent.baseUrl, { timeout: "50 millis" }))
      expect(slow.reason).toBe("the speech server took longer than 50ms.")
    })
  )

  it.scopedLive("sends no text that is empty or too long, and no speed out of range", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* serving(speaking)
      const reasonOf = (utterance: Voice.Utterance) =>
        Effect.map(Effect.flip(spoken(baseUrl, { maxCharacters: 10 }, utterance)), ({ reason }) => reason)
      expect(yield* reasonOf({ text: " \0 " })).toBe("the text to speak is empty.")
      expect(yield* reasonOf({ text: "a".repeat(11) })).toBe("the text is longer than the 10 characters that are sent.")
      for (const speed of [0, 4.1, Number.NaN]) {
        expect(yield* reasonOf({ text: "a", speed })).toBe("the speed is not from 0.25 to 4.")
      }
      expect(asked).toHaveLength(0)
    })
  )
})

describe("a cache of speech", () => {
  /** A provider that waits for a permission, and what it was asked. */
  const waiting = (speak: Voice.Speak) => {
    const asked: Array<Voice.Utterance> = []
    const layer = Layer.succeed(Voice.TextToSpeech, {
      identity: "test",
      speak: (utterance) =>
        Stream.suspend(() => {
          asked.push(utterance)
          return speak(utterance)
        })
    })
    return { asked, layer }
  }
  const cached = (layer: Layer.Layer<Voice.TextToSpeech>, maxBytes?: number) =>
    Effect.map(
      Layer.build(SpeechCache.layer(maxBytes === undefined ? {} : { maxBytes }).pipe(Layer.provide(layer))),
      (context) => {
        const { speak } = Context.get(context, Voice.TextToSpeech)
        return { parts: speak, speak: (utterance: Voice.Utterance) => Voice.wholeSpeech(speak(utterance)) }
      }
    )
  const tones: Voice.Speak = ({ text }) => Stream.sync(() => VoiceKit.speakTones(text))

  it.scoped("asks once for an utterance, and again for another voice, speed or text", () =>
    Effect.gen(function* () {
      const { asked, layer } = waiting(tones)
      const { speak } = yield* cached(layer)
      const utterances = [{ text: "a" }, { text: "a", voice: "x" }, { text: "a", speed: 2 }, { text: "b" }]
      for (const utterance of [...utterances, ...utterances, { text: "a", speed: 1 }]) {
        expect(VoiceKit.readTones(yield* speak(utterance))).toBe(utterance.text)
      }
      expect(asked).toEqual(utterances)
    })
  )

  it.scoped("shares a request, which outlives those who no longer wait", () =>
    Effect.gen(function* () {
      const permission = yield* Deferred.make<boolean>()
      const { asked, layer } = waiting((utterance) =>
        Stream.flatMap(Stream.fromEffect(Deferred.await(permission)), () => tones(utterance))
      )
      const { speak } = yield* cached(layer)
      const first = yield* Effect.fork(speak({ text: "a" }))
      const second = yield* Effect.fork(speak({ text: "a" }))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(permission, true)
      expect(VoiceKit.readTones(yield* Fiber.join(second))).toBe("a")
      expect(asked).toHaveLength(1)
    })
  )

  it.scoped("gives parts as they come, to those who come later too", () =>
    Effect.gen(function* () {
      const permission = yield* Deferred.make<boolean>()
      const text = "a long text"
      const all = VoiceKit.speakTones(text)
      const { asked, layer } = waiting(() =>
        Stream.concat(
          Stream.make(all.subarray(0, 1000)),
          Stream.as(Stream.fromEffect(Deferred.await(permission)), all.subarray(1000))
        )
      )
      const { parts, speak } = yield* cached(layer)
      expect(yield* Stream.runHead(parts({ text }))).toEqual(Option.some(all.subarray(0, 1000)))
      const second = yield* Effect.fork(speak({ text }))
      expect(yield* Stream.runHead(parts({ text }))).toEqual(Option.some(all.subarray(0, 1000)))
      yield* Deferred.succeed(permission, true)
      expect(yield* Fiber.join(second)).toEqual(all)
      expect(yield* speak({ text })).toEqual(all)
      expect(asked).toHaveLength(1)
    })
  )

  it.scoped("keeps no failure", () =>
    Effect.gen(function* () {
      let failures = 2
      const { asked, layer } = waiting((utterance) =>
        failures-- > 0 ? Stream.fail(new Voice.SpeechFailed({ reason: "no" })) : tones(utterance)
      )
      const { speak } = yield* cached(layer)
      for (const _ of [1, 2]) expect((yield* Effect.flip(speak({ text: "a" }))).reason).toBe("no")
      yield* speak({ text: "a" })
      yield* speak({ text: "a" })
      expect(asked).toHaveLength(3)
    })
  )

  it.scoped("drops the least recently used audio beyond its size", () =>
    Effect.gen(function* () {
      const { asked, layer } = waiting(tones)
      const { speak } = yield* cached(layer, 2 * VoiceKit.speakTones("a").length)
      for (const text of ["a", "b", "a", "c", "a", "b", "abc", "abc", "b"]) yield* speak({ text })
      expect(asked.map(({ text }) => text)).toEqual(["a", "b", "c", "b", "abc", "abc"])
    })
  )
})
