// A process that evaluates calls until it is killed, or stopped by a closed stdin. Its code takes its time, so that it is
// killed in the midst of its work, and waits rather than computes, since other tests need the processor.
import { writeSync } from "node:fs"
import { Database, Engine, JobRunner, Sandbox } from "@earshot/core"
import * as QuickJsSandbox from "@earshot/core/providers/QuickJsSandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

const [address] = process.argv.slice(2)

// Code that a busy machine kept waiting would be scored as failed, and a failure is tried again.
const sandbox = Layer.effect(
  Sandbox,
  Effect.map(Sandbox, ({ check, run }) => ({ check, run: (...given) => Effect.delay(run(...given), "200 millis") }))
).pipe(Layer.provide(QuickJsSandbox.layer({ timeout: "1 minute" })))

const fiber = Effect.runFork(
  Effect.flatMap(JobRunner, (runner) => runner.run).pipe(
    Effect.provide(
      Engine.layerWith({ jobs: { lease: "2 seconds", poll: "100 millis" }, sandbox }).pipe(
        Layer.provide(Database.layer(address))
      )
    )
  )
)
writeSync(1, "working\n")
process.stdin.resume()
process.stdin.on("end", () => {
  Effect.runPromise(Fiber.interrupt(fiber)).then(() => process.exit(0))
})
