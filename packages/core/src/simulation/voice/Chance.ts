/** Chance that can be repeated: a number for each position of a named sequence. Pure. */

const mix = (hash: number, word: number): number => {
  const spread = Math.imul(word, 0xcc9e2d51)
  const mixed = hash ^ Math.imul((spread << 15) | (spread >>> 17), 0x1b873593)
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}

/** The sequences of a run. Each has numbers of its own, so that none changes if another is used more often. */
const SEQUENCES = {
  interruption: 1,
  interruptionPhrase: 2,
  backchannel: 3,
  backchannelPhrase: 4,
  silence: 5,
  noise: 6,
  loss: 7,
  jitter: 8
} as const

/** A number from 0 to below 1: MurmurHash3 (32 bits) of the seed, the sequence and the position. */
export const chance = (seed: number, sequence: keyof typeof SEQUENCES, position: number): number => {
  let hash = mix(mix(seed | 0, SEQUENCES[sequence]), position | 0) ^ 8
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
