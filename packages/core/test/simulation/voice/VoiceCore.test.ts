import { Voice } from "@earshot/core"
import { Properties } from "@earshot/test-kit"
import { describeAudio } from "@earshot/redaction/audio"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const check = <T>(name: string, property: fc.IPropertyWithHooks<T>, runs = 200): void => {
  it(name, () => {
    fc.assert(property, Properties.parameters(runs))
  })
}

const bytes = (maxLength = 400) => fc.uint8Array({ minLength: 1, maxLength })
const SID = "MZ1"

describe("mu-law", () => {
  it("gives every code back but negative zero", () => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code)
    const expected = codes.map((code) => (code === 0x7f ? Voice.SILENCE : code))
    expect(Voice.encodeMulaw(Voice.decodeMulaw(codes))).toEqual(expected)
  })
  check(
    "keeps a sample within a sixteenth of its size",
    fc.property(fc.integer({ min: -32_635, max: 32_635 }), (sample) => {
      const [code = 0] = Voice.encodeMulaw([sample])
      expect(Math.abs(Voice.sampleOf(code) - sample)).toBeLessThanOrEqual(Math.abs(sample) / 16 + 4)
    })
  )
})

describe("frames", () => {
  check(
    "contain all audio, and silence behind it",
    fc.property(bytes(1000), (audio) => {
      const frames = Voice.framesOf(audio)
      const joined = Buffer.concat(frames)
      expect(frames.every(({ length }) => length === Voice.FRAME_SAMPLES)).toBe(true)
      expect(joined.subarray(0, audio.length).equals(audio)).toBe(true)
      expect([...joined.subarray(audio.length)].every((code) => code === Voice.SILENCE)).toBe(true)
      expect(joined.length - audio.length).toBeLessThan(Voice.FRAME_SAMPLES)
    })
  )
  check(
    "are never sent early, and none is lost by a delay",
    fc.property(fc.array(fc.integer({ min: 0, max: 500 })), (delays) => {
      let sent = 0
      let now = 0
      for (const delay of delays) {
        now += delay
        sent += Voice.framesDue(now, sent)
        expect(Voice.frameDueAt(sent - 1)).toBeLessThanOrEqual(now)
        expect(Voice.frameDueAt(sent)).toBeGreaterThan(now)
      }
    })
  )
})

const ids = { accountSid: "AC1", callSid: "CA1", streamSid: SID }
const readText = (text: Voice.WireMessage) => Voice.mediaStream(ids).read(text, 0)
const read = (message: unknown) => readText(JSON.stringify(message))

describe("a message of an agent", () => {
  it("is media, a mark or a clear", () => {
    expect(read({ event: "media", streamSid: SID, media: { payload: "//8=" } })).toEqual(
      Either.right({ event: "media", audio: Buffer.from([255, 255]) })
    )
    expect(read({ event: "mark", streamSid: SID, mark: { name: "end" } })).toEqual(
      Either.right({ event: "mark", name: "end" })
    )
    expect(read({ event: "clear", streamSid: SID })).toEqual(Either.right({ event: "clear" }))
    expect(read({ event: "transcript" })).toEqual(Either.right({ event: "other" }))
  })
  it.each([
    ["JSON", "x"],
    ["an event", "[]"],
    ["an event", "null"],
    ["media.payload", '{"event":"media","streamSid":"MZ1"}'],
    ["base64", '{"event":"media","streamSid":"MZ1","media":{"payload":"*"}}'],
    ["another streamSid", '{"event":"clear","streamSid":"MZ2"}'],
    ["no streamSid", '{"event":"clear"}'],
    ["mark.name", `{"event":"mark","streamSid":"MZ1","mark":{"name":"${"x".repeat(1001)}"}}`],
    ["header", `{"event":"media","streamSid":"MZ1","media":{"payload":"${Buffer.from("RIFF").toString("base64")}"}}`],
    ["longer", `"${"x".repeat(Voice.MAX_MESSAGE)}"`]
  ])("is rejected for %s", (reason, text) => {
    const found = readText(text)
    expect(Either.isLeft(found) && found.left.includes(reason.split(" ").at(-1) ?? "")).toBe(true)
  })
  check(
    "is read or rejected, whatever it is",
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(Either.isEither(readText(text))).toBe(true)
    })
  )
})

describe("messages to an agent", () => {
  it("have the fields of Twilio Media Streams", () => {
    const protocol = Voice.mediaStream(ids)
    const all = [
      protocol.open({ name: "Ann" }),
      protocol.media(Voice.silenceOf(2)),
      protocol.media(Voice.silenceOf(2)),
      protocol.key("1"),
      protocol.mark("end"),
      protocol.close()
    ]
      .flat()
      .map((text): unknown => JSON.parse(String(text)))
    const media = (sequenceNumber: string, chunk: string, timestamp: string) => ({
      event: "media",
      sequenceNumber,
      streamSid: SID,
      media: { track: "inbound", chunk, timestamp, payload: "//8=" }
    })
    expect(all).toEqual([
      { event: "connected", protocol: "Call", version: "1.0.0" },
      {
        event: "start",
        sequenceNumber: "1",
        streamSid: SID,
        start: {
          accountSid: "AC1",
          callSid: "CA1",
          streamSid: SID,
          tracks: ["inbound"],
          mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
          customParameters: { name: "Ann" }
        }
      },
      media("2", "1", "0"),
      media("3", "2", "20"),
      { event: "dtmf", sequenceNumber: "4", streamSid: SID, dtmf: { track: "inbound_track", digit: "1" } },
      { event: "mark", sequenceNumber: "5", streamSid: SID, mark: { name: "end" } },
      { event: "stop", sequenceNumber: "6", streamSid: SID, stop: { accountSid: "AC1", callSid: "CA1" } }
    ])
  })
})

/** What an agent does, each step some samples after the one before. */
const steps = fc.array(
  fc.record({
    wait: fc.nat({ max: 300 }),
    does: fc.oneof(
      fc.record({ kind: fc.constant("media" as const), audio: bytes(300) }),
      fc.record({ kind: fc.constant("mark" as const) }),
      fc.record({ kind: fc.constant("clear" as const) })
    )
  }),
  { maxLength: 40 }
)

describe("playback", () => {
  check(
    "plays what was queued once, in order, in real time; clears cut it, and every mark answers once",
    fc.property(steps, fc.integer({ min: 1, max: 200 }), (all, tick) => {
      let playback = Voice.emptyPlayback
      let now = 0
      let queued = 0
      const tracks: Array<Voice.PlayedAudio> = []
      const marks: Array<string> = []
      let sentMarks = 0
      const advance = (to: number) => {
        for (now = Math.min(now + tick, to); ; now = Math.min(now + tick, to)) {
          const played = Voice.playUntil(playback, now)
          playback = played.playback
          tracks.push(...played.played)
          marks.push(...played.marks)
          if (now === to) return
        }
      }
      for (const { does, wait } of all) {
        advance(now + wait)
        if (does.kind === "media") {
          queued += does.audio.length
          playback = Voice.queueAudio(playback, now, does.audio)
        } else if (does.kind === "mark") playback = Voice.queueMark(playback, now, String(sentMarks++))
        else {
          queued -= Voice.queuedSamples(playback, now)
          playback = Voice.clearQueue(playback, now)
          expect(Voice.queuedSamples(playback, now)).toBe(0)
        }
      }
      advance(now + 20_000)
      expect(playback.queue).toEqual([])
      expect(tracks.reduce((sum, { audio }) => sum + audio.length, 0)).toBe(queued)
      for (const [place, { at }] of tracks.entries()) {
        const before = tracks[place - 1]
        expect(at).toBeGreaterThanOrEqual(before === undefined ? 0 : before.at + before.audio.length)
      }
      expect(marks).toEqual(Array.from({ length: sentMarks }, (_, mark) => String(mark)))
    })
  )
  it("plays without a gap what comes faster than real time, and answers a mark when all before it has played", () => {
    let playback = Voice.queueAudio(Voice.emptyPlayback, 100, Uint8Array.of(1, 2, 3))
    playback = Voice.queueMark(Voice.queueAudio(playback, 101, Uint8Array.of(4)), 101, "end")
    const first = Voice.playUntil(playback, 103)
    expect(first.played).toEqual([{ at: 100, audio: Uint8Array.of(1, 2, 3) }])
    expect(first.marks).toEqual([])
    const second = Voice.playUntil(first.playback, 104)
    expect(second).toMatchObject({ played: [{ at: 103, audio: Uint8Array.of(4) }], marks: ["end"] })
  })
})

const tone = (millis: number, amplitude = 8000): Uint8Array =>
  Voice.encodeMulaw(
    Array.from({ length: Voice.samplesOf(millis) }, (_, at) =>
      Math.round(amplitude * Math.sin((at * 2 * Math.PI * 500) / Voice.SAMPLE_RATE))
    )
  )
const quiet = (millis: number): Uint8Array => Voice.silenceOf(Voice.samplesOf(millis))

describe("voice activity", () => {
  check(
    "finds each stretch of speech within a window, however the audio is divided",
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 300, max: 900 }), fc.integer({ min: 40, max: 600 })), { maxLength: 6 }),
      fc.integer({ min: 1, max: 30 }),
      (parts, windows) => {
        const track = Buffer.concat([...parts.flatMap(([gap, speech]) => [quiet(gap), tone(speech)]), quiet(500)])
        let activity = Voice.noActivity
        for (let at = 0; at < track.length; at += 80 * windows) {
          activity = Voice.listen(activity, track.subarray(at, at + 80 * windows))
        }
        let at = 0
        const truth = parts.map(([gap, speech]) => {
          const start = at + gap
          at = start + speech
          return { start, end: at }
        })
        const found = Voice.spansOf(activity)
        expect(found.length).toBe(truth.length)
        for (const [place, span] of found.entries()) {
          expect(Math.abs(span.start - (truth[place]?.start ?? 0))).toBeLessThanOrEqual(10)
          expect(Math.abs(span.end - (truth[place]?.end ?? 0))).toBeLessThanOrEqual(10)
        }
      }
    ),
    50
  )
  it("bridges short pauses, and hears neither clicks nor quiet noise", () => {
    const track = Buffer.concat([quiet(300), tone(20), quiet(400), tone(100), quiet(200), tone(100), tone(500, 200)])
    expect(Voice.spansOf(Voice.listen(Voice.noActivity, track))).toEqual([{ start: 720, end: 1120 }])
  })
})

describe("measures", () => {
  const speech = (start: number, end: number): Voice.CallerTurn => ({ kind: "speech", start, end })
  it("tell answers, early answers, barge-in, talk-over and dead air", () => {
    const measured = Voice.measureCall({
      caller: [speech(0, 1000), speech(3000, 3500), speech(9000, 9500), { kind: "noise", start: 11_000, end: 11_200 }],
      agent: [
        { start: 1400, end: 3200 },
        { start: 3300, end: 4000 },
        { start: 10_000, end: 11_100 }
      ],
      clears: [3200, 11_100],
      durationMillis: 16_000
    })
    expect(measured).toEqual({
      timeToFirstAudioMillis: 1400,
      answers: [
        { turn: 0, latencyMillis: 400 },
        { turn: 1, latencyMillis: -200 },
        { turn: 2, latencyMillis: 500 }
      ],
      bargeIns: [{ turn: 1, stopMillis: 200, how: "cleared" }],
      falseBargeIns: [{ turn: 3, stopMillis: 100, how: "cleared" }],
      talkOverMillis: 400,
      deadAir: [
        { start: 4000, end: 9000 },
        { start: 11_100, end: 16_000 }
      ]
    })
  })
  it("say that speech drained if nothing was cleared, and that nothing was heard", () => {
    const agent = [{ start: 0, end: 2000 }]
    expect(Voice.measureCall({ caller: [speech(500, 900)], agent, clears: [], durationMillis: 2000 }).bargeIns).toEqual(
      [{ turn: 0, stopMillis: 1500, how: "drained" }]
    )
    expect(Voice.measureCall({ caller: [speech(0, 100)], agent: [], clears: [], durationMillis: 100 })).toMatchObject({
      timeToFirstAudioMillis: null,
      answers: []
    })
  })
})

describe("a recording", () => {
  check(
    "has the caller left and the agent right, in its length",
    fc.property(bytes(), bytes(), fc.nat(300), fc.integer({ min: 1, max: 800 }), (left, right, at, samples) => {
      const wav = Buffer.from(Voice.stereoWav([{ at: 0, audio: left }], [{ at, audio: right }], samples))
      for (let sample = 0; sample < samples; sample++) {
        const code = right[sample - at]
        expect(wav.readInt16LE(44 + 4 * sample)).toBe(sample < left.length ? Voice.sampleOf(left[sample] ?? 0) : 0)
        expect(wav.readInt16LE(46 + 4 * sample)).toBe(sample < at || code === undefined ? 0 : Voice.sampleOf(code))
      }
      expect(Either.getOrThrow(describeAudio(wav))).toMatchObject({ durationSeconds: samples / Voice.SAMPLE_RATE })
    }),
    60
  )
})
