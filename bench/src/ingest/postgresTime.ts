import { readdir, readFile } from "node:fs/promises"
import pg from "pg"
import type { CpuTime } from "./process.js"

/** Of one process, as Linux tells it: its parent, and the clock ticks it and its ended children have used. */
const statOf = async (pid: string): Promise<{ readonly parent: string; readonly ticks: number } | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  // The name of the program stands in parentheses and may hold anything; what follows it are numbers.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ")
  if (fields === undefined) return undefined
  return { parent: fields[1] ?? "", ticks: [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) }
}

/** Linux counts processor time in hundredths of a second, whatever its own clock does. */
const TICK_MICROSECONDS = 10_000

/**
 * Reads the processor time that a PostgreSQL server on this machine has used with all its processes. Nothing is known
 * where there is no /proc.
 */
export const postgresTime = async (url: string): Promise<() => Promise<CpuTime | undefined>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ readonly pid: number }>("SELECT pg_backend_pid() AS pid")
  const postmaster = (await statOf(String(rows[0]?.pid)))?.parent
  await client.end()
  return async () => {
    if (postmaster === undefined) return undefined
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
    const stats = await Promise.all(pids.map(async (pid) => ({ pid, stat: await statOf(pid) })))
    const ticks = stats.reduce(
      (sum, { pid, stat }) => (pid === postmaster || stat?.parent === postmaster ? sum + (stat?.ticks ?? 0) : sum),
      0
    )
    return { microseconds: ticks * TICK_MICROSECONDS }
  }
}
