/**
 * How far the column store is behind the database while calls are ingested at a steady rate, by one server that does both, and
 * how long it takes to apply the last ones. The lag is the server's own metric, read four times a second.
 *
 * The server is a process of its own, from the build. Environment: `EARSHOT_BENCH_SECONDS` (default: 60),
 * `EARSHOT_BENCH_DATABASE` (sqlite or postgres; default: both).
 */
import { Agent } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { benchmark, type DatabaseName, type Environment, numberFrom } from "./Benchmark.js"
import { openDatabase, until } from "./chaos/Databases.js"
import { bodies, send, type Sent } from "./chaos/Load.js"
import { initialize, startServer } from "./chaos/ServerProcess.js"
import { median } from "./measure.js"

interface Size {
  /** Calls a second. */
  readonly rate: number
  readonly seconds: number
}

/** Seconds. */
const GOAL = 2

/** Milliseconds from one group of calls to the next, and from one look at the lag to the next. */
const TICK = 20
const LOOK = 250

/** Connections that the calls are sent on. */
const CONNECTIONS = 64

const METRIC = /^earshot_projection_(\w+) ([\d.e+-]+)$/gm

/** What the server says of the column store; all zero before it has begun. */
const projectionOf = async (url: string) => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const values = new Map([...text.matchAll(METRIC)].map(([, name, value]) => [name, Number(value)]))
  const valueOf = (name: string) => values.get(name) ?? 0
  return {
    calls: valueOf("calls_total"),
    batches: valueOf("batches_total"),
    seconds: valueOf("seconds_total"),
    lag: valueOf("lag_seconds")
  }
}

const measure = async (database: DatabaseName, size: Size, environment: Environment): Promise<void> => {
  const place = await openDatabase(database, environment)
  try {
    const tenant = await initialize(place.address, "Projection", environment.program)
    const args = ["--analytics", `embedded:${join(place.folder, "columns")}`]
    const server = await startServer(place.address, { args, program: environment.program })
    const agent = new Agent({ keepAlive: true, timeout: 4000, maxSockets: CONNECTIONS })
    try {
      const bodyOf = bodies(tenant.agent)
      let sent = 0
      const ingest = () =>
        send(`${server.url}/observability/v1/observe/`, {
          key: tenant.key,
          json: bodyOf(`projection-${sent++}`),
          agent
        })
      const check = (answers: ReadonlyArray<Sent>) => {
        const other = answers.find(({ status }) => status !== 201)
        if (other !== undefined) throw new Error(`A call was answered with ${JSON.stringify(other)}`)
      }
      check([await ingest()])
      await until("the first call in the column store", async () => (await projectionOf(server.url)).calls > 0)
      const began = performance.now()
      const total = size.rate * size.seconds
      const lags: Array<number> = []
      const load = { isOver: false }
      const watch = async () => {
        while (!load.isOver) {
          lags.push((await projectionOf(server.url)).lag)
          await sleep(LOOK)
        }
      }
      // Calls are sent when they are due, whatever became of those before.
      const ingestAll = async () => {
        const ingests: Array<Promise<Sent>> = []
        while (ingests.length < total) {
          const due = Math.min(total, Math.ceil(((performance.now() - began) / 1000) * size.rate))
          while (ingests.length < due) ingests.push(ingest())
          await sleep(TICK)
        }
        const answers = await Promise.all(ingests)
        load.isOver = true
        check(answers)
        return performance.now()
      }
      const [answered] = await Promise.all([ingestAll(), watch()])
      // Evaluations that come after them are changes, too.
      const sinceAnswered = () => (performance.now() - answered) / 1000
      await until(
        "all calls in the column store",
        async () => (await projectionOf(server.url)).lag < sinceAnswered() - LOOK / 1000
      )
      const behind = sinceAnswered()
      const { batches, calls, seconds } = await projectionOf(server.url)
      environment.print(
        `projection on ${database}: ${Math.round((total / (answered - began)) * 1000)} calls per second ingested, the column store ${median(lags).toFixed(2)} s behind in the median, ${Math.max(...lags).toFixed(2)} s at most (goal: under ${GOAL}); the last calls after ${behind.toFixed(2)} s; ${Math.round(calls / batches)} calls and ${(seconds / batches).toFixed(2)} s a batch`
      )
    } finally {
      agent.destroy()
      await server.stop()
    }
  } finally {
    await place.remove()
  }
}

export const projectionBenchmark = benchmark<Size>({
  name: "projection",
  full: { rate: 500, seconds: numberFrom("EARSHOT_BENCH_SECONDS", 60) },
  tiny: { rate: 20, seconds: 1 },
  run: async (size, environment) => {
    for (const database of environment.databases) await measure(database, size, environment)
  }
})
