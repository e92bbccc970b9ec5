/** ITU-T G.711 mu-law of a 16-bit sample. */
export const toMulaw = (sample: number): number => {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84
  const exponent = Math.max(0, 31 - Math.clz32(magnitude) - 7)
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff
}

/** The 16-bit sample of a mu-law code; +0 and -0 are both 0. */
export const fromMulaw = (code: number): number => {
  const plain = ~code & 0xff
  const magnitude = ((((plain & 0x0f) << 3) + 0x84) << ((plain >> 4) & 7)) - 0x84
  return plain & 0x80 ? -magnitude : magnitude
}
