// A process that makes results and deletes them in bulk until it is killed, and says when it asks and when it was told.
import { writeSync } from "node:fs"
import { CurrentActor, Engine, hostActor, Results, Suites } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const [database, location, organization, agent, number, round, count, runs] = process.argv.slice(2)

const storage =
  database === "sqlite"
    ? Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@earshot/core/sqlite")),
          ({ SqliteStorage }) => SqliteStorage.layer({ filename: location })
        )
      )
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@earshot/core/postgres")),
          ({ PostgresStorage }) => PostgresStorage.layer({ url: Redacted.make(location) })
        )
      )

const program = Effect.gen(function* () {
  const results = yield* Results
  const suites = yield* Suites
  const suite = (name) => ({
    version: "1",
    suite: { name },
    // So that every result has runs under way and queued ones.
    defaults: { concurrency_limit: 2 },
    scenarios: ["a", "b"].map((key) => ({
      key,
      name: key,
      type: "instruction",
      instructions: "Ask.",
      frequency: Number(runs) / 2
    }))
  })
  for (let batch = 0; ; batch++) {
    const made = []
    for (let n = 0; n < Number(count); n++) {
      const { id } = yield* suites.run({
        spec: suite(`${round}-${batch}`),
        agent_id: Number(agent),
        phone_number: Number(number)
      })
      made.push(id)
    }
    yield* results.claim({ channel: "voice", limit: 100, lease_seconds: 3600 })
    // Synchronous, so that nothing is said that the parent cannot read after the kill.
    writeSync(1, `asked ${round}-${batch}\n`)
    yield* results.bulkDelete({ result_ids: made })
    writeSync(1, `done ${round}-${batch}\n`)
  }
}).pipe(
  Effect.provideService(CurrentActor, hostActor(Number(organization))),
  Effect.provide(Engine.layer.pipe(Layer.provideMerge(storage)))
)

Effect.runFork(program).addObserver((exit) => {
  process.stderr.write(`${JSON.stringify(exit)}\n`)
  process.exit(1)
})
