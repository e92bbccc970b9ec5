/** An agent for tests that speaks the protocol of Twilio Media Streams, and whose latencies are known. */
import { Voice } from "@earshot/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { TONE_MILLIS, speakTones } from "./ToneVoice.js"

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
  | { readonly does: "send"; readonly message: string }
  | { readonly does: "close" }

/** The side of an agent on a connection. */
export interface AgentSide {
  readonly send: (message: string) => void
  readonly close: () => void
}

/** What a caller sends, as far as a script needs it. */
const Received = Schema.parseJson(
  Schema.Struct({
    event: Schema.String,
    streamSid: Schema.optional(Schema.String),
    start: Schema.optional(Schema.Unknown),
    media: Schema.optional(Schema.Struct({ payload: Schema.String })),
    mark: Schema.optional(Schema.Struct({ name: Schema.String }))
  })
)
const decode = Schema.decodeSync(Received)

export interface ScriptedAgent {
  /** To be called with every message of the caller, at its time. */
  readonly receive: (message: string, at: number) => void
  /** Plays the script; completes with it. */
  readonly play: Effect.Effect<void>
  /** Names of the marks that were answered. */
  readonly answeredMarks: ReadonlyArray<string>
  /** The contents of the caller's `start`. */
  readonly started: () => unknown
  readonly stopped: () => boolean
}

/** An agent that plays a script. */
export const scriptedAgent = (side: AgentSide, script: ReadonlyArray<AgentStep>): ScriptedAgent => {
  const answeredMarks: Array<string> = []
  const waiting = new Set<() => void>()
  let stream = ""
  let start: unknown
  let isStopped = false
  /** When each audible frame was received that no step has waited for. */
  let audible: Array<number> = []

  const receive = (text: string, at: number): void => {
    const message = decode(text)
    if (message.event === "start") {
      stream = message.streamSid ?? ""
      start = message.start
    } else if (message.event === "stop") isStopped = true
    else if (message.event === "mark") answeredMarks.push(message.mark?.name ?? "")
    else if (message.event === "media") {
      // Only a frame of silence has no other code: tones cross zero, but not for 20 ms.
      const isAudible = Buffer.from(message.media?.payload ?? "", "base64").some((code) => code !== Voice.SILENCE)
      if (isAudible) audible.push(at)
    }
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

  const send = (fields: object): void => {
    side.send(JSON.stringify({ streamSid: stream, ...fields }))
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
          const audio = speakTones(step.text)
          const chunk = Voice.samplesOf(step.chunkMillis ?? Voice.FRAME_MILLIS)
          for (let at = 0; at < audio.length; at += chunk) {
            const payload = Buffer.from(audio.subarray(at, at + chunk)).toString("base64")
            send({ event: "media", media: { payload } })
          }
        })
      case "mark":
        return Effect.sync(() => {
          send({ event: "mark", mark: { name: step.name } })
        })
      case "clear":
        return Effect.sync(() => {
          send({ event: "clear" })
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
    play: Effect.zipRight(
      until(() => (stream === "" ? undefined : stream)),
      Effect.forEach(script, perform, { discard: true })
    ),
    answeredMarks,
    started: () => start,
    stopped: () => isStopped
  }
}

/** A connection in memory to an agent that plays a script. */
export const scriptedConnection = (
  script: ReadonlyArray<AgentStep>
): Effect.Effect<{ readonly connection: Voice.VoiceConnection; readonly agent: ScriptedAgent }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    let events: Array<Voice.ConnectionEvent> = []
    let isClosed = false
    const now = (): number => clock.unsafeCurrentTimeMillis()
    const agent = scriptedAgent(
      {
        send: (text) => {
          if (!isClosed) events.push({ is: "message", at: now(), text })
        },
        close: () => {
          isClosed = true
          events.push({ is: "closed", at: now(), reason: "closed the connection", isClean: true })
        }
      },
      script
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
export const scriptedConnections = (script: ReadonlyArray<AgentStep>): Layer.Layer<Voice.VoiceConnections> =>
  Layer.succeed(Voice.VoiceConnections, {
    connect: () => Effect.map(scriptedConnection(script), ({ connection }) => connection)
  })
