// A process that simplifies prompts until it is killed, or told by a closed stdin to stop. Its model takes its time.
import { writeSync } from "node:fs"
import { Database, Engine, JobRunner, LanguageModel } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

const [address] = process.argv.slice(2)

const ask = (question) =>
  Effect.delay(
    Effect.sync(() => {
      const prompt = JSON.parse(question.prompt.split("\n")[1])
      const number = /\d+/.exec(prompt)[0]
      return {
        value: { simplified_prompt: `Return ${number} if the agent greets the caller.` },
        model: "crash",
        promptHash: "0",
        seed: 7
      }
    }),
    "60 millis"
  )

const fiber = Effect.runFork(
  Effect.flatMap(JobRunner, (runner) => runner.run).pipe(
    Effect.provide(
      Engine.layerWith({
        jobs: { lease: "2 seconds", poll: "100 millis" },
        languageModel: Layer.succeed(LanguageModel, { ask: Option.some(ask) })
      }).pipe(Layer.provide(Database.layer(address)))
    )
  )
)
writeSync(1, "working\n")
process.stdin.resume()
process.stdin.on("end", () => {
  Effect.runPromise(Fiber.interrupt(fiber)).then(() => process.exit(0))
})
