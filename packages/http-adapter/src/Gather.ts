/** The metrics of all processes that share an address: whoever is asked has those of all of them. */
import cluster from "node:cluster"
import * as Schema from "effect/Schema"
import { AggregatorRegistry, type Registry } from "prom-client"

const Question = Schema.Struct({ type: Schema.Literal("earshot:metrics"), id: Schema.Number })
const Answer = Schema.Struct({
  type: Schema.Literal("earshot:metrics"),
  id: Schema.Number,
  /** Nothing if a process did not answer in time. */
  text: Schema.NullOr(Schema.String)
})
const isQuestion = Schema.is(Question)
const isAnswer = Schema.is(Answer)

/** In the process that leads: adds up what the others count, as often as one of them asks. */
export const answerForMetrics = (): void => {
  const all = new AggregatorRegistry()
  cluster.on("message", (worker, message: unknown) => {
    if (!isQuestion(message)) return
    const reply = (text: string | null): void => {
      const answer: typeof Answer.Type = { type: "earshot:metrics", id: message.id, text }
      if (worker.isConnected()) worker.send(answer)
    }
    all.clusterMetrics().then(reply, () => {
      reply(null)
    })
  })
}

/** In a process that is led: has these registries added up with those of the others, and asks for the sum. */
export const gatherMetrics = (registries: ReadonlyArray<Registry>): (() => Promise<string>) => {
  AggregatorRegistry.setRegistries([...registries])
  // It answers the process that leads from now on.
  new AggregatorRegistry()
  const waiting = new Map<number, (text: string | null) => void>()
  let asked = 0
  process.on("message", (message: unknown) => {
    if (!isAnswer(message)) return
    waiting.get(message.id)?.(message.text)
    waiting.delete(message.id)
  })
  return () =>
    new Promise((resolve, reject) => {
      const id = asked++
      waiting.set(id, (text) => {
        if (text === null) reject(new Error("Not every process of the server said what it counted."))
        else resolve(text)
      })
      const question: typeof Question.Type = { type: "earshot:metrics", id }
      process.send?.(question)
    })
}
