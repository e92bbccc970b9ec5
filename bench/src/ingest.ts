/**
 * Ingestion over HTTP, 10 KB per call, compared with a service that only validates and inserts (ingest/baseline.ts), on this
 * disk and with slower flushes (ingest/slowFlush.ts). Earshot runs in one process, and in as many as there are cores. All
 * servers are processes of their own, on databases with the same schema that flush every commit.
 *
 * Environment: `EARSHOT_BENCH_ROUNDS` (default: 7), `EARSHOT_BENCH_SECONDS` per round (default: 3), `EARSHOT_BENCH_DATABASE`
 * (sqlite or postgres; default: both).
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, open, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Engine, Organizations } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import { createDatabase } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { benchmark, type DatabaseName, type Environment, numberFrom } from "./Benchmark.js"
import { CALL_ID, sendCalls } from "./ingest/clients.js"
import { type ProcessorTime, timeOfPostgres, timeOfProcesses } from "./ingest/processorTime.js"
import { type Program, startProgram } from "./ingest/programs.js"
import type { RunningProgram } from "./ingest/runningProgram.js"
import { collectionShare, countRuntimeUse, RuntimeUse } from "./ingest/runtimeUse.js"
import { buildSlowFlush, slowFlush } from "./ingest/slowFlush.js"
import { median } from "./measure.js"

interface Size {
  readonly rounds: number
  readonly connections: ReadonlyArray<number>
  /** Numbers of Earshot's processes to measure. */
  readonly processes: ReadonlyArray<number>
  /** Microseconds by which flushes of the disk are delayed, beside none, and the rounds of each. */
  readonly flushes: ReadonlyArray<number>
  readonly flushRounds: number
  /** How much a round sends: for so many seconds, or so many calls. */
  readonly load: { readonly duration: number } | { readonly amount: number }
  /** Start the servers in this process, from sources. Otherwise they are processes of their own, from the build. */
  readonly inProcess: boolean
}

const BODY_BYTES = 10_000

/**
 * The largest wanted ratio of processor times per call, by number of connections: on SQLite of the servers, which run the
 * database themselves, on PostgreSQL of servers and database together.
 */
const GOALS: Readonly<Record<DatabaseName, ReadonlyMap<number, number>>> = {
  sqlite: new Map([
    [1, 1.3],
    [32, 0.8],
    [64, 0.8]
  ]),
  postgres: new Map([
    [1, 1.3],
    [32, 1],
    [64, 1]
  ])
}

/** The largest wanted share of garbage collection in the time of the main thread. */
const COLLECTION_GOAL = 0.08

/** The smallest wanted ratio of rates of two processes to one. */
const PROCESSES_GOAL = 1.7

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
      call_id: CALL_ID,
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
  /** Of a server that is one process. */
  readonly runtimeUse: () => Promise<RuntimeUse>
  readonly stop: () => Promise<void>
}

/** What a server process prints when it is ready. */
const Announcement = Schema.parseJson(
  Schema.Struct({ url: Schema.String, agent: Schema.Number, key: Schema.optional(Schema.String) })
)

const makeServer = (
  { agent, key, url }: Pick<RunningProgram, "agent" | "key" | "url">,
  process: Pick<Server, "runtimeUse" | "stop"> & { readonly pid: number }
): Server => ({
  url: `${url}/observability/v1/observe/`,
  agent,
  headers: key === undefined ? {} : { "x-service-api-key": key },
  time: timeOfProcesses(process.pid),
  runtimeUse: process.runtimeUse,
  stop: process.stop
})

const stopProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  await once(child, "exit")
}

/** Asks a server process, which answers on the channel between parent and child. */
const askForRuntimeUse = async (child: ChildProcess): Promise<RuntimeUse> => {
  const answered: Promise<ReadonlyArray<unknown>> = once(child, "message")
  child.send("runtime use")
  const [answer] = await answered
  return Schema.decodeUnknownSync(RuntimeUse)(answer)
}

const startProcess = async (
  program: Program,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>
): Promise<Server> => {
  const file = fileURLToPath(new URL("./ingest/server.js", import.meta.url))
  const child = spawn(process.execPath, [file, program, ...args], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { ...process.env, ...variables }
  })
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${program} did not start`)))
  ended.catch(() => undefined)
  if (child.stdout === null) throw new Error(`${program} has no output`)
  const line: Promise<ReadonlyArray<unknown>> = once(createInterface({ input: child.stdout }), "line")
  const [text] = await Promise.race([line, ended])
  return makeServer(Schema.decodeUnknownSync(Announcement)(text), {
    pid: child.pid ?? 0,
    runtimeUse: () => askForRuntimeUse(child),
    stop: () => stopProcess(child)
  })
}

const startInProcess = async (program: Program, args: ReadonlyArray<string>): Promise<Server> => {
  const running = await startProgram(program, args)
  const use = countRuntimeUse()
  return makeServer(running, { pid: process.pid, runtimeUse: () => Promise.resolve(use()), stop: running.stop })
}

/** Servers of a comparison, and how they are labeled. */
interface Setting {
  readonly database: DatabaseName
  /** With the number of processes in place of `$`. */
  readonly title: string
  /** Of the environment of server processes. */
  readonly variables: Readonly<Record<string, string>>
  readonly databaseTime: ProcessorTime
}

const start = (
  { inProcess }: Size,
  { variables }: Setting,
  program: Program,
  args: ReadonlyArray<string>
): Promise<Server> => (inProcess ? startInProcess(program, args) : startProcess(program, args, variables))

let loads = 0

/** The result of one round. Processor times are microseconds per call. */
interface Round {
  /** Calls per second. */
  readonly rate: number
  readonly server: number | undefined
  readonly database: number | undefined
  readonly clients: number
  /** The share of garbage collection in the time of the main thread. */
  readonly collection: number
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
  const used = () => Promise.all([server.time(), databaseTime()])
  const useBefore = await server.runtimeUse()
  const [serverBefore, databaseBefore] = await used()
  const clientsBefore = clientsTime()
  const sent = await sendCalls({
    url: server.url,
    headers: server.headers,
    connections,
    load: size.load,
    prefix: `call-${loads++}-`,
    body: bodyFor(server.agent)
  })
  const clients = clientsTime() - clientsBefore
  const [serverAfter, databaseAfter] = await used()
  const useAfter = await server.runtimeUse()
  const perCall = (from: number | undefined, to: number | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to - from) / sent.calls
  return {
    rate: sent.rate,
    server: perCall(serverBefore, serverAfter),
    database: perCall(databaseBefore, databaseAfter),
    clients: clients / sent.calls,
    collection: collectionShare(useBefore, useAfter)
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

interface Compared {
  readonly ours: Round
  readonly baseline: Round
}

const compareRounds = async (
  rounds: number,
  round: (server: Server) => Promise<Round>,
  ours: Server,
  baseline: Server
): Promise<ReadonlyArray<Compared>> => {
  await round(ours)
  await round(baseline)
  const compared: Array<Compared> = []
  for (let n = 0; n < rounds; n++) {
    // The second one finds a warmer disk, so they take turns.
    const isFirst = n % 2 === 0
    const before = await round(isFirst ? ours : baseline)
    const after = await round(isFirst ? baseline : ours)
    compared.push(isFirst ? { ours: before, baseline: after } : { ours: after, baseline: before })
  }
  return compared
}

/** Returns the ratios of rates, by number of connections. */
const compare = async (
  size: Size,
  { print }: Environment,
  { database, databaseTime, title }: Setting,
  [ours, processes]: readonly [server: Server, processes: number],
  baseline: Server
): Promise<ReadonlyMap<number, number>> => {
  const ratios = new Map<number, number>()
  for (const connections of size.connections) {
    const rounds = await compareRounds(
      size.rounds,
      (server) => measure(size, server, connections, databaseTime),
      ours,
      baseline
    )
    const ratio = median(rounds.map(({ baseline, ours }) => ours.rate / baseline.rate))
    const cpuRatio = (timeOf: (one: Round) => number) =>
      median(rounds.map(({ baseline, ours }) => timeOf(ours) / timeOf(baseline))).toFixed(2)
    const ofServer = cpuRatio(({ server = 0 }) => server)
    const ofBoth =
      database === "sqlite"
        ? ""
        : `, with the database ${cpuRatio(({ database = 0, server = 0 }) => server + database)}`
    const goal = GOALS[database].get(connections)
    const collection =
      processes > 1
        ? ""
        : `, garbage collection ${(median(rounds.map(({ ours }) => ours.collection)) * 100).toFixed(1)} % (goal: under ${COLLECTION_GOAL * 100} %)`
    ratios.set(connections, ratio)
    print(
      `ingestion ${title} ${plural(connections, "client")}, ${plural(size.rounds, "round")}: ` +
        `${median(rounds.map(({ ours }) => ours.rate)).toFixed(0)} vs ` +
        `${median(rounds.map(({ baseline }) => baseline.rate)).toFixed(0)} calls per second, ratio ${ratio.toFixed(2)}; ` +
        `CPU of the server ${ofServer}${ofBoth}${goal === undefined ? "" : ` (goal: at most ${goal})`}${collection}`
    )
    const side = (which: "ours" | "baseline") => rounds.map((one) => one[which])
    print(costLine("Earshot", side("ours")))
    print(costLine("baseline", side("baseline")))
  }
  return ratios
}

/** Where the servers of a comparison store calls. */
interface Places {
  readonly baselineArgs: ReadonlyArray<string>
  readonly newDatabase: () => Promise<string>
}

/** Compares Earshot in each number of processes with one baseline. */
const compareAll = async (
  size: Size,
  environment: Environment,
  setting: Setting,
  { baselineArgs, newDatabase }: Places
): Promise<void> => {
  const baseline = await start(size, setting, "baseline", baselineArgs)
  const ratios: Array<ReadonlyMap<number, number>> = []
  try {
    for (const processes of size.processes) {
      const ours = await start(size, setting, "earshot", [await newDatabase(), String(processes)])
      try {
        const title = setting.title.replace("$", plural(processes, "process", "processes"))
        ratios.push(await compare(size, environment, { ...setting, title }, [ours, processes], baseline))
      } finally {
        await ours.stop()
      }
    }
  } finally {
    await baseline.stop()
  }
  const [one, ...more] = ratios
  for (const [at, several] of more.entries()) {
    for (const [connections, ratio] of several) {
      environment.print(
        `${setting.title.replace("$", plural(size.processes[at + 1] ?? 0, "process", "processes"))} ` +
          `${plural(connections, "client")}: ${(ratio / (one?.get(connections) ?? Number.NaN)).toFixed(2)} times the rate of one ` +
          `(goal: at least ${PROCESSES_GOAL} where there are cores for clients and database; here ${availableParallelism()})`
      )
    }
  }
}

/** The time of a flush of this disk, in milliseconds. */
const flushTime = async (folder: string): Promise<number> => {
  const file = await open(join(folder, "flush"), "w")
  try {
    const times: Array<number> = []
    for (let at = 0; at < 100; at++) {
      await file.write("x".repeat(4096))
      const began = performance.now()
      await file.datasync()
      times.push(performance.now() - began)
    }
    return median(times)
  } finally {
    await file.close()
  }
}

/** Runs a comparison on this disk, and with flushes that take longer. */
const withFlushes = async (
  size: Size,
  environment: Environment,
  folder: string,
  run: (size: Size, variables: Readonly<Record<string, string>>, label: string) => Promise<void>
): Promise<void> => {
  environment.print(`a flush of this disk takes ${(await flushTime(folder)).toFixed(2)} ms`)
  await run(size, {}, "")
  const library = size.flushes.length === 0 ? undefined : await buildSlowFlush(folder)
  if (library === undefined) {
    if (size.flushes.length > 0) environment.print("slower flushes are not measured: they need Linux and a C compiler")
    return
  }
  for (const micros of size.flushes) {
    const slower = { ...size, rounds: size.flushRounds, processes: [1] }
    await run(slower, slowFlush(library, micros), ` flushes ${micros / 1000} ms slower,`)
  }
}

const onSqlite = async (size: Size, environment: Environment): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-bench-"))
  let files = 0
  const newFile = () => join(folder, `${files++}.db`)
  try {
    await withFlushes(size, environment, folder, async (size, variables, label) => {
      const file = newFile()
      const owner = await prepare(SqliteStorage.layer({ filename: file }))
      const title = `on SQLite, $ vs fastify + better-sqlite3,${label}`
      await compareAll(
        size,
        environment,
        { database: "sqlite", title, variables, databaseTime: noTime },
        { baselineArgs: ["sqlite", file, ...owner], newDatabase: () => Promise.resolve(`sqlite:${newFile()}`) }
      )
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Sets variables of this process, which the server's process inherits, while it is started. */
const startedWith = async <A>(variables: Readonly<Record<string, string>>, start: () => Promise<A>): Promise<A> => {
  Object.assign(process.env, variables)
  try {
    return await start()
  } finally {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name)
  }
}

const onPostgres = async (size: Size, environment: Environment): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-bench-"))
  try {
    await withFlushes(size, environment, folder, async (size, variables, label) => {
      const server = await startedWith(variables, () => environment.startPostgres({ durable: true }))
      try {
        const newDatabase = async () => (await createDatabase(server.url)).url
        const url = await newDatabase()
        const owner = await prepare(PostgresStorage.layer({ url: Redacted.make(url) }))
        const title = `on PostgreSQL, $ vs fastify + pg,${label}`
        const databaseTime = await timeOfPostgres(server.url)
        await compareAll(
          size,
          environment,
          { database: "postgres", title, variables: {}, databaseTime },
          { baselineArgs: ["postgres", url, ...owner], newDatabase }
        )
      } finally {
        await server.stop()
      }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const ingestBenchmark = benchmark<Size>({
  name: "ingest",
  full: {
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 7),
    connections: [1, 32, 64],
    processes: availableParallelism() > 1 ? [1, 2] : [1],
    flushes: [1000, 4000],
    flushRounds: 3,
    load: { duration: numberFrom("EARSHOT_BENCH_SECONDS", 3) },
    inProcess: false
  },
  tiny: {
    rounds: 1,
    connections: [2],
    processes: [1],
    flushes: [],
    flushRounds: 1,
    load: { amount: 4 },
    inProcess: true
  },
  run: async (size, environment) => {
    if (environment.databases.includes("sqlite")) await onSqlite(size, environment)
    if (environment.databases.includes("postgres")) await onPostgres(size, environment)
  }
})
