/**
 * Ingestion over HTTP, 10 KB per call, compared with a service that only validates and inserts (ingest/baseline.ts). Earshot
 * runs in one process, and in as many as there are cores. All servers are processes of their own, on databases with the same
 * schema that flush every commit.
 *
 * Environment: `EARSHOT_BENCH_ROUNDS` (default: 7), `EARSHOT_BENCH_SECONDS` per round (default: 3), `EARSHOT_BENCH_DATABASE`
 * (sqlite or postgres; default: both).
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Engine, Organizations } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import { createDatabase } from "@earshot/test-kit/postgres"
import autocannon from "autocannon"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { benchmark, type Environment, numberFrom } from "./Benchmark.js"
import { type ProcessorTime, timeOfPostgres, timeOfProcesses } from "./ingest/processorTime.js"
import { type Program, startProgram } from "./ingest/programs.js"
import type { RunningProgram } from "./ingest/runningProgram.js"
import { median } from "./measure.js"

interface Size {
  readonly rounds: number
  readonly connections: ReadonlyArray<number>
  /** Numbers of Earshot's processes to measure. */
  readonly processes: ReadonlyArray<number>
  /** How much a round sends: for so many seconds, or so many calls. */
  readonly load: { readonly duration: number } | { readonly amount: number }
  /** Start the servers in this process, from sources. Otherwise they are processes of their own, from the build. */
  readonly inProcess: boolean
}

const BODY_BYTES = 10_000

/** Smallest wanted ratio of rates by number of connections. */
const TARGETS: ReadonlyMap<number, number> = new Map([
  [1, 0.6],
  [32, 1.5]
])

/** Placeholder for a call's id in the body. */
const ID = "id-of-this-call"

/** A webhook body of 10 KB, as a voice platform sends at the end of a call. */
const bodyFor = (agent: number): string => {
  const utterances = [
    "Thanks for calling, how can I help you today?",
    "I would like to move my appointment to Thursday, if that is at all possible for you.",
    "Let me see: there is one slot left, at half past ten in the morning.",
    "That works. Do I have to bring anything?"
  ]
  const turns: Array<object> = []
  const body = () =>
    JSON.stringify({
      call_id: ID,
      agent,
      transcript_json: turns,
      customer_number: "+4930123456",
      call_ended_reason: "customer_ended_call",
      metadata: { region: "eu-central-1", tier: "gold", attempt: 1 }
    })
  for (let at = 0; body().length < BODY_BYTES; at++) {
    turns.push({
      role: at % 2 === 0 ? "Main Agent" : "Testing Agent",
      content: utterances[at % utterances.length],
      start_time: at * 3.25,
      end_time: at * 3.25 + 2.75
    })
  }
  return body()
}

interface Server {
  /** Where calls are sent. */
  readonly url: string
  readonly agent: number
  readonly headers: Readonly<Record<string, string>>
  readonly time: ProcessorTime
  readonly stop: () => Promise<void>
}

/** What a server process prints when it is ready. */
const Announcement = Schema.parseJson(
  Schema.Struct({ url: Schema.String, agent: Schema.Number, key: Schema.optional(Schema.String) })
)

const makeServer = (
  { agent, key, url }: Pick<RunningProgram, "agent" | "key" | "url">,
  pid: number,
  stop: () => Promise<void>
): Server => ({
  url: `${url}/observability/v1/observe/`,
  agent,
  headers: key === undefined ? {} : { "x-service-api-key": key },
  time: timeOfProcesses(pid),
  stop
})

const stopProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  await once(child, "exit")
}

const startProcess = async (program: Program, args: ReadonlyArray<string>): Promise<Server> => {
  const file = fileURLToPath(new URL("./ingest/server.js", import.meta.url))
  const child = spawn(process.execPath, [file, program, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${program} did not start`)))
  ended.catch(() => undefined)
  const line: Promise<ReadonlyArray<unknown>> = once(createInterface({ input: child.stdout }), "line")
  const [text] = await Promise.race([line, ended])
  return makeServer(Schema.decodeUnknownSync(Announcement)(text), child.pid ?? 0, () => stopProcess(child))
}

const startInProcess = async (program: Program, args: ReadonlyArray<string>): Promise<Server> => {
  const running = await startProgram(program, args)
  return makeServer(running, process.pid, running.stop)
}

const start = ({ inProcess }: Size, program: Program, args: ReadonlyArray<string>): Promise<Server> =>
  inProcess ? startInProcess(program, args) : startProcess(program, args)

let calls = 1_000_000

/** The result of one round. Processor times are microseconds per call. */
interface Round {
  /** Calls per second. */
  readonly rate: number
  readonly server: number | undefined
  readonly database: number | undefined
  readonly clients: number
}

/** For a database without processes of its own. */
const noTime: ProcessorTime = () => Promise.resolve(undefined)

const clientsTime = (): number => {
  const { system, user } = process.cpuUsage()
  return user + system
}

const measure = async (
  size: Size,
  server: Server,
  connections: number,
  databaseTime: ProcessorTime
): Promise<Round> => {
  const [before, after] = bodyFor(server.agent).split(ID)
  const used = () => Promise.all([server.time(), databaseTime()])
  const [serverBefore, databaseBefore] = await used()
  const clientsBefore = clientsTime()
  const result = await autocannon({
    url: server.url,
    connections,
    ...size.load,
    requests: [
      {
        method: "POST",
        headers: { "content-type": "application/json", ...server.headers },
        setupRequest: (request) => ({ ...request, body: `${before}call-${calls++}${after}` })
      }
    ]
  })
  const clients = clientsTime() - clientsBefore
  const [serverAfter, databaseAfter] = await used()
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${server.url}: ${result.non2xx} rejected, ${result.errors} failed`)
  const answered = result["2xx"]
  const perCall = (from: number | undefined, to: number | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to - from) / answered
  return {
    rate: answered / result.duration,
    server: perCall(serverBefore, serverAfter),
    database: perCall(databaseBefore, databaseAfter),
    clients: clients / answered
  }
}

/** Migrates a database for the baseline, and returns the ids of an organization, a project and an agent. */
const prepare = (storage: Layer.Layer<Engine.Storage, unknown>): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.map(
      Effect.flatMap(Organizations, (organizations) => organizations.create({ name: "Baseline" })),
      ({ agent, organization, project }) => [organization.id, project.id, agent.id].map(String)
    ).pipe(Effect.provide(Engine.layer.pipe(Layer.provide(storage))))
  )

/** Processor time per call, which is stable on a shared machine, where rates are not. */
const costLine = (side: string, rounds: ReadonlyArray<Round>): string => {
  const part = (name: string, values: ReadonlyArray<number | undefined>): ReadonlyArray<string> => {
    const known = values.filter((value) => value !== undefined)
    return known.length === 0 ? [] : [`${name} ${median(known).toFixed(0)}`]
  }
  return `  ${side}, microseconds of processor time per call: ${[
    ...part(
      "server",
      rounds.map((round) => round.server)
    ),
    ...part(
      "database",
      rounds.map((round) => round.database)
    ),
    ...part(
      "clients",
      rounds.map((round) => round.clients)
    )
  ].join(", ")}`
}

const plural = (count: number, noun: string, nouns = `${noun}s`): string => `${count} ${count === 1 ? noun : nouns}`

const compare = async (
  size: Size,
  { print }: Environment,
  title: string,
  ours: Server,
  baseline: Server,
  databaseTime: ProcessorTime = noTime
): Promise<void> => {
  for (const connections of size.connections) {
    const round = (server: Server) => measure(size, server, connections, databaseTime)
    await round(ours)
    await round(baseline)
    const rounds: Array<{ readonly ours: Round; readonly baseline: Round }> = []
    for (let n = 0; n < size.rounds; n++) {
      // The second one finds a warmer disk, so they take turns.
      const isFirst = n % 2 === 0
      const before = await round(isFirst ? ours : baseline)
      const after = await round(isFirst ? baseline : ours)
      rounds.push(isFirst ? { ours: before, baseline: after } : { ours: after, baseline: before })
    }
    const ratio = median(rounds.map(({ baseline, ours }) => ours.rate / baseline.rate))
    const cpuRatio = median(rounds.map(({ baseline, ours }) => (ours.server ?? 0) / (baseline.server ?? 0)))
    const target = TARGETS.get(connections)
    print(
      `ingestion ${title} ${plural(connections, "connection")}, ${plural(size.rounds, "round")}: ` +
        `${median(rounds.map(({ ours }) => ours.rate)).toFixed(0)} vs ` +
        `${median(rounds.map(({ baseline }) => baseline.rate)).toFixed(0)} calls per second, ratio ${ratio.toFixed(2)} ` +
        `(${target === undefined ? "" : `target: at least ${target}; `}CPU of the server ${cpuRatio.toFixed(2)})`
    )
    const side = (which: "ours" | "baseline") => rounds.map((one) => one[which])
    print(costLine("Earshot", side("ours")))
    print(costLine("baseline", side("baseline")))
  }
}

/** Compares Earshot in each number of processes with one baseline. */
const compareAll = async (
  size: Size,
  environment: Environment,
  title: string,
  baselineArgs: ReadonlyArray<string>,
  newDatabase: (processes: number) => Promise<string>,
  databaseTime?: ProcessorTime
): Promise<void> => {
  const baseline = await start(size, "baseline", baselineArgs)
  try {
    for (const processes of size.processes) {
      const ours = await start(size, "earshot", [await newDatabase(processes), String(processes)])
      try {
        const label = title.replace("$", plural(processes, "process", "processes"))
        await compare(size, environment, label, ours, baseline, databaseTime)
      } finally {
        await ours.stop()
      }
    }
  } finally {
    await baseline.stop()
  }
}

const onSqlite = async (size: Size, environment: Environment): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-bench-"))
  try {
    const file = join(folder, "baseline.db")
    const owner = await prepare(SqliteStorage.layer({ filename: file }))
    const newDatabase = (processes: number) => Promise.resolve(`sqlite:${join(folder, `${processes}.db`)}`)
    const title = "on SQLite, $ vs fastify + better-sqlite3,"
    await compareAll(size, environment, title, ["sqlite", file, ...owner], newDatabase)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const onPostgres = async (size: Size, environment: Environment): Promise<void> => {
  const server = await environment.startPostgres({ durable: true })
  try {
    const { url } = await createDatabase(server.url)
    const owner = await prepare(PostgresStorage.layer({ url: Redacted.make(url) }))
    const newDatabase = async () => (await createDatabase(server.url)).url
    const title = "on PostgreSQL, $ vs fastify + pg,"
    const databaseTime = await timeOfPostgres(server.url)
    await compareAll(size, environment, title, ["postgres", url, ...owner], newDatabase, databaseTime)
  } finally {
    await server.stop()
  }
}

export const ingestBenchmark = benchmark<Size>({
  name: "ingest",
  full: {
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 7),
    connections: [1, 32],
    processes: [1, availableParallelism()],
    load: { duration: numberFrom("EARSHOT_BENCH_SECONDS", 3) },
    inProcess: false
  },
  tiny: { rounds: 1, connections: [2], processes: [1], load: { amount: 4 }, inProcess: true },
  run: async (size, environment) => {
    if (environment.databases.includes("sqlite")) await onSqlite(size, environment)
    if (environment.databases.includes("postgres")) await onPostgres(size, environment)
  }
})
