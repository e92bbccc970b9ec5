/**
 * Ingestion over HTTP from 32 clients with and without a dashboard of six widgets that is computed all the time over many
 * calls, in alternating rounds. Goals: the 99th percentile of ingests is at most 1.5 times as long, and 99 % of the delays of
 * the server's event loop are at most 20 ms while the dashboard is computed.
 *
 * The server and the clients are processes and threads of their own, from the build; in the tests they run in this one.
 * Environment: `EARSHOT_BENCH_CALLS` (default: 1,000,000), `EARSHOT_BENCH_ROUNDS` (default: 5), `EARSHOT_BENCH_DATABASE`
 * (sqlite or postgres; default: both).
 */
import { setTimeout as sleep } from "node:timers/promises"
import { benchmark, type DatabaseName, type Environment, numberFrom } from "./Benchmark.js"
import { openDatabase } from "./chaos/Databases.js"
import { type Answer, startLoad } from "./chaos/Load.js"
import { offenderAt } from "./chaos/Offender.js"
import { percentile } from "./chaos/Scenario.js"
import { seedCalls } from "./chaos/seedCalls.js"
import { initialize, startServer } from "./chaos/ServerProcess.js"
import { median } from "./measure.js"

interface Size {
  readonly calls: number
  readonly rounds: number
  readonly clients: number
  /** Milliseconds of one side of a round. */
  readonly millis: number
}

interface Side {
  /** Calls per second, and milliseconds. */
  readonly rate: number
  readonly p99: number
  readonly delays: Delays
}

/** How often the event loop was measured, and how often it was delayed by at most 20 ms. */
interface Delays {
  readonly count: number
  readonly short: number
}

const GOAL = 1.5

/** The goal is a bound of a bucket of the metric. */
const shortDelays = /^earshot_event_loop_delay_seconds_bucket\{le="0\.02"\} (\d+)$/m
const allDelays = /^earshot_event_loop_delay_seconds_count (\d+)$/m

const delaysOf = async (url: string): Promise<Delays> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const [count, short] = [allDelays, shortDelays].map((pattern) => Number(pattern.exec(text)?.[1]))
  if (count === undefined || short === undefined || Number.isNaN(count + short)) {
    throw new Error("The metrics do not contain the delays of the event loop")
  }
  return { count, short }
}

/** The widgets of a usual dashboard. */
const WIDGETS: ReadonlyArray<object> = [
  { chart_type: "stat" },
  { chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" },
  { chart_type: "bar", field: "duration", aggregation_function: "p95", time_period: "week" },
  { chart_type: "line", field: "duration", group_by: { type: "bucket", interval: 86_400_000 } },
  { chart_type: "pie", field: "call_ended_reason" },
  { chart_type: "pie", field: "metadata.region" }
]

const p99 = (answers: ReadonlyArray<Answer>): number => {
  const failed = answers.filter(({ status }) => status !== 201)
  if (failed.length > 0) throw new Error(`${failed.length} ingests failed, the first with ${failed[0]?.status}`)
  return percentile(
    answers.map(({ ms }) => ms),
    0.99
  )
}

const measure = async (database: DatabaseName, size: Size, environment: Environment): Promise<void> => {
  const place = await openDatabase(database, environment)
  try {
    const tenant = await initialize(place.address, "Interference", environment.program)
    await seedCalls(place, tenant, size.calls)
    const server = await startServer(place.address, { program: environment.program })
    try {
      const { create, get } = offenderAt(server.url, tenant)
      const dashboard = await create("/dashboards/dashboards/", { name: "Interference", project: tenant.project })
      for (const widget of WIDGETS) await create("/dashboards/widgets/", { dashboard, ...widget })
      const dashboardIs: { shown: boolean; closed: boolean } = { shown: false, closed: false }
      const computed: Array<number> = []
      const viewer = (async () => {
        while (!dashboardIs.closed) {
          if (!dashboardIs.shown) {
            await sleep(10)
            continue
          }
          const began = performance.now()
          const answer = await get(`/dashboards/dashboards/${dashboard}/data/`)
          if (answer.status !== 200) throw new Error(`The dashboard was answered with ${answer.status}: ${answer.body}`)
          computed.push(performance.now() - began)
        }
      })()
      const load = startLoad({
        ...tenant,
        url: server.url,
        clients: size.clients,
        pause: 0,
        prefix: "interference",
        kinds: ["ingest"]
      })
      const side = async (shown: boolean): Promise<Side> => {
        dashboardIs.shown = shown
        // What was asked before has been answered by then, mostly.
        await sleep(size.millis / 4)
        const before = await delaysOf(server.url)
        await load.report()
        await sleep(size.millis)
        const { answers } = await load.report()
        const after = await delaysOf(server.url)
        const delays = { count: after.count - before.count, short: after.short - before.short }
        return { rate: (answers.length / size.millis) * 1000, p99: p99(answers), delays }
      }
      await side(false)
      await side(true)
      const rounds: Array<{ readonly without: Side; readonly shown: Side }> = []
      for (let round = 0; round < size.rounds; round++) {
        const isFirst = round % 2 === 0
        const one = await side(!isFirst)
        const other = await side(isFirst)
        rounds.push(isFirst ? { without: one, shown: other } : { without: other, shown: one })
      }
      dashboardIs.closed = true
      await viewer
      await load.stop()
      const sum = (what: keyof Delays) => rounds.reduce((total, { shown }) => total + shown.delays[what], 0)
      const share = (sum("short") / sum("count")) * 100
      const of = (which: "shown" | "without", figure: "p99" | "rate") => median(rounds.map((one) => one[which][figure]))
      const ratio = median(rounds.map(({ shown, without }) => shown.p99 / without.p99))
      environment.print(
        `ingest on ${database}, ${size.clients} clients, ${size.calls} calls: p99 ${of("shown", "p99").toFixed(0)} ms beside a dashboard vs ${of("without", "p99").toFixed(0)} ms, ratio ${ratio.toFixed(2)} (goal: at most ${GOAL}); ${of("shown", "rate").toFixed(0)} vs ${of("without", "rate").toFixed(0)} calls per second; ${share.toFixed(1)} % of ${sum("count")} delays of the event loop at most 20 ms (goal: 99 %); the dashboard in ${median(computed).toFixed(0)} ms`
      )
    } finally {
      await server.kill()
    }
  } finally {
    await place.remove()
  }
}

export const interferenceBenchmark = benchmark<Size>({
  name: "interference",
  full: {
    calls: numberFrom("EARSHOT_BENCH_CALLS", 1_000_000),
    rounds: numberFrom("EARSHOT_BENCH_ROUNDS", 5),
    clients: 32,
    millis: 4000
  },
  tiny: { calls: 200, rounds: 1, clients: 2, millis: 200 },
  run: async (size, environment) => {
    for (const database of environment.databases) await measure(database, size, environment)
  }
})
