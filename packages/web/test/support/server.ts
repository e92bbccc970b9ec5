/** A server with the app and data like the demo's. */
import { once } from "node:events"
import { createServer } from "node:http"
import { type Actor, hostActor, LiveRuns, type RunId, type RunObserver, Upload } from "@earshot/core"
import { createEngine, type PromiseEngine } from "@earshot/core/promise"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import { earshotListener } from "@earshot/http-adapter"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import { buildApp } from "../../build.mjs"

export interface WebServer {
  readonly url: string
  readonly apiKey: string
  readonly agent: number
  readonly project: number
  readonly dashboard: number
  /** Oldest first; the last one has a recording and is redacted. */
  readonly calls: ReadonlyArray<number>
  /** How many calls have the region `us-east`. */
  readonly usEast: number
  /** A call from 400 days ago with two tool calls, of which one has hostile text, and with timings. */
  readonly callWithTools: number
  /** Plays a run as far as its listeners are concerned, until `end`. */
  readonly playRun: (run: number) => Promise<{ readonly observer: RunObserver; readonly end: () => Promise<void> }>
  /** Runs the jobs that are due. */
  readonly runJobs: () => Promise<unknown>
  /** A new sign-in link. */
  readonly signInLink: () => Promise<string>
  /** What was requested so far, as the server saw it: the first line and the headers. */
  readonly requests: () => ReadonlyArray<string>
  /** Posts to the API with the key. */
  readonly post: (path: string, body: unknown) => Promise<unknown>
  /** Deletes with the key. */
  readonly delete: (path: string) => Promise<unknown>
  /** Reads from the API with the key. */
  readonly get: (path: string) => Promise<unknown>
  /** Stops serving: connections are closed, and new ones are refused until `start`. */
  readonly stop: () => Promise<void>
  /** Serves again at the same address, with a new listener on the same data. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Text that would run, or break out of its place, if it were not escaped. */
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202Etxt\u202C '"&`

const SECRET_BOX = AesSecretBox.layer(
  Either.getOrThrow(AesSecretBox.parse(Redacted.make(Buffer.alloc(32, 7).toString("base64"))))
)

const ENDED = ["customer-ended-call", "agent-ended-call", "silence-timed-out", "voicemail"]

const transcript = (index: number) => [
  { role: "Main Agent", content: "Good morning, how can I help you?", start_time: 0.4, end_time: 2.2 },
  { role: "Testing Agent", content: "I need to move my appointment to Thursday.", start_time: 2.9, end_time: 5.4 },
  {
    role: "Main Agent",
    content: "Sure, which time would suit you?",
    start_time: 6.6 + (index % 3),
    end_time: 9.1 + (index % 3)
  },
  { role: "Testing Agent", content: "Two thirty works. Thanks!", start_time: 12.3, end_time: 14 }
]

/** Eight seconds of a tone in each channel while its speaker speaks, as a WAV file. */
const recording = (): Uint8Array => {
  const rate = 8_000
  const frames = 8 * rate
  const wav = Buffer.alloc(44 + frames * 4)
  wav.write("RIFF", 0)
  wav.writeUInt32LE(36 + frames * 4, 4)
  wav.write("WAVEfmt ", 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(2, 22)
  wav.writeUInt32LE(rate, 24)
  wav.writeUInt32LE(rate * 4, 28)
  wav.writeUInt16LE(4, 32)
  wav.writeUInt16LE(16, 34)
  wav.write("data", 36)
  wav.writeUInt32LE(frames * 4, 40)
  for (let frame = 0; frame < frames; frame++) {
    const second = frame / rate
    const speaks = second < 3 ? 1 : second < 6 ? 0 : 1
    wav.writeInt16LE(Math.round(12_000 * Math.sin(frame / 6)), 44 + frame * 4 + speaks * 2)
  }
  return wav
}

const ingestRecorded = async (engine: PromiseEngine, agent: number, actor: Actor): Promise<number> => {
  const { call } = await engine.calls.ingest(
    {
      call_id: "recorded-call",
      agent,
      transcript_json: [
        { role: "Main Agent", content: "Whom am I speaking to?", start_time: 0.2, end_time: 2.9 },
        {
          role: "Testing Agent",
          content: "Teresa Lindqvist, two oh two, five five five, oh one four seven.",
          start_time: 3,
          end_time: 5.9
        },
        { role: "Main Agent", content: "Thank you. Goodbye.", start_time: 6.1, end_time: 7.8 }
      ],
      redact_fields: ["person_name", "phone_number"],
      voice_recording: new Upload(recording(), "audio/wav", "call.wav"),
      main_agent_channel_index: 1
    },
    { actor }
  )
  return call.id
}

/** A call with tool calls and the timings of its answers, as `provider_a` sends it. */
const ingestWithTools = async (engine: PromiseEngine, agent: number, actor: Actor): Promise<number> => {
  const { call } = await engine.calls.ingest(
    {
      call_id: "tools-call",
      agent,
      transcript_type: "provider_a",
      timestamp: new Date(Date.now() - 400 * 86_400_000).toISOString(),
      transcript_json: {
        message: {
          type: "end-of-call-report",
          artifact: {
            messages: [
              { role: "user", message: "Is a room free on Thursday? My number is 202 555 0147.", secondsFromStart: 1 },
              {
                role: "tool_calls",
                secondsFromStart: 5,
                toolCalls: [
                  { id: "1", function: { name: "find_room", arguments: '{"phone":"202 555 0147","day":"Thursday"}' } },
                  { id: "2", function: { name: HOSTILE, arguments: HOSTILE.repeat(1_000) } }
                ]
              },
              {
                role: "tool_call_result",
                toolCallId: "1",
                name: "find_room",
                result: "room 12",
                secondsFromStart: 5.8
              },
              { role: "bot", message: "Room 12 is free.", secondsFromStart: 7 },
              { role: "user", message: "Thanks!", secondsFromStart: 9 }
            ],
            performanceMetrics: {
              turnLatencies: [{ transcriberLatency: 120, modelLatency: 640, voiceLatency: 90, turnLatency: 2150 }]
            }
          }
        }
      },
      redact_fields: ["phone_number"]
    },
    { actor }
  )
  return call.id
}

/** @param allowOrigins the origins whose pages may have shared pages in a frame */
export const startWebServer = async (count = 150, allowOrigins: ReadonlyArray<string> = []): Promise<WebServer> => {
  await buildApp()
  const engine = await createEngine({ database: "sqlite::memory:", worker: false, secretBox: SECRET_BOX })
  const { agent, api_key, organization, project } = await engine.organizations.create({ name: "Lakeside Hotel" })
  const actor = hostActor(organization.id)
  const calls: Array<number> = []
  const now = Date.now()
  for (let index = 0; index < count; index++) {
    const { call } = await engine.calls.ingest(
      {
        call_id: index === count - 2 ? HOSTILE.slice(0, 99) : `call-${String(index).padStart(4, "0")}`,
        agent: agent.id,
        transcript_json:
          index === count - 2
            ? [{ role: "Testing Agent", content: HOSTILE.repeat(4), start_time: 0, end_time: 3 }]
            : transcript(index),
        call_ended_reason: index === count - 2 ? HOSTILE.slice(0, 99) : ENDED[index % ENDED.length],
        customer_number: "+1 202 555 0147",
        metadata: { region: index % 2 === 0 ? "us-east" : "eu-central" },
        timestamp: new Date(now - (count - index) * 3_600_000).toISOString()
      },
      { actor }
    )
    calls.push(call.id)
    if (index % 3 !== 0) await engine.calls.review(call.id, { success: index % 3 === 1, is_reviewed: true }, { actor })
  }
  const recorded = await ingestRecorded(engine, agent.id, actor)
  calls.push(recorded)
  const callWithTools = await ingestWithTools(engine, agent.id, actor)
  await engine.jobs.drain()
  const { id: dashboard } = await engine.dashboards.create(
    { name: "Support line", project: project.id, filters: { field: "timestamp", op: "gte", value: "today-29d" } },
    { actor }
  )
  const widgets = [
    { name: "At a glance", chart_type: "stat" },
    { name: "Calls a day", chart_type: "bar", field: "duration", aggregation_function: "count", time_period: "day" },
    { name: "Length of calls", chart_type: "line", field: "duration" },
    { name: "How calls end", chart_type: "pie", field: "call_ended_reason" }
  ] as const
  for (const widget of widgets) {
    await engine.widgets.create({ ...widget, dashboard }, { actor })
  }
  const requests: Array<string> = []
  const serve = async (port: number) => {
    const earshot = await earshotListener(await engine.runtime(), { logLevel: "silent", allowOrigins })
    const server = createServer(earshot.listener)
    server.on("request", ({ headers, method, url }) => {
      requests.push(`${String(method)} ${String(url)} ${JSON.stringify(headers)}`)
    })
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    return {
      port: typeof address === "object" && address !== null ? address.port : 0,
      close: async () => {
        server.closeAllConnections()
        server.close()
        await once(server, "close")
        await earshot.close()
      }
    }
  }
  let serving: Awaited<ReturnType<typeof serve>> | undefined = await serve(0)
  const { port } = serving
  const stop = async () => {
    await serving?.close()
    serving = undefined
  }
  const url = `http://127.0.0.1:${port}`
  const secret = api_key.api_key
  const post = async (path: string, body: unknown) =>
    (
      await fetch(`${url}${path}`, {
        method: "POST",
        headers: { "x-service-api-key": secret, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    ).json()
  return {
    url,
    apiKey: secret,
    agent: agent.id,
    project: project.id,
    dashboard,
    calls,
    usEast: Math.ceil(count / 2),
    callWithTools,
    requests: () => requests,
    post,
    playRun: async (run) => {
      const runPromise = Runtime.runPromise(await engine.runtime())
      const scope = await runPromise(Scope.make())
      const observer = await runPromise(
        Effect.flatMap(LiveRuns, (live) => Scope.extend(live.publish(run as RunId), scope))
      )
      return { observer, end: () => runPromise(Scope.close(scope, Exit.void)) }
    },
    runJobs: () => engine.jobs.drain(),
    signInLink: async () => `${url}${((await post("/user/v1/sign_in_links/", {})) as { path: string }).path}`,
    delete: (path) => fetch(`${url}${path}`, { method: "DELETE", headers: { "x-service-api-key": secret } }),
    get: async (path) => (await fetch(`${url}${path}`, { headers: { "x-service-api-key": secret } })).json(),
    stop,
    start: async () => {
      serving ??= await serve(port)
    },
    close: async () => {
      await stop()
      await engine.close()
    }
  }
}
