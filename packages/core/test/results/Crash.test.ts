import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Engine, hostActor, Organizations, PhoneNumbers } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import { SqlClient } from "@effect/sql/SqlClient"
import { TestEngine } from "@earshot/test-kit"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildCore } from "../buildCore.js"

/** Results that a call deletes, and runs that each of them has. */
const RESULTS = 25
const RUNS = 100
/** Kills for each database. Starting a process takes most of the time, so that ordinary runs have one kill of each. */
const ROUNDS = Number(process.env.EARSHOT_CRASH_ROUNDS ?? 1)

const child = fileURLToPath(new URL("./crash/child.mjs", import.meta.url))

/** Lets a process delete and kills it in the midst of a call; the batches that it had been told were gone. */
const killedAmidst = async (args: ReadonlyArray<string>, round: number): Promise<ReadonlyArray<string>> => {
  const deleting = spawn(process.execPath, [child, ...args, String(round), String(RESULTS), String(RUNS)], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  let messages = ""
  let wrong = ""
  deleting.stderr.on("data", (chunk: Buffer) => (wrong += chunk.toString()))
  deleting.stdout.on("data", (chunk: Buffer) => {
    messages += chunk.toString()
    // Some moments into a call, others each round; SQLite's statements block the process that makes them, not this one.
    if (messages.split("asked").length === (round % 4 === 1 ? 3 : 2))
      setTimeout(() => deleting.kill("SIGKILL"), (round * 13) % 120)
  })
  const signal = await new Promise((resolve) => deleting.on("close", (_, by) => resolve(by)))
  expect([signal, wrong]).toEqual(["SIGKILL", ""])
  return [...messages.matchAll(/^done (\S+)$/gm)].map(([, batch]) => batch ?? "")
}

beforeAll(buildCore)

describe.each(["sqlite", "postgres"] as const)("a process killed during a bulk deletion on %s", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-crash-"))
  let location = join(folder, "results.db")
  let drop: () => Promise<unknown> = () => Promise.resolve()

  beforeAll(async () => {
    if (database === "sqlite") return
    const fresh = await createDatabase(await postgresUrl())
    location = fresh.url
    drop = () => fresh.drop()
  })

  afterAll(async () => {
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it(
    `has done all of the cascade or none (${ROUNDS} times)`,
    async () => {
      const inEngine = <A, E>(effect: Effect.Effect<A, E, Engine.Services | SqlClient>) =>
        Effect.runPromise(
          Effect.provide(
            effect,
            Engine.layer.pipe(
              Layer.provideMerge(
                database === "sqlite"
                  ? SqliteStorage.layer({ filename: location })
                  : PostgresStorage.layer({ url: Redacted.make(location) })
              )
            )
          )
        )
      const { agent, number, organization } = await inEngine(
        Effect.gen(function* () {
          const founded = yield* (yield* Organizations).create({ name: "Crash" })
          const numbers = yield* PhoneNumbers
          const number = yield* TestEngine.as(hostActor(founded.organization.id))(
            numbers.create({ project: founded.project.id, number: "+15550100" })
          )
          return { ...founded, number }
        })
      )
      const args = [database, location, organization.id, agent.id, number.id].map(String)
      let isKept = 0
      for (let round = 0; round < ROUNDS; round++) {
        const given = await killedAmidst(args, round)
        await inEngine(
          Effect.gen(function* () {
            const sql = yield* SqlClient
            const batches = yield* sql<{
              name: string
              results: number
              gone: number
              runs: number
              runs_gone: number
            }>`
              SELECT t.name, count(DISTINCT t.id) AS results,
                count(DISTINCT CASE WHEN t.deleted_ms IS NOT NULL THEN t.id END) AS gone,
                count(u.id) AS runs, count(u.deleted_ms) AS runs_gone
              FROM results t LEFT JOIN runs u ON u.result_id = t.id
              WHERE t.name LIKE ${`${round}-%`} GROUP BY t.name`
            for (const batch of batches) {
              const { gone } = batch
              expect([0, batch.results], batch.name).toContain(gone)
              expect(batch.runs_gone, batch.name).toBe(gone === 0 ? 0 : batch.runs)
              // What was told to be gone is gone.
              if (given.includes(batch.name)) expect(gone, batch.name).toBe(RESULTS)
              else if (gone === 0) isKept++
            }
            const [held] = yield* sql<Record<string, number>>`SELECT c.active_sessions, c.pending_demand,
                (SELECT count(*) FROM capacity_slots) AS slots, (SELECT count(*) FROM held_numbers) AS numbers,
                (SELECT count(*) FROM runs WHERE status = 'running' AND deleted_ms IS NULL) AS running,
                (SELECT count(*) FROM runs WHERE status = 'queued' AND deleted_ms IS NULL) AS queued
              FROM capacity c WHERE c.organization_id = ${organization.id}`
            const of = (name: string) => Number(held?.[name])
            expect([of("active_sessions"), of("slots"), of("pending_demand"), of("numbers")]).toEqual([
              of("running"),
              of("running"),
              of("queued"),
              of("running") + of("queued") > 0 ? 1 : 0
            ])
          })
        )
      }
      // Of many kills some come before the end of the deletion that they are amid.
      if (ROUNDS >= 20) expect(isKept).toBeGreaterThan(0)
    },
    60_000 + ROUNDS * 30_000
  )
})
