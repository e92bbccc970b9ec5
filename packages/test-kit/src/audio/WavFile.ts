/** How to write a WAV file; the header says the truth unless `header` is told to lie. */
export interface WavFileOptions {
  readonly tag: "pcm" | "float" | "alaw" | "mulaw"
  readonly bits: number
  readonly channels: number
  readonly sampleRate: number
  readonly isExtensible?: boolean
  /** Chunks before and behind the samples. */
  readonly before?: ReadonlyArray<readonly [id: string, body: Uint8Array]>
  readonly behind?: ReadonlyArray<readonly [id: string, body: Uint8Array]>
  /** What the data chunk claims to hold. */
  readonly claimedSize?: number
}

const TAGS = { pcm: 1, float: 3, alaw: 6, mulaw: 7 } as const

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

const chunk = (id: string, body: Uint8Array, claimed = body.length): ReadonlyArray<Uint8Array> => {
  const head = new Uint8Array(8)
  head.set(ascii(id))
  new DataView(head.buffer).setUint32(4, claimed, true)
  return [head, body, new Uint8Array(body.length % 2)]
}

/** A RIFF/WAVE file around bytes that are its samples. */
export const wavFileOf = (samples: Uint8Array, options: WavFileOptions): Uint8Array => {
  const {
    behind = [],
    before = [],
    bits,
    channels,
    claimedSize = samples.length,
    isExtensible = false,
    sampleRate
  } = options
  const width = Math.ceil(bits / 8)
  const format = new Uint8Array(isExtensible ? 40 : 16)
  const view = new DataView(format.buffer)
  view.setUint16(0, isExtensible ? 0xfffe : TAGS[options.tag], true)
  view.setUint16(2, channels, true)
  view.setUint32(4, sampleRate, true)
  view.setUint32(8, sampleRate * channels * width, true)
  view.setUint16(12, channels * width, true)
  view.setUint16(14, isExtensible ? width * 8 : bits, true)
  if (isExtensible) {
    view.setUint16(16, 22, true)
    view.setUint16(18, bits, true)
    view.setUint16(24, TAGS[options.tag], true)
    format.set([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71], 26)
  }
  const chunks = [
    ...before.flatMap(([id, body]) => chunk(id, body)),
    ...chunk("fmt ", format),
    ...chunk("data", samples, claimedSize),
    ...behind.flatMap(([id, body]) => chunk(id, body))
  ]
  return Uint8Array.from(Buffer.concat([...chunk("RIFF", ascii("WAVE")), ...chunks]))
}
