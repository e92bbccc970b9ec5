/** Secrets of calls that are to be redacted, looked for in every byte that is left behind. */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  AnswerUnusable,
  type Ask,
  CallEvaluations,
  Calls,
  Engine,
  hostActor,
  JobRunner,
  LanguageModel,
  Metrics,
  Organizations,
  Tracing,
  Upload,
  untrusted
} from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import { SqliteStorage } from "@earshot/core/sqlite"
import { SqlClient } from "@effect/sql/SqlClient"
import { TestEngine } from "@earshot/test-kit"
import { wavFileOf } from "@earshot/test-kit/audio"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildCore } from "../buildCore.js"

const child = fileURLToPath(new URL("./crash/redacting.mjs", import.meta.url))

/** Written and spoken, in every part of a call that redaction covers; no other test has them, since databases of one
 * server share a log. */
const CANARIES = [
  "415-555-3871",
  "4155553871",
  "four one five five five five three eight seven one",
  "jane.quimby@example.com",
  "jane dot quimby at example dot com",
  "4000 0566 5566 5556",
  "Quimby",
  "quimby"
]

/** Sound in the midst of what is muted; no sample of it may be left. */
const SOUND = Buffer.from("SOUND-OF-A-SECRET")

const recording = (): Buffer => {
  const rate = 8000
  const samples = Buffer.alloc(rate * 2 * 20, "..")
  for (const second of [4, 9, 14]) SOUND.copy(samples, second * rate * 2)
  const tags = [["LIST", Buffer.from("INFOINAMCall with Jane Quimby, 4155553871")] as const]
  return Buffer.from(
    wavFileOf(samples, { tag: "pcm", bits: 16, channels: 1, sampleRate: rate, before: tags, behind: tags })
  )
}

const WRITTEN = "415-555-3871, 4155553871, jane.quimby@example.com, 4000 0566 5566 5556"

/** A transcript with tool calls, whose arguments and results have the values. */
const withTools = {
  transcript_type: "provider_a",
  transcript_json: [
    { role: "bot", message: "What is your phone number?", secondsFromStart: 0, duration: 1000 },
    { role: "user", message: "415-555-3871", secondsFromStart: 3, duration: 3000 },
    {
      role: "tool_calls",
      secondsFromStart: 7,
      toolCalls: [
        {
          id: "1",
          function: { name: "find_customer", arguments: JSON.stringify({ phone: "4155553871", note: { of: WRITTEN } }) }
        }
      ]
    },
    { role: "tool_call_result", toolCallId: "1", name: "find_customer", result: WRITTEN, secondsFromStart: 8 }
  ]
}

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })

/** An export of spans, with the values in each place that can have a text. */
const spans = {
  resourceSpans: [
    {
      resource: { attributes: [attribute("service.name", "agent"), attribute("owner", WRITTEN)] },
      scopeSpans: [
        {
          scope: { name: "livekit-agents", attributes: [attribute("scope", WRITTEN)] },
          spans: [
            {
              traceId: "0af7651916cd43dd8448eb211c80319c",
              spanId: "b7ad6b7169203331",
              name: `lookup of ${WRITTEN}`,
              startTimeUnixNano: "1774958400000000000",
              endTimeUnixNano: "1774958403000000000",
              attributes: [attribute("lk.user_transcript", WRITTEN), attribute("note", WRITTEN)],
              events: [
                { timeUnixNano: "1774958401000000000", name: "said", attributes: [attribute("content", WRITTEN)] }
              ],
              status: { code: 2, message: WRITTEN }
            }
          ]
        }
      ]
    }
  ]
}

/** A judge that repeats the values. */
const ask: Ask = ({ schema }) =>
  Schema.decodeUnknown(schema)({
    reasoning: `The caller gave ${WRITTEN}.`,
    verdict: "decided",
    value: true,
    turn: 1,
    quote: WRITTEN
  }).pipe(
    // Metrics with other values than true and false are not judged.
    Effect.mapError(() => new AnswerUnusable({ reason: `It says ${WRITTEN}.` })),
    Effect.map((value) => ({ value, model: "fake-1", promptHash: "h".repeat(64), seed: 7 }))
  )

const repeating = Layer.succeed(LanguageModel, { ask: Option.some(ask) })

const body = {
  transcript_type: "service",
  transcript_json: [
    { role: "Main Agent", content: "Your name and phone number, please?", start_time: 0, end_time: 2 },
    {
      role: "Testing Agent",
      content: "My name is Jane Quimby, four one five five five five three eight seven one.",
      start_time: 3,
      end_time: 6
    },
    {
      role: "Main Agent",
      content: "415-555-3871, and your email, Ms. Quimby?",
      start_time: 8,
      end_time: 11
    },
    {
      role: "Testing Agent",
      content: "jane dot quimby at example dot com, and my card is 4000 0566 5566 5556.",
      start_time: 12,
      end_time: 16
    }
  ],
  metadata: { phone: "4155553871", email: "jane.quimby@example.com" },
  dynamic_variables: { email: "jane.quimby@example.com" },
  feedback: "Call me back at 415-555-3871",
  customer_number: "4155553871",
  redact_fields: ["phone_number", "email_address", "credit_card", "person_name"]
}

interface Place {
  readonly database: "sqlite" | "postgres"
  readonly location: string
  readonly blobs: string
}

const engine = ({ blobs, database, location }: Place) =>
  Engine.layerWith({
    blobs: FileBlobStore.layer({ directory: blobs }),
    languageModel: repeating
  }).pipe(
    Layer.provideMerge(
      database === "sqlite"
        ? SqliteStorage.layer({ filename: location })
        : PostgresStorage.layer({ url: Redacted.make(location) })
    )
  )

const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(path) : entry.isFile() ? [path] : []
  })

/** Which canaries are in these bytes, as they are or as UTF-16. */
const sung = (bytes: Buffer): ReadonlyArray<string> =>
  [...CANARIES, SOUND.toString()].filter((text) => bytes.includes(text) || bytes.includes(Buffer.from(text, "utf16le")))

const inFiles = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => {
    try {
      return sung(readFileSync(path)).map((canary) => `${path}: ${canary}`)
    } catch {
      // Gone or recycled since it was listed.
      return []
    }
  })

/** The files of the database at `location`, its log of changes among them. */
const databaseFiles = (place: Place) =>
  Effect.gen(function* () {
    if (place.database === "sqlite") return ["", "-wal", "-shm"].map((end) => place.location + end)
    const sql = yield* SqlClient
    yield* sql`CHECKPOINT`
    const [row] = yield* sql<{ folder: string; oid: number }>`SELECT current_setting('data_directory') AS folder,
      (SELECT oid::bigint FROM pg_database WHERE datname = current_database()) AS oid`
    const folder = row?.folder ?? ""
    // A server elsewhere keeps its files to itself.
    return statSync(folder, { throwIfNoEntry: false }) === undefined
      ? []
      : [...filesUnder(join(folder, "base", String(row?.oid))), ...filesUnder(join(folder, "pg_wal"))]
  })

/** Every row of every table as text: what compression hides in the files. */
const rows = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql<{ name: string }>`${sql.onDialectOrElse({
    sqlite: () => sql`SELECT name FROM sqlite_master WHERE type = 'table'`,
    orElse: () => sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
  })}`
  const all = yield* Effect.forEach(tables, ({ name }) => sql`SELECT * FROM ${sql(name)}`)
  return JSON.stringify(all, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))
})

const found = (place: Place) =>
  Effect.gen(function* () {
    const files = yield* databaseFiles(place)
    const text = yield* rows
    expect(text).toContain("PHONE_NUMBER")
    return [
      ...sung(Buffer.from(text)).map((canary) => `rows: ${canary}`),
      ...inFiles(files),
      ...inFiles(filesUnder(place.blobs))
    ]
  })

beforeAll(buildCore)

/** Kills for each database: one is quick enough for every run. */
const ROUNDS = Number(process.env.EARSHOT_CRASH_ROUNDS ?? 1)

/** Milliseconds after which the child is stopped by SIGTERM, which fails the test. */
const CHILD_LIMIT = 120_000

it("canaries are found where nothing is redacted", () => {
  expect(sung(Buffer.concat([Buffer.from(JSON.stringify(body)), recording()]))).toEqual([...CANARIES, SOUND.toString()])
})

describe.each(["sqlite", "postgres"] as const)("sensitive values of redacted calls on %s", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-canary-"))
  let place: Place = { database, location: join(folder, "calls.db"), blobs: join(folder, "blobs") }
  let drop: () => Promise<unknown> = () => Promise.resolve()

  const run = <A, E>(effect: Effect.Effect<A, E, Engine.Services | SqlClient>, log: Array<string> = []) =>
    Effect.runPromise(
      effect.pipe(
        Effect.provide(engine(place)),
        Effect.provide(
          Logger.replace(
            Logger.defaultLogger,
            Logger.map(Logger.jsonLogger, (line) => void log.push(line))
          )
        ),
        Logger.withMinimumLogLevel(LogLevel.All),
        Effect.orDie
      )
    )

  const founded = () =>
    run(
      Effect.map(
        Effect.flatMap(Organizations, (all) => all.create({ name: "Canary" })),
        ({ agent, organization }) => ({ organization: organization.id, agent: agent.id })
      )
    )

  beforeAll(async () => {
    if (database === "postgres") {
      const fresh = await createDatabase(await postgresUrl())
      place = { ...place, location: fresh.url }
      drop = () => fresh.drop()
    }
  })

  afterAll(async () => {
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("are in no byte of the database, the recordings, the log and the responses", async () => {
    const owner = await founded()
    const log: Array<string> = []
    const left = await run(
      Effect.gen(function* () {
        const calls = yield* Calls
        const ingest = (more: object) =>
          calls
            .ingest(untrusted({ ...body, agent: owner.agent, ...more }))
            .pipe(TestEngine.as(hostActor(owner.organization)))
        const voice_recording = new Upload(recording(), "audio/wav", "Jane Quimby 415-555-3871.wav")
        const whole = yield* ingest({ call_id: "whole", voice_recording })
        const again = yield* ingest({ call_id: "whole", redact_fields: undefined, voice_recording })
        const apart = yield* ingest({ call_id: "apart" })
        const late = yield* ingest({ call_id: "apart", transcript_json: undefined, voice_recording })
        const early = yield* ingest({ call_id: "early", transcript_json: undefined, voice_recording })
        const rejected = yield* Effect.flip(
          ingest({
            call_id: "rejected",
            transcript_json: [...body.transcript_json, { role: "agent", content: "Quimby" }]
          })
        )
        const tools = yield* ingest({ call_id: "tools", ...withTools })
        const asHost = TestEngine.as(hostActor(owner.organization))
        const traces = yield* Tracing.Traces
        const received = yield* asHost(
          traces.receive({ json: spans }, { agent_id: owner.agent, redact_fields: body.redact_fields.join(",") })
        )
        const metric = yield* Effect.flatMap(Metrics, (metrics) =>
          asHost(
            metrics.create({
              agent: owner.agent,
              name: "judged",
              type: "llm_judge",
              eval_type: "binary",
              prompt: "Is it so?"
            })
          )
        )
        const evaluations = yield* CallEvaluations
        yield* asHost(evaluations.evaluate(tools.call.id, { metric_ids: [metric.id] }))
        yield* Effect.flatMap(JobRunner, (runner) => runner.drain)
        const scored = yield* asHost(evaluations.evaluations(tools.call.id))
        expect(scored.find(({ metricId }) => metricId === metric.id)?.detail.explanation).toContain("The caller gave [")
        const answers = JSON.stringify([
          whole,
          again,
          apart,
          late,
          early,
          rejected,
          String(rejected),
          tools,
          received,
          scored
        ])
        expect(whole.call.recording).not.toBeNull()
        expect(late.call.recording).not.toBeNull()
        return [...(yield* found(place)), ...sung(Buffer.from(answers)).map((canary) => `answers: ${canary}`)]
      }),
      log
    )
    expect(left).toEqual([])
    expect(sung(Buffer.from(log.join("\n")))).toEqual([])
  })

  it("are nowhere when the process is killed while ingesting", async () => {
    const owner = await founded()
    const given = JSON.stringify({ body, recording: recording().toString("base64") })
    for (let round = 0; round < ROUNDS; round++) {
      // At a different point of its work each round.
      const enough = 17 + ((round * 14) % 40)
      const process_ = spawn(
        process.execPath,
        [child, place.database, place.location, place.blobs, String(owner.organization), String(owner.agent)],
        { stdio: ["pipe", "pipe", "pipe"], timeout: CHILD_LIMIT }
      )
      process_.stdin.end(given)
      let lines = 0
      let wrong = ""
      process_.stderr.on("data", (chunk: Buffer) => (wrong += chunk.toString()))
      process_.stdout.on("data", (chunk: Buffer) => {
        lines += chunk.toString().split("\n").length - 1
        if (lines >= enough) process_.kill("SIGKILL")
      })
      const signal = await new Promise((resolve) => process_.on("close", (_, by) => resolve(by)))
      expect([signal, wrong]).toEqual(["SIGKILL", ""])
      // Before the database is opened again, as the killed process left the files.
      expect(
        place.database === "sqlite" ? inFiles(["", "-wal", "-shm"].map((end) => place.location + end)) : []
      ).toEqual([])
      expect(inFiles(filesUnder(place.blobs))).toEqual([])
      expect(await run(found(place))).toEqual([])
    }
  })
})
