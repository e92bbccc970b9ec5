/** The metrics of all processes that share an address: whoever is asked has those of all of them. */
import cluster, { type Worker } from "node:cluster"
import * as Schema from "effect/Schema"
import { AggregatorRegistry, type Registry } from "prom-client"

/** A process that serves asks the one that leads for the sum. */
const Wanted = Schema.Struct({ type: Schema.Literal("earshot:metrics-wanted"), id: Schema.Number })
/** The one that leads asks each that serves what it has. */
const Question = Schema.Struct({ type: Schema.Literal("earshot:metrics-question"), id: Schema.Number })
const Answer = Schema.Struct({
  type: Schema.Literal("earshot:metrics-answer"),
  id: Schema.Number,
  registries: Schema.Array(Schema.Array(Schema.Object))
})
const Sum = Schema.Struct({
  type: Schema.Literal("earshot:metrics-sum"),
  id: Schema.Number,
  /** Nothing if a process did not answer in time. */
  text: Schema.NullOr(Schema.String)
})
const isWanted = Schema.is(Wanted)
const isQuestion = Schema.is(Question)
const isAnswer = Schema.is(Answer)
const isSum = Schema.is(Sum)

/** How long a process may take to say what it has. */
const ANSWER_MILLIS = 5_000

/** Those whose metrics are added up: the processes that serve, from when they are ready until they end. */
export interface Counted {
  readonly add: (worker: Worker) => void
  readonly delete: (worker: Worker) => void
}

interface Round {
  readonly missing: Set<Worker>
  readonly registries: Array<ReadonlyArray<object>>
  readonly end: (text: string | null) => void
}

/**
 * In the process that leads: adds up what those that serve have counted, as often as one of them asks. prom-client's own
 * means ask those too that are just starting, and wait for those that ended meanwhile.
 */
export const answerForMetrics = (): Counted => {
  const counted = new Set<Worker>()
  const rounds = new Map<number, Round>()
  let asked = 0
  const endIfAllAnswered = ({ end, missing, registries }: Round): void => {
    if (missing.size > 0) return
    AggregatorRegistry.aggregate([...registries])
      .metrics()
      .then(end, () => {
        end(null)
      })
  }
  cluster.on("message", (worker, message: unknown) => {
    if (isAnswer(message)) {
      const round = rounds.get(message.id)
      if (round?.missing.delete(worker) !== true) return
      round.registries.push(...message.registries)
      endIfAllAnswered(round)
    }
    if (!isWanted(message)) return
    const id = asked++
    const end = (text: string | null): void => {
      clearTimeout(timer)
      rounds.delete(id)
      const sum: typeof Sum.Type = { type: "earshot:metrics-sum", id: message.id, text }
      worker.send(sum)
    }
    const timer = setTimeout(end, ANSWER_MILLIS, null)
    const round: Round = { missing: new Set(counted), registries: [], end }
    rounds.set(id, round)
    const question: typeof Question.Type = { type: "earshot:metrics-question", id }
    for (const one of round.missing) one.send(question)
    endIfAllAnswered(round)
  })
  return {
    add: (worker) => counted.add(worker),
    delete: (worker) => {
      counted.delete(worker)
      for (const round of rounds.values()) if (round.missing.delete(worker)) endIfAllAnswered(round)
    }
  }
}

/** In a process that is led: has these registries added up with those of the others, and asks for the sum. */
export const gatherMetrics = (registries: ReadonlyArray<Registry>): (() => Promise<string>) => {
  const waiting = new Map<number, (text: string | null) => void>()
  let asked = 0
  process.on("message", (message: unknown) => {
    if (isSum(message)) {
      waiting.get(message.id)?.(message.text)
      waiting.delete(message.id)
    }
    if (!isQuestion(message)) return
    // One that cannot say what it has says nothing, which is a fault in time.
    void Promise.all(registries.map((registry) => registry.getMetricsAsJSON())).then(
      (found) => {
        const answer: typeof Answer.Type = { type: "earshot:metrics-answer", id: message.id, registries: found }
        process.send?.(answer)
      },
      () => undefined
    )
  })
  return () =>
    new Promise((resolve, reject) => {
      const id = asked++
      waiting.set(id, (text) => {
        if (text === null) reject(new Error("Not every process of the server said what it counted."))
        else resolve(text)
      })
      const wanted: typeof Wanted.Type = { type: "earshot:metrics-wanted", id }
      process.send?.(wanted)
    })
}
