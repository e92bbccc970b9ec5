import { Calls, CurrentActor, Database, Engine, hostActor, Metrics, Organizations } from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, expect, it } from "vitest"
import { killing, ownersOfRunning, workersOf } from "../jobs/workers.js"

const CALLS = 100

/** Notes every score that is written over another: what an earlier attempt kept is not to be scored again. */
const noteRewrites = {
  sqlite: [
    "CREATE TABLE rewritten (call_id, metric_id)",
    `CREATE TRIGGER note_rewrite AFTER UPDATE ON metric_evaluations
     BEGIN INSERT INTO rewritten VALUES (new.call_id, new.metric_id); END`
  ],
  postgres: [
    "CREATE TABLE rewritten (call_id bigint, metric_id bigint)",
    `CREATE FUNCTION note_rewrite() RETURNS trigger LANGUAGE plpgsql AS $note$
     BEGIN INSERT INTO rewritten VALUES (new.call_id, new.metric_id); RETURN new; END $note$`,
    "CREATE TRIGGER note_rewrite AFTER UPDATE ON metric_evaluations FOR EACH ROW EXECUTE FUNCTION note_rewrite()"
  ]
} as const

const turns = [
  { role: "Testing Agent", content: "A table for two, please.", start_time: 0, end_time: 2 },
  { role: "Main Agent", content: "At eight, by the window.", start_time: 2.5, end_time: 4 }
]

const CODE = "return { value: call.transcript_object.length, explanation: 'counted' }"

/** Milliseconds to wait for jobs; they take a few seconds. */
const POLL_LIMIT = 120_000

describe.each(["sqlite", "postgres"] as const)("evaluations whose process is killed on %s", (database) => {
  const { address, start, stop } = workersOf(new URL("./crash/worker.mjs", import.meta.url), database)

  it("all finish, with every score stored and charged once", async () => {
    const engine = ManagedRuntime.make(Engine.layer.pipe(Layer.provideMerge(Database.layer(address()))))
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
          const sql = yield* SqlClient
          for (const statement of noteRewrites[database]) yield* sql.unsafe(statement)
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
        const deadline = performance.now() + POLL_LIMIT
        for (let done = await succeeded(); done < enough; done = await succeeded()) {
          if (performance.now() > deadline)
            throw new Error(`Only ${done} of ${enough} jobs succeeded in ${POLL_LIMIT} ms`)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }

      const { begin, kill } = killing(start, () => engine.runPromise(ownersOfRunning))

      // On PostgreSQL two processes work at a time throughout, of which both are killed; on SQLite one after the other.
      const first = await begin()
      const another = database === "postgres" ? await begin() : undefined
      await until(20)
      const left = await kill(first)
      expect(await succeeded()).toBeLessThan(CALLS)
      const replacements = another === undefined ? [] : [start()]
      const second = another ?? (await begin())
      await until(50)
      const leftAgain = await kill(second)
      expect(await succeeded()).toBeLessThan(CALLS)
      const others = [...replacements, start()]
      await until(CALLS)
      await Promise.all(others.map(stop))

      expect(await count("SELECT count(*) AS n FROM rewritten")).toBe(0)
      expect(await count("SELECT count(*) AS n FROM jobs")).toBe(CALLS)
      expect(await count("SELECT count(*) AS n FROM jobs WHERE attempts > 1")).toBeGreaterThanOrEqual(
        Math.max(left, leftAgain)
      )
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
