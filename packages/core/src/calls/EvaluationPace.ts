/** Leaves ingests room while calls are evaluated in the same process. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * How long evaluations pause at most, as a multiple of the time they took: while ingests leave no time, ten of eleven parts of
 * it are theirs, and evaluations go on.
 */
const MAX_PAUSE = 10

/**
 * How long the event loop was idle when a pause ends early, as a multiple of the same time. Clients that wait for their answers
 * leave the loop idle for a moment, and would wait for an evaluation that began in it.
 */
const ENOUGH_IDLE = 1.5

/** How long after an ingest others are expected, in milliseconds: what has arrived meanwhile is read after an evaluation. */
const EXPECTED = 1000

/** What a part of a batch counts at most, in milliseconds: one that takes longer has waited, for a lock or a connection. */
const MAX_PART = 100

/** A moment, in milliseconds: the time, and how long the event loop has been idle by then, of which only differences count. */
export interface Moment {
  readonly now: number
  readonly idle: number
}

export interface Pace {
  readonly ingestBegan: (now: number) => void
  /** A part of a batch of evaluations ended, for which an ingest had to wait this long. */
  readonly evaluated: (at: Moment, took: number) => void
  /** How long the next batch of evaluations is to wait at least before it asks again; 0 if it may begin. */
  readonly pause: (at: Moment) => number
}

/**
 * Evaluations are followed by a pause while calls are ingested. It ends when the event loop has been idle for a while, so
 * that evaluations have what ingests leave, or when it has lasted long.
 */
export const makePace = (): Pace => {
  let ingestedAt = Number.NEGATIVE_INFINITY
  /** How long the event loop is to be idle from this moment on, and how long the pause lasts at most. */
  let since: Moment = { now: 0, idle: 0 }
  let wanted = 0
  let most = 0

  const left = ({ idle, now }: Moment) => ({
    wanted: Math.max(0, wanted - (idle - since.idle)),
    most: Math.max(0, most - (now - since.now))
  })

  const pause = (at: Moment): number => {
    const rest = left(at)
    return Math.min(rest.wanted, rest.most)
  }

  return {
    ingestBegan: (now) => {
      ingestedAt = now
    },
    evaluated: (at, took) => {
      if (at.now - took - ingestedAt > EXPECTED) return
      // What others leave of the pause of parts before; the time of this part is none of it.
      const rest = left({ now: at.now - took, idle: at.idle })
      const isOver = Math.min(rest.wanted, rest.most) === 0
      const counted = Math.min(took, MAX_PART)
      wanted = (isOver ? 0 : rest.wanted) + counted * ENOUGH_IDLE
      most = (isOver ? 0 : rest.most) + counted * MAX_PAUSE
      since = at
    },
    pause
  }
}

const makeEvaluationPace = () => {
  const pace = makePace()
  const moment = (): Moment => ({ now: performance.now(), idle: performance.eventLoopUtilization().idle })
  return {
    /** An ingest begins. */
    ingestBegan: Effect.sync(() => pace.ingestBegan(performance.now())),
    /** Runs a part of a batch of evaluations. */
    evaluate: <A, E, R>(part: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const start = performance.now()
        return Effect.ensuring(
          part,
          Effect.sync(() => {
            const end = moment()
            pace.evaluated(end, end.now - start)
          })
        )
      }),
    /** As `Pace.pause`. */
    pause: Effect.sync(() => pace.pause(moment()))
  }
}

/** The pace of this process, whose engines share its thread. */
export class EvaluationPace extends Context.Reference<EvaluationPace>()("@earshot/core/calls/EvaluationPace", {
  defaultValue: makeEvaluationPace
}) {}
