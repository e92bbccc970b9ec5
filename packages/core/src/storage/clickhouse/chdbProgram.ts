/** What the process of the embedded engine is started with, as JSON in its last argument. */
export interface ChdbSettings {
  /** An absolute path. The engine's files are in `data` below it, and where it can be reached in `endpoint.json`. */
  readonly directory: string
  /** The file of the engine's main module. */
  readonly chdb: string
  /** The user's name that requests have to state. */
  readonly username: string
  /** How many statements run at a time; more wait. */
  readonly statements: number
  /** The most memory of one statement, in bytes. */
  readonly statementMemory: number
  /** How long statements may take to end when the process ends; then it is killed. */
  readonly endMillis: number
}

/** Where the embedded engine can be reached by processes of the same user on the same machine. */
export const ENDPOINT_FILE = "endpoint.json"

/**
 * The program of the embedded engine's process: ClickHouse's engine on a data directory, and as much of ClickHouse's HTTP
 * interface as this program uses, on a port of the loopback address that asks for a password. It is JavaScript in a text,
 * passed on the command line, so that no file has to be found: not in tests, which run TypeScript sources, and not in a
 * program that bundles the engine.
 *
 * One process can have a data directory open: a second one ends and says so. It ends when its parent does or closes the pipe
 * on stdin, after the statements that run, since closing the engine under a statement aborts the process. A statement whose
 * caller has gone is ended.
 */
export const CHDB_PROGRAM = `
"use strict"
const { createHash, randomBytes, randomUUID, timingSafeEqual } = require("node:crypto")
const { mkdirSync, renameSync, writeFileSync } = require("node:fs")
const { createServer } = require("node:http")
const { setPriority } = require("node:os")
const { join } = require("node:path")
process.title = "earshot column store"
process.on("disconnect", () => undefined)
try {
  setPriority(5)
} catch {}

const settings = JSON.parse(process.argv[process.argv.length - 1])
const say = (message, then) => (process.connected ? process.send(message, then) : then?.())
const fail = (message) => say({ failed: message }, () => process.exit(1))

const { drainPending, Session } = require(settings.chdb)
const data = join(settings.directory, "data")
const sessions = []
const open = () => {
  const session = new Session(data, { connectionArgs: ["--max_memory_usage=" + settings.statementMemory] })
  sessions.push(session)
  return { session, database: "default" }
}

const idle = []
const waiting = []
const take = () => (idle.length > 0 ? Promise.resolve(idle.pop()) : new Promise((resolve) => waiting.push(resolve)))
const giveBack = (one) => (waiting.length > 0 ? waiting.shift()(one) : idle.push(one))

const quoted = (text) =>
  "'" + text.replace(/[\\\\']/g, "\\\\$&").replace(/\\0/g, "\\\\0").replace(/\\n/g, "\\\\n").replace(/\\r/g, "\\\\r").replace(/\\t/g, "\\\\t") + "'"
const NO_SETTINGS = new Set(["query", "database", "query_id", "session_id", "role", "default_format", "wait_end_of_query", "log_comment"])
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

// Ends statements whose callers have gone. It has a session of its own, since one runs a statement at a time.
let control
const cancel = (id) => control.queryAsync("KILL QUERY WHERE Settings['log_comment'] = " + quoted(id) + " ASYNC").catch(() => undefined)
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

const execute = async (parameters, text, onGone) => {
  const one = await take()
  const id = randomUUID()
  let isGone = false
  let hasEnded = false
  try {
    onGone(async () => {
      isGone = true
      // The engine does not know a statement that is about to begin.
      while (!hasEnded) await cancel(id).then(() => pause(100))
    })
    const database = parameters.get("database") ?? "default"
    if (!NAME.test(database)) throw new Error("Code: 81. DB::Exception: Invalid database name. (UNKNOWN_DATABASE)")
    if (database !== one.database) {
      await one.session.queryAsync("USE " + database)
      one.database = database
    }
    const set = ["log_comment = " + quoted(id)]
    for (const [name, value] of parameters) {
      if (!NO_SETTINGS.has(name) && NAME.test(name)) set.push(name + " = " + quoted(value))
    }
    await one.session.queryAsync("SET " + set.join(", "))
    if (isGone) throw new Error("Code: 394. DB::Exception: The caller has gone. (QUERY_WAS_CANCELLED)")
    return (await one.session.queryAsync(text, { format: "TabSeparated" })).bytes()
  } finally {
    hasEnded = true
    giveBack(one)
  }
}

const bodyOf = async (request) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const password = randomBytes(24).toString("hex")
const digest = (text) => createHash("sha256").update(text).digest()
const expected = digest("Basic " + Buffer.from(settings.username + ":" + password).toString("base64"))
const isAllowed = (request) => timingSafeEqual(digest(String(request.headers.authorization)), expected)

const answer = async (request, response) => {
  if (!isAllowed(request)) {
    response.writeHead(403).end("Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)")
    return
  }
  const url = new URL(request.url, "http://localhost")
  if (url.pathname === "/ping") {
    response.writeHead(200).end("Ok.\\n")
    return
  }
  const parameters = new Map(url.searchParams)
  const body = await bodyOf(request)
  const type = String(request.headers["content-type"])
  let text
  if (type.startsWith("multipart/form-data")) {
    for (const [name, value] of await new Response(body, { headers: { "content-type": type } }).formData()) {
      parameters.set(name, String(value))
    }
    text = parameters.get("query") ?? ""
  } else {
    text = [parameters.get("query"), body.toString("utf8")].filter(Boolean).join("\\n")
  }
  try {
    const rows = await execute(parameters, text, (end) => {
      // The caller may have gone before it was its turn.
      if (response.destroyed) end()
      else response.once("close", () => response.writableFinished || end())
    })
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(rows)
  } catch (error) {
    const message = String(error.message)
    const code = /Code: (\\d+)/.exec(message)?.[1] ?? "1002"
    response.writeHead(500, { "x-clickhouse-exception-code": code })
    response.end(message.startsWith("Code: ") ? message : "Code: 1002. DB::Exception: " + message + " (UNKNOWN_EXCEPTION)")
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy())
})
server.requestTimeout = 0
server.keepAliveTimeout = 60000

let isEnding = false
const end = async () => {
  if (isEnding) return
  isEnding = true
  setTimeout(() => process.kill(process.pid, "SIGKILL"), settings.endMillis).unref()
  server.close()
  server.closeIdleConnections()
  await drainPending().catch(() => undefined)
  for (const session of sessions) session.close()
  await drainPending().catch(() => undefined)
  process.exit(0)
}
process.stdin.on("end", end).on("close", end).on("error", end).resume()
process.on("SIGTERM", end)
process.on("SIGINT", () => undefined)

const start = () => {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  try {
    for (let n = 0; n < settings.statements; n++) idle.push(open())
    control = open().session
  } catch (error) {
    return String(error.code) === "CHDB_CONNECTION" ? say({ taken: true }, () => process.exit(0)) : fail(String(error.message))
  }
  server.listen(0, "127.0.0.1", () => {
    const endpoint = { port: server.address().port, password, pid: process.pid }
    const file = join(settings.directory, "${ENDPOINT_FILE}")
    writeFileSync(file + "." + process.pid, JSON.stringify(endpoint), { mode: 0o600 })
    renameSync(file + "." + process.pid, file)
    say({ ready: endpoint })
  })
  server.on("error", (error) => fail(String(error.message)))
}
try {
  start()
} catch (error) {
  fail(String(error.message))
}
`
