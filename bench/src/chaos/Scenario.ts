/** What a scenario of the suite is given, and how it reports figures. */
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import type { DatabaseName, Environment, Scale } from "../Benchmark.js"
import { type ChaosDatabase, openDatabase } from "./Databases.js"
import { type Answer, type Kind, KINDS, type Load, type LoadSettings, type Report, startLoad } from "./Load.js"
import { initialize, type ServerProcess, startServer, type Tenant } from "./ServerProcess.js"

/** What other requests may take while one is costly, at the 99th percentile, in milliseconds. */
const MOST_P99 = 250

/** And compared with the time without a disturbance, where that is more. */
const MOST_RATIO = 2

/** What the server may hold in memory, in MB. */
const MOST_RESIDENT = 500

export interface ScenarioOptions {
  /** Calls in the database for costly queries. */
  readonly calls: number
  /** Seconds of the load without a disturbance; `tiny` runs use less. */
  readonly seconds: number
}

export interface ScenarioContext {
  readonly database: DatabaseName
  readonly scale: Scale
  readonly environment: Environment
  readonly options: ScenarioOptions
  readonly figures: Figures
}

export interface Scenario {
  readonly name: string
  readonly about: string
  /** Default: both. */
  readonly databases?: ReadonlyArray<DatabaseName>
  readonly run: (context: ScenarioContext) => Promise<void>
}

/** Prints figures and remembers which were missed. */
export interface Figures {
  readonly note: (text: string) => void
  /** A line for each kind of request. */
  readonly requests: (title: string, answers: ReadonlyArray<Answer>) => void
  /** A figure with its goal: at most so much. */
  readonly atMost: (what: string, measured: number, most: number, unit?: string) => void
  readonly atLeast: (what: string, measured: number, least: number, unit?: string) => void
  readonly missed: () => ReadonlyArray<string>
}

const round = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0))

export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const count = (texts: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([text, times]) => `${text}: ${times}`)
    .join(", ")
}

/** The statuses of answers, and the errors of those that there were none for. */
export const statuses = (
  answers: ReadonlyArray<{ readonly status: number; readonly error?: string | undefined }>
): string => count(answers.map(({ error, status }) => (status === 0 ? (error ?? "none") : String(status))))

export const makeFigures = (print: (line: string) => void, of: string): Figures => {
  const missed: Array<string> = []
  const check = (isMet: boolean, text: string) => {
    print(`    ${isMet ? "ok    " : "MISSED"} ${text}`)
    if (!isMet) missed.push(`${of}: ${text}`)
  }
  const value = (measured: number, unit: string) => `${round(measured)}${unit === "" ? "" : ` ${unit}`}`
  return {
    note: (text) => print(`    ${text}`),
    requests: (title, answers) => {
      for (const kind of KINDS) {
        const own = answers.filter((answer) => answer.kind === kind)
        const times = own.map(({ ms }) => ms)
        if (own.length === 0) continue
        print(
          `    ${title.padEnd(36)} ${kind.padEnd(8)} ${String(own.length).padStart(6)} requests  p50 ${round(
            percentile(times, 0.5)
          ).padStart(6)}  p99 ${round(percentile(times, 0.99)).padStart(6)}  slowest ${round(
            percentile(times, 1)
          ).padStart(6)} ms  ${statuses(own)}`
        )
      }
    },
    atMost: (what, measured, most, unit = "") =>
      check(measured <= most, `${what}: ${value(measured, unit)} (at most ${value(most, unit)})`),
    atLeast: (what, measured, least, unit = "") =>
      check(measured >= least, `${what}: ${value(measured, unit)} (at least ${value(least, unit)})`),
    missed: () => missed
  }
}

/**
 * Repeats an act, with pauses of a second, until so many seconds have passed: ordinary clients request a dozen lists a second,
 * so that the 99th percentile of a short act would be the slowest of a few requests.
 */
export const repeated = async <A>(seconds: number, act: () => Promise<ReadonlyArray<A>>): Promise<ReadonlyArray<A>> => {
  const end = performance.now() + seconds * 1000
  const all: Array<A> = []
  do {
    all.push(...(await act()))
    await sleep(Math.min(1, seconds / 10) * 1000)
  } while (performance.now() < end)
  return all
}

/** A running server under the ordinary load of one organization, another one's than those that disturb it. */
export interface Running {
  readonly place: ChaosDatabase
  readonly server: ServerProcess
  /** The organization that disturbs, and the one of the ordinary clients. */
  readonly offender: Tenant
  readonly others: Tenant
  /**
   * Measures the ordinary clients during a disturbance, and compares them with the time before the first one.
   *
   * @param expect `unaffected`: no request of others is slow or fails; `honest`: they may fail with 503 or 507 within six
   *   seconds, which the limit of the database's statements allows
   */
  readonly disturb: <A>(title: string, expect: "unaffected" | "honest", act: () => Promise<A>) => Promise<A>
}

/** The 99th percentile of a kind of requests, in milliseconds; undefined if there were none. */
const p99Of = ({ answers }: Report, of: Kind): number | undefined => {
  const times = answers.flatMap(({ kind, ms }) => (kind === of ? [ms] : []))
  return times.length === 0 ? undefined : percentile(times, 0.99)
}

const join = (one: Report, other: Report): Report => ({
  answers: [...one.answers, ...other.answers],
  acknowledged: [...one.acknowledged, ...other.acknowledged]
})

/** Statuses that tell a client to try again later, or an operator to act. */
const HONEST = [503, 507]

/** Compares acknowledged calls with those in the database. */
export const countCalls = async (
  figures: Figures,
  place: ChaosDatabase,
  acknowledged: ReadonlyArray<string>,
  prefix: string
): Promise<void> => {
  const rows = await place.query(
    `SELECT c.call_id AS id, t.call_id AS transcript FROM calls c LEFT JOIN call_transcripts t ON t.call_id = c.id WHERE c.call_id LIKE '${prefix}%'`
  )
  const stored = new Map<string, number>()
  for (const { id } of rows) stored.set(String(id), (stored.get(String(id)) ?? 0) + 1)
  const lost = acknowledged.filter((id) => !stored.has(id)).length
  figures.atMost(`lost of ${acknowledged.length} acknowledged calls`, lost, 0)
  figures.atMost("doubled calls", [...stored.values()].filter((times) => times > 1).length, 0)
  figures.atMost("calls without their transcript", rows.filter(({ transcript }) => transcript === null).length, 0)
}

export interface RunningOptions {
  readonly args?: ReadonlyArray<string>
  readonly place?: { readonly filename?: string; readonly tablespace?: string }
  readonly load?: Partial<LoadSettings>
  /** Called with the database before the server starts. */
  readonly prepare?: (place: ChaosDatabase, offender: Tenant) => Promise<void>
}

/** Starts a server and its ordinary clients, runs the steps of a scenario, and stops everything. */
export const withServer = async (
  context: ScenarioContext,
  options: RunningOptions,
  steps: (running: Running) => Promise<void>
): Promise<void> => {
  const { database, environment, figures } = context
  const { seconds } = context.options
  const { program } = environment
  const place = await openDatabase(database, environment, options.place)
  let server: ServerProcess | undefined
  const running: { load: Load | undefined } = { load: undefined }
  try {
    const offender = await initialize(place.address, "Offender", program)
    const others = await initialize(place.address, "Others", program)
    await options.prepare?.(place, offender)
    const recordings = ["--recordings", `${place.folder}/recordings`]
    server = await startServer(place.address, { program, args: [...recordings, ...(options.args ?? [])] })
    const load = startLoad({
      url: server.url,
      key: others.key,
      agent: others.agent,
      clients: 8,
      pause: 40,
      prefix: "ordinary",
      ...options.load
    })
    running.load = load
    const started = { server, load }
    // The first requests of a process wait for its code to be compiled.
    await sleep(Math.min(2, seconds) * 1000)
    let all = await load.report()
    await sleep(seconds * 1000)
    const before = await load.report()
    all = join(all, before)
    figures.requests("undisturbed", before.answers)
    const disturb = async <A>(title: string, expect: "honest" | "unaffected", act: () => Promise<A>): Promise<A> => {
      await started.server.resetPeak()
      await started.load.report()
      let readers = 0
      const sampler = setInterval(() => {
        void started.server.children().then((megabytes) => (readers = Math.max(readers, megabytes)))
      }, 500)
      const outcome = await act().finally(() => clearInterval(sampler))
      const report = await started.load.report()
      all = join(all, report)
      figures.requests(title, report.answers)
      const bad = report.answers.filter(
        ({ status }) =>
          status === 0 || (status >= 500 && !(expect === "honest" && HONEST.includes(status))) || status === 429
      )
      if (expect === "unaffected") {
        for (const kind of KINDS) {
          const [quiet, p99] = [p99Of(before, kind), p99Of(report, kind)]
          if (p99 === undefined || quiet === undefined) continue
          // On a machine that is busy with other things, all requests are slow.
          figures.atMost(`${title}: p99 of ${kind}`, p99, Math.max(MOST_P99, MOST_RATIO * quiet), "ms")
        }
      } else {
        figures.atMost(`${title}: slowest answer`, Math.max(...report.answers.map(({ ms }) => ms)), 6_500, "ms")
        figures.atMost(`${title}: p99 of health`, p99Of(report, "health") ?? 0, MOST_P99, "ms")
      }
      figures.note(`load of the machine ${loadavg()[0]?.toFixed(1)}; reader processes ${round(readers)} MB`)
      figures.atMost(`${title}: other failures (${statuses(bad)})`, bad.length, 0)
      figures.atMost(`${title}: resident memory`, await started.server.peak(), MOST_RESIDENT, "MB")
      return outcome
    }
    await steps({ place, server, offender, others, disturb })
    running.load = undefined
    all = join(all, await load.stop())
    await countCalls(figures, place, all.acknowledged, "ordinary")
  } finally {
    await running.load?.stop()
    await server?.kill()
    await place.remove()
  }
}
