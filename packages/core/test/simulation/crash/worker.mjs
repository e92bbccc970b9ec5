// A process that plays runs until it is killed, or told by a closed stdin to stop.
import { writeSync } from "node:fs"
import { Database, Engine, JobRunner } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

const [address] = process.argv.slice(2)

const fiber = Effect.runFork(
  Effect.flatMap(JobRunner, (runner) => runner.run).pipe(
    Effect.provide(
      Engine.layerWith({
        jobs: { lease: "2 seconds", poll: "100 millis" },
        allowHosts: ["127.0.0.1"]
      }).pipe(Layer.provide(Database.layer(address)))
    )
  )
)
writeSync(1, "working\n")
process.stdin.resume()
process.stdin.on("end", () => {
  Effect.runPromise(Fiber.interrupt(fiber)).then(() => process.exit(0))
})
