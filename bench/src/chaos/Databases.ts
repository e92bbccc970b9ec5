/** Databases of scenarios: an SQLite file, or a PostgreSQL server of the scenario's own that can be stopped and frozen. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, readlink, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createDatabase, withDatabase } from "@earshot/test-kit/postgres"
import Sqlite from "better-sqlite3"
import pg from "pg"
import type { DatabaseName, Environment } from "../Benchmark.js"
import { childrenOf } from "./ServerProcess.js"

/** Any row of a statement. */
type Row = Readonly<Record<string, unknown>>

export interface ChaosDatabase {
  readonly name: DatabaseName
  /** As `--database` takes it. */
  readonly address: string
  /** A folder for recordings and files. */
  readonly folder: string
  /** Runs a statement that reads, on a connection of its own. */
  readonly query: (statement: string) => Promise<ReadonlyArray<Row>>
  /** The server of a PostgreSQL database, which is the scenario's alone. */
  readonly server: () => Promise<PostgresProcess>
  readonly remove: () => Promise<void>
}

/** The processes of a PostgreSQL server on this machine. */
export interface PostgresProcess {
  /** Stops the server: connections are closed, transactions rolled back. */
  readonly stop: () => Promise<void>
  /** Ends the server as a crash does. */
  readonly crash: () => Promise<void>
  readonly start: () => Promise<void>
  /** Stops all of its processes where they are, or lets them go on. */
  readonly freeze: () => Promise<void>
  readonly thaw: () => Promise<void>
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Waits until a condition holds. */
export const until = async (what: string, condition: () => boolean | Promise<boolean>, millis = 60_000) => {
  const end = Date.now() + millis
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`${what}: not within ${millis / 1000} seconds`)
    await sleep(20)
  }
}

const canConnect = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on("error", () => undefined)
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

/** The server behind a URL, which can be started again as it was started first. */
const processOf = async (url: string): Promise<PostgresProcess & { readonly end: () => Promise<void> }> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ readonly data_directory: string }>("SHOW data_directory")
  await client.end()
  const directory = rows[0]?.data_directory ?? ""
  const lines = (await readFile(join(directory, "postmaster.pid"), "utf8")).split("\n")
  let pid = Number(lines[0])
  const program = await readlink(`/proc/${pid}/exe`)
  const args = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0").slice(1, -1)
  const status = await readFile(`/proc/${pid}/status`, "utf8")
  const idOf = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1])
  const isRoot = process.getuid?.() === 0
  const signalAll = async (signal: NodeJS.Signals) => {
    for (const one of [pid, ...(await childrenOf(pid))]) if (isRunning(one)) process.kill(one, signal)
  }
  const ended = () => until("The PostgreSQL server's end", () => !isRunning(pid))
  const stop = async () => {
    if (isRunning(pid)) process.kill(pid, "SIGINT")
    await ended()
  }
  return {
    stop,
    crash: async () => {
      if (isRunning(pid)) process.kill(pid, "SIGQUIT")
      await ended()
    },
    start: async () => {
      const child = spawn(program, args, {
        stdio: "ignore",
        cwd: directory,
        env: { LC_ALL: "C", PATH: process.env.PATH ?? "" },
        ...(isRoot ? { uid: idOf("Uid"), gid: idOf("Gid") } : {})
      })
      await once(child, "spawn")
      child.unref()
      pid = child.pid ?? 0
      await until("The PostgreSQL server's start", () => canConnect(url))
    },
    freeze: () => signalAll("SIGSTOP"),
    thaw: () => signalAll("SIGCONT"),
    end: async () => {
      await signalAll("SIGCONT")
      await stop()
    }
  }
}

export const openDatabase = async (
  name: DatabaseName,
  environment: Environment,
  place: { readonly filename?: string; readonly tablespace?: string } = {}
): Promise<ChaosDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-chaos-"))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  if (name === "sqlite") {
    const filename = place.filename ?? join(folder, "earshot.db")
    return {
      name,
      address: `sqlite:${filename}`,
      folder,
      query: (statement) => {
        const database = new Sqlite(filename, { readonly: true })
        try {
          return Promise.resolve(database.prepare<[], Row>(statement).all())
        } finally {
          database.close()
        }
      },
      server: () => Promise.reject(new Error("SQLite has no server.")),
      remove: removeFolder
    }
  }
  const started = await environment.startPostgres({ durable: true })
  let server: ReturnType<typeof processOf> | undefined
  const created = await createDatabase(started.url)
  if (place.tablespace !== undefined) {
    const admin = new pg.Client({ connectionString: started.url })
    await admin.connect()
    await admin.query(`CREATE TABLESPACE small LOCATION '${place.tablespace}'`)
    await admin.query(`ALTER DATABASE ${created.name} SET TABLESPACE small`)
    await admin.end()
  }
  return {
    name,
    address: created.url,
    folder,
    query: async (statement) => {
      const client = new pg.Client({ connectionString: withDatabase(started.url, created.name) })
      await client.connect()
      try {
        return (await client.query<Row>(statement)).rows
      } finally {
        await client.end()
      }
    },
    server: () => (server ??= processOf(started.url)),
    remove: async () => {
      if (server === undefined) await created.drop()
      else await (await server).end()
      await started.stop()
      await removeFolder()
    }
  }
}
