/**
 * Taking calls in over HTTP, 10 KB each, against a service that does no more than check and insert (ingest/baseline.ts
 * says what). Both servers run in processes of their own over databases of the same schema that flush every commit; the
 * rounds alternate, since nothing else holds still on a shared machine.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
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
import type { Announced } from "./ingest/process.js"

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

interface Server extends Announced {
  readonly process: ChildProcess
}

const start = async (program: string, args: ReadonlyArray<string>): Promise<Server> => {
  const file = fileURLToPath(new URL(`./ingest/${program}.js`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${program} did not start`)))
  ended.catch(() => undefined)
  const line: unknown = await Promise.race([
    once(lines, "line").then(([text]: Array<unknown>): unknown => JSON.parse(String(text))),
    ended
  ])
  if (!isAnnounced(line)) throw new Error(`${program} did not say where it is`)
  return { ...line, process: child }
}

const isAnnounced = (value: unknown): value is Announced =>
  typeof value === "object" && value !== null && "url" in value && "agent" in value && "headers" in value

const stop = async (server: Server): Promise<void> => {
  if (server.process.exitCode !== null) return
  server.process.stdin?.end()
  await once(server.process, "exit")
}

let calls = 1_000_000

/** Answered calls a second. */
const measure = async (server: Server, connections: number): Promise<number> => {
  const [before, after] = bodyFor(server.agent).split(ID)
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
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${server.url}: ${result.non2xx} refused, ${result.errors} lost`)
  return result["2xx"] / result.duration
}

/** Migrates a database for the baseline, and gives it an agent to insert for. */
const prepare = (storage: Layer.Layer<Engine.Storage, unknown>): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.map(
      Effect.flatMap(Organizations, (organizations) => organizations.create({ name: "Baseline" })),
      ({ agent, organization, project }) => [String(organization.id), String(project.id), String(agent.id)]
    ).pipe(Effect.provide(Engine.layer.pipe(Layer.provide(storage))))
  )

const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const compare = async (title: string, ours: Server, baseline: Server): Promise<void> => {
  for (const connections of CONNECTIONS) {
    await measure(ours, connections)
    await measure(baseline, connections)
    const rounds: Array<{ readonly ours: number; readonly baseline: number }> = []
    for (let round = 0; round < ROUNDS; round++) {
      // Whoever goes second finds a warmer disk; so they take turns.
      const first = round % 2 === 0
      const before = first ? await measure(ours, connections) : await measure(baseline, connections)
      const after = first ? await measure(baseline, connections) : await measure(ours, connections)
      rounds.push(first ? { ours: before, baseline: after } : { ours: after, baseline: before })
    }
    const ratio = median(rounds.map((round) => round.ours / round.baseline))
    console.log(
      `ingest ${title} ${connections} connection${connections === 1 ? "" : "s"}: ` +
        `${ratio.toFixed(2)}x (target ${TARGETS[connections]}x; ` +
        `${median(rounds.map((round) => round.ours)).toFixed(0)} against ` +
        `${median(rounds.map((round) => round.baseline)).toFixed(0)} calls a second, ${ROUNDS} rounds)`
    )
  }
}

const overSqlite = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-bench-"))
  const servers: Array<Server> = []
  try {
    const file = join(folder, "baseline.db")
    const owner = await prepare(SqliteStorage.layer({ filename: file }))
    servers.push(await start("earshot", ["sqlite", join(folder, "earshot.db")]))
    servers.push(await start("baseline", ["sqlite", file, ...owner]))
    const [ours, baseline] = servers
    if (ours !== undefined && baseline !== undefined)
      await compare("on SQLite, against fastify + better-sqlite3,", ours, baseline)
  } finally {
    await Promise.all(servers.map(stop))
    await rm(folder, { recursive: true, force: true })
  }
}

const overPostgres = async (): Promise<void> => {
  const postgres = await startPostgres({ durable: true })
  const servers: Array<Server> = []
  try {
    const mine = await createDatabase(postgres.url)
    const theirs = await createDatabase(postgres.url)
    const owner = await prepare(PostgresStorage.layer({ url: Redacted.make(theirs.url) }))
    servers.push(await start("earshot", ["postgres", mine.url]))
    servers.push(await start("baseline", ["postgres", theirs.url, ...owner]))
    const [ours, baseline] = servers
    if (ours !== undefined && baseline !== undefined)
      await compare("on PostgreSQL, against fastify + pg,", ours, baseline)
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
