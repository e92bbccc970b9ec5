import { rmSync } from "node:fs"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import {
  CallEvaluations,
  Calls,
  CurrentActor,
  Dashboards,
  hostActor,
  JobRunner,
  encodeEvaluation,
  Organizations,
  Platforms,
  roleNames,
  Upload,
  Widgets,
  untrusted
} from "@earshot/core"
import { HttpServer } from "@earshot/http-adapter"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { drawDashboard } from "../charts/DrawDashboard.js"
import { painted } from "../charts/Style.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { runEngine } from "../Session.js"
import { plainEngine } from "../EngineSettings.js"
import { Signals } from "../Signals.js"
import { table } from "../Table.js"
import { Api, send } from "../Api.js"
import * as EngineApi from "../EngineApi.js"
import { shellQuote } from "../Text.js"
import { Wiring } from "../Wiring.js"
import { callColumns } from "./Calls.js"
import { dataOf } from "./Dashboards.js"
import { demoCalls } from "./DemoCalls.js"
import { timedTurn, toneRecording } from "./DemoRecording.js"
import { evaluationColumns } from "./Metrics.js"
import { hostSignInLink } from "../HostSignIn.js"

export interface DemoOptions {
  readonly noServe: boolean
  readonly port: number | undefined
}

const CALLS = 400
const DEFAULT_PORT = 8080

/** One realistic webhook per format. */
const SAMPLES = new URL("../../samples/", import.meta.url)

/** A folder that is removed when the process ends, also at a second signal. */
const temporaryFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "earshot-demo-"))
    const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    process.once("exit", remove)
    return { folder, remove }
  }),
  ({ folder, remove }) =>
    Effect.promise(async () => {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
      process.removeListener("exit", remove)
    })
)

const samples = Effect.promise(async () => {
  const names = (await readdir(SAMPLES)).filter((name) => name.endsWith(".json")).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const body: unknown = JSON.parse(await readFile(new URL(name, SAMPLES), "utf8"))
      return { format: name.replace(/\.json$/, ""), body: typeof body === "object" ? { ...body } : {} }
    })
  )
})

const LAST_30_DAYS = { field: "timestamp", op: "gte", value: "today-29d" }

const WIDGETS = [
  { name: "At a glance", chart_type: "stat" },
  {
    name: "Calls a day",
    chart_type: "bar",
    field: "duration",
    aggregation_function: "count",
    time_period: "day"
  },
  { name: "Length of calls in seconds", chart_type: "line", field: "duration" },
  { name: "How calls end", chart_type: "pie", field: "call_ended_reason" }
] as const

const FAILED_IN_THE_EAST = {
  operator: "and",
  conditions: [
    { field: "success", op: "eq", value: false },
    { field: "metadata.region", op: "eq", value: "us-east" },
    { field: "timestamp", op: "gte", value: "today-7d" }
  ]
}

/** A call with sensitive data. */
const SENSITIVE = {
  call_id: "sample-redacted-0009",
  transcript_type: "provider_b",
  transcript_json: [
    timedTurn("agent", "Whom am I speaking to, and what number can we call?", 0.4, 3.3),
    timedTurn("user", "Teresa Lindqvist, two oh two, five five five, oh one four seven.", 4, 9.2),
    timedTurn("agent", "Thank you, Teresa. And the card?", 9.8, 11.9),
    timedTurn("user", "4111 1111 1111 1111, it ends in May.", 12.6, 18.5)
  ],
  redact_fields: ["person_name", "phone_number", "credit_card"]
} as const

/** Three requests to paste into a shell. */
export const curls = (at: {
  readonly url: string
  readonly apiKey: string
  readonly agent: number
  readonly widget: number
}): ReadonlyArray<{ readonly about: string; readonly command: string }> => {
  const key = `-H ${shellQuote(`X-SERVICE-API-KEY: ${at.apiKey}`)}`
  const call = {
    call_id: "my-first-call",
    agent: at.agent,
    transcript_json: [
      { role: "Testing Agent", content: "Hello, are you open today?", start_time: 0.5, end_time: 2.1 },
      { role: "Main Agent", content: "We are, until six.", start_time: 2.6, end_time: 4.2 }
    ],
    call_ended_reason: "customer-ended-call"
  }
  return [
    {
      about: "Ingest a call, as a webhook does",
      command: `curl -sS ${at.url}/observability/v1/observe/ ${key} -H 'Content-Type: application/json' -d ${shellQuote(JSON.stringify(call))}`
    },
    {
      about: "Find calls by a filter",
      command: `curl -sS -G ${at.url}/observability/v1/call-logs/ ${key} -d limit=2 --data-urlencode ${shellQuote(`filters_v2=${JSON.stringify(FAILED_IN_THE_EAST)}`)}`
    },
    {
      about: "Read the data of a widget",
      command: `curl -sS ${at.url}/dashboards/widgets/${at.widget}/data/ ${key}`
    }
  ]
}

/** Where the voice platforms send the calls of an agent. */
const webhookUrls = (screen: Screen["Type"], url: string, agent: number): ReadonlyArray<string> => {
  const names = Object.keys(Platforms.platformAliases)
  const widest = Math.max(...names.map(({ length }) => length))
  return [
    `\n${painted(screen, "dim", "# Webhook URLs of voice platforms, with the API key in the header X-SERVICE-API-KEY")}`,
    ...names.map((name) => `${name.padEnd(widest)}  ${url}/observability/v1/${name}/observe/?agent_id=${agent}`)
  ]
}

/** Shows the engine, the charts and the server on a temporary database. */
export const demo = (options: DemoOptions): CommandEffect =>
  Effect.scoped(
    Effect.gen(function* () {
      const screen = yield* Screen
      const wiring = yield* Wiring
      const signals = yield* Signals
      yield* signals.endWell
      const title = (text: string) => screen.print(`\n${painted(screen, "bold", text)}`)

      const { folder } = yield* temporaryFolder
      const engine = yield* runEngine(
        {
          ...plainEngine({ database: `sqlite:${path.join(folder, "demo.db")}` }),
          recordings: path.join(folder, "recordings")
        },
        { existing: false }
      )
      const founded = yield* Effect.flatMap(Organizations, (organizations) =>
        organizations.create({ name: "Demo" })
      ).pipe(Effect.provide(engine))
      const actor = hostActor(founded.organization.id)

      const steps = Effect.gen(function* () {
        const calls = yield* Calls
        yield* screen.print(`SQLite database in ${folder}; it is removed at the end.`)

        yield* title("Ingest calls")
        const formats = yield* samples
        // Some samples state a time, which would put them outside the 30 days that are charted.
        const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
        const kept = yield* Effect.forEach(formats, ({ body }) =>
          calls.ingest(untrusted({ ...body, timestamp, agent: founded.agent.id }))
        )
        yield* screen.print(
          table(
            [
              { name: "FORMAT", of: ({ format }) => format },
              { name: "CALL", of: ({ call }) => call.callId },
              { name: "TURNS", of: ({ call }) => String(call.transcript?.turns.length ?? 0), right: true },
              { name: "FIRST WORDS", of: ({ call }) => call.transcript?.turns[0]?.content ?? "", least: 20 }
            ],
            kept.map(({ call }, at) => ({ call, format: formats[at]?.format ?? "" })),
            Math.min(screen.columns, 120)
          ).join("\n")
        )
        const started = yield* Clock.currentTimeMillis
        const generated = demoCalls(CALLS, started)
        yield* Effect.forEach(
          generated,
          ({ body, success }) =>
            calls
              .ingest(untrusted({ ...body, agent: founded.agent.id }))
              .pipe(
                Effect.flatMap(({ call }) =>
                  success === null ? Effect.void : calls.review(call.id, { success, is_reviewed: true })
                )
              ),
          { concurrency: 64, discard: true }
        )
        const took = (yield* Clock.currentTimeMillis) - started
        yield* screen.print(
          `\nIngested one webhook per format (${formats.length}), and ${CALLS} more calls of the last 30 days in ${(took / 1000).toFixed(1)} s.`
        )

        yield* title(`Redact sensitive data: ${SENSITIVE.redact_fields.join(", ")}`)
        const { call: redacted } = yield* calls.ingest({
          ...SENSITIVE,
          agent: founded.agent.id,
          timestamp,
          voice_recording: new Upload(toneRecording(SENSITIVE.transcript_json), "audio/wav", "recording.wav")
        })
        for (const { content, speaker } of redacted.transcript?.turns ?? [])
          yield* screen.print(`${roleNames[speaker]}: ${content}`)
        yield* screen.print("\nIts recording, tones in place of voices, is silent where these values were said.")

        yield* title("Score calls")
        const scoring = yield* Clock.currentTimeMillis
        const jobs = yield* (yield* JobRunner).drain
        const scored = ((yield* Clock.currentTimeMillis) - scoring) / 1000
        yield* screen.print(`Scored ${jobs} calls by formula in ${scored.toFixed(1)} s. The first of them:\n`)
        const [first] = kept
        if (first !== undefined) {
          const evaluations = yield* (yield* CallEvaluations).evaluations(first.call.id)
          const values = evaluations.filter(({ status }) => status === "scored").slice(0, 8)
          yield* screen.print(
            table(evaluationColumns, values.map(encodeEvaluation), Math.min(screen.columns, 120)).join("\n")
          )
        }

        yield* title("Filter calls: failed ones from us-east in the last 7 days")
        yield* screen.print(painted(screen, "dim", JSON.stringify(FAILED_IN_THE_EAST)))
        const found = yield* send("get", "/observability/v1/call-logs/", {
          query: { filters_v2: JSON.stringify(FAILED_IN_THE_EAST), limit: 5 }
        })
        yield* screen.print(
          found.results.length === 0
            ? "None."
            : table(callColumns, found.results, Math.min(screen.columns, 120)).join("\n")
        )
        if (found.next !== null) yield* screen.print("... and more.")

        yield* title("Chart calls")
        const dashboards = yield* Dashboards
        const widgets = yield* Widgets
        const { id } = yield* dashboards.create({
          name: "Support line, last 30 days",
          project: founded.project.id,
          filters: LAST_30_DAYS
        })
        yield* Effect.forEach(WIDGETS, (widget) => widgets.create({ ...widget, dashboard: id }))
        const dashboard = yield* send("get", "/dashboards/dashboards/{id}/", { id })
        const drawn = yield* dataOf(dashboard)
        yield* screen.print(drawDashboard(dashboard, drawn, screen).join("\n"))
        return drawn.find(({ data }) => data.chart_type === "pie")?.widget.id ?? 1
      })

      const api = yield* EngineApi.make(engine, { admit: () => Effect.succeed(actor) })
      const widget = yield* steps.pipe(
        // The host may read everything.
        Effect.catchTag("ResultWithheld", Effect.die),
        Effect.provideService(CurrentActor, actor),
        Effect.provideService(Api, api),
        Effect.provide(engine)
      )
      if (options.noServe) return

      yield* Effect.forkScoped((yield* Effect.provide(JobRunner, engine)).run)
      const listen = (port: number) =>
        Layer.build(
          wiring.server({ host: "127.0.0.1", port, logLevel: "warn" }).pipe(Layer.provide(Layer.succeedContext(engine)))
        )
      const server = yield* options.port === undefined
        ? Effect.catchTag(listen(DEFAULT_PORT), "ListenFailed", () => listen(0))
        : listen(options.port)
      const { url } = yield* Effect.provide(HttpServer, server)
      const apiKey = Redacted.value(founded.apiKey.secret)
      yield* title("The server is ready")
      const signIn = yield* Effect.provide(hostSignInLink(url, founded.organization.id), engine)
      yield* screen.print(
        [
          `Web app   ${signIn}`,
          `          (signs in once, within 15 minutes; later, sign in with the API key)`,
          `Address   ${url}`,
          `API key   ${apiKey}`,
          `API docs  ${url}/docs`
        ].join("\n")
      )
      for (const { about, command } of curls({ url, apiKey, agent: founded.agent.id, widget })) {
        yield* screen.print(`\n${painted(screen, "dim", `# ${about}`)}\n${command}`)
      }
      yield* screen.print(webhookUrls(screen, url, founded.agent.id).join("\n"))
      yield* screen.print(`\nPress Ctrl-C to stop.`)
      yield* Effect.never
    })
  )
