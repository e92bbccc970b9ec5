import { existsSync } from "node:fs"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { earshot, start, type Started } from "../support/binary.js"
import { initialized, place, type Place } from "../support/databases.js"

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at)

/** The processes that this one started, as Linux knows them. */
const startedBy = async (parent: number): Promise<ReadonlyArray<number>> => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")))
  return pids
    .filter((_, at) => stats[at]?.slice(stats[at].lastIndexOf(")") + 2).split(" ")[1] === String(parent))
    .map(Number)
}

const commons = ["--processes", "2", "--port", "0", "--json", "--log-level", "error"]

const serve = ({ database }: Place, ...options: ReadonlyArray<string>): Started =>
  start(["serve", ...commons, ...options, "--database", database])

const urlOf = async (server: Started): Promise<string> => /http[^"]+/.exec(await server.until("\n"))?.[0] ?? ""

/** A client whose every request has a connection of its own, so that the processes take turns. */
const client = (url: string, key: string, agent: number) => {
  const headers = { "X-SERVICE-API-KEY": key, "content-type": "application/json", connection: "close" }
  const text = async (path: string) => (await fetch(url + path, { headers })).text()
  return {
    deliver: async (id: string): Promise<number> => {
      const body = JSON.stringify({ call_id: id, agent, transcript_json: [{ role: "Main Agent", content: "Hi" }] })
      const answer = await fetch(`${url}/observability/v1/observe/`, { method: "POST", headers, body })
      await answer.arrayBuffer()
      return answer.status
    },
    calls: async (): Promise<ReadonlyArray<{ readonly call_id: string; readonly metrics: ReadonlyArray<unknown> }>> =>
      (await text("/observability/v1/call-logs/export/"))
        .trim()
        .split("\n")
        .map((line) => Schema.decodeUnknownSync(Line)(line)),
    /** How many attempts of evaluation jobs ended, as the metrics have it. */
    evaluated: async (): Promise<number> =>
      Number(/^earshot_jobs_ended_total\{kind="evaluate_call"\} (\d+)$/m.exec(await text("/metrics"))?.[1]),
    /** How many calls were taken in, as the metrics have it. */
    counted: async () =>
      /^earshot_http_requests_total\{method="POST",.*status="201"\} (\d+)$/m.exec(await text("/metrics"))?.[1]
  }
}

const Line = Schema.parseJson(Schema.Struct({ call_id: Schema.String, metrics: Schema.Array(Schema.Unknown) }))

for (const kind of ["sqlite", "postgres"] as const) {
  describe(`a server of two processes on ${kind}`, () => {
    let at: Place
    let made: Awaited<ReturnType<typeof initialized>>
    let server: Started
    let url = ""
    /** How many processes were killed. */
    let killed = 0
    beforeAll(async () => {
      at = await place(kind)
      made = await initialized(at)
      server = serve(at)
      url = await urlOf(server)
    })
    afterAll(async () => {
      server.child.kill("SIGKILL")
      await at.remove()
    })

    it("takes each call once, evaluates it, and tells the same whichever process is asked", async () => {
      const { calls, counted, deliver, evaluated } = client(url, made.key, made.agent)
      const ids = range(40).map((n) => `together-${n}`)
      // Twice at the same time, so that both processes have the same call in their hands.
      const statuses = await Promise.all([...ids, ...ids].map(deliver))
      expect(statuses.filter((status) => status === 201)).toHaveLength(40)
      expect(statuses.filter((status) => status === 200)).toHaveLength(40)
      expect((await calls()).map((call) => call.call_id).toSorted()).toEqual(ids.toSorted())
      expect(await Promise.all(range(4).map(counted))).toEqual(["40", "40", "40", "40"])
      const scored = async () => (await calls()).every(({ metrics }) => metrics.length > 0)
      await expect.poll(scored, { timeout: 60_000, interval: 500 }).toBe(true)
      // Counted by the process that runs jobs, which serves no requests.
      await expect.poll(evaluated, { timeout: 60_000, interval: 500 }).toBeGreaterThanOrEqual(40)
    })

    it.skipIf(!existsSync("/proc/self/stat"))(
      "goes on when one that serves is killed, and keeps what it had answered",
      async () => {
        const { calls, counted, deliver } = client(url, made.key, made.agent)
        const before = await startedBy(server.child.pid ?? 0)
        expect(before).toHaveLength(3)
        // The oldest is the one that began to serve before the others were started.
        const victim = Math.min(...before)

        const kept: Array<string> = []
        const clients = range(4).map(async (who) => {
          for (const n of range(30)) {
            const id = `killed-${who}-${n}`
            const status = await deliver(id).catch(() => undefined)
            if (status === 201) kept.push(id)
            if (who === 0 && n === 5) process.kill(victim, "SIGKILL")
          }
        })
        await Promise.all(clients)
        expect(kept.length).toBeGreaterThan(60)
        expect((await calls()).map((call) => call.call_id)).toEqual(expect.arrayContaining(kept))
        const replaced = async () => {
          const now = await startedBy(server.child.pid ?? 0)
          return now.length === 3 && !now.includes(victim)
        }
        await expect.poll(replaced, { timeout: 60_000, interval: 200 }).toBe(true)
        // All of them have to answer for the count to be told.
        await expect.poll(counted, { timeout: 60_000 }).toBeDefined()
        killed += 1
      }
    )

    it.skipIf(kind === "postgres" || !existsSync("/proc/self/stat"))(
      "has the address that it announced when all that served have been killed",
      async () => {
        const serving = await startedBy(server.child.pid ?? 0)
        for (const pid of serving) process.kill(pid, "SIGKILL")
        killed += serving.length
        const answers = () => fetch(`${url}/health`).then(({ status }) => status, String)
        await expect.poll(answers, { timeout: 60_000, interval: 200 }).toBe(200)
      }
    )

    it("ends when it is told to, and has logged nothing but the processes that were killed", async () => {
      server.child.kill("SIGTERM")
      const { code, err, out } = await server.ended
      expect([code, out]).toEqual([0, `{"url":"${url}"}\n`])
      const lines = err.split("\n").filter((line) => line !== "")
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
        range(killed).map(() => ({
          level: "error",
          time: expect.stringMatching(/^\d{4}-.*Z$/),
          msg: expect.stringContaining("Worker process exited; restarting it"),
          process: expect.stringMatching(/^(?:first|server|background)$/),
          code: null
        }))
      )
    })
  })
}

describe("a server of two processes with a limit", () => {
  let at: Place
  let server: Started
  let url = ""
  let isEnding = false
  beforeAll(async () => {
    at = await place("sqlite")
    await initialized(at)
    server = serve(at, "--rate-limit", "10")
    url = await urlOf(server)
  })
  afterAll(async () => {
    server.child.kill("SIGKILL")
    await at.remove()
  })

  it("counts for both together", async () => {
    const { agent, key } = await initialized(at)
    const { deliver } = client(url, key, agent)
    const statuses = await Promise.all(range(24).map((n) => deliver(`limited-${n}`)))
    expect(statuses.filter((status) => status === 201)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(14)
  })

  it.skipIf(!existsSync("/proc/self/stat"))(
    "answers what it has begun, whoever else has signaled its processes before",
    async () => {
      const { agent, key } = await initialized(at)
      const slow = request(`${url}/observability/v1/observe/`, {
        method: "POST",
        headers: { "X-SERVICE-API-KEY": key, "content-type": "application/json", expect: "100-continue" }
      })
      const status = new Promise((resolve, reject) => {
        slow.once("error", reject).once("response", (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
      })
      slow.flushHeaders()
      await new Promise((resolve) => slow.once("continue", resolve))
      for (const pid of await startedBy(server.child.pid ?? 0)) process.kill(pid, "SIGTERM")
      // As soon as a second signal is no repetition of the first any more.
      await new Promise((resolve) => setTimeout(resolve, 700))
      isEnding = server.child.kill("SIGTERM")
      await new Promise((resolve) => setTimeout(resolve, 300))
      slow.end(JSON.stringify({ call_id: "slow", agent, transcript_json: [{ role: "Main Agent", content: "Hi" }] }))
      expect(await status).toBe(201)
    }
  )

  it("ends when it is told to", async () => {
    // A second signal would end it at once, with another code.
    if (!isEnding) server.child.kill("SIGTERM")
    expect((await server.ended).code).toBe(0)
  })
})

describe("a server of several processes that cannot start", () => {
  it("says why, once, and ends as its first process did", async () => {
    const at = await place("sqlite")
    await initialized(at)
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const serve = ["serve", "--processes", "3", "--database", at.database]
    const [inUse, inMemory, misused, led] = await Promise.all([
      earshot([...serve, "--port", String(port), "--json"]),
      earshot(["serve", "--processes", "2", "--database", "sqlite::memory:"]),
      earshot([...serve, "--port", "0"], { env: { EARSHOT_SECRET_KEYS: "no key" } }),
      // As a process manager's cluster starts it.
      earshot([...serve, "--port", "0"], { env: { NODE_UNIQUE_ID: "1", EARSHOT_PROCESS: "1:first" } })
    ])
    taken.close()
    await at.remove()
    const detail = `Cannot listen on 127.0.0.1:${port} (EADDRINUSE)`
    expect(inUse).toEqual({ code: 3, out: "", err: `${JSON.stringify({ detail })}\n` })
    expect(inMemory).toEqual({
      code: 2,
      out: "",
      err: "--processes: A database in memory cannot be shared by processes.\n"
    })
    expect(misused).toMatchObject({ code: 2, out: "" })
    expect(misused.err).toMatch(/^EARSHOT_SECRET_KEYS: .*\n$/)
    expect(led).toMatchObject({ code: 2, out: "" })
    expect(led.err).toContain("a worker of another cluster")
  })

  it("ends when another process fails while one is still starting", async () => {
    const at = await place("sqlite")
    await initialized(at)
    const file = join(at.folder, "slowly.cjs")
    await writeFile(
      file,
      `const place = process.env.EARSHOT_PROCESS ?? ""
      if (place.includes("background")) process.exit(9)
      if (place.includes("server")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600_000)`
    )
    const env = { NODE_OPTIONS: `--require ${file}` }
    const { code, err } = await earshot(["serve", ...commons, "--database", at.database], { env })
    expect({ code, err }).toEqual({
      code: 3,
      err: '{"detail":"A worker process of the server exited before it was ready."}\n'
    })
    await at.remove()
  })
})
