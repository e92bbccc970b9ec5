import { CallKit } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AUDIO_HEAD_BYTES, detectAudioFormat } from "../../src/calls/AudioFormat.js"

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part, "latin1")] : part)))

const detected = (file: Uint8Array) => detectAudioFormat(file.subarray(0, AUDIO_HEAD_BYTES), file.length)
const facts = (file: Uint8Array) => Either.getOrUndefined(detected(file))

describe("audio format detection", () => {
  it.each([
    ["audio/wav", bytes("RIFF", [0, 0, 0, 0], "WAVE", "data", [2, 0, 0, 0, 1, 1])],
    ["audio/ogg", bytes("OggS", [0])],
    ["audio/flac", bytes("fLaC")],
    ["audio/amr", bytes("#!AMR\n")],
    ["audio/aiff", bytes("FORM", [0, 0, 0, 0], "AIFF")],
    ["audio/basic", bytes(".snd")],
    ["audio/mp4", bytes([0, 0, 0, 32], "ftypM4A ")],
    ["audio/webm", bytes([0x1a, 0x45, 0xdf, 0xa3])],
    ["audio/mpeg", bytes("ID3", [4])],
    ["audio/mpeg", bytes([0xff, 0xfb, 0x90, 0x64])],
    ["audio/aac", bytes([0xff, 0xf1, 0x50, 0x80])]
  ])("is %s by its first bytes", (contentType, file) => {
    expect(facts(file)?.contentType).toBe(contentType)
  })

  it.each([
    ["nothing", bytes()],
    ["a web page", bytes("<!doctype html><title>404</title>")],
    ["JSON", bytes('{"error":"expired"}')],
    ["a picture", bytes([0x89], "PNG\r\n", [0x1a, 0x0a])],
    ["RIFF that is a picture", bytes("RIFF", [0, 0, 0, 0], "WEBP")],
    ["bytes that only begin like a frame", bytes([0xff, 0xff, 0xff, 0xff])]
  ])("is no audio when it is %s", (_, file) => {
    expect(facts(file)).toBeUndefined()
  })

  it("computes the duration of a WAV file from its data chunk", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 3, noNaN: true }), fc.constantFrom<1 | 2>(1, 2), (seconds, channels) => {
        expect(facts(CallKit.wav(seconds, { channels }))?.durationSeconds).toBeCloseTo(seconds, 3)
      })
    )
  })

  it("computes the duration of a streamed or truncated WAV file from its size", () => {
    const streamed = CallKit.wav(2)
    new DataView(streamed.buffer).setUint32(40, 0xffffffff, true)
    expect(facts(streamed)?.durationSeconds).toBeCloseTo(2, 3)
    expect(facts(CallKit.wav(2).subarray(0, 44 + 8000))?.durationSeconds).toBeCloseTo(0.5, 3)
  })

  it("rejects a WAV file without data", () => {
    const empty = CallKit.wav(0)
    const reason = Either.left("The WAV file has no audio data.")
    for (const file of [empty, empty.subarray(0, 36), bytes("RIFF", [4, 0, 0, 0], "WAVE")]) {
      expect(detected(file)).toEqual(reason)
    }
    // A chunk before the data may be longer than what is read of the file.
    const long = bytes("RIFF", [0, 0, 0, 0], "WAVE", "LIST", [0, 0, 2, 0])
    expect(detectAudioFormat(long, 200_000)).toEqual(
      Either.right({ contentType: "audio/wav", durationSeconds: null, channels: null, isFinal: false })
    )
  })

  it("takes the byte rate that agrees with the samples, and believes no duration beyond a week", () => {
    const file = CallKit.wav(2, { channels: 2 })
    const view = new DataView(file.buffer)
    expect(facts(file)).toMatchObject({ durationSeconds: 2, channels: 2, isFinal: true })
    view.setUint32(28, 1, true)
    expect(facts(file)?.durationSeconds).toBeCloseTo(2, 3)
    view.setUint16(32, 0, true)
    expect(facts(file)).toMatchObject({ durationSeconds: file.length - 44, isFinal: true })
    view.setUint32(40, 0, true)
    expect(Either.getOrUndefined(detectAudioFormat(file, 44 + 604_801))).toMatchObject({ durationSeconds: null })
    view.setUint32(28, 0, true)
    view.setUint16(22, 65_535, true)
    expect(facts(file)).toEqual({ contentType: "audio/wav", durationSeconds: null, channels: null, isFinal: false })
  })

  /** A WAV file of compressed blocks of 256 bytes, which have 505 samples in IMA ADPCM. */
  const compressed = (tag: number, blocks: number, samples: number | undefined, size = blocks * 256) => {
    const le = (value: number, count: number) =>
      Array.from({ length: count }, (_, at) => Math.floor(value / 256 ** at) % 256)
    const format = [tag, 1].flatMap((value) => le(value, 2)).concat(le(8000, 4), le(16_000, 4), le(256, 2), le(4, 2))
    const fact = samples === undefined ? [] : [...Buffer.from("fact"), ...le(4, 4), ...le(samples, 4)]
    const data = Array.from({ length: blocks * 256 }, () => 7)
    return bytes(
      "RIFF",
      le(0, 4),
      "WAVE",
      "fmt ",
      le(20, 4),
      format,
      [2, 0],
      le(505, 2),
      fact,
      "data",
      le(size, 4),
      data
    )
  }

  it("computes the duration of ADPCM from its blocks, and from its number of samples if that fits them", () => {
    expect(facts(compressed(0x11, 100, undefined))).toEqual({
      contentType: "audio/wav",
      durationSeconds: 50_500 / 8000,
      channels: 1,
      isFinal: true
    })
    expect(facts(compressed(0x11, 100, 50_001))?.durationSeconds).toBe(50_001 / 8000)
    // A streaming writer knows neither when it writes the header.
    expect(facts(compressed(0x11, 100, 49, 0xffffffff))?.durationSeconds).toBe(50_500 / 8000)
    expect(facts(compressed(2, 100, 60_000, 0))?.durationSeconds).toBe(50_500 / 8000)
  })

  it("leaves other compressed WAV files to the library, unless their header is of a part of them", () => {
    expect(facts(compressed(0x55, 100, 49))).toMatchObject({ durationSeconds: null, channels: 1, isFinal: false })
    expect(facts(compressed(0x55, 100, 49, 0xffffffff))).toMatchObject({ durationSeconds: null, isFinal: true })
  })

  it("never fails on arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (tail) => {
        facts(tail)
        facts(bytes("RIFF", [0, 0, 0, 0], "WAVE", [...tail]))
      })
    )
  })
})
