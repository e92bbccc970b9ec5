/**
 * One call to an agent from the telephone's side: sends a frame every 20 ms by the clock, plays what the agent sends, and
 * keeps both tracks. It ends by itself at its limits; what was heard until then is kept.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { FRAME_SAMPLES, millisOf, samplesOf, silenceOf } from "./Audio.js"
import { frameDueAt, framesDue, framesOf } from "./Frames.js"
import { impaired, type ImpairedLine, noTransit, transmit } from "./Impairments.js"
import {
  clearQueue,
  emptyPlayback,
  isOverfull,
  partOf,
  type PlayedAudio,
  playUntil,
  queueAudio,
  queuedSamples,
  queueMark
} from "./Playback.js"
import { type ActivityOptions, listen, noActivity, type TimeSpan, spansOf } from "./VoiceActivity.js"
import type { ConnectionEvent, VoiceConnection } from "./VoiceConnection.js"
import { type CallerTurn, measureCall, type VoiceMeasures } from "./VoiceMeasures.js"
import { type AgentMessage, OTHER, type VoiceProtocol, type WireMessage } from "./VoiceProtocol.js"

export interface VoiceCallConfig {
  /** The agent's, of this call alone. */
  readonly protocol: VoiceProtocol
  /** Sent to the agent when the connection is open, where the protocol has a place for them. */
  readonly customParameters: Readonly<Record<string, string>>
  readonly maxMillis: number
  /** Most characters or bytes that an agent sends in a call. Default: 64 Mi. */
  readonly maxReceived?: number
  /** Most audio of the agent that waits to be played. Default: 5 minutes. */
  readonly maxQueuedMillis?: number
  /** Most messages that cannot be read. Default: 50. */
  readonly maxInvalid?: number
  readonly activity?: ActivityOptions
  /** Called with the milliseconds by which each frame is sent after its time. */
  readonly onFrame?: (lateMillis: number) => void
  /** Called with the audio of each frame: what the caller sent, null for silence, and what the agent was heard to say. */
  readonly onAudio?: ((frame: number, caller: Uint8Array | null, agent: Uint8Array) => void) | undefined
  /** Impairments of what the agent hears. Default: none. */
  readonly line?: ImpairedLine | null
}

/** Why a call is over. */
export type CallEnd =
  | { readonly by: "testing_agent" }
  /** The agent closed the connection, or it broke: then `isClean` is false. */
  | { readonly by: "main_agent"; readonly reason: string; readonly isClean: boolean }
  | { readonly by: "max_duration" }
  /** What the agent sent is invalid, or more than a call may have. */
  | { readonly by: "protocol"; readonly reason: string }

/** A stretch of the agent's speech with its audio. */
export interface AgentTurn extends TimeSpan {
  readonly audio: Uint8Array
  /** Whether the agent went on speaking when the longest turn was over. */
  readonly isCut: boolean
}

/** What is known of a call at a time. */
export interface VoiceCallRecord {
  readonly durationMillis: number
  readonly callerTrack: ReadonlyArray<PlayedAudio>
  readonly agentTrack: ReadonlyArray<PlayedAudio>
  readonly measures: VoiceMeasures
  /** What is wrong with the first message that could not be read; null if all could. */
  readonly invalid: string | null
}

export interface VoiceCall {
  /**
   * Says audio as its parts come, behind what is being said, and is silent where they come too slowly; completes when its last
   * frame was sent, with the time from its first to its last audible sample.
   */
  readonly say: <E = never>(
    audio: Stream.Stream<Uint8Array, E>,
    kind?: CallerTurn["kind"]
  ) => Effect.Effect<TimeSpan, CallEnd | E>
  /** Sends the tone of a key, where the protocol has keys: 0 to 9, `*`, `#`, A to D. */
  readonly press: (key: string) => Effect.Effect<void>
  /** Stays silent for so long. */
  readonly pause: (millis: number) => Effect.Effect<void, CallEnd>
  /** Waits until the agent speaks; none if it does not for so long. */
  readonly onset: (timeoutMillis: number) => Effect.Effect<Option.Option<number>, CallEnd>
  /**
   * The agent's next turn: what it said since the last one, when it has been quiet for `endMillis` or has spoken for
   * `maxMillis`. None if it does not begin to speak for `timeoutMillis`.
   */
  readonly hear: (wait: {
    readonly endMillis: number
    readonly timeoutMillis: number
    readonly maxMillis?: number
  }) => Effect.Effect<Option.Option<AgentTurn>, CallEnd>
  /**
   * Waits until the agent speaks and its turn is `afterMillis` long; false if the turn is over before, or does not begin for
   * `timeoutMillis`. Takes nothing.
   */
  readonly speaks: (wait: {
    readonly afterMillis: number
    readonly endMillis: number
    readonly timeoutMillis: number
  }) => Effect.Effect<boolean, CallEnd>
  /** What the agent said of its turn so far; takes nothing. */
  readonly soFar: Effect.Effect<Option.Option<AgentTurn>>
  /** What the agent said since its last turn, if it has been quiet for `endMillis`; does not wait. */
  readonly takeTurn: (endMillis: number) => Effect.Effect<Option.Option<AgentTurn>>
  /** Milliseconds since the start of the call. */
  readonly position: Effect.Effect<number>
  readonly hangUp: Effect.Effect<void>
  /** Never completes otherwise. */
  readonly ended: Effect.Effect<CallEnd>
  readonly record: Effect.Effect<VoiceCallRecord>
}

const MARGIN_SAMPLES = samplesOf(20)

/** Audio that is there before the first of it is sent, so that a server that sends it in small parts leaves no gaps. */
const AHEAD_SAMPLES = samplesOf(200)

/** A pause between words is no longer than this, in milliseconds, where somebody is speaking. */
export const SPEAKING_MILLIS = 60

/** Starts a call on an open connection; it goes on until it ends or the scope closes. */
export const startCall = (
  connection: VoiceConnection,
  config: VoiceCallConfig
): Effect.Effect<VoiceCall, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { activity: options, line = null, maxInvalid = 50, maxMillis, protocol } = config
    const maxReceived = config.maxReceived ?? 64 * 1024 * 1024
    const maxQueued = samplesOf(config.maxQueuedMillis ?? 300_000)
    const sendAll = (messages: ReadonlyArray<WireMessage>) =>
      Effect.forEach(messages, connection.send, { discard: true })
    const ended = yield* Deferred.make<CallEnd>()

    const callerTrack: Array<PlayedAudio> = []
    const agentTrack: Array<PlayedAudio> = []
    const callerTurns: Array<CallerTurn> = []
    const clears: Array<number> = []
    const outgoing: Array<{ readonly frame: Uint8Array; readonly sent: (() => void) | undefined }> = []
    const waiting = new Set<() => void>()
    let playback = emptyPlayback
    let activity = noActivity
    let sent = 0
    /** The frame that was sent last; null for silence. */
    let callerFrame: Uint8Array | null = null
    let transit = noTransit
    let received = 0
    let invalid = 0
    let firstInvalid: string | null = null
    /** Where the agent's last turn ended that was returned. */
    let returnedUntil = 0
    let end: CallEnd | undefined

    const finish = (why: CallEnd): void => {
      end ??= why
    }
    const began = yield* Clock.currentTimeMillis
    yield* sendAll(protocol.open(config.customParameters))

    /** Takes in what came, and returns the responses to it. */
    const read = (event: ConnectionEvent): ReadonlyArray<WireMessage> => {
      if (end !== undefined) return []
      if (event.is === "closed") {
        finish({ by: "main_agent", reason: event.reason, isClean: event.isClean })
        return []
      }
      received += event.data.length
      if (received > maxReceived) {
        finish({ by: "protocol", reason: `sent more than ${maxReceived} bytes` })
        return []
      }
      const now = Math.max(activity.position, samplesOf(event.at - began))
      const message = Either.getOrElse(protocol.read(event.data, event.at), (reason): AgentMessage => {
        firstInvalid ??= reason
        if (++invalid > maxInvalid) {
          finish({
            by: "protocol",
            reason: `sent more than ${maxInvalid} invalid messages. The first: ${firstInvalid.replace(/\.$/, "")}`
          })
        }
        return OTHER
      })
      switch (message.event) {
        case "media":
          playback = queueAudio(playback, now, message.audio)
          if (queuedSamples(playback, now) > maxQueued || isOverfull(playback)) {
            finish({
              by: "protocol",
              reason: `sent more than ${Math.round(millisOf(maxQueued) / 1000)} seconds of audio ahead of its playback`
            })
          }
          break
        case "mark":
          playback = queueMark(playback, now, message.name)
          break
        case "clear":
          playback = clearQueue(playback, now)
          clears.push(millisOf(now))
          return message.responses ?? []
        case "other":
          return message.responses ?? []
      }
      return []
    }

    /** Plays what is due, and returns the marks to answer. */
    const play = (until: number): ReadonlyArray<string> => {
      const played = playUntil(playback, until)
      playback = played.playback
      agentTrack.push(...played.played)
      const agentFrame = partOf(played.played, activity.position, until)
      activity = listen(activity, agentFrame, options)
      if (agentFrame.length === FRAME_SAMPLES) config.onAudio?.(sent - 1, callerFrame, agentFrame)
      return played.marks
    }

    const sendClean = (frame: Uint8Array | undefined) => {
      if (frame !== undefined) callerTrack.push({ at: sent * FRAME_SAMPLES, audio: frame })
      callerFrame = frame ?? null
      return sendAll(protocol.media(frame ?? silenceOf(FRAME_SAMPLES)))
    }

    /** The recording has what the agent hears, without the delays of frames. */
    const sendImpaired = (over: ImpairedLine, frame: Uint8Array | undefined) => {
      const arriving = impaired(over, frame ?? silenceOf(FRAME_SAMPLES), sent)
      callerTrack.push({ at: sent * FRAME_SAMPLES, audio: arriving })
      callerFrame = arriving
      const sending = transmit(over, transit, arriving)
      ;({ transit } = sending)
      return sendAll(sending.arrived.flatMap(protocol.media))
    }

    /** One frame: what came is read, what is due is played, and the caller's next 20 ms are sent. */
    const tick = Effect.gen(function* () {
      for (const event of yield* connection.take) yield* sendAll(read(event))
      const marks = play(samplesOf(frameDueAt(sent)))
      for (const name of marks) yield* sendAll(protocol.mark(name))
      if (frameDueAt(sent) >= maxMillis) finish({ by: "max_duration" })
      if (end === undefined) {
        const next = outgoing.shift()
        yield* line === null ? sendClean(next?.frame) : sendImpaired(line, next?.frame)
        sent++
        next?.sent?.()
      }
      for (const check of [...waiting]) check()
    })

    const pace = Effect.gen(function* () {
      const isOpen = (): boolean => end === undefined
      while (isOpen()) {
        const elapsed = (yield* Clock.currentTimeMillis) - began
        const due = framesDue(elapsed, sent)
        if (due === 0) yield* Effect.sleep(frameDueAt(sent) - elapsed)
        for (let frame = 0; frame < due && isOpen(); frame++) {
          config.onFrame?.(elapsed - frameDueAt(sent))
          yield* tick
        }
      }
      for (const check of [...waiting]) check()
      yield* sendAll(protocol.close())
      if (end !== undefined) yield* Deferred.succeed(ended, end)
    })
    yield* Effect.forkScoped(pace)

    /** Waits for a value that is computed at every frame. */
    const until = <A>(find: () => Option.Option<A>): Effect.Effect<A, CallEnd> =>
      Effect.async<A, CallEnd>((resume) => {
        const check = (): void => {
          const found = find()
          if (Option.isNone(found) && end === undefined) return
          waiting.delete(check)
          resume(
            Option.isSome(found) ? Effect.succeed(found.value) : end === undefined ? Effect.never : Effect.fail(end)
          )
        }
        waiting.add(check)
        check()
        return Effect.sync(() => {
          waiting.delete(check)
        })
      })

    const now = (): number => frameDueAt(sent)

    /** Spans of the agent that were not returned. */
    const newSpans = (): ReadonlyArray<TimeSpan> =>
      spansOf(activity, options).flatMap(({ end: to, start }) =>
        to > returnedUntil ? [{ start: Math.max(start, returnedUntil), end: to }] : []
      )

    const quietSince = (end: number): number => millisOf(activity.position) - end

    /** What the agent said since its last turn. */
    const presentTurn = (): Option.Option<AgentTurn> => {
      const spans = newSpans()
      const end = spans.at(-1)?.end
      const start = spans[0]?.start
      if (end === undefined || start === undefined) return Option.none()
      const audio = partOf(agentTrack, samplesOf(start) - MARGIN_SAMPLES, samplesOf(end) + MARGIN_SAMPLES)
      return Option.some({ start, end, audio, isCut: false })
    }

    /** Takes what the agent said since its last turn, if it has been quiet for so long. */
    const takeTurn = (endMillis: number): Option.Option<AgentTurn> => {
      const last = newSpans().at(-1)
      if (last === undefined || quietSince(last.end) < endMillis) return Option.none()
      const turn = presentTurn()
      returnedUntil = last.end
      return turn
    }

    /** Audio is said one after the other. */
    const saying = yield* Effect.makeSemaphore(1)

    const say = <E>(
      audio: Stream.Stream<Uint8Array, E>,
      kind: CallerTurn["kind"]
    ): Effect.Effect<TimeSpan, CallEnd | E> =>
      Effect.suspend(() => {
        /** What waits for the rest of its frame, and at first for more. */
        let rest = new Uint8Array()
        let hasBegun = false
        /** Frames that are not sent yet. */
        let queued = 0
        /** The first frame that was sent, and what was spoken from it on. */
        let first: number | undefined
        let speech = noActivity
        const queue = (frame: Uint8Array): void => {
          queued++
          const onSent = (): void => {
            queued--
            first ??= sent - 1
            const gap = silenceOf((sent - 1 - first) * FRAME_SAMPLES - speech.position)
            speech = listen(listen(speech, gap, options), frame, options)
          }
          for (const filled of framesOf(frame)) outgoing.push({ frame: filled, sent: onSent })
        }
        const queueAll = (part: Uint8Array): void => {
          for (let at = 0; at < part.length; at += FRAME_SAMPLES) queue(part.subarray(at, at + FRAME_SAMPLES))
        }
        const take = (part: Uint8Array): void => {
          const known = Buffer.concat([rest, part])
          hasBegun ||= known.length >= AHEAD_SAMPLES
          const whole = hasBegun ? known.length - (known.length % FRAME_SAMPLES) : 0
          queueAll(known.subarray(0, whole))
          rest = Uint8Array.from(known.subarray(whole))
        }
        const finished = (): Option.Option<TimeSpan> => {
          if (queued > 0) return Option.none()
          const start = frameDueAt(first ?? sent)
          const spans = spansOf(speech, options)
          return Option.some({
            start: start + (spans[0]?.start ?? 0),
            end: start + (spans.at(-1)?.end ?? millisOf(speech.position))
          })
        }
        return Stream.runForEach(audio, (part) =>
          Effect.sync(() => {
            take(part)
          })
        ).pipe(
          Effect.raceFirst(Effect.flatMap(Deferred.await(ended), Effect.fail)),
          Effect.flatMap(() => {
            queueAll(rest)
            return until(finished)
          }),
          Effect.tap((span) => {
            if (first !== undefined) callerTurns.push({ ...span, kind })
          })
        )
      })

    return {
      say: (audio, kind = "speech") => saying.withPermits(1)(say(audio, kind)),
      press: (key) => sendAll(protocol.key(key)),
      pause: (millis) =>
        Effect.suspend(() => {
          const since = now()
          return until(() => (now() - since >= millis ? Option.some(undefined) : Option.none()))
        }),
      onset: (timeoutMillis) =>
        Effect.suspend(() => {
          const since = now()
          return until((): Option.Option<Option.Option<number>> => {
            const [first] = newSpans()
            if (first !== undefined) return Option.some(Option.some(first.start))
            return now() - since >= timeoutMillis ? Option.some(Option.none()) : Option.none()
          })
        }),
      hear: ({ endMillis, maxMillis = Number.POSITIVE_INFINITY, timeoutMillis }) =>
        Effect.suspend(() => {
          const since = now()
          return until((): Option.Option<Option.Option<AgentTurn>> => {
            const [first] = newSpans()
            if (first === undefined) return now() - since >= timeoutMillis ? Option.some(Option.none()) : Option.none()
            const isTooLong = now() - first.start >= maxMillis
            const turn = takeTurn(isTooLong ? 0 : endMillis)
            return Option.isSome(turn)
              ? Option.some(Option.map(turn, (taken) => ({ ...taken, isCut: isTooLong })))
              : Option.none()
          })
        }),
      speaks: ({ afterMillis, endMillis, timeoutMillis }) =>
        Effect.suspend(() => {
          const since = now()
          return until((): Option.Option<boolean> => {
            const spans = newSpans()
            const [first] = spans
            const last = spans.at(-1)
            if (first === undefined || last === undefined) {
              return now() - since >= timeoutMillis ? Option.some(false) : Option.none()
            }
            const quiet = quietSince(last.end)
            if (quiet >= endMillis) return Option.some(false)
            return now() - first.start >= afterMillis && quiet <= SPEAKING_MILLIS ? Option.some(true) : Option.none()
          })
        }),
      soFar: Effect.sync(presentTurn),
      takeTurn: (endMillis) => Effect.sync(() => takeTurn(endMillis)),
      position: Effect.sync(now),
      hangUp: Effect.suspend(() => {
        finish({ by: "testing_agent" })
        return Effect.asVoid(Deferred.await(ended))
      }),
      ended: Deferred.await(ended),
      record: Effect.sync(() => ({
        durationMillis: now(),
        callerTrack: [...callerTrack],
        agentTrack: [...agentTrack],
        measures: measureCall({
          caller: callerTurns,
          agent: spansOf(activity, options),
          clears,
          durationMillis: now()
        }),
        invalid: firstInvalid
      }))
    }
  })
