import { fromMulaw, toMulaw } from "./Mulaw.js"
import type { WavLayout } from "./Wav.js"

/** The byte of silence: zero is one repeated byte in every encoding. G.711: mu-law +0 is 0xff, A-law +0 is 0xd5. */
export const silentByte = (layout: WavLayout): number =>
  layout.encoding === "mulaw"
    ? 0xff
    : layout.encoding === "alaw"
      ? 0xd5
      : layout.encoding === "pcm" && layout.bytesPerSample === 1
        ? 0x80
        : 0

/** Writes one sample of -1 to 1. */
export const writeSample = (view: DataView, at: number, layout: WavLayout, value: number): void => {
  switch (layout.encoding) {
    case "mulaw":
      view.setUint8(at, toMulaw(Math.round(value * 32_767)))
      break
    case "alaw":
      view.setUint8(at, toALaw(Math.round(value * 32_767)))
      break
    case "float":
      if (layout.bytesPerSample === 8) view.setFloat64(at, value, true)
      else view.setFloat32(at, value, true)
      break
    case "pcm": {
      if (layout.bytesPerSample === 1) {
        view.setUint8(at, 128 + Math.round(value * 127))
        break
      }
      const whole = Math.round(value * (2 ** (8 * layout.bytesPerSample - 1) - 1))
      for (let i = 0; i < layout.bytesPerSample; i++) view.setUint8(at + i, (whole >> (8 * i)) & 0xff)
    }
  }
}

/** Reads one sample as -1 to 1. */
export const readSample = (view: DataView, at: number, layout: WavLayout): number => {
  switch (layout.encoding) {
    case "mulaw":
      return fromMulaw(view.getUint8(at)) / 32_768
    case "alaw":
      return fromALaw(view.getUint8(at)) / 32_768
    case "float":
      return layout.bytesPerSample === 8 ? view.getFloat64(at, true) : view.getFloat32(at, true)
    case "pcm": {
      if (layout.bytesPerSample === 1) return (view.getUint8(at) - 128) / 128
      let whole = view.getInt8(at + layout.bytesPerSample - 1)
      for (let i = layout.bytesPerSample - 2; i >= 0; i--) whole = whole * 256 + view.getUint8(at + i)
      return whole / 2 ** (8 * layout.bytesPerSample - 1)
    }
  }
}

/** ITU-T G.711 A-law of a 16-bit sample. */
const toALaw = (sample: number): number => {
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 32_767) >> 3
  const exponent = Math.max(0, 31 - Math.clz32(Math.max(magnitude, 1)) - 4)
  const mantissa = (exponent === 0 ? magnitude >> 1 : magnitude >> exponent) & 0x0f
  return ((sample < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55
}

const fromALaw = (code: number): number => {
  const plain = code ^ 0x55
  const exponent = (plain >> 4) & 7
  const mantissa = ((plain & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return plain & 0x80 ? magnitude : -magnitude
}
