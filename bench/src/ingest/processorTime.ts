import { readdir, readFile } from "node:fs/promises"
import pg from "pg"

/** Microseconds of processor time, user and system; undefined without /proc. */
export type ProcessorTime = () => Promise<number | undefined>

/** The parent of a process, and the clock ticks that it and its ended children have used. */
const statOf = async (pid: string): Promise<{ readonly parent: string; readonly ticks: number } | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  // The program's name is in parentheses and may contain anything; the fields after it are numbers.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ")
  if (fields === undefined) return undefined
  return { parent: fields[1] ?? "", ticks: [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) }
}

/** Linux reports processor time in hundredths of a second. */
const TICK_MICROSECONDS = 10_000

/** Time of a process and its children so far. */
export const timeOfProcesses =
  (parent: number): ProcessorTime =>
  async () => {
    const names = await readdir("/proc").catch(() => [])
    const pids = names.filter((name) => /^\d+$/.test(name))
    const stats = await Promise.all(pids.map(async (pid) => ({ pid, stat: await statOf(pid) })))
    const own = stats.filter(({ pid, stat }) => pid === String(parent) || stat?.parent === String(parent))
    return own.length === 0 ? undefined : own.reduce((sum, { stat }) => sum + (stat?.ticks ?? 0), 0) * TICK_MICROSECONDS
  }

/** Time of a PostgreSQL server on this machine with all its processes. */
export const timeOfPostgres = async (url: string): Promise<ProcessorTime> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ readonly pid: number }>("SELECT pg_backend_pid() AS pid")
  // The time of the parent process: the backend ends with its client.
  const backend = await statOf(String(rows[0]?.pid))
  await client.end()
  return backend === undefined ? () => Promise.resolve(undefined) : timeOfProcesses(Number(backend.parent))
}
