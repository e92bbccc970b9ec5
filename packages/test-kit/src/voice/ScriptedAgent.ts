/** An agent for tests that speaks a protocol of voice endpoints, and whose latencies are known. */
import { Voice, type VoiceProtocolName } from "@earshot/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { agentWire } from "./AgentWires.js"
import { TONE_MILLIS, speakTones, TONE_POWER } from "./ToneVoice.js"

/** What an agent does, in its order. */
export type AgentStep =
  /** Waits until this text was spoken to it in tones, and so many milliseconds longer. */
  | { readonly does: "await"; readonly text: string; readonly delayMillis: number }
  /** Waits until the caller is heard, and so many milliseconds longer. */
  | { readonly does: "awaitOnset"; readonly delayMillis: number }
  | { readonly does: "wait"; readonly millis: number }
  /** Says a text in tones, in chunks of so many milliseconds, all at once. Default: 20. */
  | { readonly does: "say"; readonly text: string; readonly chunkMillis?: number }
  | { readonly does: "mark"; readonly name: string }
  | { readonly does: "clear" }
  /** Sends any message. */
  | { readonly does: "send"; readonly message: Voice.WireMessage }
  | { readonly does: "close" }

/** The side of an agent on a connection. */
export interface AgentSide {
  readonly send: (message: Voice.WireMessage) => void
  readonly close: () => void
}

export interface ScriptedAgent {
  /** To be called with every message of the caller, at its time. */
  readonly receive: (message: Voice.WireMessage, at: number) => void
  /** Plays the script; completes with it. */
  readonly play: Effect.Effect<void>
  /** Names of the marks that were answered. */
  readonly answeredMarks: ReadonlyArray<string>
  /** What the caller sent when the connection was open: the contents of `start` in Twilio's protocol. */
  readonly started: () => unknown
  /** Messages of the caller that are neither audio nor marks nor the end. */
  readonly others: ReadonlyArray<unknown>
  readonly stopped: () => boolean
}

/** In Twilio's protocol only a frame of silence has no other code; a tone that was converted is audible by its power. */
const isAudibleIn = (protocol: VoiceProtocolName) => (frame: Uint8Array) => {
  if (protocol === "twilio") return frame.some((code) => code !== Voice.SILENCE)
  const power = Voice.decodeMulaw(frame).reduce((sum, sample) => sum + sample * sample, 0) / frame.length
  return power > TONE_POWER / 2
}

/** An agent that plays a script, in a protocol. Default: Twilio's. */
export const scriptedAgent = (
  side: AgentSide,
  script: ReadonlyArray<AgentStep>,
  protocol: VoiceProtocolName = "twilio"
): ScriptedAgent => {
  const wire = agentWire(protocol)
  const isAudible = isAudibleIn(protocol)
  const answeredMarks: Array<string> = []
  const waiting = new Set<() => void>()
  const others: Array<unknown> = []
  let start: unknown
  /** Audio that is not a whole frame yet, and when the first sample of all was received. */
  let rest = new Uint8Array()
  let began: number | undefined
  let frames = 0
  let isStopped = false
  /** When each audible frame was received that no step has waited for. */
  let audible: Array<number> = []

  /** When each audible frame was received, counted from the first: parts of a converted stream come in other sizes. */
  const listen = (audio: Uint8Array, at: number): void => {
    began ??= at - Voice.millisOf(Math.max(0, audio.length - Voice.FRAME_SAMPLES))
    const whole = Buffer.concat([rest, audio])
    let from = 0
    for (; from + Voice.FRAME_SAMPLES <= whole.length; from += Voice.FRAME_SAMPLES) {
      const frame = whole.subarray(from, from + Voice.FRAME_SAMPLES)
      if (isAudible(frame)) audible.push(protocol === "twilio" ? at : began + Voice.frameDueAt(frames))
      frames++
    }
    rest = Uint8Array.from(whole.subarray(from))
  }

  const receive = (message: Voice.WireMessage, at: number): void => {
    const { audio, isStopped: stops, mark, other, started } = wire.read(message)
    if (started !== undefined && start === undefined) {
      start = started
      for (const one of wire.begun()) side.send(one)
    }
    if (stops === true) isStopped = true
    if (mark !== undefined) answeredMarks.push(mark)
    if (other !== undefined) others.push(other)
    if (audio !== undefined) listen(audio, at)
    for (const check of [...waiting]) check()
  }

  const until = <A>(find: () => A | undefined): Effect.Effect<A> =>
    Effect.async((resume) => {
      const check = (): void => {
        const found = find()
        if (found === undefined) return
        waiting.delete(check)
        resume(Effect.succeed(found))
      }
      waiting.add(check)
      check()
      return Effect.sync(() => {
        waiting.delete(check)
      })
    })

  const sleepUntil = (at: number): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => (at > now ? Effect.sleep(at - now) : Effect.void))

  const send = (messages: ReadonlyArray<Voice.WireMessage>): void => {
    for (const message of messages) side.send(message)
  }

  const perform = (step: AgentStep): Effect.Effect<void> => {
    switch (step.does) {
      case "await": {
        const frames = (Buffer.byteLength(step.text) * TONE_MILLIS) / Voice.FRAME_MILLIS
        return Effect.flatMap(
          until(() => {
            const last = audible[frames - 1]
            if (last === undefined) return undefined
            audible = audible.slice(frames)
            return last + Voice.FRAME_MILLIS
          }),
          (at) => sleepUntil(at + step.delayMillis)
        )
      }
      case "awaitOnset":
        return Effect.flatMap(
          until(() => audible[0]),
          (at) => sleepUntil(at + step.delayMillis)
        )
      case "wait":
        return Effect.sleep(step.millis)
      case "say":
        return Effect.sync(() => {
          send(wire.say(speakTones(step.text), Voice.samplesOf(step.chunkMillis ?? Voice.FRAME_MILLIS)))
        })
      case "mark":
        return Effect.sync(() => {
          send(wire.mark(step.name))
        })
      case "clear":
        return Effect.sync(() => {
          send(wire.clear())
        })
      case "send":
        return Effect.sync(() => {
          side.send(step.message)
        })
      case "close":
        return Effect.sync(side.close)
    }
  }

  return {
    receive,
    play: Effect.suspend(() => {
      send(wire.greeting)
      return Effect.zipRight(
        until(() => (start === undefined ? undefined : true)),
        Effect.forEach(script, perform, { discard: true })
      )
    }),
    answeredMarks,
    others,
    started: () => start,
    stopped: () => isStopped
  }
}

/** A connection in memory to an agent that plays a script. */
export const scriptedConnection = (
  script: ReadonlyArray<AgentStep>,
  protocol: VoiceProtocolName = "twilio"
): Effect.Effect<{ readonly connection: Voice.VoiceConnection; readonly agent: ScriptedAgent }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    let events: Array<Voice.ConnectionEvent> = []
    let isClosed = false
    const now = (): number => clock.unsafeCurrentTimeMillis()
    const agent = scriptedAgent(
      {
        send: (data) => {
          if (!isClosed) events.push({ is: "message", at: now(), data })
        },
        close: () => {
          isClosed = true
          events.push({ is: "closed", at: now(), reason: "closed the connection", isClean: true })
        }
      },
      script,
      protocol
    )
    yield* Effect.forkScoped(agent.play)
    const connection: Voice.VoiceConnection = {
      send: (message) =>
        Effect.sync(() => {
          if (!isClosed) agent.receive(message, now())
        }),
      take: Effect.sync(() => {
        const taken = events
        events = []
        return taken
      })
    }
    return { connection, agent }
  })

/** Calls agents in memory; each call gets an agent that plays the script. */
export const scriptedConnections = (
  script: ReadonlyArray<AgentStep>,
  protocol: VoiceProtocolName = "twilio"
): Layer.Layer<Voice.VoiceConnections> =>
  Layer.succeed(Voice.VoiceConnections, {
    connect: () => Effect.map(scriptedConnection(script, protocol), ({ connection }) => connection)
  })
