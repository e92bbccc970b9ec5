/** How many frames of a process were late, in the last seconds. Pure. */

interface Bucket {
  readonly second: number
  readonly frames: number
  readonly late: number
}

/** The newest last. */
export type Lateness = ReadonlyArray<Bucket>

/** How late frames may be, in milliseconds, unless a process is configured otherwise. */
export const MAX_LATENESS_MILLIS = 40

/** Seconds that are looked back to: 500 frames of a call. */
const WINDOW_SECONDS = 10

/** The share of frames that may be late. */
const LATE_SHARE = 0.01

/** Fewer frames say nothing: the first seconds of a call. */
const MIN_FRAMES = 100

export const noLateness: Lateness = []

/** Adds a frame that was sent at a time in seconds. */
export const addFrame = (lateness: Lateness, at: number, isLate: boolean): Lateness => {
  const second = Math.floor(at)
  const last = lateness.at(-1)
  const late = isLate ? 1 : 0
  if (last !== undefined && last.second >= second) {
    return [...lateness.slice(0, -1), { ...last, frames: last.frames + 1, late: last.late + late }]
  }
  return [...lateness.filter((one) => one.second > second - WINDOW_SECONDS), { second, frames: 1, late }]
}

/** Whether more than 1 % of the frames were late in the seconds before a time. */
export const isLate = (lateness: Lateness, at: number): boolean => {
  const recent = lateness.filter(({ second }) => second > Math.floor(at) - WINDOW_SECONDS)
  const sum = (of: (bucket: Bucket) => number): number => recent.reduce((all, one) => all + of(one), 0)
  const frames = sum((one) => one.frames)
  return frames >= MIN_FRAMES && sum(({ late }) => late) > frames * LATE_SHARE
}
