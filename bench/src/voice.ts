/**
 * Pacing of calls by voice under the real clock, as the agent observes it: how late each frame of 20 ms arrives, how far the
 * pace drifts in a minute, and processor time. The calls go over WebSockets on the loopback interface to agents in this
 * process that speak half of the time, so that both sides share one event loop and its figures are upper bounds.
 */
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { Voice } from "@earshot/core"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import * as WebSocketVoiceConnections from "@earshot/core/providers/WebSocketVoiceConnections"
import { speakTones } from "@earshot/test-kit/voice"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WebSocketServer } from "ws"
import { benchmark } from "./Benchmark.js"
import { median, timed } from "./measure.js"

interface Size {
  /** How many calls take place at once, one measurement each. */
  readonly calls: ReadonlyArray<number>
  readonly seconds: number
}

/** Two seconds of speech, which an agent sends every four seconds. */
const SPEECH = JSON.stringify({
  event: "media",
  streamSid: "MZ1",
  media: { payload: Buffer.from(speakTones("x".repeat(50))).toString("base64") }
})
const SPEECH_EVERY = 4000

interface Server {
  readonly url: string
  /** For each connection, when each frame arrived, in milliseconds. */
  readonly arrivals: ReadonlyArray<ReadonlyArray<number>>
  readonly close: () => void
}

const serveAgents = async (): Promise<Server> => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 })
  const arrivals: Array<Array<number>> = []
  server.on("connection", (socket) => {
    const frames: Array<number> = []
    arrivals.push(frames)
    const timer = setInterval(() => {
      socket.send(SPEECH)
    }, SPEECH_EVERY)
    socket.on("message", (data) => {
      if (Buffer.isBuffer(data) && data.includes('"event":"media"')) frames.push(performance.now())
    })
    socket.on("close", () => {
      clearInterval(timer)
    })
  })
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server has no port")
  return {
    url: `ws://127.0.0.1:${address.port}`,
    arrivals,
    close: () => {
      for (const client of server.clients) client.terminate()
      server.close()
    }
  }
}

/** A call of so many seconds; all that is said is silence, since a frame of speech costs the same. */
const call = (url: string, seconds: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* Effect.flatMap(Voice.VoiceConnections, ({ connect }) => connect({ url, headers: {} }))
      const { ended, record } = yield* Voice.startCall(connection, {
        protocol: Voice.mediaStream({ accountSid: "AC1", callSid: "CA1", streamSid: "MZ1" }),
        customParameters: {},
        maxMillis: seconds * 1000
      })
      const end = yield* ended
      if (end.by !== "max_duration") throw new Error(`A call ended early, by ${end.by}`)
      return yield* record
    })
  )

/** How late each frame arrived, in milliseconds, relative to the one that arrived earliest by its plan. */
const latenessOf = (arrivals: ReadonlyArray<number>): ReadonlyArray<number> => {
  const offsets = arrivals.map((at, frame) => at - frame * Voice.FRAME_MILLIS)
  const earliest = offsets.reduce((least, offset) => Math.min(least, offset), Number.POSITIVE_INFINITY)
  return offsets.map((offset) => offset - earliest)
}

/** Milliseconds a minute by which frames come later at the end of a call than at its start, as medians of a quarter each. */
const driftOf = (lateness: ReadonlyArray<number>): number => {
  const quarter = Math.ceil(lateness.length / 4)
  const minutes = ((lateness.length - quarter) * Voice.FRAME_MILLIS) / 60_000
  return (median(lateness.slice(-quarter)) - median(lateness.slice(0, quarter))) / minutes
}

const percentile = (numbers: ReadonlyArray<number>, share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)] ?? Number.NaN

export const voiceBenchmark = benchmark<Size>({
  name: "voice",
  full: { calls: [8, 16, 32], seconds: 60 },
  tiny: { calls: [2], seconds: 1 },
  run: async ({ calls, seconds }, { print }) => {
    const connections = WebSocketVoiceConnections.layer().pipe(
      Layer.provide(OutboundHttp.layer({ allowHosts: ["127.0.0.1"] }))
    )
    print(`calls of ${seconds} s, both sides in this process; target with 8 calls: drift below 20 ms a minute`)
    for (const count of calls) {
      const server = await serveAgents()
      const used = await Effect.runPromise(
        timed(
          Effect.all(
            Array.from({ length: count }, () => call(server.url, seconds)),
            { concurrency: "unbounded", discard: true }
          )
        ).pipe(Effect.provide(connections))
      )
      // The last frames are on their way when the calls end.
      await sleep(100)
      server.close()
      const expected = (seconds * 1000) / Voice.FRAME_MILLIS
      if (server.arrivals.length !== count || server.arrivals.some(({ length }) => length !== expected)) {
        throw new Error(`The agents received ${server.arrivals.map(({ length }) => length).join(", ")} frames`)
      }
      const lateness = server.arrivals.map(latenessOf)
      const all = lateness.flat()
      const drift = Math.max(...lateness.map((one) => Math.abs(driftOf(one))))
      print(
        `  ${String(count).padStart(2)} calls: drift at most ${drift.toFixed(2)} ms a minute; frames late by ` +
          `p50 ${percentile(all, 0.5).toFixed(1)}, p99 ${percentile(all, 0.99).toFixed(1)}, ` +
          `max ${percentile(all, 1).toFixed(1)} ms, ${((100 * all.filter((late) => late > Voice.MAX_LATENESS_MILLIS).length) / all.length).toFixed(2)} % ` +
          `by more than ${Voice.MAX_LATENESS_MILLIS} ms; CPU ${((used.cpuMs / used.ms) * 100).toFixed(1)} % of a core, ` +
          `${((used.cpuMs / used.ms / count) * 100).toFixed(2)} % a call`
      )
    }
  }
})
