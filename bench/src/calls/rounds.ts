import * as Effect from "effect/Effect"

/** The middle of some numbers; on a machine that others use, means say nothing. */
export const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** Milliseconds. */
export const timed = <A, E>(what: Effect.Effect<A, E>): Effect.Effect<number, E> =>
  Effect.gen(function* () {
    const before = yield* Effect.sync(() => performance.now())
    yield* what
    return performance.now() - before
  })

export interface Compared {
  /** Median milliseconds of each side, and the median over the rounds of ours in proportion to theirs. */
  readonly ours: number
  readonly theirs: number
  readonly ratio: number
}

/** Both sides in so many rounds, each side first in every other one, after one round that does not count. */
export const interleaved = <A, B, E>(
  rounds: number,
  ours: Effect.Effect<A, E>,
  theirs: Effect.Effect<B, E>
): Effect.Effect<Compared, E> =>
  Effect.gen(function* () {
    yield* Effect.all([ours, theirs])
    const found: Array<{ readonly ours: number; readonly theirs: number }> = []
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) found.push({ ours: yield* timed(ours), theirs: yield* timed(theirs) })
      else {
        const before = yield* timed(theirs)
        found.push({ theirs: before, ours: yield* timed(ours) })
      }
    }
    return {
      ours: median(found.map((one) => one.ours)),
      theirs: median(found.map((one) => one.theirs)),
      ratio: median(found.map((one) => one.ours / one.theirs))
    }
  })

/** A whole number above 0 from the environment. */
export const numberFrom = (variable: string, otherwise: number): number => {
  const given = Number(process.env[variable] ?? otherwise)
  return Number.isInteger(given) && given > 0 ? given : otherwise
}

export const say = (line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    console.log(line)
  })
