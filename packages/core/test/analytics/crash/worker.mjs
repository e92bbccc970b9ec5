// A process with an embedded column store that either changes calls and prints a line for each change, or projects and
// evaluates them and prints a line for each batch, until it is killed, or stopped by a closed stdin.
import { writeSync } from "node:fs"
import {
  Calls,
  ColumnStores,
  CurrentActor,
  Database,
  Engine,
  hostActor,
  JobRunner,
  projectionTotals
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

const [address, columns, work, organization, agent, round] = process.argv.slice(2)

const transcript = (n) => [
  { role: "Testing Agent", content: "A table for two, please.", start_time: 0, end_time: 2 },
  { role: "Main Agent", content: "At eight, by the window.", start_time: 2 + (n % 10) / 10, end_time: 4 }
]

/** Of each ten calls some are delivered again, reviewed or deleted. */
const client = (calls, number) =>
  Effect.gen(function* () {
    for (let n = 0; ; n++) {
      const body = { call_id: `${round}-${number}-${n}`, agent: Number(agent), transcript_json: transcript(n) }
      const { call } = yield* calls.ingest({ ...body, metadata: { n } })
      if (n % 10 === 1) yield* calls.ingest({ ...body, metadata: { n: n + 1 }, call_ended_reason: "redelivered" })
      if (n % 10 === 3) yield* calls.review(call.id, { success: true, is_reviewed: true })
      if (n % 10 === 5) yield* calls.delete(call.id)
      writeSync(1, "changed\n")
      // As fast as they can, they would store thousands of calls until the column store has started, which all are projected.
      yield* Effect.sleep("20 millis")
    }
  })

const changing = Effect.flatMap(Calls, (calls) =>
  Effect.forEach([1, 2, 3, 4], (number) => client(calls, number), { concurrency: "unbounded" })
)

const reporting = Effect.iterate(0, {
  while: () => true,
  body: (reported) =>
    Effect.gen(function* () {
      const { batches } = yield* projectionTotals
      if (batches > reported) writeSync(1, "applied\n".repeat(batches - reported))
      yield* Effect.sleep("10 millis")
      return batches
    })
})
const projecting = Effect.zipRight(
  Effect.fork(reporting),
  Effect.flatMap(JobRunner, (runner) => runner.run)
)

const fiber = Effect.runFork(
  Effect.flatMap(ColumnStores.at(`embedded:${columns}`), (analytics) =>
    Effect.provide(
      work === "change" ? changing : projecting,
      Engine.layerWith({
        analytics,
        jobs: { lease: "2 seconds", poll: "100 millis" },
        projection: { batch: 20, lease: "2 seconds", eraseAfter: "1 second" }
      }).pipe(Layer.provide(Database.layer(address)))
    )
  ).pipe(Effect.provideService(CurrentActor, hostActor(Number(organization))))
)
process.stdin.resume()
process.stdin.on("end", () => {
  Effect.runPromise(Fiber.interrupt(fiber)).then(() => process.exit(0))
})
