/**
 * Sets of words kept as Bloom filters: small to ship, and no list of people's names to read out. A word in the set is
 * always found; one in a thousand others is found too.
 */
export interface WordSet {
  readonly bits: Uint8Array
  readonly size: number
}

export interface WordSets {
  readonly firstNames: WordSet
  readonly lastNames: WordSet
  /** First and last names of all kinds that are no English words. */
  readonly otherNames: WordSet
  /** Cities, states and countries, of up to three words. */
  readonly places: WordSet
  /** English words by how common they are in speech: the first thousand, to five thousand, to twenty-five thousand. */
  readonly common1: WordSet
  readonly common2: WordSet
  readonly common3: WordSet
}

const PROBES = 9

const hashes = (word: string): readonly [number, number] => {
  let a = 0x811c9dc5
  let b = 0x2f0b4c47
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x5bd1e995)
    b ^= b >>> 15
  }
  return [a >>> 0, (b | 1) >>> 0]
}

export const inSet = (set: WordSet, word: string): boolean => {
  const [a, b] = hashes(word)
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = (a + Math.imul(probe, b)) >>> 0
    const at = bit % set.size
    if (((set.bits[at >> 3] ?? 0) & (1 << (at & 7))) === 0) return false
  }
  return true
}

export const makeSet = (words: Iterable<string>): WordSet => {
  const all = [...new Set(words)]
  const size = Math.max(64, Math.ceil((all.length * 14) / 8) * 8)
  const bits = new Uint8Array(size / 8)
  for (const word of all) {
    const [a, b] = hashes(word)
    for (let probe = 0; probe < PROBES; probe++) {
      const at = ((a + Math.imul(probe, b)) >>> 0) % size
      bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
    }
  }
  return { bits, size }
}
