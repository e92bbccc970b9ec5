import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Calls, CurrentActor, Database, Engine, hostActor, Metrics, Organizations } from "@earshot/core"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const CALLS = 200

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const worker = fileURLToPath(new URL("./crash/worker.mjs", import.meta.url))

beforeAll(() => {
  // The process runs what is built, as any user's does. Type errors are told elsewhere.
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc")
  spawnSync(process.execPath, [compiler, "-b", "packages/core"], { cwd: root })
}, 240_000)

const turns = [
  { role: "Testing Agent", content: "A table for two, please.", start_time: 0, end_time: 2 },
  { role: "Main Agent", content: "At eight, by the window.", start_time: 2.5, end_time: 4 }
]

/** It takes its time, so that a process is killed in the midst of its work. */
const CODE =
  "let n = 0; for (let i = 0; i < 300000; i++) n += i % 7; return { value: call.transcript_object.length, explanation: String(n) }"

describe.each(["sqlite", "postgres"] as const)("200 evaluations whose process is killed, on %s,", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-evaluations-"))
  const children = new Set<ChildProcess>()
  let address = `sqlite:${join(folder, "calls.db")}`
  let drop: () => Promise<unknown> = () => Promise.resolve()

  beforeAll(async () => {
    if (database === "postgres") {
      const fresh = await createDatabase(await postgresUrl())
      address = fresh.url
      drop = () => fresh.drop()
    }
  })

  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL")
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [worker, address], { stdio: ["pipe", "pipe", "inherit"] })
    children.add(child)
    return child
  }
  const ended = (child: ChildProcess) =>
    new Promise<void>((resolve) => {
      child.on("close", () => {
        children.delete(child)
        resolve()
      })
    })

  it("all finish, with no score and no charge twice", { timeout: 180_000 }, async () => {
    const engine = ManagedRuntime.make(Engine.layer.pipe(Layer.provideMerge(Database.layer(address))))
    try {
      const founded = await engine.runPromise(
        Effect.gen(function* () {
          const { agent, organization } = yield* (yield* Organizations).create({ name: "Crash" })
          const as = Effect.provideService(CurrentActor, hostActor(organization.id))
          const metrics = yield* Metrics
          const calls = yield* Calls
          yield* as(
            metrics.create({
              agent: agent.id,
              name: "turns",
              type: "custom_code",
              eval_type: "numeric",
              custom_code: CODE
            })
          )
          yield* Effect.forEach(
            Array.from({ length: CALLS }, (_, n) => n),
            (n) => as(calls.ingest({ call_id: `call ${n}`, agent: agent.id, transcript_json: turns })),
            { concurrency: 32 }
          )
          return organization.id
        })
      )
      const count = (text: string) =>
        engine.runPromise(
          Effect.flatMap(SqlClient, (sql) => sql.unsafe<{ readonly n: number }>(text)).pipe(
            Effect.map((rows) => Number(rows[0]?.n))
          )
        )
      const succeeded = () => count("SELECT count(*) AS n FROM jobs WHERE state = 'succeeded'")
      const until = async (enough: number) => {
        while ((await succeeded()) < enough) await new Promise((resolve) => setTimeout(resolve, 20))
      }

      const first = start()
      const others = database === "postgres" ? [start()] : []
      await until(40)
      const killed = ended(first)
      first.kill("SIGKILL")
      await killed
      const left = await count("SELECT count(*) AS n FROM jobs WHERE state = 'running'")
      expect(await succeeded()).toBeLessThan(CALLS)
      others.push(start())
      await until(CALLS)
      await Promise.all(
        others.map((child) => {
          const gone = ended(child)
          child.stdin?.end()
          return gone
        })
      )

      expect(left).toBeGreaterThan(0)
      expect(await count("SELECT count(*) AS n FROM jobs")).toBe(CALLS)
      expect(await count("SELECT count(*) AS n FROM jobs WHERE attempts > 1")).toBeGreaterThan(0)
      const scored = "FROM metric_evaluations e JOIN metrics m ON m.id = e.metric_id WHERE e.status = 'scored'"
      expect(await count(`SELECT count(*) AS n ${scored} AND m.slug = 'turns' AND value_number = 2`)).toBe(CALLS)
      expect(await count(`SELECT count(*) AS n ${scored} AND m.slug = 'latency_ms' AND value_number = 500`)).toBe(CALLS)
      expect(await count("SELECT count(*) AS n FROM calls WHERE evaluation IS NOT NULL")).toBe(CALLS)
      expect(await count("SELECT count(*) AS n FROM credit_entries")).toBe(CALLS)
      expect(await count("SELECT sum(amount_micros) AS n FROM credit_entries")).toBe(CALLS * 5_000)
      expect(founded).toBeGreaterThan(0)
    } finally {
      await engine.dispose()
    }
  })
})
