import * as AudioFiles from "@earshot/test-kit/audio"
import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { readWav } from "@earshot/redaction/audio"
import { fixture, hear, redactAudio } from "./support.js"

const NAME = "Quentin Featherstone +1 415 555 2671"
const text = (value: string): Uint8Array => Buffer.from(value, "latin1")
const join = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(Buffer.concat(parts))
const le32 = (value: number): Uint8Array => Uint8Array.of(value, value >> 8, value >> 16, value >> 24)

/** The audio as it is stored of a call without anything to mute. */
const cleaned = (bytes: Uint8Array) => Effect.runPromise(redactAudio(bytes, []))

const expectClean = async (tagged: Uint8Array): Promise<Uint8Array> => {
  expect(Buffer.from(tagged).includes("Featherstone")).toBe(true)
  const { bytes } = await cleaned(tagged)
  for (const part of ["Quentin", "Featherstone", "2671"]) expect(Buffer.from(bytes).includes(part)).toBe(false)
  // There is nothing left to remove.
  expect((await cleaned(bytes)).bytes).toEqual(bytes)
  return bytes
}

const expectSameSound = async (bytes: Uint8Array, original: Uint8Array): Promise<void> => {
  const [now, before] = [await hear(bytes), await hear(original)]
  expect(now.length).toBe(before.length)
  now.forEach((samples, channel) => expect(Buffer.compare(bytesOf(samples), bytesOf(before[channel]!))).toBe(0))
}

const bytesOf = ({ buffer, byteLength, byteOffset }: Float32Array) => Buffer.from(buffer, byteOffset, byteLength)

const id3 = (body: Uint8Array): Uint8Array =>
  join(text("ID3"), Uint8Array.of(4, 0, 0, 0, 0, body.length >> 7, body.length & 0x7f), body)

describe("tags of MP3", () => {
  const original = fixture("cbr-stereo-44100.mp3")

  it("are removed at the start and the end", async () => {
    const end = new Uint8Array(128)
    end.set(text(`TAG${NAME}`))
    const ape = join(
      text("APETAGEX"),
      le32(2000),
      le32(80),
      le32(1),
      le32(0),
      new Uint8Array(8),
      text(`Title\0${NAME}`)
    )
    const lyrics = text(`LYRICSBEGIN${NAME}LYRICS200`)
    for (const behind of [end, join(ape, end), join(lyrics, end)]) {
      const bytes = await expectClean(join(id3(text(`TIT2${NAME}`)), id3(text(`APIC${NAME}`)), original, behind))
      expect(bytes).toEqual((await cleaned(original)).bytes)
    }
  })

  it("are removed between the frames", async () => {
    const frames = (await cleaned(original)).bytes
    const half = frames.length - 417 * 10
    const at = Buffer.from(frames).indexOf(Uint8Array.of(0xff, 0xfb), half)
    const bytes = await expectClean(join(frames.subarray(0, at), text(NAME), frames.subarray(at)))
    expect(bytes).toEqual(frames)
  })

  it("leave the sound as it was, the information frame too", async () => {
    for (const file of ["abr-mono-16000-id3.mp3", "vbr-joint-44100.mp3"]) {
      const { bytes, info } = await cleaned(join(id3(text(NAME)), fixture(file)))
      expect(Buffer.from(bytes).includes("ID3")).toBe(false)
      expect(info).toEqual((await cleaned(fixture(file))).info)
      await expectSameSound(bytes, fixture(file))
    }
  })
})

describe("tags of WAV", () => {
  it("are removed before and behind the samples, which stay", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("LIST", "bext", "iXML", "id3 ", "fact", "JUNK", "cue "), { maxLength: 4 }),
        fc.array(fc.constantFrom("LIST", "id3 ", "adtl"), { maxLength: 2 }),
        fc.uint8Array({ minLength: 2, maxLength: 80 }),
        fc.boolean(),
        async (before, behind, samples, isExtensible) => {
          const chunks = (ids: ReadonlyArray<string>) => ids.map((id) => [id, text(`fact${NAME}`)] as const)
          const whole = samples.subarray(0, samples.length & ~1)
          const options = { tag: "pcm", bits: 16, channels: 1, sampleRate: 8000, isExtensible } as const
          const file = AudioFiles.wavFileOf(whole, { ...options, before: chunks(before), behind: chunks(behind) })
          const { bytes, info } = await cleaned(file)
          expect(Buffer.from(bytes).includes("Featherstone")).toBe(false)
          expect(info).toEqual((await cleaned(AudioFiles.wavFileOf(whole, options))).info)
          expect(Buffer.from(bytes.subarray(bytes.length - whole.length))).toEqual(Buffer.from(whole))
          expect(Buffer.from(bytes).readUInt32LE(4)).toBe(bytes.length - 8)
          expect((await cleaned(bytes)).bytes).toEqual(bytes)
        }
      )
    ))

  it("are removed of FLAC, which becomes WAV", async () => {
    const file = fixture("mono-8000.flac")
    const comment = join(le32(4), text("test"), le32(1), le32(6 + NAME.length), text(`TITLE=${NAME}`))
    const isLast = file[4]! & 0x80
    const streamInfo = file.slice(4, 42)
    streamInfo[0] = 0
    const block = join(Uint8Array.of(isLast | 4, 0, comment.length >> 8, comment.length & 0xff), comment)
    const bytes = await expectClean(join(file.subarray(0, 4), streamInfo, block, file.subarray(42)))
    expect(bytes).toEqual((await cleaned(file)).bytes)
    expect(readWav(bytes)).toMatchObject({ _tag: "Right" })
  })
})

/** The pages of an Ogg file with other comments, which cross pages where they are long. */
const withComments = (file: Uint8Array, comments: Uint8Array): Uint8Array => {
  const [head, , ...packets] = AudioFiles.oggPacketsOf(file)
  const perPage = 255 * 255
  const pages = [AudioFiles.oggPage([head!], [head!.length], 0, 0, 2)]
  for (let at = 0; at <= comments.length; at += perPage) {
    const part = comments.subarray(at, at + perPage)
    const lacing = Array.from({ length: Math.floor(part.length / 255) }, () => 255)
    if (part.length < perPage) lacing.push(part.length % 255)
    pages.push(AudioFiles.oggPage([part], lacing, 0, pages.length, at === 0 ? 0 : 1))
  }
  let granule = 0
  packets.forEach((packet, i) => {
    granule += 960
    const lacing = [...Array.from({ length: Math.floor(packet.length / 255) }, () => 255), packet.length % 255]
    pages.push(AudioFiles.oggPage([packet], lacing, granule, pages.length, i === packets.length - 1 ? 4 : 0))
  })
  return join(...pages)
}

const comments = (...all: ReadonlyArray<string>): Uint8Array =>
  join(
    text("OpusTags"),
    le32(4),
    text("test"),
    le32(all.length),
    ...all.flatMap((one) => [le32(one.length), text(one)])
  )

describe("tags of Opus", () => {
  const original = fixture("stereo-20ms.opus")

  it("are replaced by none, however many pages they have", async () => {
    const picture = `METADATA_BLOCK_PICTURE=${NAME.repeat(3000)}`
    for (const tags of [comments(`TITLE=${NAME}`), comments(picture, `ARTIST=${NAME}`)]) {
      const tagged = withComments(original, tags)
      const bytes = await expectClean(join(tagged, text(NAME)))
      await expectSameSound(bytes, tagged)
      const [, left, ...sound] = AudioFiles.oggPacketsOf(bytes)
      expect(Buffer.from(left!).toString("latin1")).toBe("OpusTags\x07\0\0\0Earshot\0\0\0\0")
      expect(sound).toEqual(AudioFiles.oggPacketsOf(original).slice(2))
    }
  })

  it("number the pages from 0 without a gap", async () => {
    const { bytes } = await cleaned(withComments(original, comments(NAME.repeat(4000))))
    const numbers: Array<number> = []
    for (let at = Buffer.from(bytes).indexOf("OggS"); at >= 0; at = Buffer.from(bytes).indexOf("OggS", at + 4)) {
      numbers.push(Buffer.from(bytes).readUInt32LE(at + 18))
    }
    expect(numbers).toEqual(numbers.map((_, i) => i))
  })

  it("that share a page with sound are an error", async () => {
    const [head, , ...packets] = AudioFiles.oggPacketsOf(original)
    const first = packets.find(({ length }) => length < 255)!
    const tags = comments(`TITLE=${NAME}`)
    const file = join(
      AudioFiles.oggPage([head!], [head!.length], 0, 0, 2),
      AudioFiles.oggPage([tags, first], [tags.length, first.length], 960, 1, 4)
    )
    expect(await Effect.runPromise(Effect.flip(redactAudio(file, [])))).toMatchObject({ _tag: "MalformedAudio" })
  })
})
