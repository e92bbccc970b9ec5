/** `earshot serve` as a process of its own, so that its memory is the server's alone. Memory is read from Linux's /proc. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { promisify } from "node:util"
import { fileURLToPath } from "node:url"
import * as Schema from "effect/Schema"

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** The largest resident memory of the process since its start or the last `resetPeak`, in MB. */
  readonly peak: () => Promise<number>
  readonly resetPeak: () => Promise<void>
  /** The resident memory of the process now, in MB. */
  readonly resident: () => Promise<number>
  /** Resident memory of the processes that it has started, such as readers, in MB. */
  readonly children: () => Promise<number>
  readonly hasExited: () => boolean
  /** Ends the process with SIGKILL. */
  readonly kill: () => Promise<void>
  /** Ends the process with SIGTERM; returns its exit code. */
  readonly stop: () => Promise<number>
}

/** An organization with what its requests need. */
export interface Tenant {
  readonly organization: number
  readonly project: number
  readonly agent: number
  readonly key: string
}

/** The command, from the build. */
const PROGRAM = fileURLToPath(new URL("../../../packages/cli-adapter/bin/earshot.js", import.meta.url))

/** The environment without settings of this shell. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:EARSHOT_|NODE_OPTIONS$|VITEST)/.test(name)))

const Announcement = Schema.parseJson(Schema.Struct({ url: Schema.String }))

const Founded = Schema.parseJson(
  Schema.Struct({
    organization: Schema.Int,
    project: Schema.Int,
    agent: Schema.Int,
    api_key: Schema.String
  })
)

/** Runs the command; returns what it prints. */
export const command = async (args: ReadonlyArray<string>, program = PROGRAM): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env: environment() })
  return stdout
}

/** Creates an organization. */
export const initialize = async (database: string, name: string, program?: string): Promise<Tenant> => {
  const printed = await command(["init", "--organization", name, "--json", "--database", database], program)
  const { api_key, ...ids } = Schema.decodeUnknownSync(Founded)(printed)
  return { ...ids, key: api_key }
}

const megabytes = (status: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024

const statusOf = (pid: number | string): Promise<string> => readFile(`/proc/${pid}/status`, "utf8").catch(() => "")

/** The processes that a process has started and that run. */
export const childrenOf = async (pid: number): Promise<ReadonlyArray<number>> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const statuses = await Promise.all(pids.map(statusOf))
  return pids.filter((_, at) => /^PPid:\s+(\d+)/m.exec(statuses[at] ?? "")?.[1] === String(pid)).map(Number)
}

export const startServer = async (
  database: string,
  options: { readonly args?: ReadonlyArray<string>; readonly program?: string | undefined } = {}
): Promise<ServerProcess> => {
  const args = ["serve", "--port", "0", "--json", "--log-level", "error", "--database", database]
  const child = spawn(process.execPath, [options.program ?? PROGRAM, ...args, ...(options.args ?? [])], {
    stdio: ["ignore", "pipe", "pipe"],
    env: environment()
  })
  const exited = once(child, "exit")
  let printed = ""
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    // The last of them are reported when the process ends unexpectedly.
    errors = (errors + text).slice(-10_000)
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text
      if (printed.includes("\n")) resolve(Schema.decodeUnknownSync(Announcement)(printed.trim()).url)
    })
    child.once("exit", () => reject(new Error(`The server did not start: ${errors}`)))
  })
  const pid = child.pid ?? 0
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (hasExited()) return
    child.kill(signal)
    await exited
  }
  return {
    url,
    pid,
    resident: async () => megabytes(await statusOf(pid), "VmRSS"),
    peak: async () => megabytes(await statusOf(pid), "VmHWM"),
    resetPeak: () => writeFile(`/proc/${pid}/clear_refs`, "5").catch(() => undefined),
    children: async () => {
      const statuses = await Promise.all((await childrenOf(pid)).map(statusOf))
      return statuses.reduce((sum, status) => sum + megabytes(status, "VmRSS"), 0)
    },
    hasExited,
    kill: () => end("SIGKILL"),
    stop: async () => {
      await end("SIGTERM")
      return child.exitCode ?? -1
    }
  }
}
