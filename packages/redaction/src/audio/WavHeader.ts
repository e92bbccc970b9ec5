import { viewOf } from "./Bytes.js"

/** Bytes of the header that `writeWavHeader` writes. */
export const WAV_HEADER_BYTES = 44

/** Samples of a WAV file: little-endian integers, unsigned where they have 8 bits. */
export interface WavHeader {
  readonly channels: number
  /** Sample frames a second. */
  readonly sampleRate: number
  readonly bytesPerSample: number
}

/** Writes the header of a WAV file of integers into the first 44 bytes; the rest of them are the samples. */
export const writeWavHeader = (bytes: Uint8Array, { bytesPerSample, channels, sampleRate }: WavHeader): void => {
  const view = viewOf(bytes)
  const block = channels * bytesPerSample
  bytes.set(Buffer.from("RIFF____WAVEfmt ____________________data", "latin1"))
  view.setUint32(4, bytes.length - 8, true)
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * block, true)
  view.setUint16(32, block, true)
  view.setUint16(34, bytesPerSample * 8, true)
  view.setUint32(40, bytes.length - WAV_HEADER_BYTES, true)
}
