/**
 * Large answers: five pages of 200 calls of 1.7 MB at once, with every transcript expanded, and lists and exports that their
 * clients never read. Prints the resident memory of the server, how long `/health` took meanwhile, and the statuses.
 *
 * The server is a process of its own, from the build. Environment: `EARSHOT_BENCH_CALLS` (default: 200),
 * `EARSHOT_BENCH_DATABASE` (sqlite or postgres; default: both).
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createDatabase } from "@earshot/test-kit/postgres"
import * as Schema from "effect/Schema"
import { benchmark, type Environment, numberFrom } from "./Benchmark.js"
import { startProgram } from "./ingest/programs.js"

interface Size {
  readonly calls: number
  readonly callBytes: number
  readonly pages: number
  readonly unread: number
  /** How long unread answers are held, in milliseconds. */
  readonly hold: number
  readonly inProcess: boolean
}

interface Server {
  readonly url: string
  readonly agent: number
  readonly key: string
  readonly pid: number
  readonly stop: () => Promise<unknown>
}

const Announcement = Schema.parseJson(Schema.Struct({ url: Schema.String, agent: Schema.Int, key: Schema.String }))

const CALLS = "/observability/v1/call-logs/"
const EXPANDED = `${CALLS}?limit=200&expand=transcript,transcript_object`

const start = async (inProcess: boolean, database: string): Promise<Server> => {
  if (inProcess) {
    const { key = "", ...running } = await startProgram("earshot", [database])
    return { ...running, key, pid: process.pid }
  }
  const file = fileURLToPath(new URL("./ingest/server.js", import.meta.url))
  const child = spawn(process.execPath, [file, "earshot", database], { stdio: ["ignore", "pipe", "inherit"] })
  const lines: ReadonlyArray<unknown> = await once(createInterface({ input: child.stdout }), "line")
  return {
    ...Schema.decodeUnknownSync(Announcement)(lines[0]),
    pid: child.pid ?? 0,
    stop: () => {
      child.kill()
      return once(child, "exit")
    }
  }
}

/** Resident megabytes of a process; 0 without /proc. */
const residentOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** Samples memory and the answer time of /health until it is stopped. */
const watch = ({ pid, url }: Server) => {
  const stopped = new AbortController()
  const peak = { resident: 0, health: 0 }
  const sampling = (async () => {
    while (!stopped.signal.aborted) {
      const began = performance.now()
      await fetch(`${url}/health`).then((answer) => answer.arrayBuffer())
      peak.health = Math.max(peak.health, performance.now() - began)
      peak.resident = Math.max(peak.resident, await residentOf(pid))
      await sleep(20)
    }
  })()
  return async () => {
    stopped.abort()
    await sampling
    return peak
  }
}

const ingest = async ({ agent, key, url }: Server, { callBytes, calls }: Size): Promise<void> => {
  const content = "I would like to move my appointment to Thursday. "
  const turns = Array.from({ length: Math.ceil(callBytes / 200) }, (_, n) => ({
    role: n % 2 === 0 ? "Main Agent" : "Testing Agent",
    content: content.repeat(3).slice(0, 120),
    start_time: n * 2,
    end_time: n * 2 + 1
  }))
  for (let n = 0; n < calls; n++) {
    const { status } = await fetch(`${url}/observability/v1/observe/`, {
      method: "POST",
      headers: { "x-service-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ call_id: `call-${n}`, agent, transcript_json: turns })
    })
    if (status !== 201) throw new Error(`Ingest was answered with ${status}`)
  }
}

/** A request whose answer nobody reads. */
const unread = async ({ key, url }: Server, path: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => undefined)
  await once(socket, "connect")
  socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nX-SERVICE-API-KEY: ${key}\r\n\r\n`)
  return socket
}

const measure = async (server: Server, size: Size, environment: Environment): Promise<void> => {
  const phase = async (title: string, steps: () => Promise<string>) => {
    const stop = watch(server)
    const outcome = await steps()
    const { health, resident } = await stop()
    environment.print(
      `  ${title.padEnd(44)} resident ${resident.toFixed(0)} MB, slowest /health ${health.toFixed(0)} ms${outcome}`
    )
  }
  const held = async (path: string) => {
    const sockets = await Promise.all(Array.from({ length: size.unread }, () => unread(server, path)))
    await sleep(size.hold)
    for (const socket of sockets) socket.destroy()
    return ""
  }
  await phase(`${size.calls} calls of ${size.callBytes} bytes ingested`, async () => {
    await ingest(server, size)
    return ""
  })
  await phase(`${size.pages} pages of 200 calls at once`, async () => {
    const answers = await Promise.all(
      Array.from({ length: size.pages }, async () => {
        const answer = await fetch(server.url + EXPANDED, { headers: { "x-service-api-key": server.key } })
        return { status: answer.status, bytes: (await answer.arrayBuffer()).byteLength }
      })
    )
    return `, ${answers.map(({ bytes, status }) => `${status}: ${(bytes / 1e6).toFixed(1)} MB`).join(", ")}`
  })
  await phase(`${size.unread} lists that nobody reads`, () => held(EXPANDED))
  await phase(`${size.unread} exports that nobody reads`, () => held(`${CALLS}export/`))
}

export const floodBenchmark = benchmark<Size>({
  name: "flood",
  full: {
    calls: numberFrom("EARSHOT_BENCH_CALLS", 200),
    callBytes: 1_700_000,
    pages: 5,
    unread: 20,
    hold: 4_000,
    inProcess: false
  },
  tiny: { calls: 5, callBytes: 300_000, pages: 2, unread: 3, hold: 100, inProcess: true },
  run: async (size, environment) => {
    for (const name of environment.databases) {
      environment.print(`large answers on ${name}`)
      const folder = await mkdtemp(join(tmpdir(), "earshot-flood-"))
      const postgres = name === "postgres" ? await environment.startPostgres({ durable: true }) : undefined
      const created = postgres === undefined ? undefined : await createDatabase(postgres.url)
      try {
        const server = await start(size.inProcess, created?.url ?? `sqlite:${join(folder, "calls.db")}`)
        try {
          await measure(server, size, environment)
        } finally {
          await server.stop()
        }
      } finally {
        await created?.drop()
        await postgres?.stop()
        await rm(folder, { recursive: true, force: true })
      }
    }
  }
})
