// A process that evaluates calls until it is killed, or stopped by a closed stdin.
import { writeSync } from "node:fs"
import { Database, Engine, JobRunner } from "@earshot/core"
import * as QuickJsSandbox from "@earshot/core/providers/QuickJsSandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

const [address] = process.argv.slice(2)

const fiber = Effect.runFork(
  Effect.flatMap(JobRunner, (runner) => runner.run).pipe(
    Effect.provide(
      // Code that a busy machine kept waiting would be scored as failed, and a failure is tried again.
      Engine.layerWith({
        jobs: { lease: "2 seconds", poll: "100 millis" },
        sandbox: QuickJsSandbox.layer({ timeout: "1 minute" })
      }).pipe(Layer.provide(Database.layer(address)))
    )
  )
)
writeSync(1, "working\n")
process.stdin.resume()
process.stdin.on("end", () => {
  Effect.runPromise(Fiber.interrupt(fiber)).then(() => process.exit(0))
})
