import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Engine, hostActor, Organizations, Tools } from "@earshot/core"
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

const EVALUATORS = 1_000
/** Kills for each database. Starting a process takes most of the time, so that ordinary runs have one kill of each. */
const ROUNDS = Number(process.env.EARSHOT_CRASH_ROUNDS ?? 1)

const child = fileURLToPath(new URL("./crash/child.mjs", import.meta.url))

/** Starts a process that updates and kills it during a request; returns how many requests had been acknowledged. */
const killedAmidst = async (args: ReadonlyArray<string>, round: number): Promise<number> => {
  const updating = spawn(process.execPath, [child, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  let messages = ""
  let wrong = ""
  updating.stderr.on("data", (chunk: Buffer) => (wrong += chunk.toString()))
  updating.stdout.on("data", (chunk: Buffer) => {
    messages += chunk.toString()
    // Some moments into a call, later each round; SQLite's statements block the process that makes them, not this one.
    if (messages.split("asked").length === 3 + round) setTimeout(() => updating.kill("SIGKILL"), 3 + 7 * round)
  })
  const signal = await new Promise((resolve) => updating.on("close", (_, by) => resolve(by)))
  expect([signal, wrong]).toEqual(["SIGKILL", ""])
  return messages.split("done").length - 1
}

beforeAll(buildCore)

describe.each(["sqlite", "postgres"] as const)("a process killed during a bulk update on %s", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-crash-"))
  let location = join(folder, "evaluators.db")
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
    `leaves every evaluator as after a whole number of requests (${ROUNDS} times)`,
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
      const { organization, project } = await inEngine(
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const founded = yield* (yield* Organizations).create({ name: "Crash" })
          const tools = yield* Tools
          for (const name of ["a", "b", "c"]) {
            yield* TestEngine.as(hostActor(founded.organization.id))(
              tools.create({ project: founded.project.id, name })
            )
          }
          const numbers = Array.from({ length: EVALUATORS }, (_, at) => at)
          yield* sql`INSERT INTO evaluators ${sql.insert(
            numbers.map((at) => ({
              organization_id: founded.organization.id,
              project_id: founded.project.id,
              agent_id: founded.agent.id,
              name: `E ${at}`,
              scenario_type: "instruction",
              instructions: "",
              search_text: "",
              expected_outcome_prompt: "",
              first_message: "",
              created_ms: 0,
              updated_ms: 0
            }))
          )}`
          return founded
        })
      )
      const args = [database, location, String(organization.id), String(project.id), String(EVALUATORS)]
      let calls = 0
      for (let round = 0; round < ROUNDS; round++) {
        const done = await killedAmidst(args, round)
        const states = await inEngine(
          Effect.gen(function* () {
            const sql = yield* SqlClient
            return yield* sql<{ readonly calls: number; readonly tools: number; readonly evaluators: number }>`
              SELECT length(e.instructions) AS calls, count(*) AS evaluators,
                sum((SELECT count(*) FROM evaluator_tools t WHERE t.evaluator_id = e.id)) AS tools
              FROM evaluators e GROUP BY length(e.instructions)`
          })
        )
        expect(states).toHaveLength(1)
        const [state] = states
        expect([state?.evaluators, Number(state?.tools)]).toEqual([EVALUATORS, EVALUATORS * 3])
        // Acknowledged requests are kept; the one in progress was applied completely or not at all.
        expect([calls + done, calls + done + 1]).toContain(state?.calls)
        calls = state?.calls ?? 0
      }
    },
    60_000 + ROUNDS * 15_000
  )
})
