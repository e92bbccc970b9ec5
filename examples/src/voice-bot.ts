/**
 * A bot that takes bookings over Twilio Media Streams, and a speech server, for trying runs by voice without any service. Both speak
 * in tones: see `@earshot/test-kit/voice`.
 *
 *     node examples/dist/voice-bot.js
 */
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { pathToFileURL } from "node:url"
import { Voice } from "@earshot/core"
import { readTones, speakTones } from "@earshot/test-kit/voice"
import { type WebSocket, WebSocketServer } from "ws"

/** Quiet milliseconds after which the caller's turn is over. */
const TURN_END = 400

const WAV_HEADER = 44

/** What the bot answers: it asks for what it does not know yet. */
const answering = () => {
  let day: string | undefined
  return (text: string): string => {
    day ??= /\b(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b/.exec(text)?.[0]
    if (day === undefined) return "For which day?"
    const name = /\bThis is (\w+)/.exec(text)?.[1]
    return name === undefined ? "And your name?" : `${name}, your table is booked for ${day}.`
  }
}

/** One call: listens until the caller is quiet, and answers. */
const converse = (socket: WebSocket): void => {
  const answer = answering()
  let streamSid = ""
  let activity = Voice.noActivity
  let received: ReadonlyArray<Uint8Array> = []
  let answeredUntil = 0

  const say = (text: string): void => {
    const payload = Buffer.from(speakTones(text)).toString("base64")
    socket.send(JSON.stringify({ event: "media", streamSid, media: { payload } }))
  }

  const hear = (audio: Uint8Array): void => {
    activity = Voice.listen(activity, audio)
    received = [...received, audio]
    const end = Voice.spansOf(activity).at(-1)?.end ?? 0
    if (end <= answeredUntil || Voice.millisOf(activity.position) - end < TURN_END) return
    answeredUntil = end
    say(answer(readTones(Buffer.concat(received))))
    received = []
  }

  socket.on("message", (data) => {
    const message: unknown = JSON.parse(Buffer.isBuffer(data) ? data.toString() : "null")
    if (typeof message !== "object" || message === null || !("event" in message)) return
    if (message.event === "start" && "streamSid" in message) {
      streamSid = String(message.streamSid)
      say("Good evening.")
    }
    if (message.event !== "media" || !("media" in message)) return
    const { media } = message
    if (typeof media === "object" && media !== null && "payload" in media) {
      hear(Buffer.from(String(media.payload), "base64"))
    }
  })
}

/** `POST /audio/speech`: a text as WAV. */
const synthesize = async (request: IncomingMessage): Promise<Uint8Array> => {
  const body: unknown = JSON.parse((await buffer(request)).toString())
  const text = typeof body === "object" && body !== null && "input" in body ? String(body.input) : ""
  return Voice.monoWav(speakTones(text))
}

/** `POST /audio/transcriptions`: the text of the WAV file that a form has. */
const transcribe = async (request: IncomingMessage): Promise<string> => {
  const form = await buffer(request)
  const wav = form.subarray(form.indexOf("RIFF"))
  // The second field of the header is the number of bytes behind it.
  const count = (wav.readUInt32LE(4) + 8 - WAV_HEADER) / 2
  const samples = Int16Array.from({ length: count }, (_, at) => wav.readInt16LE(WAV_HEADER + 2 * at))
  return readTones(Voice.encodeMulaw(samples))
}

/** Starts both on one port; returns what stops them. */
export const main = async (print: (line: string) => void, port = 9010): Promise<() => Promise<void>> => {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      if (request.url === "/v1/audio/speech") {
        response.writeHead(200, { "content-type": "audio/wav" }).end(await synthesize(request))
      } else if (request.url === "/v1/audio/transcriptions") {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify({ text: await transcribe(request) }))
      } else response.writeHead(404).end()
    }
    answer().catch((error: unknown) => {
      response.writeHead(400).end(String(error))
    })
  })
  const calls = new WebSocketServer({ server, path: "/media" })
  calls.on("connection", converse)
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}`
  print(`voice_endpoint: ws://${host}/media`)
  print(`EARSHOT_SPEECH_URL and EARSHOT_TRANSCRIBER_URL: http://${host}/v1`)
  return async () => {
    for (const socket of calls.clients) socket.terminate()
    server.close()
    server.closeAllConnections()
    await once(server, "close")
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(console.log)
