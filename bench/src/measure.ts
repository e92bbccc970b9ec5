/**
 * Measurements of two sides in alternating rounds. Ratios are medians over the rounds, since on a shared machine means of
 * times are meaningless. Processor time is that of this process, unless a side names the processes that work for it.
 */
import * as Effect from "effect/Effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import type { ProcessorTime } from "./ingest/processorTime.js"

/** The middle of the sorted numbers, or the mean of the two in the middle; not a number if there are none. */
export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const [lower = Number.NaN, upper = Number.NaN] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)]
  ]
  return (lower + upper) / 2
}

/** Milliseconds of wall-clock time and of processor time. */
export interface Sample {
  readonly ms: number
  readonly cpuMs: number
}

const ofThisProcess: ProcessorTime = () => {
  const { system, user } = process.cpuUsage()
  return Promise.resolve(user + system)
}

/** @param processorTime of all processes that work for the effect (default: of this one) */
export const timed = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  processorTime: ProcessorTime = ofThisProcess
): Effect.Effect<Sample, E, R> =>
  Effect.gen(function* () {
    const before = (yield* Effect.promise(processorTime)) ?? Number.NaN
    const start = performance.now()
    yield* effect
    const ms = performance.now() - start
    const after = (yield* Effect.promise(processorTime)) ?? Number.NaN
    return { ms, cpuMs: (after - before) / 1_000 }
  })

export interface Comparison {
  /** Median of each side. */
  readonly ours: Sample
  readonly theirs: Sample
  /** Medians over the rounds of ours divided by theirs. */
  readonly ratio: number
  readonly cpuRatio: number
}

/** Measures both sides `rounds` times; they take turns at going first. */
export const alternate = <E, R>(
  rounds: number,
  ours: Effect.Effect<Sample, E, R>,
  theirs: Effect.Effect<Sample, E, R>
): Effect.Effect<Comparison, E, R> =>
  Effect.gen(function* () {
    const samples: Array<{ readonly ours: Sample; readonly theirs: Sample }> = []
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) samples.push({ ours: yield* ours, theirs: yield* theirs })
      else {
        const first = yield* theirs
        samples.push({ theirs: first, ours: yield* ours })
      }
    }
    const side = (which: "ours" | "theirs"): Sample => ({
      ms: median(samples.map((sample) => sample[which].ms)),
      cpuMs: median(samples.map((sample) => sample[which].cpuMs))
    })
    return {
      ours: side("ours"),
      theirs: side("theirs"),
      ratio: median(samples.map((sample) => sample.ours.ms / sample.theirs.ms)),
      cpuRatio: median(samples.map((sample) => sample.ours.cpuMs / sample.theirs.cpuMs))
    }
  })

/**
 * Compares two effects in alternating rounds, after one round for warming up.
 *
 * @param processorTime of all processes that work for ours (default: of this one)
 */
export const compare = <A, B, E, R>(
  rounds: number,
  ours: Effect.Effect<A, E, R>,
  theirs: Effect.Effect<B, E, R>,
  processorTime?: ProcessorTime
): Effect.Effect<Comparison, E, R> =>
  Effect.zipRight(
    Effect.all([ours, theirs], { discard: true }),
    alternate(rounds, timed(ours, processorTime), timed(theirs))
  )

const number = (value: number): string =>
  value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0)

/**
 * `12.3 ms (CPU 10.1) vs 8.10 ms (CPU 8.02), ratio 1.52 (CPU 1.26)`; with `per`, times are divided by it.
 */
export const format = ({ cpuRatio, ours, ratio, theirs }: Comparison, per = 1): string => {
  const side = ({ cpuMs, ms }: Sample) => `${number(ms / per)} ms (CPU ${number(cpuMs / per)})`
  return `${side(ours)} vs ${side(theirs)}, ratio ${ratio.toFixed(2)} (CPU ${cpuRatio.toFixed(2)})`
}

/** How long the event loop stood still at most while the work was done, in milliseconds. */
export const longestDelay = async (work: Effect.Effect<unknown, unknown>): Promise<number> => {
  // What was left to collect by others is not counted.
  await sleep(50)
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  // The first delay is counted from the first turn of the event loop.
  await sleep(10)
  await Effect.runPromise(work)
  await sleep(5)
  delays.disable()
  return delays.max / 1e6
}
