/**
 * Taking calls in over HTTP, 10 KB each, against a service that does no more than check and insert (ingest/baseline.ts
 * says what). Ours runs in one process, and in as many as there are cores. All servers run apart from this program, over
 * databases of the same schema that flush every commit; the rounds alternate, since nothing else holds still on a shared
 * machine.
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
import { createDatabase, startPostgres } from "@earshot/test-kit/postgres"
import autocannon from "autocannon"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type ProcessorTime, timeOfPostgres, timeOfProcesses } from "./ingest/processorTime.js"

export const name = "ingest"

const ROUNDS = Number(process.env.EARSHOT_BENCH_ROUNDS ?? 7)
const SECONDS = Number(process.env.EARSHOT_BENCH_SECONDS ?? 3)
const CONNECTIONS = [1, 32] as const
const BODY_BYTES = 10_000

const TARGETS = { 1: 0.6, 32: 1.5 } as const

/** Stands in a body where every call has its own id. */
const ID = "id-of-this-call"

/** What a voice platform sends at the end of a call, 10 KB of it. */
const bodyFor = (agent: number): string => {
  const said = [
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
      content: said[at % said.length],
      start_time: at * 3.25,
      end_time: at * 3.25 + 2.75
    })
  }
  return body()
}

interface Server {
  readonly process: ChildProcess
  /** Where calls are sent. */
  readonly url: string
  readonly agent: number
  readonly headers: Readonly<Record<string, string>>
  readonly time: ProcessorTime
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** What a server says of itself. */
const Announced = Schema.parseJson(
  Schema.Struct({ url: Schema.String, agent: Schema.Number, key: Schema.optional(Schema.String) })
)

/** Starts a server that says in a line of JSON where it is. */
const start = async (program: string, args: ReadonlyArray<string>): Promise<Server> => {
  const child = spawn(process.execPath, [fileOf(`./ingest/${program}.js`), ...args], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${program} did not start`)))
  ended.catch(() => undefined)
  const line: Promise<ReadonlyArray<unknown>> = once(createInterface({ input: child.stdout }), "line")
  const [text] = await Promise.race([line, ended])
  const { agent, key, url } = Schema.decodeUnknownSync(Announced)(text)
  return {
    process: child,
    url: `${url}/observability/v1/observe/`,
    agent,
    headers: key === undefined ? {} : { "x-service-api-key": key },
    time: timeOfProcesses(child.pid ?? 0)
  }
}

const stop = async ({ process: child }: Server): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  await once(child, "exit")
}

let calls = 1_000_000

/** What one round found. Processor times are microseconds a call. */
interface Round {
  /** Answered calls a second. */
  readonly rate: number
  readonly server: number | undefined
  readonly database: number | undefined
  readonly clients: number
}

/** The processor time of a database that has no processes of its own. */
const noTime: ProcessorTime = () => Promise.resolve(undefined)

const clientsTime = (): number => {
  const { system, user } = process.cpuUsage()
  return user + system
}

const measure = async (server: Server, connections: number, databaseTime: ProcessorTime): Promise<Round> => {
  const [before, after] = bodyFor(server.agent).split(ID)
  const used = () => Promise.all([server.time(), databaseTime()])
  const [serverBefore, databaseBefore] = await used()
  const clientsBefore = clientsTime()
  const result = await autocannon({
    url: server.url,
    connections,
    duration: SECONDS,
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
    throw new Error(`${server.url}: ${result.non2xx} refused, ${result.errors} lost`)
  const answered = result["2xx"]
  const each = (from: number | undefined, to: number | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to - from) / answered
  return {
    rate: answered / result.duration,
    server: each(serverBefore, serverAfter),
    database: each(databaseBefore, databaseAfter),
    clients: clients / answered
  }
}

/** Migrates a database for the baseline, and gives it an agent to insert for. */
const prepare = (storage: Layer.Layer<Engine.Storage, unknown>): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.map(
      Effect.flatMap(Organizations, (organizations) => organizations.create({ name: "Baseline" })),
      ({ agent, organization, project }) => [organization.id, project.id, agent.id].map(String)
    ).pipe(Effect.provide(Engine.layer.pipe(Layer.provide(storage))))
  )

const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** A line on what a call costs, which holds still on a machine that is shared, where rates do not. */
const costLine = (who: string, rounds: ReadonlyArray<Round>): string => {
  const part = (name: string, values: ReadonlyArray<number | undefined>): ReadonlyArray<string> => {
    const known = values.filter((value) => value !== undefined)
    return known.length === 0 ? [] : [`${name} ${median(known).toFixed(0)}`]
  }
  return `  ${who}, microseconds of processor time a call: ${[
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

/** In how many processes ours runs. */
const PROCESSES = [1, availableParallelism()]

const processesOf = (count: number): string => `${count} ${count === 1 ? "process" : "processes"}`

const compare = async (
  title: string,
  ours: Server,
  baseline: Server,
  databaseTime: ProcessorTime = noTime
): Promise<void> => {
  for (const connections of CONNECTIONS) {
    await measure(ours, connections, databaseTime)
    await measure(baseline, connections, databaseTime)
    const rounds: Array<{ readonly ours: Round; readonly baseline: Round }> = []
    for (let round = 0; round < ROUNDS; round++) {
      // Whoever goes second finds a warmer disk; so they take turns.
      const first = round % 2 === 0
      const before = await measure(first ? ours : baseline, connections, databaseTime)
      const after = await measure(first ? baseline : ours, connections, databaseTime)
      rounds.push(first ? { ours: before, baseline: after } : { ours: after, baseline: before })
    }
    const ratio = median(rounds.map((round) => round.ours.rate / round.baseline.rate))
    console.log(
      `ingest ${title} ${connections} connection${connections === 1 ? "" : "s"}: ` +
        `${ratio.toFixed(2)}x (target ${TARGETS[connections]}x; ` +
        `${median(rounds.map((round) => round.ours.rate)).toFixed(0)} against ` +
        `${median(rounds.map((round) => round.baseline.rate)).toFixed(0)} calls a second, ${ROUNDS} rounds)`
    )
    const costs = (who: "ours" | "baseline") =>
      costLine(
        who,
        rounds.map((round) => round[who])
      )
    console.log(`${costs("ours")}\n${costs("baseline")}`)
  }
}

const overSqlite = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-bench-"))
  const servers: Array<Server> = []
  const running = (server: Server): Server => {
    servers.push(server)
    return server
  }
  try {
    const file = join(folder, "baseline.db")
    const owner = await prepare(SqliteStorage.layer({ filename: file }))
    const baseline = running(await start("baseline", ["sqlite", file, ...owner]))
    for (const processes of PROCESSES) {
      const ours = running(await start("earshot", [`sqlite:${join(folder, `${processes}.db`)}`, String(processes)]))
      await compare(`on SQLite, ${processesOf(processes)} against fastify + better-sqlite3,`, ours, baseline)
      await stop(ours)
    }
  } finally {
    await Promise.all(servers.map(stop))
    await rm(folder, { recursive: true, force: true })
  }
}

const overPostgres = async (): Promise<void> => {
  const postgres = await startPostgres({ durable: true })
  const servers: Array<Server> = []
  const running = (server: Server): Server => {
    servers.push(server)
    return server
  }
  try {
    const theirs = await createDatabase(postgres.url)
    const owner = await prepare(PostgresStorage.layer({ url: Redacted.make(theirs.url) }))
    const baseline = running(await start("baseline", ["postgres", theirs.url, ...owner]))
    const databaseTime = await timeOfPostgres(postgres.url)
    for (const processes of PROCESSES) {
      const mine = await createDatabase(postgres.url)
      const ours = running(await start("earshot", [mine.url, String(processes)]))
      await compare(`on PostgreSQL, ${processesOf(processes)} against fastify + pg,`, ours, baseline, databaseTime)
      await stop(ours)
    }
  } finally {
    await Promise.all(servers.map(stop))
    await postgres.stop()
  }
}

export const run = async (): Promise<void> => {
  const only = process.env.EARSHOT_BENCH_DATABASE
  if (only !== "postgres") await overSqlite()
  if (only !== "sqlite") await overPostgres()
}
