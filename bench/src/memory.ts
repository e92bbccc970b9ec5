/**
 * The resident memory of a server in one process: idle, while 64 clients ingest calls of 200 KB, and after each part of a
 * soak of ordinary calls, which must not grow.
 *
 * Environment: `EARSHOT_BENCH_CALLS` of the soak (default: 100,000), `EARSHOT_BENCH_DATABASE` (sqlite or postgres; default:
 * both). Linux only.
 */
import { Agent } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { benchmark, type DatabaseName, type Environment, numberFrom } from "./Benchmark.js"
import { openDatabase } from "./chaos/Databases.js"
import { bodies, send } from "./chaos/Load.js"
import { initialize, type ServerProcess, startServer, type Tenant } from "./chaos/ServerProcess.js"

interface Size {
  readonly clients: number
  readonly largeCalls: number
  readonly soakCalls: number
  /** Parts of the soak, of which the first warms up. */
  readonly parts: number
  /** Milliseconds until the server is idle. */
  readonly rest: number
}

const LARGE_BYTES = 200_000
const IDLE_GOAL = 120
const LARGE_GOAL = 400

/** Sends so many calls of a size from the clients. */
const ingest = async (
  server: ServerProcess,
  tenant: Tenant,
  clients: number,
  { bytes, count, prefix }: { readonly bytes: number; readonly count: number; readonly prefix: string }
): Promise<void> => {
  const bodyOf = bodies(tenant.agent, bytes)
  const agent = new Agent({ keepAlive: true })
  let next = 0
  const client = async () => {
    while (next < count) {
      const sent = await send(`${server.url}/observability/v1/observe/`, {
        key: tenant.key,
        json: bodyOf(`${prefix}-${next++}`),
        agent
      })
      if (sent.status !== 201) throw new Error(`A call was answered with ${sent.status}: ${sent.body.slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
}

const measure = async (database: DatabaseName, size: Size, environment: Environment): Promise<void> => {
  const { print } = environment
  const place = await openDatabase(database, environment)
  try {
    const tenant = await initialize(place.address, "Memory", environment.program)
    const server = await startServer(place.address, { program: environment.program })
    try {
      await sleep(size.rest)
      print(`memory on ${database}, idle: ${(await server.resident()).toFixed(0)} MB (goal: under ${IDLE_GOAL})`)
      await server.resetPeak()
      await ingest(server, tenant, size.clients, { bytes: LARGE_BYTES, count: size.largeCalls, prefix: "large" })
      print(
        `memory on ${database}, ${size.clients} clients with calls of ${LARGE_BYTES / 1000} KB: ` +
          `at most ${(await server.peak()).toFixed(0)} MB (goal: under ${LARGE_GOAL})`
      )
      const after: Array<string> = []
      for (let part = 0; part < size.parts; part++) {
        const count = Math.ceil(size.soakCalls / size.parts)
        await server.resetPeak()
        await ingest(server, tenant, size.clients, { bytes: 2_000, count, prefix: `soak-${part}` })
        after.push((await server.peak()).toFixed(0))
      }
      print(
        `memory on ${database}, ${size.soakCalls} calls in ${size.parts} parts, most in each: ${after.join(", ")} MB`
      )
    } finally {
      await server.kill()
    }
  } finally {
    await place.remove()
  }
}

export const memoryBenchmark = benchmark<Size>({
  name: "memory",
  full: {
    clients: 64,
    largeCalls: 3_000,
    soakCalls: numberFrom("EARSHOT_BENCH_CALLS", 100_000),
    parts: 10,
    rest: 10_000
  },
  tiny: { clients: 2, largeCalls: 4, soakCalls: 4, parts: 2, rest: 100 },
  run: async (size, environment) => {
    for (const database of environment.databases) await measure(database, size, environment)
  }
})
