/** Runs that this process plays, for those who listen to them. Nothing is stored, and a run does not wait for a listener. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Chunk from "effect/Chunk"
import type { Forbidden, NotFound, Unauthenticated } from "../access/AccessErrors.js"
import type { CurrentActor } from "../access/Actor.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import type { RunId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import { Results } from "../results/Results.js"
import type { Turn } from "../transcripts/Transcript.js"
import { type LiveEvent, RunNotLive, type RunObserver } from "./LiveRun.js"
import { FRAME_MILLIS, FRAME_SAMPLES, silenceOf } from "./voice/Audio.js"

export class LiveRuns extends Context.Tag("@earshot/core/simulation/LiveRuns")<
  LiveRuns,
  {
    /** Publishes a run until the scope closes. */
    readonly publish: (run: RunId) => Effect.Effect<RunObserver, never, Scope.Scope>
    /**
     * The turns of a run in progress so far, and what happens from then on. A listener that reads too slowly loses audio, oldest
     * first, and no turns.
     */
    readonly listen: UseCase<
      "runs.listen",
      [run: RunId],
      Stream.Stream<LiveEvent>,
      NotFound | RunNotLive | StorageError
    >
  }
>() {}

/** Frames of one event. */
const FRAMES = 5
const EVENT_SAMPLES = FRAMES * FRAME_SAMPLES

/** Most events of audio that wait for a listener: ten seconds. */
const MAX_WAITING = 100

/** Most listeners of one run. */
const MAX_LISTENERS = 20

interface Listener {
  /** Audio that it has not read. */
  audio: Array<LiveEvent>
  /** Turns that it has read. */
  turns: number
  hasEnd: boolean
  wake: () => void
}

interface LiveRun {
  readonly turns: Array<LiveEvent>
  readonly listeners: Set<Listener>
  isEnded: boolean
}

const eventOf = ({ content, endTime, speaker, startTime }: Turn): LiveEvent => ({
  type: "turn",
  speaker,
  content,
  start_time: startTime ?? null,
  end_time: endTime ?? null
})

const wakeAll = ({ listeners }: LiveRun): void => {
  for (const { wake } of listeners) wake()
}

const observerOf = (live: LiveRun): RunObserver => {
  const caller = silenceOf(EVENT_SAMPLES)
  const agent = silenceOf(EVENT_SAMPLES)
  let frames = 0
  let first = 0
  return {
    turn: (turn) => {
      live.turns.push(eventOf(turn))
      wakeAll(live)
    },
    audio: (frame, sent, played) => {
      if (live.listeners.size === 0) {
        frames = 0
        return
      }
      if (frames === 0) first = frame
      caller.set(sent ?? silenceOf(FRAME_SAMPLES), frames * FRAME_SAMPLES)
      agent.set(played, frames * FRAME_SAMPLES)
      if (++frames < FRAMES) return
      frames = 0
      const event: LiveEvent = {
        type: "audio",
        at_ms: first * FRAME_MILLIS,
        caller: Buffer.from(caller).toString("base64"),
        agent: Buffer.from(agent).toString("base64")
      }
      for (const listener of live.listeners) {
        listener.audio.push(event)
        if (listener.audio.length > MAX_WAITING) listener.audio.shift()
      }
      wakeAll(live)
    }
  }
}

/** The next events of a listener; waits if there are none. */
const next = (live: LiveRun, listener: Listener): Effect.Effect<Chunk.Chunk<LiveEvent>, Option.Option<never>> =>
  Effect.suspend(() => {
    const { audio } = listener
    const turns = live.turns.slice(listener.turns)
    listener.turns = live.turns.length
    listener.audio = []
    const events = [...turns, ...audio]
    if (events.length > 0) return Effect.succeed(Chunk.unsafeFromArray(events))
    if (listener.hasEnd) return Effect.fail(Option.none())
    if (live.isEnded) {
      listener.hasEnd = true
      return Effect.succeed(Chunk.of<LiveEvent>({ type: "end" }))
    }
    return Effect.zipRight(
      Effect.async<undefined>((resume) => {
        listener.wake = () => {
          resume(Effect.succeed(undefined))
        }
        // Something may have happened before the fiber got here.
        if (live.isEnded || listener.audio.length > 0 || listener.turns < live.turns.length)
          resume(Effect.succeed(undefined))
      }),
      next(live, listener)
    )
  })

const listenTo = (live: LiveRun): Stream.Stream<LiveEvent> =>
  Stream.unwrapScoped(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const listener: Listener = { audio: [], turns: 0, hasEnd: false, wake: () => undefined }
          live.listeners.add(listener)
          return listener
        }),
        (listener) => Effect.sync(() => live.listeners.delete(listener))
      ),
      (listener) => Stream.repeatEffectChunkOption(next(live, listener))
    )
  )

const notLive = (reason: string) => new RunNotLive({ reason })

export const layer: Layer.Layer<LiveRuns, never, Results> = Layer.effect(
  LiveRuns,
  Effect.gen(function* () {
    const results = yield* Results
    const runs = new Map<RunId, LiveRun>()

    /** A run that the caller may read, as it is played here. */
    const find = (
      id: RunId
    ): Effect.Effect<LiveRun, NotFound | RunNotLive | StorageError | Forbidden | Unauthenticated, CurrentActor> =>
      Effect.gen(function* () {
        const { status } = yield* results.readRun(id)
        const live = runs.get(id)
        if (live === undefined) {
          return yield* notLive(
            status === "running"
              ? "The run is executed by another process or by a worker. Only the process that executes a run streams it."
              : `The run is not in progress: it is ${status}.`
          )
        }
        if (live.listeners.size >= MAX_LISTENERS) {
          return yield* notLive(`The run has ${MAX_LISTENERS} listeners already. Try again when one has left.`)
        }
        return live
      })

    return LiveRuns.of({
      publish: (run) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => {
              const live: LiveRun = { turns: [], listeners: new Set(), isEnded: false }
              runs.set(run, live)
              return live
            }),
            (live) =>
              Effect.sync(() => {
                live.isEnded = true
                if (runs.get(run) === live) runs.delete(run)
                wakeAll(live)
              })
          ),
          observerOf
        ),
      listen: useCase("runs.listen")((_permit, id) => Effect.map(find(id), listenTo))
    })
  })
)
