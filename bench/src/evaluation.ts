/**
 * The cost of evaluating calls of 10 KB by all formulas: claims, reads, formulas and writes, on both databases; and what
 * ingestion over HTTP is left with while a queue of evaluations is worked off. Processor times are this process's, which
 * is the engine alone in the first part, and the server in the second; its clients are another process.
 *
 * Environment: `EARSHOT_BENCH_ROUNDS` (default: 5, and 3 of loads), `EARSHOT_BENCH_DATABASE` (sqlite or postgres; default: both).
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Calls, CurrentActor, Database, Engine, hostActor, JobRunner, Organizations } from "@earshot/core"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import * as Http from "@earshot/http-adapter"
import { SqlClient } from "@effect/sql/SqlClient"
import { createDatabase } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { benchmark, type DatabaseName, type Environment, numberFrom } from "./Benchmark.js"
import { CALL_ID, type Load, sendCalls, sendCallsFromProcess } from "./ingest/clients.js"
import { median, type Sample, timed } from "./measure.js"

interface Size {
  readonly rounds: number
  /** Calls of a round of evaluation. */
  readonly calls: number
  readonly connections: ReadonlyArray<number>
  /** Calls that wait for evaluation when ingestion begins. */
  readonly backlog: number
  /** Requests of a round of ingestion, and the rounds of each side. */
  readonly requests: number
  readonly loads: number
  /** Whether clients have a process of their own, which takes the build. */
  readonly clientsInProcess: boolean
}

const BODY_BYTES = 10_000

const utterances = [
  "Thanks for calling, how can I help you today?",
  "I would like to move my appointment to Thursday, if that is at all possible for you.",
  "Let me see: there is one slot left, at half past ten in the morning.",
  "That works. Do I have to bring anything?"
]

const turn = (at: number) => ({
  role: at % 2 === 0 ? "Main Agent" : "Testing Agent",
  content: utterances[at % utterances.length],
  start_time: at * 3.25,
  end_time: at * 3.25 + 2.75
})

const bodyOf = (call_id: string, agent: number) => {
  const transcript_json: Array<object> = []
  for (let size = 0; size < BODY_BYTES; size += JSON.stringify(turn(transcript_json.length)).length) {
    transcript_json.push(turn(transcript_json.length))
  }
  return { call_id, agent, transcript_json }
}

const drain = Effect.flatMap(JobRunner, (runner) => runner.drain)

const engineOn = (address: string, evaluate = true) =>
  Engine.layerWith({ blobs: MemoryBlobStore.layer, ingest: { evaluate } }).pipe(
    Layer.provideMerge(Database.layer(address))
  )

let calls = 0

/** An organization, and what adds calls to it. */
const found = Effect.map(
  Effect.flatMap(Organizations, (organizations) => organizations.create({ name: "Benchmark" })),
  ({ agent, apiKey, organization }) => ({
    agent: agent.id,
    key: Redacted.value(apiKey.secret),
    ingest: (count: number) =>
      Effect.flatMap(Calls, (service) =>
        Effect.forEach(Array.from({ length: count }), () => service.ingest(bodyOf(`call ${calls++}`, agent.id)), {
          concurrency: 64,
          discard: true
        })
      ).pipe(Effect.provideService(CurrentActor, hostActor(organization.id)))
  })
)

/** The size of the database, without the write-ahead log. */
const databaseBytes = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [size] = yield* sql<{ readonly bytes: number }>`SELECT ${sql.onDialectOrElse({
    pg: () => sql`pg_database_size(current_database()) AS bytes`,
    orElse: () => sql`page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()`
  })}`
  return Number(size?.bytes)
})

/** The most processor time of a call's evaluation, in milliseconds. */
const EVALUATION_GOAL = 1

/** How much of the rate without evaluation is to be left, and the slowest hundredth, in milliseconds. */
const RATE_GOAL = 0.8
const P99_GOAL = 250

const perCall = (samples: ReadonlyArray<Sample>, count: number): string => {
  const of = (which: "ms" | "cpuMs") => (median(samples.map((sample) => sample[which])) / count).toFixed(2)
  return `${of("ms")} ms (CPU ${of("cpuMs")}) per call`
}

const measureEvaluation = async (address: string, database: DatabaseName, size: Size, print: Environment["print"]) => {
  const runtime = ManagedRuntime.make(engineOn(address))
  try {
    const { ingest } = await runtime.runPromise(found)
    const empty = await runtime.runPromise(databaseBytes)
    const samples: Array<Sample> = []
    for (let round = 0; round <= size.rounds; round++) {
      await runtime.runPromise(ingest(size.calls))
      const sample = await runtime.runPromise(timed(drain))
      if (round > 0) samples.push(sample)
    }
    print(
      `evaluation on ${database}, ${size.calls} calls: ${perCall(samples, size.calls)} (goal: CPU at most ${EVALUATION_GOAL})`
    )
    const bytes = ((await runtime.runPromise(databaseBytes)) - empty) / (size.calls * (size.rounds + 1))
    print(`  ${(bytes / 1000).toFixed(1)} KB on disk per call of ${BODY_BYTES / 1000} KB with its evaluations and job`)
  } finally {
    await runtime.dispose()
  }
}

/** A round of ingestion over HTTP. */
const measureIngestion = async (
  address: string,
  size: Size,
  connections: number,
  jobs: { readonly evaluate: boolean; readonly backlog: number }
): Promise<Load> => {
  const runtime = ManagedRuntime.make(
    Http.layer({ port: 0, logLevel: "error" }).pipe(Layer.provideMerge(engineOn(address, jobs.evaluate)))
  )
  try {
    const { agent, ingest, key } = await runtime.runPromise(found)
    const { url } = await runtime.runPromise(Http.HttpServer)
    await runtime.runPromise(ingest(jobs.backlog))
    const worker = jobs.evaluate
      ? await runtime.runPromise(Effect.flatMap(JobRunner, (runner) => Effect.forkDaemon(runner.run)))
      : undefined
    const send = size.clientsInProcess ? sendCallsFromProcess : sendCalls
    const load = await send({
      url: `${url}/observability/v1/observe/`,
      headers: { "x-service-api-key": key },
      connections,
      load: { amount: size.requests },
      prefix: "sent call ",
      body: JSON.stringify(bodyOf(CALL_ID, agent))
    })
    if (worker !== undefined) await Effect.runPromise(Fiber.interrupt(worker))
    return load
  } finally {
    await runtime.dispose()
  }
}

const sides = (backlog: number) =>
  [
    ["without evaluation", { evaluate: false, backlog: 0 }],
    ["with evaluation", { evaluate: true, backlog: 0 }],
    [`with ${backlog} evaluations waiting`, { evaluate: true, backlog }]
  ] as const

const measureDatabase = async (
  database: DatabaseName,
  size: Size,
  print: Environment["print"],
  fresh: () => Promise<string>
) => {
  await measureEvaluation(await fresh(), database, size, print)
  for (const connections of size.connections) {
    const all = sides(size.backlog).map(([name, jobs]) => ({ name, jobs, loads: new Array<Load>() }))
    // The code of the first round is not compiled yet.
    for (let round = 0; round <= size.loads; round++) {
      for (const { jobs, loads } of all) {
        const load = await measureIngestion(await fresh(), size, connections, jobs)
        if (round > 0) loads.push(load)
      }
    }
    const without = all[0]?.loads ?? []
    for (const { loads, name } of all) {
      const ratio = median(loads.map(({ rate }, round) => rate / (without[round]?.rate ?? Number.NaN)))
      const share = loads === without ? "" : `, ${ratio.toFixed(2)} of it without (goal: ${RATE_GOAL})`
      print(
        `ingest on ${database}, ${connections} clients ${name}: ${median(loads.map(({ rate }) => rate)).toFixed(0)} calls per second${share}, ` +
          `p99 ${median(loads.map(({ p99 }) => p99)).toFixed(0)} ms (goal: under ${P99_GOAL})`
      )
    }
  }
}

export const evaluationBenchmark = benchmark<Size>({
  name: "evaluation",
  full: {
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 5),
    calls: 640,
    connections: [32, 64],
    backlog: 3000,
    requests: 6000,
    loads: numberFrom("EARSHOT_BENCH_ROUNDS", 3),
    clientsInProcess: true
  },
  tiny: { rounds: 1, calls: 8, connections: [4], backlog: 8, requests: 8, loads: 1, clientsInProcess: false },
  run: async (size, { databases, print, startPostgres }) => {
    for (const database of databases) {
      if (database === "sqlite") {
        const folder = await mkdtemp(join(tmpdir(), "earshot-bench-evaluation-"))
        let files = 0
        try {
          await measureDatabase(database, size, print, () => Promise.resolve(`sqlite:${join(folder, `${files++}.db`)}`))
        } finally {
          await rm(folder, { recursive: true, force: true })
        }
      } else {
        const server = await startPostgres({ durable: true })
        try {
          await measureDatabase(database, size, print, async () => (await createDatabase(server.url)).url)
        } finally {
          await server.stop()
        }
      }
    }
  }
})
