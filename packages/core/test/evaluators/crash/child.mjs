// A process that updates evaluators in bulk until it is killed, and says of each call that it was told it is done.
import { writeSync } from "node:fs"
import { CurrentActor, Engine, Evaluators, hostActor } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const [database, location, organization, project, count] = process.argv.slice(2)

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
  const evaluators = yield* Evaluators
  const scenarios = Array.from({ length: Number(count) }, (_, at) => at + 1)
  for (;;) {
    writeSync(1, "asked\n")
    yield* evaluators.bulkUpdate({
      scenarios,
      project: Number(project),
      append_instruction: "!",
      tool_ids_to_add: [1, 2, 3],
      max_duration: 60
    })
    // Synchronous, so that nothing is said that the parent cannot read after the kill.
    writeSync(1, "done\n")
  }
}).pipe(
  Effect.provideService(CurrentActor, hostActor(Number(organization))),
  Effect.provide(Engine.layer.pipe(Layer.provideMerge(storage)))
)

Effect.runFork(program).addObserver((exit) => {
  process.stderr.write(`${JSON.stringify(exit)}\n`)
  process.exit(1)
})
