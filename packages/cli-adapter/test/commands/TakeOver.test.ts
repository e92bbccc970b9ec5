import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { StorageKit } from "@earshot/test-kit"
import { describe, expect, it, onTestFinished } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { start, type Started } from "../support/binary.js"
import { initialized, place, type Place } from "../support/databases.js"

/** PostgreSQL's driver gives bigints as text. */
const Row = Schema.Struct({
  owner: Schema.NullOr(Schema.String),
  updated_ms: Schema.Union(Schema.Number, Schema.NumberFromString)
})

interface Client {
  readonly post: (path: string, body: object) => Promise<number>
  readonly get: (path: string) => Promise<number>
}

/** A server that is gone after the test, with a client of it. */
const serving = async (
  { database, folder }: Place,
  key: string
): Promise<{ readonly server: Started; readonly client: Client }> => {
  const server = start(["serve", "--port", "0", "--json", "--log-level", "none", "--database", database], {
    env: { EARSHOT_RECORDINGS: `${folder}/recordings` }
  })
  onTestFinished(() => {
    server.child.kill("SIGKILL")
  })
  const url = /http[^"]+/.exec(await server.until("\n"))?.[0] ?? ""
  const headers = { "X-SERVICE-API-KEY": key, "content-type": "application/json", connection: "close" }
  const send = async (path: string, init: RequestInit) => {
    const answer = await fetch(url + path, { headers, ...init })
    await answer.arrayBuffer()
    return answer.status
  }
  return {
    server,
    client: {
      post: (path, body) => send(path, { method: "POST", body: JSON.stringify(body) }),
      get: (path) => send(path, {})
    }
  }
}

const kill = async ({ child, ended }: Started): Promise<void> => {
  child.kill("SIGKILL")
  await ended
}

const removedAfter = (at: Place): Place => {
  onTestFinished(() => at.remove())
  return at
}

describe.each(["sqlite", "postgres"] as const)("jobs of a server that is killed on %s", (kind) => {
  it("are claimed by another one within ten seconds", async () => {
    const at = removedAfter(await place(kind))
    const { agent, key } = await initialized(at)
    const [first, second] = await Promise.all([serving(at, key), serving(at, key)])
    // The second one is to claim nothing before the first one has.
    second.server.child.kill("SIGSTOP")
    for (let n = 0; n < 15; n++) {
      const metric = { agent, name: `Endless ${n}`, type: "custom_code", eval_type: "numeric" }
      const custom_code = `while (true) {} // ${n}`
      expect(await first.client.post("/test_framework/v1/metrics/", { ...metric, custom_code })).toBe(201)
    }
    const transcript_json = [{ role: "Main Agent", content: "Hello" }]
    expect(await first.client.post("/observability/v1/observe/", { call_id: "1", agent, transcript_json })).toBe(201)
    /** Who holds the job with the sandboxed code, and when it was claimed or its lease extended. */
    const holder = async () => {
      const statement = "SELECT owner, updated_ms FROM jobs WHERE kind = 'evaluate_call_external' AND state = 'running'"
      const [rows] = await Effect.runPromise(StorageKit.execute(at.database, statement))
      return Schema.decodeUnknownSync(Row)(rows?.[0] ?? { owner: null, updated_ms: 0 })
    }
    await expect.poll(async () => (await holder()).owner, { timeout: 60_000, interval: 50 }).not.toBeNull()
    const { owner } = await holder()
    second.server.child.kill("SIGCONT")
    expect((await holder()).owner).toBe(owner)
    await kill(first.server)
    const killedAt = Date.now()
    await expect
      .poll(async () => ![owner, null].includes((await holder()).owner), { timeout: 60_000, interval: 50 })
      .toBe(true)
    expect((await holder()).updated_ms - killedAt).toBeLessThan(10_000)
  })
})

/** The reader processes of a process. */
const readersOf = async (parent: number): Promise<ReadonlyArray<number>> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const read = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")
  const found = await Promise.all(
    pids.map(async (pid) => {
      const stat = await read(pid, "stat")
      const isChild = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(parent)
      return isChild && (await read(pid, "cmdline")).startsWith("earshot reader") ? [Number(pid)] : []
    })
  )
  return found.flat()
}

/** A process that has ended, but was not waited for, is still listed. */
const isRunning = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  return stat !== "" && stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z"
}

describe.skipIf(!existsSync("/proc/self/stat"))("the reader process of a server that is killed", () => {
  it.each([
    ["that waits", false],
    ["amid a query", true]
  ])("%s ends as well", async (_, isBusy) => {
    const at = removedAfter(await place("sqlite"))
    const { agent, key } = await initialized(at)
    const { client, server } = await serving(at, key)
    expect(await client.post("/observability/v1/observe/", { call_id: "1", agent })).toBe(201)
    expect(await client.get("/observability/v1/call-logs/")).toBe(200)
    if (isBusy) {
      // A list of calls that never ends.
      const numbers =
        "WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers) SELECT max(i) FROM numbers"
      await Effect.runPromise(
        StorageKit.execute(
          at.database,
          "ALTER TABLE calls RENAME TO stored_calls",
          `CREATE VIEW calls AS SELECT * FROM stored_calls WHERE 0 < (${numbers})`
        )
      )
      client.get("/observability/v1/call-logs/").catch(() => undefined)
    }
    // Amid a query that takes long another reader is started, so that the next read finds one.
    const started = () => readersOf(server.child.pid ?? 0)
    await expect.poll(started, { timeout: 30_000, interval: 50 }).toHaveLength(isBusy ? 2 : 1)
    const readers = await started()
    await kill(server)
    for (const reader of readers) {
      await expect.poll(() => isRunning(reader), { timeout: 10_000, interval: 20 }).toBe(false)
    }
  })
})
