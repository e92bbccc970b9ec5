/** A seeded source of choices (mulberry32), so that the same seed makes the same calls everywhere. */
export interface Random {
  readonly next: () => number
  readonly int: (from: number, to: number) => number
  readonly pick: <A>(list: ReadonlyArray<A>) => A
  readonly chance: (share: number) => boolean
  readonly digits: (count: number) => string
  readonly letters: (count: number) => string
}

export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  const pick = <A>(list: ReadonlyArray<A>): A => {
    const [first, ...rest] = list
    const at = int(0, rest.length)
    // eslint-disable-next-line typescript/consistent-type-assertions -- an empty list is the caller's mistake
    return at === 0 || first === undefined ? (first as A) : (rest[at - 1] ?? first)
  }
  const chance = (share: number): boolean => next() < share
  const digits = (count: number): string => Array.from({ length: count }, () => String(int(0, 9))).join("")
  const letters = (count: number): string =>
    Array.from({ length: count }, () => pick([..."ABCDEFGHJKLMNPRSTUVWXYZ"])).join("")
  return { next, int, pick, chance, digits, letters }
}
