/** Leaves ingests room while calls are evaluated in the same process. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * How long evaluations pause at most, as a multiple of the time they took: while ingests come without end, six of seven parts
 * of the time are theirs, and evaluations go on.
 */
const MAX_PAUSE = 6

/** How long no ingest was in progress when a pause ends early, as a share of the same time. */
const ENOUGH_IDLE = 0.25

/** Times are in milliseconds of one clock. */
export interface Pace {
  readonly ingestBegan: (now: number) => void
  readonly ingestEnded: (now: number) => void
  /** A part of a batch of evaluations ended, for which an ingest in progress had to wait this long. */
  readonly evaluated: (now: number, took: number) => void
  /** How long the next batch of evaluations is to wait at least before it asks again; 0 if it may begin. */
  readonly pause: (now: number) => number
}

/**
 * Evaluations beside which ingests were in progress are followed by a pause. It ends when no ingest has been in progress for a
 * while, so that evaluations have what ingests leave, or when it has lasted long.
 */
export const makePace = (): Pace => {
  let ingests = 0
  let idleSince = 0
  /** How long no ingest was in progress, before the present time without one. */
  let idleBefore = 0
  /** What evaluations took that is to be followed by a pause, since when they pause, and how long ingests were idle by then. */
  let took = 0
  let pausedAt = 0
  let idleAtPause = 0

  const idle = (now: number): number => idleBefore + (ingests === 0 ? now - idleSince : 0)

  const pause = (now: number): number =>
    Math.max(0, Math.min(took * ENOUGH_IDLE - (idle(now) - idleAtPause), pausedAt + took * MAX_PAUSE - now))

  return {
    ingestBegan: (now) => {
      idleBefore = idle(now)
      ingests++
    },
    ingestEnded: (now) => {
      ingests--
      if (ingests === 0) idleSince = now
    },
    evaluated: (now, part) => {
      if (ingests === 0) return
      took = pause(now) > 0 ? took + part : part
      pausedAt = now
      idleAtPause = idle(now)
    },
    pause
  }
}

const makeEvaluationPace = () => {
  const pace = makePace()
  const now = (): number => performance.now()
  return {
    /** Runs an ingest. */
    ingest: <A, E, R>(ingest: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        pace.ingestBegan(now())
        return Effect.ensuring(
          ingest,
          Effect.sync(() => {
            pace.ingestEnded(now())
          })
        )
      }),
    /** Runs a part of a batch of evaluations. */
    evaluate: <A, E, R>(part: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const start = now()
        return Effect.ensuring(
          part,
          Effect.sync(() => {
            const end = now()
            pace.evaluated(end, end - start)
          })
        )
      }),
    /** As `Pace.pause`. */
    pause: Effect.sync(() => pace.pause(now()))
  }
}

/** The pace of this process, whose engines share its thread. */
export class EvaluationPace extends Context.Reference<EvaluationPace>()("@earshot/core/calls/EvaluationPace", {
  defaultValue: makeEvaluationPace
}) {}
