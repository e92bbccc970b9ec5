import { CurrentActor, Database, Engine, hostActor, Organizations, Simplifications } from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, expect, it } from "vitest"
import { killing, ownersOfRunning, workersOf } from "../jobs/workers.js"

const PROMPTS = 60

const promptOf = (n: number) =>
  `Please make sure that you carefully return the number ${n + 1000} in the case in which it can be heard that the agent, at whatever time that may be, greets the caller.`

describe.each(["sqlite", "postgres"] as const)("simplifications whose process is killed, on %s,", (database) => {
  const { address, start, stop } = workersOf(new URL("./crash/worker.mjs", import.meta.url), database)

  it("are all completed by other processes, each exactly once", async () => {
    const engine = ManagedRuntime.make(Engine.layer.pipe(Layer.provideMerge(Database.layer(address()))))
    try {
      const { as, asked } = await engine.runPromise(
        Effect.gen(function* () {
          const { organization } = yield* (yield* Organizations).create({ name: "Crash" })
          const as = Effect.provideService(CurrentActor, hostActor(organization.id))
          const simplifications = yield* Simplifications
          const asked = yield* Effect.forEach(
            Array.from({ length: PROMPTS }, (_, n) => n),
            (n) => as(simplifications.request({ original_prompt: promptOf(n) })),
            { concurrency: 8 }
          )
          return { as, asked }
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

      const { begin, kill } = killing(start, () => engine.runPromise(ownersOfRunning))

      const first = await begin()
      await until(10)
      const left = await kill(first)
      expect(await succeeded()).toBeLessThan(PROMPTS)
      const others = database === "postgres" ? [start(), start()] : [start()]
      await until(PROMPTS)
      await Promise.all(others.map(stop))

      expect(await count("SELECT count(*) AS n FROM jobs")).toBe(PROMPTS)
      expect(await count("SELECT count(*) AS n FROM jobs WHERE attempts > 1")).toBeGreaterThanOrEqual(left)
      expect(await count("SELECT count(*) AS n FROM simplified_prompts WHERE simplifier = 'model'")).toBe(PROMPTS)
      expect(await count("SELECT count(*) AS n FROM simplifications WHERE under_way = 1")).toBe(0)
      const answers = await engine.runPromise(
        Effect.flatMap(Simplifications, (simplifications) =>
          Effect.forEach(asked, ({ progressId }) => as(simplifications.progress({ progress_id: progressId })))
        )
      )
      answers.forEach((answer, n) => {
        expect(answer).toMatchObject({
          status: "completed",
          originalPrompt: promptOf(n),
          simplifiedPrompt: `Return ${n + 1000} if the agent greets the caller.`
        })
      })
    } finally {
      await engine.dispose()
    }
  })
})
