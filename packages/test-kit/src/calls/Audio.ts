/** Audio files for tests. */

/** A WAV file of silence: 16-bit PCM. */
export const wav = (
  seconds: number,
  options: { readonly channels?: 1 | 2; readonly rate?: number } = {}
): Uint8Array<ArrayBuffer> => {
  const { channels = 1, rate = 8000 } = options
  const data = Math.round(seconds * rate) * channels * 2
  const bytes = new Uint8Array(44 + data)
  const view = new DataView(bytes.buffer)
  const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at)
  text(0, "RIFF")
  view.setUint32(4, 36 + data, true)
  text(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  text(36, "data")
  view.setUint32(40, data, true)
  return bytes
}
